"""What Sublime Text calls: the listeners, the commands, and the package's start and end.

Rule: everything here forwards to `companion.application` and does nothing else. That module and all below it is
imported on another thread by `companion.startup`, which keeps what is told before. The editor looks only at the modules
at the package's root, so a command or listener that is not named in this file does not exist.
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

from .companion.startup import Startup  # noqa: E402 - only after the stale modules are gone

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
        tell(lambda application: application.window_command_done(window, name))

    def on_query_context(
        self, view: sublime.View, key: str, operator: int, operand: Any, match_all: bool
    ) -> Optional[bool]:
        return ask(lambda application: application.query_context(view, key, operator, operand), None)

    def on_exit(self) -> None:
        if startup is not None:
            startup.exit()


class CompanionCommand:
    """What all commands share: without the running package they are disabled.

    It is no command itself: the editor makes one of every command class that it finds in this module.
    """

    window: sublime.Window

    def is_enabled(self, **arguments: Any) -> bool:
        return startup is not None and startup.alive


class ReviewCommand(CompanionCommand):
    """What the commands that act on the review in front share: they are enabled only where there is one."""

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.review_in_front(self.window) is not None, False)

    def act(self, act: Callable[[Any, Any], None]) -> None:
        """Call `act` with the window's review manager and the review in front."""
        tell(lambda application: application.actions.on_review(self.window, act))


class GeminiCompanionAcceptDiffCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self, from_command_line: bool = False) -> None:
        if from_command_line:
            self.window.run_command("hide_panel", {"cancel": True})
        self.act(lambda reviews, review: reviews.decide(review, reviews.accept))


class GeminiCompanionRejectDiffCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.decide(review, reviews.reject))


class GeminiCompanionNextChangeCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.next_change(review))


class GeminiCompanionPreviousChangeCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.previous_change(review))


class GeminiCompanionRevertHunkCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.revert_hunk(review))


class GeminiCompanionRevertAllRemainingCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.revert_all_hunks(review))


class GeminiCompanionAcceptThisHunkOnlyCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.decide(review, reviews.accept_only_hunk))


class GeminiCompanionUndoRevertHunkCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.undo_revert_hunk(review))


class GeminiCompanionToggleWhitespaceChangesCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.toggle_whitespace(review))


class GeminiCompanionShowPendingDiffsCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.show_pending_diffs(self.window))

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.can_show_diffs(self.window), False)


class GeminiCompanionKeepHunkCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.decides_hunks(self.window), False)

    def run(self) -> None:
        self.act(lambda reviews, review: reviews.changes.keep_hunk(review))


class ChangesCommand(CompanionCommand):
    """What the commands share that are enabled only where files were changed outside the editor."""

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.has_changes(self.window), False)


class GeminiCompanionShowUnreviewedChangesCommand(ChangesCommand, sublime_plugin.WindowCommand):
    def run(self, last_turn: bool = False) -> None:
        tell(lambda application: application.actions.show_changes(self.window, last_turn))


class GeminiCompanionKeepAllChangesCommand(ChangesCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.on_changes(self.window, lambda lists: lists.keep_all()))


class GeminiCompanionUndoAllChangesCommand(ChangesCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.on_changes(self.window, lambda lists: lists.undo_all()))


class GeminiCompanionRestoreUndoneChangesCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.can_restore(self.window), False)

    def run(self) -> None:
        tell(lambda application: application.actions.on_changes(self.window, lambda lists: lists.decisions.restore()))


class GeminiCompanionRunClientCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self, client: str = "") -> None:
        tell(lambda application: application.actions.run_client(self.window, client))


class GeminiCompanionCopyEnvironmentCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.copy_environment(self.window))


class GeminiCompanionSendSelectionCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.send_selection(self.window))

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.can_send_selection(self.window), False)


class GeminiCompanionPauseSharingCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.set_sharing(self.window, False))

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: application.actions.is_sharing(self.window), False)


class GeminiCompanionResumeSharingCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.set_sharing(self.window, True))

    def is_enabled(self, **arguments: Any) -> bool:
        return ask(lambda application: not application.actions.is_sharing(self.window), False)


class GeminiCompanionOpenMenuCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.open_menu(self.window))


class GeminiCompanionDiagnoseCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.diagnose(self.window))


class GeminiCompanionShowLogCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.show_log(self.window))


class GeminiCompanionRestartServerCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.restart_server(self.window))


class GeminiCompanionDisconnectClientsCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        tell(lambda application: application.actions.disconnect_clients(self.window))


class GeminiCompanionReplaceTextCommand(sublime_plugin.TextCommand):
    def run(self, edit: sublime.Edit, batch: str = "") -> None:
        if startup is not None:
            startup.edit(lambda application: application.replace_text(self.view, edit, batch))


class GeminiCompanionMoveCaretCommand(sublime_plugin.TextCommand):
    def run(self, edit: sublime.Edit, point: int = 0, regions: Optional[List[List[int]]] = None) -> None:
        if startup is not None:
            startup.edit(lambda application: application.move_caret(self.view, point, regions))
