"""The clients of one window: who is told what, in which words, and what is done when one goes."""

from __future__ import annotations

import dataclasses
import os

import pytest
from clients_world import CONTEXT, World, client

from companion.agents.claude_dialect import CLAUDE
from companion.agents.codex_cli import CODEX
from companion.agents.copilot_dialect import COPILOT
from companion.agents.dialect import Mention
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.shared_context import SharedContext
from companion.endpoint import clients as module
from companion.endpoint.client import SELF_TEST
from companion.review.decision import Owner
from companion.settings import Settings


@pytest.fixture
def world():
    return World()


class TestComing:
    def test_the_first_makes_the_window_listen_and_the_others_are_told_what_it_knows(self, world):
        world.clients.came(client(1))
        assert world.tracker.listening == [True]
        assert world.changed == [1]
        assert not world.tracker.waiting
        world.clients.came(client(2))
        assert world.tracker.listening == [True]
        assert world.changed == [1]
        world.tracker.be_current()
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", "session-2")]
        assert list(world.clients.sessions) == ["session-1", "session-2"]
        assert world.seen.count == 2

    def test_nobody_comes_twice_or_after_the_end_and_our_own_test_is_nobody(self, world):
        world.clients.came(client(1))
        world.clients.came(client(1))
        world.clients.came(client(2, SELF_TEST))
        world.clients.stop()
        world.clients.came(client(3))
        assert list(world.clients.sessions) == ["session-1"]
        assert world.seen.count == 1
        assert not world.tracker.waiting

    def test_a_program_that_is_not_wanted_is_told_nothing_and_not_shown(self, world):
        world.current = dataclasses.replace(Settings(), publish_for_opencode=False)
        world.clients.came(client(1, "opencode"), CLAUDE)
        assert not world.clients.sessions
        assert not world.tracker.listening
        assert not world.seen.count
        world.clients.came(client(2, "claude-code"), CLAUDE)
        world.clients.came(client(3, "somebody-else"), CLAUDE)
        assert list(world.clients.sessions) == ["session-2", "session-3"]
        assert world.clients.is_wanted(IDE_COMPANION, client(4, "opencode")), "of another dialect it is another program"

    def test_what_is_switched_on_later_is_shown_and_told_then(self, world):
        world.current = dataclasses.replace(Settings(), publish_for_opencode=False)
        for number, name in ((1, "opencode"), (2, "opencode"), (3, "claude-code")):
            world.clients.came(client(number, name), CLAUDE)
        world.clients.went(client(2, "opencode"))
        world.clients.wanted_has_changed()
        assert list(world.clients.sessions) == ["session-3"]
        world.current = Settings()
        world.clients.wanted_has_changed()
        world.clients.wanted_has_changed()
        assert list(world.clients.sessions) == ["session-3", "session-1"]
        world.tracker.be_current()
        assert world.servers.heard() == [("claude", "selection_changed", "session-1")]

    def test_what_is_switched_off_later_is_taken_back(self, world):
        world.clients.came(client(1, "opencode"), CLAUDE)
        world.clients.came(client(2, "claude-code"), CLAUDE)
        world.clients.publish_context(CONTEXT)
        world.servers.heard()
        world.current = dataclasses.replace(Settings(), publish_for_opencode=False)
        world.clients.wanted_has_changed()
        ((_, message, session),) = world.servers.sent
        assert session == "session-1"
        assert message.params["filePath"] == ""
        assert list(world.clients.sessions) == ["session-2"]
        assert world.reviews.withdrawn == ["session-1"]
        assert world.seen.count == 3
        assert world.tracker.listening == [True]
        world.servers.heard()
        world.clients.publish_context(CONTEXT)
        assert world.servers.heard()[1:] == [("claude", "selection_changed", "session-2")]
        world.current = dataclasses.replace(Settings(), publish_for_opencode=False, publish_for_claude=False)
        world.clients.wanted_has_changed()
        assert not world.clients.sessions
        assert world.tracker.listening == [True, False]
        assert world.changed == [1, 0]
        world.clients.went(client(1, "opencode"))
        world.current = Settings()
        world.clients.wanted_has_changed()
        assert list(world.clients.sessions) == ["session-2"]

    def test_nothing_is_taken_back_from_one_that_was_told_nothing(self, world):
        world.clients.came(client(1, "claude-code"), CLAUDE)
        world.clients.publish_context(SharedContext({}))
        world.clients._send_context("session-1", SharedContext({}))
        world.clients._send_context("nobody", CONTEXT)
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]
        world.clients.publish_context(CONTEXT)
        world.clients.publish_context(SharedContext({}))
        assert [session for _, _, session in world.servers.heard()] == [None, "session-1", None, "session-1"]

    def test_the_dialects_are_those_of_the_wanted_programs(self, world):
        assert set(world.clients.wanted_dialects()) == {IDE_COMPANION, CLAUDE, COPILOT, CODEX}
        world.current = dataclasses.replace(Settings(), publish_for_copilot=False)
        assert set(world.clients.wanted_dialects()) == {IDE_COMPANION, CLAUDE, CODEX}


class TestOwnRows:
    ROW = {"name": "OpenClaude", "command": ["openclaude"], "dialect": "claude", "folder": "~/.openclaude"}

    def test_a_program_is_the_one_of_its_row_by_its_token_whatever_it_calls_itself(self, world):
        world.current = dataclasses.replace(Settings(), agents=(self.ROW,), publish_for_claude=False)
        world.clients.came(client(1, "claude-code", "OpenClaude"), CLAUDE)
        world.clients.came(client(2, "claude-code"), CLAUDE)
        assert world.clients.names() == ["OpenClaude"]
        assert world.clients.mention(Mention("/a.py"), "openclaude") == "OpenClaude"
        assert world.clients.mention(Mention("/a.py"), "claude") is None

    def test_without_its_row_it_is_told_nothing_any_more(self, world):
        world.current = dataclasses.replace(Settings(), agents=(self.ROW,))
        world.clients.came(client(1, "claude-code", "OpenClaude"), CLAUDE)
        world.current = Settings()
        world.clients.wanted_has_changed()
        assert not world.clients.sessions
        assert world.reviews.withdrawn == ["session-1"]
        world.current = dataclasses.replace(Settings(), agents=(self.ROW,))
        world.clients.wanted_has_changed()
        assert world.clients.names() == ["OpenClaude"]


class TestGoing:
    def test_the_last_makes_the_window_fall_silent(self, world):
        both = client(1), client(2)
        for each in both:
            world.clients.came(each)
        world.clients.went(both[0])
        assert world.tracker.listening == [True]
        assert world.changed == [1]
        world.clients.went(both[1])
        assert world.tracker.listening == [True, False]
        assert world.changed == [1, 0]
        assert world.reviews.gone == ["session-1", "session-2"]
        assert not world.clients.sessions
        assert world.seen.count == 4
        world.clients.went(both[1])
        assert world.reviews.gone == ["session-1", "session-2"]

    def test_after_the_end_nothing_is_done(self, world):
        world.clients.came(client(1))
        world.clients.stop()
        world.clients.went(client(1))
        assert not world.reviews.gone

    @pytest.mark.parametrize("lives", [True, False])
    def test_a_program_that_lives_on_asks_in_its_terminal(self, world, monkeypatch, lives):
        asked = []
        monkeypatch.setattr(module, "is_alive", lambda pid: asked.append(pid) or lives)
        world.clients.came(client(1), CLAUDE)
        world.clients.process_known(client(1), 4321)
        world.clients.went(client(1))
        ((milliseconds, look),) = world.runtime.later
        assert milliseconds == 2000
        assert not asked
        look()
        assert asked == [4321]
        assert world.reviews.withdrawn == (["session-1"] if lives else [])

    def test_of_one_whose_process_is_not_known_nothing_is_asked(self, world):
        world.clients.came(client(1), CLAUDE)
        world.clients.process_known(client(2), 4321)
        world.clients.went(client(1))
        assert not world.runtime.later


class TestSeveralOfOneProgram:
    def owner(self, world, number, name="claude-code"):
        return world.clients.owner_of(client(number, name)).client_name

    def come(self, world, *numbers, name="claude-code", dialect=CLAUDE):
        for number in numbers:
            world.clients.came(client(number, name), dialect)

    def test_each_has_a_number_of_its_own_for_as_long_as_it_is_connected(self, world):
        self.come(world, 1, 2, 3)
        assert [self.owner(world, number) for number in (1, 2, 3)] == ["Claude Code", "Claude Code 2", "Claude Code 3"]
        world.clients.went(client(1, "claude-code"))
        assert [self.owner(world, number) for number in (2, 3)] == ["Claude Code 2", "Claude Code 3"]
        self.come(world, 4, 5)
        assert [self.owner(world, number) for number in (4, 5)] == ["Claude Code", "Claude Code 4"]

    def test_another_program_is_counted_by_itself_and_what_a_session_is_called_comes_behind(self, world):
        self.come(world, 1, 2, name="copilot-cli", dialect=COPILOT)
        self.come(world, 3)
        for number in (1, 2):
            world.clients.rename(f"session-{number}", "Greeting")
        assert self.owner(world, 1, "copilot-cli") == "Copilot CLI: Greeting"
        assert self.owner(world, 2, "copilot-cli") == "Copilot CLI 2: Greeting"
        assert self.owner(world, 3) == "Claude Code"

    def test_a_number_stays_while_the_client_is_hidden(self, world):
        self.come(world, 1, 2)
        world.current = dataclasses.replace(Settings(), publish_for_claude=False)
        world.clients.wanted_has_changed()
        world.clients.went(client(1, "claude-code"))
        world.current = Settings()
        world.clients.wanted_has_changed()
        self.come(world, 3)
        assert [self.owner(world, number) for number in (2, 3)] == ["Claude Code 2", "Claude Code"]

    def test_one_that_was_hidden_from_the_first_is_counted_when_it_is_shown(self, world):
        world.current = dataclasses.replace(Settings(), publish_for_claude=False)
        self.come(world, 1, 2)
        world.current = Settings()
        world.clients.wanted_has_changed()
        assert {self.owner(world, number) for number in (1, 2)} == {"Claude Code", "Claude Code 2"}

    def test_the_status_bar_counts_them_and_the_report_names_each(self, world):
        self.come(world, 1, 2)
        assert world.clients.names() == ["Claude Code", "Claude Code"]
        assert world.clients.names(numbered=True) == ["Claude Code", "Claude Code 2"]

    def test_nothing_is_kept_of_those_that_have_gone(self, world):
        for number in range(9):
            self.come(world, number, name=f"name {number}")
            world.clients.went(client(number, f"name {number}"))
        assert not world.clients._numbers


class TestWords:
    def test_each_dialect_is_told_in_its_own(self, world):
        world.clients.came(client(1))
        world.clients.came(client(2, "claude-code"), CLAUDE)
        world.clients.came(client(3, "opencode"), CLAUDE)
        world.clients.came(client(4, "copilot-cli"), COPILOT)
        world.clients.publish_context(CONTEXT)
        assert world.servers.heard() == [
            (IDE_COMPANION.key, "ide/contextUpdate", None),
            ("claude", "selection_changed", "session-2"),
            ("claude", "selection_changed", "session-3"),
            ("copilot", "selection_changed", "session-4"),
        ]

    def test_who_has_gone_is_told_nothing(self, world):
        world.clients.came(client(1))
        world.clients.came(client(2, "claude-code"), CLAUDE)
        world.clients.went(client(2))
        world.tracker.be_current()
        world.clients.publish_context(CONTEXT)
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]

    def test_a_program_that_misses_what_comes_first_is_told_again(self, world):
        world.clients.came(client(1, "claude-code"), CLAUDE)
        world.clients.listed(CLAUDE, client(1))
        world.clients.listed(COPILOT, client(1))
        world.clients.listed(IDE_COMPANION, client(1))
        (first, again), (second, _) = world.runtime.later
        assert (first, second) == (500, 3000)
        again()
        world.tracker.be_current()
        assert world.servers.heard() == [("claude", "selection_changed", "session-1")]
        world.clients.stop()
        again()
        assert not world.tracker.waiting
        world.clients._stopped = False
        world.clients.went(client(1))
        again()
        assert not world.tracker.waiting


class TestNames:
    def test_a_program_is_called_as_users_call_it(self, world):
        world.clients.came(client(1, "claude-code"), CLAUDE)
        world.clients.came(client(2, "somebody"), CLAUDE)
        world.clients.came(client(3, "streamable-http-client", "Qwen Code"))
        assert [world.clients.owner_of(each) for each in world.clients.sessions.values()] == [
            Owner("session-1", "Claude Code"),
            Owner("session-2", "somebody"),
            Owner("session-3", "Qwen Code"),
        ]

    def test_a_session_that_has_a_name_is_shown_with_it(self, world):
        world.clients.came(client(1, "copilot-cli"), COPILOT)
        world.clients.rename("session-1", "Polite\ngreeting")
        assert world.clients.owner_of(client(1, "copilot-cli")).client_name == "Copilot CLI: Polite<U+000A>greeting"
        assert world.seen.count == 2
        world.clients.rename("session-1", "")
        assert world.clients.owner_of(client(1, "copilot-cli")).client_name == "Copilot CLI"
        world.clients.rename("session-1", "again")
        world.clients.went(client(1))
        world.clients.came(client(1, "copilot-cli"), COPILOT)
        assert world.clients.owner_of(client(1, "copilot-cli")).client_name == "Copilot CLI"

    def test_who_is_there_is_connected(self, world):
        owner = Owner("session-1", "Gemini CLI")
        assert not world.clients.is_connected(owner)
        world.clients.came(client(1))
        assert world.clients.is_connected(owner)


def test_a_living_process_is_this_one():
    assert module.is_alive(os.getpid())
