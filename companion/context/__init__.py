"""Context: what the clients are told about the files in one window.

Rule: the model decides what the context is and never asks the editor or the disk; the follower does the asking, on the
main thread, and as little of it as possible.
"""
