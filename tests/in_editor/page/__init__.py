"""In-editor tests of `companion/unreviewed/`."""
