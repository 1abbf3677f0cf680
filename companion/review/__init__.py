"""The diff review: what a client proposes, shown beside what is on disk, until the user decides.

`decision` says how a review ends, `document` holds its text and writes its file, `window` makes room for it, and
`display` shows it. `reviews` brings them together, for one window. The decision, the text, the file on disk and the
arithmetic of layouts and scrolling know nothing of the editor.

This file imports nothing, so that the pure parts can be used without the editor.
"""
