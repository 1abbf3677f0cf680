"""In-editor tests of `companion/discovery/`."""
