"""How often the package asks the editor for something: each call crosses into another process.

A selection or an edit asks for nothing; while nobody does anything, little is asked for.
"""

from __future__ import annotations

import pytest
from api_calls import (
    IDLE,
    IDLE_WITH_CLIENT,
    IN_A_PROPOSAL,
    IN_ITS_FIRST_LINE,
    OPEN_REVIEW,
    REVIEW_IN_SIGHT,
    WITH_CLIENT,
    beside_a_review,
    for_others,
    in_a_proposal,
    in_listener,
    per_second,
    while_typing,
)  # fmt: skip

SECONDS = 10.0
CARETS = 1500
FOR_MANY_CARETS = 300
"""At most so many calls for an update, however many carets there are."""


@pytest.fixture
def counted(editor):
    editor.enable()
    editor.host.execute("application._editor_settings.set('review_presentation', 'side_by_side')")
    editor.host.wait_until("endpoint.settings().review_presentation == 'side_by_side'")
    return editor


def assert_quiet(editor, most):
    """At most so many calls a second, and one more in all; on a busy machine the beginning takes longer."""
    looks = [per_second(editor.host, SECONDS)]
    while looks[-1].rate > most + 1 / SECONDS and len(looks) < 3:
        looks.append(per_second(editor.host, SECONDS))
    print(*looks, sep="\n")
    assert 0 < looks[-1].rate <= most + 1 / SECONDS


def test_idle_without_a_client(counted):
    assert_quiet(counted, IDLE)


def test_idle_with_a_client(counted):
    counted.connect()
    assert_quiet(counted, IDLE_WITH_CLIENT)


def test_a_review_in_sight_that_nobody_scrolls(counted):
    counted.connect()
    counted.host.execute(OPEN_REVIEW)
    counted.host.wait_until("window.num_groups() == 2")
    assert_quiet(counted, REVIEW_IN_SIGHT)


@pytest.mark.parametrize("name", ["on_selection_modified", "on_modified"])
def test_a_selection_or_an_edit_asks_for_nothing(counted, name):
    assert in_listener(counted.host, name) == (0, {})


def test_commands_and_keys_of_others_ask_for_nothing(counted):
    assert for_others(counted.host) == (0, {})


@pytest.mark.parametrize("length", [0, 1])
def test_an_update_with_very_many_carets(counted, length):
    """As Find All leaves them, for a frequent character of a large file."""
    counted.connect()
    end = counted.host.evaluate("view.size()")
    counted.host.execute(f"view.run_command('append', {{'characters': 'e \\n' * {CARETS}}})")
    regions = [[end + 3 * number, end + 3 * number + length] for number in range(CARETS)]
    counted.host.pump(2.0)
    counted.host.call("clear_api_calls")
    counted.host.call("select", ranges=regions)
    counted.host.wait_until(lambda: "View.rowcol_utf16" in counted.host.call("api_calls"))  # an update is computed
    counted.host.pump(0.5)
    names = counted.host.call("api_calls")
    print(names)
    del names["View.rowcol_utf16"]
    assert sum(names.values()) <= FOR_MANY_CARETS, names


def test_typing_with_a_client(counted):
    counted.connect()
    rate, names = while_typing(counted.host)
    print(f"{rate:.2f} calls for an event: {names}")
    assert rate <= WITH_CLIENT, names


def test_typing_with_a_client_and_a_review_in_sight(counted):
    counted.connect()
    counted.host.execute(OPEN_REVIEW)
    counted.host.pump(3.0)
    rate, names = beside_a_review(counted.host)
    print(f"{rate:.2f} calls for an event: {names}")
    assert rate <= WITH_CLIENT, names


@pytest.mark.parametrize("presentation", ["side_by_side", "inline"])
@pytest.mark.parametrize("text", ["LINE = 7", "import"])
def test_a_character_typed_into_a_proposal(counted, presentation, text):
    counted.host.execute(f"application._editor_settings.set('review_presentation', {presentation!r})")
    counted.host.wait_until(f"endpoint.settings().review_presentation == {presentation!r}")
    counted.connect()
    counted.host.execute(OPEN_REVIEW)
    counted.host.pump(2.0)
    rate, names = in_a_proposal(counted.host, text)
    print(f"{rate} calls for a character: {names}")
    repeated = presentation == "inline" and text == "import"
    assert rate <= (IN_ITS_FIRST_LINE if repeated else IN_A_PROPOSAL), names
