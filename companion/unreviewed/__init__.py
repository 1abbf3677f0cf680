"""Unreviewed changes: what was written outside the editor since the user last had a say, file by file.

`contents` says what a file holds, `model` which files have changed and why no longer, `merging` and `history` what
becomes of edits of the user in a changed file. `git` and `looking` read the disk, `store` keeps what files held before,
`workspace` has all of one folder together, `undoing` takes changes back, and `tracking` says when to look. `choosing`
lists changes, `reviewing` shows them in the review, with the two `texts` of each, `deciding` carries out what the user
decides, and `tabs` tells what he does in the editor.
"""
