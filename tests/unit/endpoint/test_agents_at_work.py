"""The agents at work in a window: what each receives, in which words, and what is done when one goes."""

from __future__ import annotations

import pytest

from companion.agents.claude_code import CLAUDE, CLAUDE_CODE
from companion.agents.codex_cli import CODEX, CODEX_CLI
from companion.agents.copilot_cli import COPILOT
from companion.agents.dialect import Mention
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.window import SharedContext
from companion.endpoint import agent_row
from companion.endpoint import agents_at_work as module
from companion.endpoint.agent_row import HookedAgent, Waiting
from companion.endpoint.agents_at_work import SELF_TEST
from companion.review.decision import Owner
from tests.unit.endpoint.agents_world import CONTEXT, World, client

CLAUDES = [client(number, "claude-code") for number in range(6)]


@pytest.fixture
def world():
    return World()


class TestComing:
    def test_the_first_makes_the_window_listen_and_others_are_told_its_state(self, world):
        world.agents.came(client(1))
        assert world.tracker.listening == [True]
        assert world.changed == [1]
        assert not world.tracker.waiting
        world.agents.came(client(2))
        assert world.tracker.listening == [True]
        assert world.changed == [1]
        world.tracker.be_current()
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", "session-2")]
        assert [each.session for each in world.agents.connected] == [client(1), client(2)]
        assert world.seen.count == 2

    def test_nobody_comes_twice_or_after_the_end_and_our_own_test_is_nobody(self, world):
        world.agents.came(client(1))
        world.agents.came(client(1))
        world.agents.came(client(2, SELF_TEST))
        world.agents.stop()
        world.agents.came(client(3))
        assert world.ids() == ["session-1"]
        assert world.seen.count == 1
        assert not world.tracker.waiting

    def test_a_program_that_is_not_wanted_is_told_nothing_and_not_shown(self, world):
        world.switch(opencode=False)
        world.come(CLAUDE, client(1, "opencode"))
        assert not world.ids()
        assert not world.tracker.listening
        assert not world.seen.count
        world.come(CLAUDE, client(2, "claude-code"), client(3, "somebody-else"))
        assert world.ids() == ["session-2", "session-3"]
        assert world.agents.is_wanted(IDE_COMPANION, client(4, "opencode")), "of another dialect it is another program"

    def test_what_is_switched_on_later_is_shown_and_told_then(self, world):
        world.switch(opencode=False)
        world.come(CLAUDE, client(1, "opencode"), client(2, "opencode"), client(3, "claude-code"))
        world.agents.went(client(2))
        world.agents.wanted_has_changed()
        assert world.ids() == ["session-3"]
        world.switch(opencode=True)
        world.agents.wanted_has_changed()
        assert world.ids() == ["session-3", "session-1"]
        world.tracker.be_current()
        assert world.servers.heard() == [("claude", "selection_changed", "session-1")]

    def test_what_is_switched_off_later_is_taken_back(self, world):
        both = client(1, "opencode"), client(2, "claude-code")
        world.come(CLAUDE, *both)
        world.reviews.open = [world.agents.owner_of(each) for each in both]
        world.agents.publish_context(CONTEXT)
        world.servers.heard()
        world.switch(opencode=False)
        ((_, message, session),) = world.servers.sent
        assert session == "session-1"
        assert message.params["filePath"] == ""
        assert world.ids() == ["session-2"]
        three = (*both, client(3))
        assert [world.agents.hides(world.agents.owner_of(each)) for each in three] == [True, False, False]
        assert world.reviews.withdrawn == ["session-1"]
        assert world.seen.count == 3
        assert world.tracker.listening == [True]
        world.servers.heard()
        world.agents.publish_context(CONTEXT)
        assert world.servers.heard()[1:] == [("claude", "selection_changed", "session-2")]
        world.switch(claude=False)
        assert not world.ids()
        assert world.tracker.listening == [True, False]
        assert world.changed == [1, 0]
        world.agents.went(client(1))
        world.switch(claude=True, opencode=True)
        assert world.ids() == ["session-2"]

    def test_nothing_is_taken_back_from_one_that_was_told_nothing(self, world):
        world.come(CLAUDE, CLAUDES[1])
        world.agents.publish_context(SharedContext({}))
        world.agents._send_context("session-1", SharedContext({}))
        world.agents._send_context("nobody", CONTEXT)
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]
        world.agents.publish_context(CONTEXT)
        world.agents.publish_context(SharedContext({}))
        assert [session for _, _, session in world.servers.heard()] == [None, "session-1", None, "session-1"]


class TestOwnAgents:
    ENTRY = {"command": ["openclaude"], "dialect": "claude", "folder": "~/.openclaude"}
    OWN = client(1, "claude-code", "OpenClaude")

    def test_its_token_says_which_it_is_whatever_it_calls_itself(self, world):
        world.own_agents(OpenClaude=self.ENTRY)
        world.switch(claude=False)
        world.come(CLAUDE, self.OWN, CLAUDES[2])
        assert world.names() == ["OpenClaude"]
        assert world.agents.mention(Mention("/a.py"), "openclaude") == "OpenClaude"
        assert world.agents.mention(Mention("/a.py"), "claude") is None

    def test_without_its_entry_it_is_told_nothing_any_more(self, world):
        world.own_agents(OpenClaude=self.ENTRY)
        world.come(CLAUDE, self.OWN)
        world.reviews.open = [world.agents.owner_of(self.OWN)]
        world.own_agents()
        assert not world.ids()
        assert world.reviews.withdrawn == ["session-1"]
        world.own_agents(OpenClaude=self.ENTRY)
        assert world.names() == ["OpenClaude"]


class TestGoing:
    def test_the_last_makes_the_window_fall_silent(self, world):
        both = client(1), client(2)
        world.come(IDE_COMPANION, *both)
        world.agents.went(both[0])
        assert world.tracker.listening == [True]
        assert world.changed == [1]
        world.agents.went(both[1])
        world.agents.went(both[1])
        assert world.tracker.listening == [True, False]
        assert world.changed == [1, 0]
        assert world.reviews.gone == ["session-1", "session-2"]
        assert not world.ids()
        assert world.seen.count == 4

    def test_after_the_end_nothing_is_done(self, world):
        world.agents.came(client(1))
        world.agents.stop()
        world.agents.went(client(1))
        assert not world.reviews.gone

    @pytest.mark.parametrize("lives", [True, False])
    def test_a_program_that_lives_on_asks_in_its_terminal(self, world, monkeypatch, lives):
        asked = []
        monkeypatch.setattr(module, "is_alive", lambda pid: asked.append(pid) or lives)
        world.come(CLAUDE, client(1))
        world.agents.process_known(client(1), 4321)
        world.agents.went(client(1))
        ((milliseconds, look),) = world.runtime.later
        assert milliseconds == 2000
        assert not asked
        look()
        assert asked == [4321]
        assert world.reviews.withdrawn == (["session-1"] if lives else [])

    def test_of_one_whose_process_is_not_known_nothing_is_asked(self, world):
        world.come(CLAUDE, client(1))
        world.agents.process_known(client(2), 4321)
        world.agents.went(client(1))
        assert not world.runtime.later


class TestSeveralOfOneProgram:
    def names(self, world, *numbers):
        return [world.name(CLAUDES[number]) for number in numbers]

    def test_each_has_a_number_of_its_own_for_as_long_as_it_is_connected(self, world):
        world.come(CLAUDE, *CLAUDES[1:4])
        assert self.names(world, 1, 2, 3) == ["Claude Code", "Claude Code 2", "Claude Code 3"]
        world.agents.went(CLAUDES[1])
        assert self.names(world, 2, 3) == ["Claude Code 2", "Claude Code 3"]
        world.come(CLAUDE, *CLAUDES[4:6])
        assert self.names(world, 4, 5) == ["Claude Code", "Claude Code 4"]

    def test_another_program_counts_by_itself_and_its_session_name_comes_last(self, world):
        copilots = client(1, "copilot-cli"), client(2, "copilot-cli")
        world.come(COPILOT, *copilots)
        world.come(CLAUDE, CLAUDES[3])
        for session in copilots:
            world.agents.rename(session.id, "Greeting")
        assert [world.name(session) for session in copilots] == ["Copilot CLI: Greeting", "Copilot CLI 2: Greeting"]
        assert self.names(world, 3) == ["Claude Code"]

    def test_a_number_stays_while_the_client_is_hidden(self, world):
        world.come(CLAUDE, *CLAUDES[1:3])
        world.switch(claude=False)
        world.agents.went(CLAUDES[1])
        world.switch(claude=True)
        world.come(CLAUDE, CLAUDES[3])
        assert self.names(world, 2, 3) == ["Claude Code 2", "Claude Code"]

    def test_one_that_was_hidden_from_the_first_is_counted_when_it_is_shown(self, world):
        world.switch(claude=False)
        world.come(CLAUDE, *CLAUDES[1:3])
        world.switch(claude=True)
        assert set(self.names(world, 1, 2)) == {"Claude Code", "Claude Code 2"}

    def test_the_status_bar_counts_them_and_the_report_names_each(self, world):
        world.come(CLAUDE, *CLAUDES[1:3])
        assert world.names() == ["Claude Code", "Claude Code"]
        assert world.names(numbered=True) == ["Claude Code", "Claude Code 2"]


class TestWords:
    def test_each_dialect_is_told_in_its_own(self, world):
        world.agents.came(client(1))
        world.come(CLAUDE, client(2, "claude-code"), client(3, "opencode"))
        world.come(COPILOT, client(4, "copilot-cli"))
        world.agents.publish_context(CONTEXT)
        assert world.servers.heard() == [
            (IDE_COMPANION.key, "ide/contextUpdate", None),
            ("claude", "selection_changed", "session-2"),
            ("claude", "selection_changed", "session-3"),
            ("copilot", "selection_changed", "session-4"),
        ]

    def test_who_has_gone_is_told_nothing(self, world):
        world.agents.came(client(1))
        world.come(CLAUDE, CLAUDES[2])
        world.agents.went(CLAUDES[2])
        world.tracker.be_current()
        world.agents.publish_context(CONTEXT)
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]

    def test_a_program_that_misses_what_comes_first_is_told_again(self, world):
        world.come(CLAUDE, CLAUDES[1])
        for dialect in (CLAUDE, COPILOT, IDE_COMPANION):
            world.agents.listed(CLAUDES[1], dialect)
        (first, again), (second, _) = world.runtime.later
        assert (first, second) == (500, 3000)
        again()
        world.tracker.be_current()
        assert world.servers.heard() == [("claude", "selection_changed", "session-1")]
        world.agents.went(CLAUDES[1])
        again()
        assert not world.tracker.waiting


def test_a_client_is_called_as_its_program_is_or_as_it_calls_itself(world):
    came = CLAUDES[1], client(2, "somebody"), client(3, "streamable-http-client", "Qwen Code")
    world.come(CLAUDE, *came[:2])
    world.come(IDE_COMPANION, came[2])
    assert [world.agents.owner_of(each) for each in came] == [
        Owner("session-1", "Claude Code"),
        Owner("session-2", "somebody"),
        Owner("session-3", "Qwen Code", "Qwen Code"),
    ]


def test_a_program_that_needs_lines_is_told_those_of_the_whole_file(world):
    for session, params in ((client(1, "opencode"), {"lineStart": 0, "lineEnd": 7}), (CLAUDES[2], {})):
        world.come(CLAUDE, session)
        world.agents.mention(Mention("/a.py", None, 7))
        assert world.servers.sent[-1][1].params == {"filePath": "/a.py", **params}
        world.agents.mention(Mention("/a.py", (2, 3), 7))
        assert world.servers.sent[-1][1].params == {"filePath": "/a.py", "lineStart": 2, "lineEnd": 3}


class TestAsking:
    """Codex CLI asks with each prompt and has no connection that could end."""

    def ask(self, world, process=None):
        world.agents.asked(client(1, "codex-tui"), CODEX, process)

    def test_it_is_there_as_long_as_its_process(self, world, monkeypatch):
        running = {4321}
        monkeypatch.setattr(agent_row, "is_alive", running.__contains__)
        for _ in range(2):
            self.ask(world, 4321)
        world.agents.drop_gone()
        assert world.names() == ["Codex CLI"]
        running.clear()
        world.agents.drop_gone()
        assert world.names() == []

    def test_one_whose_process_is_not_known_is_gone_after_half_an_hour(self, world, later):
        self.ask(world)
        later(agent_row.FORGOTTEN_SECONDS - 1)
        self.ask(world)
        later(1)
        world.agents.drop_gone()
        assert world.names() == ["Codex CLI"]
        later(agent_row.FORGOTTEN_SECONDS)
        world.agents.drop_gone()
        assert world.names() == []


class TestRows:
    def ways(self, world):
        return [(row.key, row.client is not None, row.hooked is not None) for row in world.agents.rows()]

    def test_an_agent_has_one_row_however_it_is_known(self, world):
        world.agents.started("claude")
        world.agents.started("goose")
        assert self.ways(world) == [("claude", False, False), ("goose", False, False)]
        world.come(CLAUDE, CLAUDES[1])
        world.agents.hooks_told([HookedAgent(CLAUDE_CODE), HookedAgent(CODEX_CLI)])
        assert self.ways(world) == [("claude", True, True), ("codex", False, True), ("goose", False, False)]

    def test_a_started_agent_goes_with_its_last_terminal_unless_connected(self, world):
        world.agents.started("goose")
        world.has_terminal = True
        world.agents.terminal_closed()
        assert world.agents.any_at_work
        world.has_terminal = False
        world.come(CLAUDE, CLAUDES[1])
        world.agents.terminal_closed()
        assert self.ways(world)[-1] == ("goose", False, False)
        world.agents.went(CLAUDES[1])
        world.agents.rows_changed()
        assert not world.agents.any_at_work

    def test_what_hooks_tell_is_news_once(self, world):
        waits = HookedAgent(CLAUDE_CODE, None, Waiting("Claude Code"))
        for hooked in ([HookedAgent(CLAUDE_CODE)], [waits], [waits], []):
            world.agents.hooks_told(hooked)
        assert (world.rows_seen.count, world.attention.count) == (3, 2)
