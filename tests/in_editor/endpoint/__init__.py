"""In-editor tests of `companion/endpoint/`."""
