"""What a window is told of a client may come in any order: before it connects, while it is hidden, once it has gone."""

from __future__ import annotations

import dataclasses
import threading

import pytest
from clients_world import CONTEXT, World, client

from companion.agents.claude_dialect import CLAUDE
from companion.agents.copilot_dialect import COPILOT
from companion.agents.dialect import Mention
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint import clients as module
from companion.endpoint.client import SELF_TEST
from companion.review.decision import Owner
from companion.settings import Settings

COPILOT_CLI = client(1, "copilot-cli")
CLAUDE_CODE = client(2, "claude-code")
OPENCODE = client(3, "opencode")


class SwitchedWorld(World):
    """The user switches programs on and off."""

    def switch(self, **programs):
        switches = {f"publish_for_{key}": value for key, value in programs.items()}
        self.current = dataclasses.replace(self.current, **switches)
        self.clients.wanted_has_changed()

    def name(self, session):
        return self.clients.owner_of(session).client_name


@pytest.fixture
def world(monkeypatch):
    made = SwitchedWorld()
    made.looked_for = []
    monkeypatch.setattr(module, "is_alive", lambda pid: made.looked_for.append(pid) or True)
    return made


class TestProcessId:
    def looked_for(self, world):
        for _, look in world.runtime.later:
            look()
        return world.looked_for

    def test_it_is_told_before_the_client_has_connected(self, world):
        world.clients.process_known(COPILOT_CLI, 4321)
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.went(COPILOT_CLI)
        assert self.looked_for(world) == [4321]
        assert world.reviews.withdrawn == ["session-1"]

    def test_the_last_that_it_tells_counts(self, world):
        world.clients.process_known(COPILOT_CLI, 1)
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.process_known(COPILOT_CLI, 2)
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.went(COPILOT_CLI)
        assert self.looked_for(world) == [2]

    @pytest.mark.parametrize("told", ["expected", "shown", "hidden", "shown again"])
    def test_it_is_known_whenever_it_was_told(self, world, told):
        def tell(now):
            if now == told:
                world.clients.process_known(COPILOT_CLI, 4321)

        tell("expected")
        world.clients.came(COPILOT_CLI, COPILOT)
        tell("shown")
        world.switch(copilot=False)
        tell("hidden")
        world.switch(copilot=True)
        tell("shown again")
        assert list(world.clients.sessions) == ["session-1"]
        world.clients.went(COPILOT_CLI)
        assert self.looked_for(world) == [4321]

    def test_nobody_looks_for_the_program_of_one_that_was_not_shown(self, world):
        world.switch(copilot=False)
        world.clients.came(COPILOT_CLI, COPILOT)
        for session in (COPILOT_CLI, CLAUDE_CODE):  # hidden, and never connected
            world.clients.process_known(session, 4321)
            world.clients.went(session)
        assert not world.runtime.later
        assert world.reviews.gone == ["session-1", "session-2"]
        assert not world.seen.count
        assert not world.tracker.listening

    def test_it_is_forgotten_with_the_client(self, world):
        world.clients.process_known(COPILOT_CLI, 4321)
        world.clients.went(COPILOT_CLI)
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.went(COPILOT_CLI)
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.process_known(COPILOT_CLI, 4321)
        world.clients.stop()
        world.clients.went(COPILOT_CLI)
        assert not world.runtime.later

    def test_our_own_test_that_tells_one_is_nobody(self, world):
        session = client(9, SELF_TEST)
        world.clients.process_known(session, 4321)
        world.clients.came(session)
        assert not world.clients.sessions
        world.clients.went(session)
        assert not world.runtime.later
        assert not world.seen.count


class TestExpected:
    def test_it_is_as_good_as_not_there(self, world):
        world.clients.process_known(CLAUDE_CODE, 4321)
        world.clients.rename("session-2", "Greeting")
        world.clients.listed(CLAUDE, CLAUDE_CODE)
        assert not world.clients.sessions
        assert not world.clients.names()
        assert not world.clients.take_mentions()
        assert not world.clients.is_connected(Owner("session-2", ""))
        assert world.clients.mention(Mention("/a.py")) is None
        world.switch(claude=False)
        world.switch(claude=True)
        world.clients.publish_context(CONTEXT)
        for _, again in world.runtime.later:
            again()
        assert not world.tracker.waiting
        assert not world.tracker.listening
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]

    def test_its_place_is_that_of_its_coming(self, world):
        world.clients.process_known(COPILOT_CLI, 4321)
        world.clients.came(CLAUDE_CODE, CLAUDE)
        world.clients.came(COPILOT_CLI, COPILOT)
        assert list(world.clients.sessions) == ["session-2", "session-1"]
        assert world.changed == [1]
        assert world.tracker.listening == [True]
        assert len(world.tracker.waiting) == 1


class TestGivenName:
    def test_it_may_come_before_the_client(self, world):
        world.clients.rename("session-1", "Greeting")
        assert world.seen.count == 1
        assert world.name(COPILOT_CLI) == "copilot-cli: Greeting", "which program it is nobody knows yet"
        world.clients.came(COPILOT_CLI, COPILOT)
        assert world.clients.names() == ["Copilot CLI: Greeting"]

    def test_it_is_kept_while_the_client_is_hidden(self, world):
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.rename("session-1", "Greeting")
        world.switch(copilot=False)
        assert world.name(COPILOT_CLI) == "copilot-cli: Greeting"
        assert not world.clients.names()
        world.switch(copilot=True)
        assert world.clients.names() == ["Copilot CLI: Greeting"]

    def test_it_may_come_while_the_client_is_hidden(self, world):
        world.switch(copilot=False)
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.rename("session-1", "Greeting")
        assert world.seen.count == 1
        assert not world.clients.names()
        world.switch(copilot=True)
        assert world.clients.names() == ["Copilot CLI: Greeting"]

    def test_whoever_has_gone_is_forgotten_also_when_hidden(self, world):
        world.clients.came(COPILOT_CLI, COPILOT)
        world.clients.rename("session-1", "Greeting")
        world.switch(copilot=False)
        world.clients.went(COPILOT_CLI)
        world.switch(copilot=True)
        world.clients.came(COPILOT_CLI, COPILOT)
        assert world.clients.names() == ["Copilot CLI"]


class TestHidingAndShowing:
    def test_who_is_shown_again_is_the_youngest_and_takes_the_mentions(self, world):
        for session in (OPENCODE, CLAUDE_CODE):
            world.clients.came(session, CLAUDE)
        assert world.clients.mention(Mention("/a.py")) == "Claude Code"
        world.switch(opencode=False)
        world.switch(opencode=True)
        assert list(world.clients.sessions) == ["session-2", "session-3"]
        assert world.clients.mention(Mention("/a.py")) == world.clients.names()[-1] == "opencode"

    def test_a_program_that_needs_lines_is_told_those_of_the_whole_file(self, world):
        for session, params in ((OPENCODE, {"lineStart": 0, "lineEnd": 7}), (CLAUDE_CODE, {})):
            world.clients.came(session, CLAUDE)
            world.clients.mention(Mention("/a.py", None, 7))
            assert world.servers.sent[-1][1].params == {"filePath": "/a.py", **params}
            world.clients.mention(Mention("/a.py", (2, 3), 7))
            assert world.servers.sent[-1][1].params == {"filePath": "/a.py", "lineStart": 2, "lineEnd": 3}

    def test_those_that_wait_are_shown_in_the_order_in_which_they_were_hidden(self, world):
        world.clients.came(COPILOT_CLI, COPILOT)
        world.switch(opencode=False)
        world.clients.came(OPENCODE, CLAUDE)
        world.switch(copilot=False)
        world.clients.came(OPENCODE, CLAUDE)  # told anew when a server was restarted
        world.switch(claude=False)
        world.clients.came(CLAUDE_CODE, CLAUDE)
        world.switch(opencode=True, copilot=True, claude=True)
        assert list(world.clients.sessions) == ["session-3", "session-1", "session-2"]

    def test_one_that_is_hidden_and_comes_again_stays_hidden(self, world):
        world.switch(opencode=False)
        world.clients.came(OPENCODE, CLAUDE)
        world.clients.came(OPENCODE, CLAUDE)
        assert not world.clients.sessions
        assert not world.seen.count
        world.current = Settings()
        world.clients.came(OPENCODE, CLAUDE)  # before the window was told of the setting
        assert list(world.clients.sessions) == ["session-3"]
        assert world.seen.count == 1
        world.clients.wanted_has_changed()
        assert world.seen.count == 1
        world.clients.went(OPENCODE)
        world.clients.wanted_has_changed()
        assert not world.clients.sessions

    def test_one_that_is_shown_again_has_been_told_nothing(self, world):
        world.clients.came(CLAUDE_CODE, CLAUDE)
        world.clients.publish_context(CONTEXT)
        world.switch(claude=False)
        world.switch(claude=True)
        world.servers.heard()
        world.clients._send_context("session-2", CONTEXT._replace(active=None))
        assert world.servers.heard() == []

    def test_after_the_end_nobody_is_shown_again(self, world):
        world.switch(opencode=False)
        world.clients.came(OPENCODE, CLAUDE)
        world.clients.stop()
        world.switch(opencode=True)
        assert not world.clients.sessions
        assert not world.seen.count


class LookedUp(dict):
    """A dict through which only the main thread may go."""

    def _main_thread_only(self):
        assert threading.current_thread() is threading.main_thread()

    def __iter__(self):
        self._main_thread_only()
        return super().__iter__()

    def values(self):
        self._main_thread_only()
        return super().values()

    def items(self):
        self._main_thread_only()
        return super().items()


def test_other_threads_ask_of_one_client_and_go_through_all_of_them_never(world):
    world.clients._clients = LookedUp()
    world.clients.came(CLAUDE_CODE, CLAUDE)
    world.clients.rename("session-2", "Greeting")
    answers = []

    def ask():
        for session in (CLAUDE_CODE, OPENCODE):
            answers.append((world.name(session), world.clients.is_wanted(CLAUDE, session)))
        with pytest.raises(AssertionError):
            world.clients.names()
        answers.append("names are not for this thread")

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert answers == [("Claude Code: Greeting", True), ("opencode", True), "names are not for this thread"]
