"""The programs that connect to the editor: one module for each, and one line in `registry`.

Rule: outside of this folder nobody knows a program by its name; only the table of settings spells out each program's
own. Pure: neither the editor nor the network is known here, and nothing is touched on disk.
"""
