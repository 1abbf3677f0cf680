"""Context: what clients learn of the files of a window.

Rule: `model` computes the context and uses neither the editor nor the disk. `tracker` asks the editor, on the main
thread, and as little as possible.
"""
