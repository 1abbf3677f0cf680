"""In-editor tests of `companion/review/`."""
