"""In-editor tests of `companion/context/`."""
