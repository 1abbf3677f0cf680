"""What `plugin.py` forwards: each of the editor's events and commands reaches the application, whole, and so does its
answer."""

from __future__ import annotations

import re
from unittest import mock

import pytest

VIEW, WINDOW = object(), object()

#: The event, what it brings, and what the application hears.
EVENTS = [
    ("on_activated", [VIEW], mock.call.view_activated(VIEW)),
    ("on_deactivated", [VIEW], mock.call.view_deactivated(VIEW)),
    ("on_selection_modified", [VIEW], mock.call.selection_modified(VIEW)),
    ("on_modified", [VIEW], mock.call.view_modified(VIEW)),
    ("on_load", [VIEW], mock.call.view_loaded(VIEW)),
    ("on_clone", [VIEW], mock.call.view_loaded(VIEW)),
    ("on_reload", [VIEW], mock.call.view_reloaded(VIEW)),
    ("on_revert", [VIEW], mock.call.view_reloaded(VIEW)),
    ("on_pre_save", [VIEW], mock.call.view_saving(VIEW)),
    ("on_post_save", [VIEW], mock.call.view_saved(VIEW)),
    ("on_pre_close", [VIEW], mock.call.view_closing(VIEW)),
    ("on_close", [VIEW], mock.call.view_closed(VIEW)),
    ("on_post_move", [VIEW], mock.call.view_moved(VIEW)),
    ("on_new_window", [WINDOW], mock.call.window_opened(WINDOW)),
    ("on_pre_close_window", [WINDOW], mock.call.window_closing(WINDOW)),
    ("on_pre_close_project", [WINDOW], mock.call.project_closing(WINDOW)),
    ("on_load_project", [WINDOW], mock.call.workspace_changed(WINDOW)),
    ("on_post_save_project", [WINDOW], mock.call.workspace_changed(WINDOW)),
    ("on_post_window_command", [WINDOW, "close", {"a": 1}], mock.call.window_command_done(WINDOW, "close", {"a": 1})),
    ("on_exit", [], mock.call.exit()),
]
#: The same for those whose answer counts.
QUESTIONS = [
    ("on_text_command", [VIEW, "save", {"a": 1}], mock.call.text_command(VIEW, "save", {"a": 1})),
    ("on_window_command", [WINDOW, "save", {"a": 1}], mock.call.window_command(WINDOW, "save", {"a": 1})),
    ("on_query_context", [VIEW, "key", 0, True, False], mock.call.query_context(VIEW, "key", 0, True)),
]


class Startup:
    """Serves from the beginning."""

    def __init__(self, application):
        self.application = application
        self.exit = application.exit

    def tell(self, act):
        act(self.application)

    def ask(self, question, otherwise):
        return question(self.application)

    alive = True


@pytest.fixture
def plugin(package):
    return package.load()


@pytest.fixture
def application(plugin):
    made = mock.MagicMock()
    plugin.startup.stop()
    plugin.startup = Startup(made)
    return made


def test_every_event_that_is_listened_to_is_in_these_tables(plugin):
    listened_to = {name for name in vars(plugin.GeminiCompanionListener) if name.startswith("on_")}
    assert listened_to == {name for name, _, _ in EVENTS + QUESTIONS}


@pytest.mark.parametrize(("event", "arguments", "heard"), EVENTS, ids=[name for name, _, _ in EVENTS])
def test_an_event_reaches_the_application(plugin, application, event, arguments, heard):
    getattr(plugin.GeminiCompanionListener(), event)(*arguments)
    assert application.mock_calls == [heard]


@pytest.mark.parametrize(("event", "arguments", "heard"), QUESTIONS, ids=[name for name, _, _ in QUESTIONS])
def test_so_does_a_question_and_the_answer_comes_back(plugin, application, event, arguments, heard):
    answer = getattr(application, heard[0]).return_value
    assert getattr(plugin.GeminiCompanionListener(), event)(*arguments) is answer
    assert application.mock_calls == [heard]


@pytest.mark.parametrize(("event", "arguments", "heard"), EVENTS + QUESTIONS)
def test_without_a_package_nothing_happens(plugin, event, arguments, heard):
    plugin.plugin_unloaded()
    assert getattr(plugin.GeminiCompanionListener(), event)(*arguments) is None


def commands(plugin, base):
    """The commands whose classes have the one of this name in the plugin as their base, by name."""
    found = {}
    for each in vars(plugin).values():
        if isinstance(each, type) and issubclass(each, getattr(plugin, base)) and each.__name__.startswith("Gemini"):
            words = re.findall("[A-Z][a-z]*", each.__name__[: -len("Command")])
            found["_".join(words).lower()] = each
    return found


def test_a_command_reaches_the_actions_and_is_enabled_when_it_can_be_run(plugin, application):
    conditional = commands(plugin, "ConditionalCommand")
    assert conditional
    for name, made in commands(plugin, "CompanionCommand").items():
        command = made()
        command.window, command.name = WINDOW, lambda name=name: name
        command.run(a=1)
        assert command.is_enabled(a=1)
        assert application.mock_calls[0] == mock.call.actions.run(name, WINDOW, a=1)
        assert application.mock_calls[1:2] == [mock.call.actions.can_run(name, WINDOW)] * (name in conditional)
        application.reset_mock()
