"""How a command's name becomes a call: plugins' commands first, then the built-in ones; listeners before and after.

Rules kept here: an unknown command is ignored, as in the editor. Listeners hear of what keys and menus run, and of
nothing that a plugin or the command palette runs (sublimehq/sublime_text 2234, 2400, 3404).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from .. import errors
from .values import as_text, to_args

TEXT: Dict[str, Callable] = {}
WINDOW: Dict[str, Callable] = {}
APPLICATION: Dict[str, Callable] = {}


def text_command(function: Callable) -> Callable:
    """Register `function(host, view, **args)` as a built-in text command of that name."""
    TEXT[function.__name__] = function
    return function


def window_command(function: Callable) -> Callable:
    """Register `function(host, window, **args)` as a built-in window command of that name."""
    WINDOW[function.__name__] = function
    return function


def application_command(function: Callable) -> Callable:
    """Register `function(host, **args)` as a built-in application command of that name."""
    APPLICATION[function.__name__] = function
    return function


#: Commands of the editor that this model does without: palette and menus offer them, and running one does nothing.
NOT_MODELLED = frozenset(("edit_settings",))


class Commands:
    """Runs commands on the main thread."""

    def __init__(self, host: Any):
        self._host = host

    # -- running ---------------------------------------------------------------------------------
    def run_in_window(self, window: Any, name: str, args: Optional[dict] = None, *, told: bool = False) -> None:
        """Run any sort of command, found by way of the input focus. `told`: listeners hear of it."""
        name, args = as_text(name), to_args(args)
        view = window.focused_view()
        if view is not None and self.is_text(name):
            self.run_in_view(view, name, args, told=told)
        elif self._plugin("window", name) or name in WINDOW:
            self._run_window(window, name, args, told)
        elif self._plugin("application", name) or name in APPLICATION:
            self._run_application(name, args)

    def run_in_view(self, view: Any, name: str, args: Optional[dict] = None, *, told: bool = False) -> None:
        """Run a text command on a view. `told`: listeners hear of it."""
        name, args = as_text(name), to_args(args)
        if not view.valid or not self.is_text(name):
            return
        plugins = self._host.plugins if told else None
        if plugins is not None:
            name, args = _rewritten(name, args, plugins.on_text_command(view.id, name, args))
        self._around(lambda: self._run_text(view, name, args))
        if plugins is not None and view.valid:
            plugins.on_post_text_command(view.id, name, args)

    def run_in_application(self, name: str, args: Optional[dict] = None) -> None:
        name, args = as_text(name), to_args(args)
        if self._plugin("application", name) or name in APPLICATION:
            self._run_application(name, args)

    # -- asking ----------------------------------------------------------------------------------
    def is_text(self, name: str) -> bool:
        return bool(self._plugin("text", name)) or name in TEXT

    def exists(self, name: str) -> bool:
        return (
            self.is_text(name)
            or name in WINDOW
            or name in APPLICATION
            or name in NOT_MODELLED
            or bool(self._plugin("window", name) or self._plugin("application", name))
        )

    def find(self, window: Any, name: str) -> Any:
        """The plugin's command object that the name means in this window, or None for a built-in one."""
        view = window.focused_view() if window is not None else None
        if view is not None and self._plugin("text", name):
            return self._instance("text", name, view)
        if window is not None and self._plugin("window", name):
            return self._instance("window", name, window)
        return self._instance("application", name, None) if self._plugin("application", name) else None

    def is_enabled(self, window: Any, name: str, args: Optional[dict], question: str = "is_enabled_") -> bool:
        """Whether the palette or a menu would run the command; an exception counts as no, and is recorded.

        `question` can be "is_visible_": whether they show it.
        """
        command = self.find(window, name)
        if command is None:
            return self.exists(name) and not self._plugin("text", name)
        return bool(self._host.scheduler.call(getattr(command, question), args))

    def description(self, window: Any, name: str, args: Optional[dict]) -> str:
        """What a menu calls an item whose file names no caption: what its command says, or the command's name."""
        command = self.find(window, name)
        return (self._host.scheduler.call(command.description_, args) if command is not None else "") or name

    # -- inside ----------------------------------------------------------------------------------
    def _run_text(self, view: Any, name: str, args: Optional[dict]) -> None:
        plugin = self._plugin("text", name)
        if plugin:
            command = self._instance("text", name, view)
            if command is not None and self._host.scheduler.call(command.is_enabled_, args):
                self._host.scheduler.call(command.run_, self._host.next_id("edit"), args)
            return
        function = TEXT.get(name)
        if function is None:
            return
        # Undo and redo step through what the others leave behind.
        stack = view.buffer.undo if name not in ("undo", "redo", "save", "revert", "reopen") else None
        if stack is not None:
            stack.open(name, args, selections(view.buffer))
        try:
            self._builtin(function, name, args, self._host, view)
        finally:
            if stack is not None:
                stack.close(selections(view.buffer))

    def _run_window(self, window: Any, name: str, args: Optional[dict], told: bool) -> None:
        plugins = self._host.plugins if told else None
        if plugins is not None:
            name, args = _rewritten(name, args, plugins.on_window_command(window.id, name, args))
            if self.is_text(name) and window.focused_view() is not None:
                self.run_in_view(window.focused_view(), name, args)
                return
        if self._plugin("window", name):
            command = self._instance("window", name, window)
            if command is not None and self._host.scheduler.call(command.is_enabled_, args):
                self._around(lambda: self._host.scheduler.call(command.run_, 0, args))
        elif name in WINDOW:
            self._around(lambda: self._builtin(WINDOW[name], name, args, self._host, window))
        if plugins is not None and window.valid:
            plugins.on_post_window_command(window.id, name, args)

    def _run_application(self, name: str, args: Optional[dict]) -> None:
        if self._plugin("application", name):
            command = self._instance("application", name, None)
            if command is not None and self._host.scheduler.call(command.is_enabled_, args):
                self._around(lambda: self._host.scheduler.call(command.run_, 0, args))
        else:
            self._around(lambda: self._builtin(APPLICATION[name], name, args, self._host))

    def _builtin(self, function: Callable, name: str, args: Optional[dict], *target: Any) -> None:
        values = {key: value for key, value in (args or {}).items() if key != "event"}
        try:
            function(*target, **values)
        except TypeError as error:
            if "argument" not in str(error):
                raise
            errors.record("command", "built-in command %s: wrong arguments %r (%s)" % (name, args, error))

    def _around(self, run: Callable[[], Any]) -> None:
        notes = self._host.notes
        notes.depth += 1
        try:
            run()
        finally:
            notes.depth -= 1
            if notes.depth == 0:
                notes.flush()

    def _plugin(self, kind: str, name: str) -> Optional[type]:
        plugins = self._host.plugins
        return plugins.command_class(kind, name) if plugins is not None else None

    def _instance(self, kind: str, name: str, owner: Any) -> Any:
        return self._host.plugins.command_instance(kind, name, owner)


def selections(buffer: Any) -> Dict[int, list]:
    """The selection of each view of a buffer, for undo."""
    return {view.id: view.selection.copy() for view in buffer.views}


def _rewritten(name: str, args: Optional[dict], answer: tuple) -> tuple:
    """What a listener made of a command: (name, args)."""
    new_name, new_args = answer
    return (as_text(new_name), to_args(new_args)) if new_name else (name, args)
