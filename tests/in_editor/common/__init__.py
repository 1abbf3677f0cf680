"""In-editor tests of `companion/common/`."""
