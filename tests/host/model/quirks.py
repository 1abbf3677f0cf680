"""Switches of the host: what is awkward and known, and what nobody knows.

Truths are what public evidence says of the editor. They are on; `HOST_QUIRKS=-name` in the environment switches one
off.

  late_size           a view has no size, (0, 0), until it was in front and has been drawn; centring and the bounds of
                      scrolling work with that (sublime_text 538, 3128, 4687)
  replacing_selects   `View.replace` moves a caret at the start of what it replaces by the growth, or selects what came
                      in (sublime_text 1165, 4144)
  replacing_scrolls   where it moves or selects so, the view scrolls to it once the command is over (sublime_text 2560)
  late_highlights     `on_highlight` comes once more for what is chosen, before `on_select` (no public issue says
                      so; it is the more awkward of the two)
  fills_replace       a filled region replaces the syntax colours of its text; without a background in the scheme the
                      scope's foreground fills, and the text is inverted (sublime_text 817, 2976, 3035, 3729, 5844;
                      BracketHighlighter 250)
  keys_keep_order     marks are drawn in the order in which their keys first came, also after they were erased; of two
                      icons on a line the first key's is shown (LSP 1593, 1928)
  annotations_shrink  an annotation ends at the view's edge, but begins behind its line's text: it never covers that,
                      and is cut off where there is no room (SublimeLinter 1815; the pictures of annotations, and of
                      code lenses as such, in LSP's documentation)
  shared_phantoms     phantoms show in the clones of their view, too (sublime_text 6188)
  moving_deselects    a tab that is moved within its group is the only one that stays selected there (sublime_text 3126)

Quirks are what the documentation leaves open, so that a package must not rely on it: each can be switched to the
contrary. `HOST_QUIRKS` names them, separated by commas; "all" are all of them. Without it the host behaves as the
editor most probably does.

  late_events         focus, edits and loading are told when the main loop is idle, not inside the call that caused them
  repeated_events     the same events come twice
  late_close          a view that a plugin closes is still there until the main loop is idle
  late_reverts        a file that is reverted, or reopened in another encoding, is read when the main loop is idle
  late_timers         every timer fires some milliseconds later than asked
  rounded_phantoms    phantoms are a whole number of pixels high
  rounded_layout      positions in a layout are kept with four digits
  untitled_window     a new window has an empty untitled tab
  stuck_previews      View.close() leaves a view without a tab as it is (sublime_text 1723)
  moved_previews      a view without a tab that is moved to another group has none there either
  closing_windows     close_windows_when_empty is true, as it is by default on macOS
  focus_deselects     focusing one of several selected sheets leaves that one selected only
  stale_annotations   annotations that change while their view is in the back are drawn as before (sublime_text 5511)
  silent_windows      windows come and go without events
  silent_projects     so do projects
  late_projects       a window's tabs and layout are those of another project before its folders, its name and its
                      settings are
  moving_shows        a tab that is moved to another group shows there, and has the focus
  group_selection     select_sheets takes no notice of sheets in other groups than the active one
  undo_counts         clearing the undo history counts as a change
  split_lines         a block below a line that wraps stands under its first row on the screen, not under its last
  folds_stay          text that changes inside a fold leaves it folded (sublime_text 3162, 5801: mostly not)
  folding_scrolls     what folds or unfolds scrolls to the caret (sublime_text 5622, 5892)
  active_panel        a panel or a palette that has the focus is its window's active view
"""

from __future__ import annotations

import os
from typing import FrozenSet

TRUTHS = frozenset(
    """late_size replacing_selects replacing_scrolls moving_deselects late_highlights shared_phantoms fills_replace
    keys_keep_order annotations_shrink""".split()
)
ALL = frozenset(
    """late_events repeated_events late_close late_reverts late_timers rounded_layout untitled_window
    silent_windows silent_projects late_projects rounded_phantoms moving_shows group_selection undo_counts
    folds_stay folding_scrolls active_panel split_lines
    stuck_previews moved_previews closing_windows focus_deselects stale_annotations""".split()
)
LATE_MILLISECONDS = 25


def chosen() -> FrozenSet[str]:
    """What is switched on: truths and quirks. Raises ValueError for a name that is neither."""
    names = frozenset(name for name in os.environ.get("HOST_QUIRKS", "").split(",") if name)
    off = frozenset(name[1:] for name in names if name.startswith("-"))
    quirks = frozenset(name for name in names if not name.startswith("-"))
    unknown = (quirks - ALL - {"all"}) | (off - TRUTHS)
    if unknown:
        raise ValueError("there is no quirk %s" % ", ".join(sorted(unknown)))
    return (TRUTHS - off) | (ALL if "all" in quirks else quirks)
