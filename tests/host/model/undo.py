"""Undo and redo: what each command did to a buffer, and which state the disk has.

Rules kept here: one command is one step; single characters typed in a row are one step together. Regions added or
erased belong to the step of the last edit, unless they have the flag NO_UNDO: undo takes them back with it, and redo
does it again (sublimehq/sublime_text 1121, 2975; sublimelsp/LSP 2359 and pull request 2370).
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple


class Piece(NamedTuple):
    """One replacement inside a step."""

    start: int
    removed: str
    inserted: str


class Step:
    """What one command did: its pieces in order, and each view's selection before and after."""

    def __init__(self, command: str, args: Optional[dict], before: Dict[int, List[Tuple[int, int]]]):
        self.command = command
        self.args = args
        self.pieces: List[Piece] = []
        self.before = before
        self.after: Dict[int, List[Tuple[int, int]]] = {}
        self.repeats = 1
        self.id = object()
        self.regions: Dict[Tuple[Any, str], Any] = {}  # by view and key: the set there is when the step is changed over

    def swap_regions(self) -> None:
        """Exchange the sets of regions that were there before the step and after it. The text is that after it."""
        for (view, key), other in list(self.regions.items()):
            self.regions[view, key] = view.region_sets.pop(key, None)
            if other is not None:
                view.region_sets[key] = other


class UndoStack:
    """The steps of one buffer. `open`/`close` bracket a command; `record` adds what it changes."""

    def __init__(self):
        self.done: List[Step] = []
        self.undone: List[Step] = []
        self._open: Optional[Step] = None
        self._depth = 0
        self._base: Any = object()
        self._saved: Any = self._base
        self._may_merge = False

    # -- recording -------------------------------------------------------------------------------
    def open(self, command: str, args: Optional[dict], before: Dict[int, List[Tuple[int, int]]]) -> None:
        """Begin a step. Nested commands join the outermost one."""
        if self._depth == 0:
            self._open = Step(command, args, before)
        self._depth += 1

    def close(self, after: Dict[int, List[Tuple[int, int]]]) -> None:
        """End a step; one that changed nothing leaves no trace."""
        self._depth -= 1
        if self._depth:
            return
        step, self._open = self._open, None
        if step is None or not step.pieces:
            return
        step.after = after
        self.undone.clear()
        last = self.done[-1] if self.done else None
        if last is not None and self._may_merge and last.id is not self._saved and _joins(last, step):
            last.pieces.extend(step.pieces)
            last.regions = {**step.regions, **last.regions}
            last.after = after
            last.repeats += 1
            last.id = object()
        else:
            self.done.append(step)
        self._may_merge = True

    def record(self, start: int, removed: str, inserted: str) -> None:
        if self._open is not None:
            self._open.pieces.append(Piece(start, removed, inserted))
        else:
            step = Step("", None, {})
            step.pieces.append(Piece(start, removed, inserted))
            self.undone.clear()
            self.done.append(step)

    def note_regions(self, view: Any, key: str) -> None:
        """A view's set of regions is about to become another one: it is part of the last step, if there is one."""
        step = self._open if self._open is not None else self.done[-1] if self.done else None
        if step is not None:
            kept = view.region_sets.get(key)
            step.regions.setdefault((view, key), kept.copy() if kept is not None else None)

    def break_merge(self) -> None:
        """The caret moved: what is typed next is a step of its own."""
        self._may_merge = False

    # -- stepping --------------------------------------------------------------------------------
    def undo(self, buffer: Any) -> Optional[Step]:
        """Take back the last step on `buffer`; None if there is none."""
        if not self.done:
            return None
        step = self.done.pop()
        step.swap_regions()
        for piece in reversed(step.pieces):
            buffer.replace(piece.start, piece.start + len(piece.inserted), piece.removed, record=False)
        self.undone.append(step)
        self._may_merge = False
        return step

    def redo(self, buffer: Any) -> Optional[Step]:
        """Do the last taken-back step again; None if there is none."""
        if not self.undone:
            return None
        step = self.undone.pop()
        for piece in step.pieces:
            buffer.replace(piece.start, piece.start + len(piece.removed), piece.inserted, record=False)
        step.swap_regions()
        self.done.append(step)
        self._may_merge = False
        return step

    # -- the state on disk -----------------------------------------------------------------------
    def mark_saved(self) -> None:
        self._saved = self._state()
        self._may_merge = False

    def mark_unsaved(self) -> None:
        """The disk has lost the text: no state is the saved one."""
        self._saved = object()

    def is_at_saved(self) -> bool:
        if self._open is not None and self._open.pieces:
            return False
        return self._saved is self._state()

    def clear(self, saved: Optional[bool] = None) -> None:
        """Forget all steps; the text stays as dirty as it is unless `saved` says otherwise."""
        clean = self.is_at_saved() if saved is None else saved
        self.done.clear()
        self.undone.clear()
        self._base = object()
        self._saved = self._base if clean else object()

    def _state(self) -> Any:
        return self.done[-1].id if self.done else self._base


def _joins(last: Step, step: Step) -> bool:
    """Whether a typed character continues the word typed before it."""
    if last.command != "insert" or step.command != "insert" or len(step.pieces) != 1:
        return False
    if any(piece.removed or piece.inserted == "\n" or len(piece.inserted) != 1 for piece in step.pieces):
        return False
    typed, previous = step.pieces[-1], last.pieces[-1]
    return typed.start == previous.start + len(previous.inserted) and not (
        typed.inserted.isspace() and not previous.inserted.isspace()
    )
