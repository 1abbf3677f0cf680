"""What Sublime Text calls: the listeners, the commands, and the package's start and end.

Rule: everything here forwards to `companion.application` and does nothing else. `companion.startup` imports that module
and all below it on another thread, and keeps what the editor reports before. The editor looks only at the modules at
the package's root, so a command or listener that is not named in this file does not exist.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, TypeVar

import sublime
import sublime_plugin

# The editor reloads this module on an upgrade but knows nothing of the modules below it: what an earlier load left in
# the cache would go on running old code.
_INNER = __package__ + ".companion"
for _name in [name for name in sys.modules if name == _INNER or name.startswith(_INNER + ".")]:
    del sys.modules[_name]

from .companion.commands import COMMANDS  # noqa: E402 - only after the stale modules are gone
from .companion.startup import Startup  # noqa: E402

if TYPE_CHECKING:
    from .companion.application import Application

Answer = TypeVar("Answer")

startup: Optional[Startup] = None
application: Optional[Application] = None  # None until it has been imported


def plugin_loaded() -> None:
    global startup
    if startup is None:
        startup = Startup(_made)
        startup.begin()


def _made(new: Application) -> None:
    global application
    application = new


def plugin_unloaded() -> None:
    global application, startup
    if startup is not None:
        startup.stop()
    application = startup = None


def tell(act: Callable[[Application], Any]) -> None:
    """Forward an event or a command; what comes before the package is there is kept."""
    if startup is not None:
        startup.tell(act)


def ask(question: Callable[[Application], Answer], otherwise: Answer) -> Answer:
    """Forward what has to be answered, or done, at once; `otherwise` is the answer before the package is there."""
    return startup.ask(question, otherwise) if startup is not None else otherwise


class GeminiCompanionListener(sublime_plugin.EventListener):
    """Forwards what happens in the editor. Keystrokes are not kept: what the views hold is looked at anew."""

    def on_activated(self, view: sublime.View) -> None:
        tell(lambda application: application.view_activated(view))

    def on_deactivated(self, view: sublime.View) -> None:
        ask(lambda application: application.view_deactivated(view), None)

    def on_selection_modified(self, view: sublime.View) -> None:
        ask(lambda application: application.selection_modified(view), None)

    def on_modified(self, view: sublime.View) -> None:
        ask(lambda application: application.view_modified(view), None)

    def on_load(self, view: sublime.View) -> None:
        tell(lambda application: application.view_loaded(view))

    def on_clone(self, view: sublime.View) -> None:
        tell(lambda application: application.view_loaded(view))

    def on_reload(self, view: sublime.View) -> None:
        tell(lambda application: application.view_reloaded(view))

    def on_revert(self, view: sublime.View) -> None:
        tell(lambda application: application.view_reloaded(view))

    def on_pre_save(self, view: sublime.View) -> None:
        ask(lambda application: application.view_saving(view), None)

    def on_post_save(self, view: sublime.View) -> None:
        tell(lambda application: application.view_saved(view))

    def on_pre_close(self, view: sublime.View) -> None:
        tell(lambda application: application.view_closing(view))

    def on_close(self, view: sublime.View) -> None:
        tell(lambda application: application.view_closed(view))

    def on_post_move(self, view: sublime.View) -> None:
        tell(lambda application: application.view_moved(view))

    def on_new_window(self, window: sublime.Window) -> None:
        tell(lambda application: application.window_opened(window))

    def on_pre_close_window(self, window: sublime.Window) -> None:
        tell(lambda application: application.window_closing(window))

    def on_pre_close_project(self, window: sublime.Window) -> None:
        tell(lambda application: application.project_closing(window))

    def on_load_project(self, window: sublime.Window) -> None:
        tell(lambda application: application.workspace_changed(window))

    def on_post_save_project(self, window: sublime.Window) -> None:
        tell(lambda application: application.workspace_changed(window))

    def on_text_command(self, view: sublime.View, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        return ask(lambda application: application.text_command(view, name, arguments), None)

    def on_window_command(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        return ask(lambda application: application.window_command(window, name, arguments), None)

    def on_post_window_command(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> None:
        tell(lambda application: application.window_command_done(window, name, arguments))

    def on_query_context(
        self, view: sublime.View, key: str, operator: int, operand: Any, match_all: bool
    ) -> Optional[bool]:
        return ask(lambda application: application.query_context(view, key, operator, operand), None)

    def on_exit(self) -> None:
        if startup is not None:
            startup.exit()


class CompanionCommand:
    """What all commands share: what one does stands under its name in `companion.actions`. Without the running package
    they are disabled.

    It is no command itself: the editor makes one of every command class that it finds in this module.
    """

    window: sublime.Window
    name: Callable[[], str]
    caption: str

    def is_enabled(self, **arguments: Any) -> bool:
        return startup is not None and startup.alive

    def is_visible(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.is_named(self.name(), self.window, **arguments), True)

    def description(self, **arguments: Any) -> str:
        """The caption in a menu whose file names none."""
        return ask(lambda application: application.actions.caption(self.name(), self.window), self.caption)

    def run(self, **arguments: Any) -> None:
        tell(lambda application: application.actions.run(self.name(), self.window, **arguments))


class ConditionalCommand(CompanionCommand):
    """One that is enabled only where there is something for it to act on, and not before the package serves."""

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.can_run(self.name(), self.window), False)


# The commands of windows. The editor finds their classes among the names of this module, and names each command after
# its class.
for _command in COMMANDS.values():
    _kind = CompanionCommand if _command.always else ConditionalCommand
    _name = "GeminiCompanion" + _command.name.title().replace("_", "") + "Command"
    globals()[_name] = type(_name, (_kind, sublime_plugin.WindowCommand), {"caption": _command.caption})


class GeminiCompanionReplaceTextCommand(sublime_plugin.TextCommand):
    def run(self, edit: sublime.Edit, batch: str = "") -> None:
        if startup is not None:
            startup.edit(lambda application: application.replace_text(self.view, edit, batch))


class GeminiCompanionMoveCaretCommand(sublime_plugin.TextCommand):
    def run(self, edit: sublime.Edit, regions: List[List[int]]) -> None:
        if startup is not None:
            startup.edit(lambda application: application.move_caret(self.view, regions))
