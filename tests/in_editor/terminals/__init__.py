"""In-editor tests of `companion/terminals/`."""
