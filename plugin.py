"""What Sublime Text calls: the listeners, the commands, and the package's start and end.

Rule: everything here forwards to `companion.application` and does nothing else. The editor looks only at the modules at
the package's root, so a command or listener that is not named in this file does not exist.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional

import sublime
import sublime_plugin

# The editor reloads this module on an upgrade but knows nothing of the modules below it: what an earlier load left in
# the cache would go on running old code.
_INNER = __package__ + ".companion"
for _name in [name for name in sys.modules if name == _INNER or name.startswith(_INNER + ".")]:
    del sys.modules[_name]

from .companion.actions import Actions  # noqa: E402 - only after the stale modules are gone
from .companion.application import Application  # noqa: E402
from .companion.editor.edits import (  # noqa: E402,F401 - found here by the editor
    GeminiCompanionMoveCaretCommand,
    GeminiCompanionReplaceTextCommand,
)

application: Optional[Application] = None


def plugin_loaded() -> None:
    global application
    if application is None:
        application = Application()
        application.start()


def plugin_unloaded() -> None:
    global application
    ending, application = application, None
    if ending is not None:
        ending.stop()
    for name in [name for name in sys.modules if name == _INNER or name.startswith(_INNER + ".")]:
        del sys.modules[name]


class GeminiCompanionListener(sublime_plugin.EventListener):
    """Forwards what happens in the editor."""

    def on_activated(self, view: sublime.View) -> None:
        if application is not None:
            application.view_activated(view)

    def on_selection_modified(self, view: sublime.View) -> None:
        if application is not None:
            application.selection_modified(view)

    def on_modified(self, view: sublime.View) -> None:
        if application is not None:
            application.view_modified(view)

    def on_load(self, view: sublime.View) -> None:
        if application is not None:
            application.view_loaded(view)

    def on_clone(self, view: sublime.View) -> None:
        if application is not None:
            application.view_loaded(view)

    def on_reload(self, view: sublime.View) -> None:
        if application is not None:
            application.file_changed(view)

    def on_revert(self, view: sublime.View) -> None:
        if application is not None:
            application.file_changed(view)

    def on_post_save(self, view: sublime.View) -> None:
        if application is not None:
            application.view_saved(view)

    def on_pre_close(self, view: sublime.View) -> None:
        if application is not None:
            application.view_closing(view)

    def on_close(self, view: sublime.View) -> None:
        if application is not None:
            application.view_closed(view)

    def on_post_move(self, view: sublime.View) -> None:
        if application is not None:
            application.view_moved(view)

    def on_new_window(self, window: sublime.Window) -> None:
        if application is not None:
            application.window_opened(window)

    def on_pre_close_window(self, window: sublime.Window) -> None:
        if application is not None:
            application.window_closing(window)

    def on_pre_close_project(self, window: sublime.Window) -> None:
        if application is not None:
            application.project_closing(window)

    def on_load_project(self, window: sublime.Window) -> None:
        if application is not None:
            application.workspace_changed(window)

    def on_post_save_project(self, window: sublime.Window) -> None:
        if application is not None:
            application.workspace_changed(window)

    def on_text_command(self, view: sublime.View, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        return application.text_command(view, name, arguments) if application is not None else None

    def on_window_command(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        return application.window_command(window, name, arguments) if application is not None else None

    def on_post_window_command(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> None:
        if application is not None:
            application.window_command_done(window, name)

    def on_query_context(
        self, view: sublime.View, key: str, operator: int, operand: Any, match_all: bool
    ) -> Optional[bool]:
        return application.query_context(view, key, operator, operand) if application is not None else None

    def on_exit(self) -> None:
        if application is not None:
            application.exit()


class CompanionCommand:
    """What all commands share: without the running package they are disabled.

    It is no command itself: the editor makes one of every command class that it finds in this module.
    """

    window: sublime.Window

    def is_enabled(self, **arguments: Any) -> bool:
        return application is not None

    @property
    def application(self) -> Application:
        assert application is not None  # the editor asks is_enabled before it runs a command
        return application

    @property
    def actions(self) -> Actions:
        return self.application.actions


class ReviewCommand(CompanionCommand):
    """What the commands that act on the review in front share: they are enabled only where there is one."""

    def is_enabled(self, **arguments: Any) -> bool:
        return application is not None and application.actions.review_in_front(self.window) is not None


class GeminiCompanionAcceptDiffCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.accept(review))


class GeminiCompanionRejectDiffCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.reject(review))


class GeminiCompanionNextChangeCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.next_change(review))


class GeminiCompanionPreviousChangeCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.previous_change(review))


class GeminiCompanionRevertHunkCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.revert_hunk(review))


class GeminiCompanionRevertAllRemainingCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.revert_all_hunks(review))


class GeminiCompanionAcceptThisHunkOnlyCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.accept_only_hunk(review))


class GeminiCompanionUndoRevertHunkCommand(ReviewCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.on_review(self.window, lambda reviews, review: reviews.undo_revert_hunk(review))


class GeminiCompanionShowPendingDiffsCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.show_pending_diffs(self.window)

    def is_enabled(self, **arguments: Any) -> bool:
        return application is not None and bool(application.actions.pending())


class GeminiCompanionRunClientCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self, client: str) -> None:
        self.actions.run_client(self.window, client)


class GeminiCompanionCopyEnvironmentCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.copy_environment(self.window)


class GeminiCompanionSendSelectionCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.send_selection(self.window)

    def is_enabled(self, **arguments: Any) -> bool:
        return application is not None and application.actions.can_send_selection(self.window)


class GeminiCompanionPauseSharingCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.set_sharing(self.window, False)

    def is_enabled(self, **arguments: Any) -> bool:
        return application is not None and application.actions.is_sharing(self.window)


class GeminiCompanionResumeSharingCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.set_sharing(self.window, True)

    def is_enabled(self, **arguments: Any) -> bool:
        return application is not None and not application.actions.is_sharing(self.window)


class GeminiCompanionOpenMenuCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.actions.open_menu(self.window)


class GeminiCompanionDiagnoseCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.application.diagnose(self.window)


class GeminiCompanionShowLogCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.application.show_log(self.window)


class GeminiCompanionRestartServerCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.application.restart_server(self.window)


class GeminiCompanionDisconnectClientsCommand(CompanionCommand, sublime_plugin.WindowCommand):
    def run(self) -> None:
        self.application.disconnect_clients(self.window)
