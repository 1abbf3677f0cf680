"""The window that shows a review: its layout, its views and its focus, and how they are restored.

Rule: what the user owns is restored exactly.
"""
