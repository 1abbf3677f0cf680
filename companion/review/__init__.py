"""The diff review: what a client proposes, shown beside what is on disk, until the user decides.

Three things are kept apart. The *decision* (`review`, `text`) and the *arithmetic* (`layout`, `analysis`, `scroll_map`)
know nothing of the editor. The *file on disk* is `disk`'s. The *presentation* is everything else, and `desk` is where it
comes together: one desk per window.

This file imports nothing, so that the pure parts can be used without the editor.
"""
