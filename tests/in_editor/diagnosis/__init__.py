"""In-editor tests of `companion/diagnosis/`."""
