"""Unreviewed changes: what was written outside the editor since the user last had a say, file by file.

`contents` says what a file holds, `model` which files have changed and why no longer, `merging` what becomes of edits
of the user in a changed file. `git` and `looking` read the disk, `store` keeps what files held before, `workspace` has
all of one folder together, `undoing` takes changes back, and `tracking` says when to look. `reviewing` shows changes in
the review, with the two `texts` of each, and `tabs` tells what the user does in the editor.
"""
