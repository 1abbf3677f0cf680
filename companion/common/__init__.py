"""Small tools of several parts.

Rule: each stands alone. None knows the editor, the loop, or any other part of the package.
"""
