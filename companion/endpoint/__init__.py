"""One window's endpoint: its server, discovery files, tool calls and settings, brought together in `endpoint`.

Rule: nothing in here is shared between windows.
"""
