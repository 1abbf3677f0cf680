"""One window's endpoint: its server, discovery files, tool calls and settings, brought together in `endpoint`.

Rule: windows share nothing in here.
"""
