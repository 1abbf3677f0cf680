"""What is known of one client: its presence, its name, what it was told and answered."""

from __future__ import annotations

from itertools import product

import pytest
from clients_world import CONTEXT, client

from companion.agents.claude_dialect import CLAUDE
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.shared_context import SharedContext
from companion.endpoint.client import TRANSITIONS, Client, Presence, name_of

SESSION = client(1, "claude-code")


def connected(presence=Presence.SHOWN, dialect=CLAUDE):
    made = Client()
    made.session, made.dialect = SESSION, dialect
    assert made.go(presence, 1)
    return made


@pytest.mark.parametrize(("before", "after"), list(product(Presence, Presence)))
def test_a_presence_changes_only_as_the_table_says(before, after):
    made = Client()
    made.presence = before
    allowed = after in TRANSITIONS[before]
    assert made.go(after, 7) is allowed
    assert (made.presence, made.turn) == ((after, 7) if allowed else (before, 0))


def test_nobody_is_expected_again_and_everybody_can_be_shown_or_hidden():
    assert all(Presence.EXPECTED not in ways for ways in TRANSITIONS.values())
    assert all(ways | {before} >= {Presence.SHOWN, Presence.HIDDEN} for before, ways in TRANSITIONS.items())


class TestName:
    def test_only_of_one_that_is_shown_the_program_is_known(self):
        assert name_of(SESSION, None) == name_of(SESSION, Client()) == "claude-code"
        assert name_of(SESSION, connected(Presence.HIDDEN)) == "claude-code"
        assert name_of(SESSION, connected()) == "Claude Code"
        assert name_of(SESSION, connected(dialect=IDE_COMPANION)) == "claude-code"

    @pytest.mark.parametrize(("presence", "name"), [("EXPECTED", "claude-code"), ("HIDDEN", "claude-code")])
    def test_the_name_that_it_has_given_itself_is_shown_in_any_presence(self, presence, name):
        made = Client() if presence == "EXPECTED" else connected(Presence[presence])
        made.given_name = "Greeting"
        assert name_of(SESSION, made) == f"{name}: Greeting"


def test_nothing_is_taken_back_from_one_that_was_told_nothing():
    made = connected()
    assert not made.is_news(SharedContext({}))
    assert not made.informed
    assert made.is_news(CONTEXT)
    assert made.informed
    assert made.is_news(SharedContext({}))
