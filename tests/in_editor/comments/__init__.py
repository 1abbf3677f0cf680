"""In-editor tests of `companion/comments/`."""
