"""Comments on lines: the drafts of each folder, where they are shown, and the review that is sent (see `README.md`).

This file imports nothing, so that the pure parts can be used without the editor.
"""
