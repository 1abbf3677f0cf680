"""The document under review: its text, the file on disk, and writing it.

Rule: nothing in here draws, moves a tab or changes a layout.
"""
