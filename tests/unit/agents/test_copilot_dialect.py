"""What GitHub Copilot CLI sends, and what it is answered, letter by letter."""

from __future__ import annotations

import pytest
from fake_window import ACTIVE, PATH, SELECTION, FakeWindow, called, value

from companion.agents.copilot_cli import COPILOT
from companion.agents.dialect import ClientNotice, Mention
from companion.agents.window import CannotDo, SharedContext

NAME = "[Copilot CLI] - one.py (a1b2c3)"
OPEN = {"original_file_path": PATH, "new_file_contents": "new\r\n", "tab_name": NAME}


@pytest.fixture
def window():
    return FakeWindow()


@pytest.mark.parametrize(
    "accepted, result, trigger",
    [("edited", "SAVED", "accepted_via_button"), (None, "REJECTED", "rejected_via_button")],
)
def test_a_decision_has_all_the_fields_without_which_it_is_ignored(window, accepted, result, trigger):
    window.accepted = accepted
    answer = value(COPILOT, window, "open_diff", **OPEN)
    assert answer.pop("message")
    assert answer == {"success": True, "result": result, "trigger": trigger, "tab_name": NAME}
    (request,) = window.requests
    assert (request.path, request.proposed, request.name, request.edits_return) == (PATH, "new\r\n", NAME, False)


def test_a_diff_answered_elsewhere_or_not_shown_is_an_error(window):
    window.refusal = CannotDo("It is a folder.")
    assert called(COPILOT, window, "open_diff", **OPEN) == (["It is a folder."], True)


def test_closing(window):
    answer = {"success": True, "already_closed": True, "tab_name": NAME, "message": ""}
    assert value(COPILOT, window, "close_diff", tab_name=NAME) == answer
    window.open_reviews = 1
    assert value(COPILOT, window, "close_diff", tab_name=NAME) == dict(answer, already_closed=False)
    assert window.withdrawn == [("session-1", NAME)] * 2


def test_what_the_model_may_ask(window):
    assert value(COPILOT, window, "get_selection") == {**SELECTION, "current": True}
    window.active = None
    assert value(COPILOT, window, "get_selection") is None
    assert value(COPILOT, window, "get_diagnostics", uri="file:///C%3A/a.py")[0]["uri"] == "file:///C:/a.py"
    assert window.asked == ["C:\\a.py"]


def test_the_session_has_a_name(window):
    assert value(COPILOT, window, "update_session_name", name="Polite greeting") == {"success": True}
    assert window.names == {"session-1": "Polite greeting"}


def test_context_and_mentions():
    assert COPILOT.messages(SharedContext({}, ACTIVE)) == (
        ClientNotice("selection_changed", SELECTION, "selection_changed"),
    )
    assert COPILOT.mention(Mention(PATH)) is None
