"""Small helpers around the editor's API: edits, marks on views, the status bar, the log panel.

Rule: nothing in here knows what a review or an endpoint is.
"""
