"""The diff review: what a client proposes, shown beside what is on disk, until the user decides.

Three things are kept apart. The *decision* (`review`, `text`) and the *arithmetic* (`layout`, `analysis`,
`scroll_map`) know nothing of the editor, nor does `disk`, which reads and writes the file. The *presentation* is
everything else. It comes together in `desk`: one desk per window.

This file imports nothing, so that the pure parts can be used without the editor.
"""
