"""What is selected in a view, as far as it is looked at.

Rule: each selection is a question to the editor, and *Find All* leaves a user with ten thousands of them. So however
many there are, only some are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List

if TYPE_CHECKING:
    import sublime

MOST = 100


def first_caret(view: sublime.View) -> int:
    """Where the first caret is; at the start of the text if there is none. Main thread."""
    try:
        return view.sel()[0].b
    except IndexError:
        return 0


def some_selections(view: sublime.View) -> List[sublime.Region]:
    """The first `MOST` selections, carets among them, and the last one, in the order of the text. Main thread."""
    selection = view.sel()
    count = len(selection)
    regions = [selection[number] for number in range(min(count, MOST))]
    if count > MOST:
        regions.append(selection[count - 1])
    return regions
