"""The agents that connect to the editor. Each has one module and one line in `registry`.

Rule: no code outside of this folder names an agent; `settings.py` has some as examples for users.
Everything is pure: it uses neither the editor nor the network nor the disk.
"""
