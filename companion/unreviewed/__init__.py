"""Unreviewed changes: what was written outside the editor since the user last had a say (see `README.md`)."""
