"""Tracks the context of one window: editor events in, context updates for the clients out. Main thread only.

Rules: an event handler only notes that something happened. The context is computed once the burst of events is over,
and only while a client is connected. Focus is tracked even without clients, because a client that connects later wants
the file that the user was in. No more text is copied from a buffer than will be sent.
Implements the companion specifications, section II, "ide/contextUpdate Notification" (debounce of 50 ms).

A pause of the sharing ends only when the user resumes. So it is kept in the window's settings, which the editor stores
with its session and with the workspace of a project: there it outlasts an upgrade of the package however long that
takes, and a restart. Carried over by the package itself it would end with the first upgrade that goes wrong, unseen.
Another project brings the window other settings. The window then is paused if it was, and if it had been when that
project was last open. A project's file can pause a window, if the editor lets it have a say in the window's settings;
what the user has said in the window goes before it, either way.
"""

from __future__ import annotations

import os
from enum import Enum
from typing import Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

import sublime

from ..agents.window import NOTHING, ActiveFile, SharedContext, TextPosition
from ..common.clock import clock
from ..common.waiting import Debounce
from ..editor.edits import some_selections
from ..editor.file_views import is_in
from ..editor.scope import Scope
from ..settings import Settings
from .existence import Existence
from .model import ContextModel, Selection, cut, exclusion, utf16_length, well_formed

KEY = "gemini_companion.sharing_paused"  # stays as it is: windows are stored with it


class Pause:
    """The pause of one window. True while it lasts. Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._on = self._stored()

    def __bool__(self) -> bool:
        return self._on

    def set(self, on: bool) -> None:
        """The user pauses, or resumes."""
        self._on = on
        self._store()

    def project_changed(self) -> None:
        """Keep the pause although the window's settings may be those of another project now."""
        stored = self._stored()
        if self._on and not stored:
            self._store()
        self._on = self._on or stored

    def _stored(self) -> bool:
        return bool(self._window.settings().get(KEY))

    def _store(self) -> None:
        settings = self._window.settings()
        if self._on:
            settings.set(KEY, True)
            return
        settings.erase(KEY)
        if settings.get(KEY):  # somebody else's, further down: the project's, say
            settings.set(KEY, False)


# -- what a view holds -------------------------------------------------------------------------------------------------


def read_selection(
    view: sublime.View, path: str, maximum: int, share_text: bool
) -> Tuple[Optional[Selection], ActiveFile]:
    """What is selected in a view of the file `path`: for programs that hear of all selections, the caret of the
    last one and the text of all, joined; for the others the file with one of them. Each text is cut to `maximum` UTF-16
    units. None where there is not even a caret.
    """
    regions = some_selections(view)
    if not regions:
        return None, ActiveFile(path, TextPosition(0, 0), TextPosition(0, 0))
    caret = _position(view, regions[-1].b)
    filled = [region for region in regions if not region.empty()] if share_text else []
    start = end = caret
    text = _text(view, filled[-1], maximum) if filled else ""
    if text:
        start, end = _position(view, filled[-1].begin()), _position(view, filled[-1].end())
    several = filled if text and len(filled) > 1 else []
    ranges = tuple((_position(view, each.begin()), _position(view, each.end())) for each in several)
    joined = text if len(filled) == 1 else _joined_text(view, filled, maximum)
    return Selection(caret.line + 1, caret.character + 1, joined), ActiveFile(path, start, end, text, ranges)


def _position(view: sublime.View, point: int) -> TextPosition:
    return TextPosition(*view.rowcol_utf16(point))


def _joined_text(view: sublime.View, regions: Sequence[sublime.Region], maximum: int) -> str:
    parts: List[str] = []
    remaining = maximum
    for region in regions:
        if parts:
            remaining -= 1  # the newline between two selections
        if remaining <= 0:
            break
        part = _text(view, region, remaining)
        if not part:
            break
        parts.append(part)
        remaining -= utf16_length(part)
    return "\n".join(parts)


def _text(view: sublime.View, region: sublime.Region, maximum: int) -> str:
    begin = region.begin()
    return cut(well_formed(view.substr(sublime.Region(begin, min(region.end(), begin + maximum)))), maximum)


# -- the tracker -------------------------------------------------------------------------------------------------------

MOST_SELECTED = 16384  # UTF-16 code units of selected text that agents get
QUIET_MILLISECONDS = 50
LONGEST_MILLISECONDS = 200
# A renamed file is missed on disk, and only then are the views asked for their names; all the same now and then.
RECHECKS_PER_SYNCHRONISATION = 8
PATIENCE_MILLISECONDS = 250  # for a hanging disk; after that the known files are sent


class TrackerState(Enum):
    """Whether anybody hears of the context. The first two may become each other; the last is final."""

    IDLE = "idle"
    """No client is connected: focus is tracked, and nothing is computed."""
    LISTENING = "listening"
    STOPPED = "stopped"


class ContextTracker:
    """One per window. Main thread only. `publish` gets each new context, never the same twice in a row.

    The tracker calls `look_at_project` before it publishes other views: another project brings other settings.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        look_at_project: Callable[[], None],
        publish: Callable[[SharedContext], None],
    ) -> None:
        self._window, self._runtime, self._settings = scope
        self._check_project = look_at_project
        self._publish = publish
        self._model = ContextModel(self._now(), os.path.normcase)
        self._views: Dict[int, sublime.View] = {}  # those that stand for files
        self._paths: Dict[int, str] = {}  # theirs, as last seen
        self._candidate: Optional[Tuple[sublime.View, int]] = None  # last activated, and when; not looked at yet
        self._watched: FrozenSet[int] = frozenset()  # the views of the active file; empty without clients
        self._structure_changed = True
        self._pause = Pause(scope.window)
        self._state = TrackerState.IDLE
        self._rechecks = 0
        self._sent: Optional[Tuple[SharedContext, Settings]] = None  # and what it was made by
        self._existence = Existence(scope.runtime, self._use_found)
        self._waiting_since: Optional[float] = None  # for files never looked for, on the monotonic clock
        self._waiting: List[Callable[[SharedContext], None]] = []
        self._debounce = Debounce(scope.runtime.later_on_main, self._flush, QUIET_MILLISECONDS, LONGEST_MILLISECONDS)
        view = scope.window.active_view()
        if view is not None:
            self.on_activated(view)
        self.last_in_front = 0
        """When the window was last known to be in front, in milliseconds since the epoch. Any thread may read it."""

    # -- editor events ------------------------------------------------------------------------------------------------

    def on_selection_modified(self, view: sublime.View) -> None:
        """The caret or selection moved. Called for every keystroke, and for views of other windows too."""
        if view.id() in self._watched:
            self._debounce.mark()

    on_modified = on_selection_modified  # an edit before the caret moves it, in a clone as well

    def on_activated(self, view: sublime.View) -> None:
        """A view of this window has the focus: a file, or something that leaves the active file as it is."""
        # It is looked at later: it may have the focus only for a moment, and be given its file after that.
        self._settle()
        self.note_front()
        self._candidate = (view, self.last_in_front)
        self.refresh()

    def note_front(self) -> None:
        """The window is in front."""
        self.last_in_front = self._now()

    def on_closed(self, view: sublime.View) -> None:
        """A view was closed, of this window or another."""
        self._model.close(view.id())
        self.refresh()

    def on_saved(self, view: sublime.View) -> None:
        """A file was saved, perhaps under another name."""
        path = view.file_name()
        if path is not None and view.id() in self._paths:
            self._model.show(view.id(), path)
            self._model.saved(path)
            self._existence.saved(path)
        elif view == self._window.active_view():
            self.on_activated(view)  # it had no file when it got the focus
        self.refresh()

    def on_moved(self, view: sublime.View) -> None:
        """A view was dragged to another place, of any window."""
        if not is_in(view, self._window):
            self._model.close(view.id())
        self.refresh()

    def refresh(self) -> None:
        """Something may have changed: a file loaded, a clone made."""
        self._structure_changed = True
        if self._state is TrackerState.LISTENING:
            self._debounce.mark()

    def settings_changed(self) -> None:
        """The settings may be others, the user's or the window's: it may have another project."""
        self._pause.project_changed()
        self._replace_at_once()

    # -- for the endpoint ---------------------------------------------------------------------------------------------

    def set_listening(self, listening: bool) -> None:
        """Whether any client is connected. False: nothing is computed. True: the context is published soon."""
        wanted = TrackerState.LISTENING if listening else TrackerState.IDLE
        if self._state in (wanted, TrackerState.STOPPED):
            return
        self._state = wanted
        self._sent = None
        self._watched = frozenset()
        if listening:
            self._model.forget_found()  # it was not checked while no client was connected
            self._structure_changed = True
            self._flush()

    def set_sharing(self, sharing: bool) -> None:
        """Pause or resume, as the user says: while paused the clients see a window without files."""
        self._pause.set(not sharing)
        self._replace_at_once()

    @property
    def sharing(self) -> bool:
        """False while the user has paused it."""
        return not self._pause

    def when_current(self, deliver: Callable[[SharedContext], None]) -> None:
        """Give a further client that has just connected the whole context, once all files have been looked for on disk.

        If that is news to the other clients too it is published to all of them, the new one included; otherwise
        `deliver` is called with it. So each client gets it once.
        """
        self._waiting.append(deliver)
        self._flush()

    def active_path(self) -> Optional[str]:
        """The file the user was last in, whether clients may know of it or not; for the workspace fallback."""
        self._settle()
        return self._model.active_path

    def withholds(self, *paths: str) -> bool:
        """Whether the user shares nothing of a file, be it open or not, that has these names. Main thread."""
        if self._structure_changed:
            self._check_project()
        return not self.sharing or any(map(exclusion(self._settings().context_exclude), paths))

    def withholds_open(self, path: str) -> bool:
        """Whether the user shares nothing of an open file, by its name or by where its links lead. True while that is
        not known yet."""
        real_path = self._model.real_path(path)
        return real_path is None or self.withholds(path, real_path)

    @property
    def published(self) -> Optional[SharedContext]:
        """The context that was published last. None while no client listens, and for a moment after the settings have
        changed. Any thread."""
        sent = self._sent
        if sent is None or sent[1] is not self._settings():
            return None
        return NOTHING if self._pause else sent[0]

    def context(self) -> SharedContext:
        """The context as it is now, as far as it may be shared and files are known to exist."""
        self._settle()
        if self._structure_changed:
            self._check_project()
        return self._context()

    def stop(self) -> None:
        """Nothing is published or computed any more."""
        self._state = TrackerState.STOPPED
        self._watched = frozenset()

    # -- from events to the context -----------------------------------------------------------------------------------

    def _now(self) -> int:
        return int(clock.date() * 1000)

    def _replace_at_once(self) -> None:
        """The user may no longer share what was published. What waits for a client that reads slowly is replaced now by
        what the model knows of the tabs; the next flush publishes whatever else has changed."""
        self.refresh()
        if self._state is TrackerState.LISTENING and self._sent is not None:
            self._send()

    def _settle(self) -> None:
        """Look at the view that got the focus last."""
        if self._candidate is None:
            return
        view, when = self._candidate
        self._candidate = None
        path = view.file_name()
        if path is not None and view.window() == self._window:
            self._model.focus(view.id(), path, when)
            self._views[view.id()] = view
            self._paths[view.id()] = path

    def _synchronise(self) -> bool:
        """Bring the model's views up to the window's; True if there was a difference."""
        paths: Dict[int, str] = {}
        views: Dict[int, sublime.View] = {}
        for view in self._window.views(include_transient=True):
            path = view.file_name()
            if path is not None:
                paths[view.id()] = path
                views[view.id()] = view
        changed = paths != self._paths
        self._structure_changed = False
        self._paths, self._views = paths, views
        self._model.reconcile(paths)
        # The tab in front is the active file whatever events there were: a window that is not in front itself may get a
        # file without its being activated, and the active file may have been closed while something else had the focus.
        front = self._window.active_view()
        if front is not None and front.id() in paths and front.id() != self._model.active_view:
            self._model.focus(front.id(), paths[front.id()], self._now())
            changed = True
        if self._state is TrackerState.LISTENING:
            self._watched = self._model.views_of_active()
        return changed

    def _flush(self) -> None:
        """The burst of events is over, or has lasted long enough."""
        if self._state is not TrackerState.LISTENING:
            return
        self._settle()
        if self._structure_changed:
            self._check_project()
            self._synchronise()
        if not self._model.unchecked():
            self._send()
            return
        # Sending without the new file would tell the clients for a moment that no file is active.
        if self._waiting_since is None:
            self._waiting_since = clock.now()
            self._runtime.later_on_main(PATIENCE_MILLISECONDS, self._out_of_patience, self._waiting_since)
        elif clock.now() - self._waiting_since > PATIENCE_MILLISECONDS / 1000.0:
            self._send()
        self._existence.ask(self._model.unchecked())

    def _out_of_patience(self, since: float) -> None:
        if since == self._waiting_since and self._state is TrackerState.LISTENING:
            self._send()

    def _send(self) -> None:
        context = self._context()
        waiting, self._waiting = self._waiting, []
        former, self._sent = self._sent, (context, self._settings())
        if former is None or context != former[0]:
            self._publish(context)
            return
        for deliver in waiting:
            deliver(context)

    def _context(self) -> SharedContext:
        settings, number, path = self._settings(), self._model.active_view, self._model.active_path
        selection, active = None, None
        if number is not None and path is not None and self.sharing and self._model.shares_active(settings):
            selection, active = read_selection(self._views[number], path, MOST_SELECTED, settings.share_selection)
        return SharedContext(self._model.payload(settings, selection, paused=not self.sharing), active)

    # -- existence on disk --------------------------------------------------------------------------------------------

    def recheck(self) -> None:
        """Look for renames and deletions on disk and in the side bar, which have no event. Due about once a second."""
        if self._state is not TrackerState.LISTENING:
            return
        self._rechecks += 1
        if self._structure_changed or self._rechecks % RECHECKS_PER_SYNCHRONISATION == 0:
            if self._synchronise():
                self.refresh()
        self._existence.ask(self._model.paths(), known=self._model.found())

    def _use_found(self, found: Mapping[str, str]) -> None:
        changed = self._model.set_found(found)
        if not all(found.values()):
            self._structure_changed = True  # what is missing may have got another name
        unchecked = self._model.unchecked()  # what was opened while the question was open
        if not unchecked:
            self._waiting_since = None
        if changed or unchecked:
            self._flush()
