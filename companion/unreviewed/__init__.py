"""Unreviewed changes: what was written outside the editor since the user last approved the file (see `README.md`)."""
