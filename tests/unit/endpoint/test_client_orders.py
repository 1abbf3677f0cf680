"""What a window is told of a client may come in any order: before it connects, while it is hidden, once it has gone."""

from __future__ import annotations

import threading
from collections import OrderedDict

import pytest

from companion.agents.claude_code import CLAUDE
from companion.agents.copilot_cli import COPILOT
from companion.agents.dialect import Mention
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint import agents_at_work as module
from companion.endpoint.agents_at_work import SELF_TEST
from companion.settings import Settings
from tests.unit.endpoint.agents_world import CONTEXT, World, client

COPILOT_CLI = client(1, "copilot-cli")
CLAUDE_CODE = client(2, "claude-code")
OPENCODE = client(3, "opencode")
MOMENTS = ["expected", "shown", "hidden", "shown again"]


@pytest.fixture
def world(monkeypatch):
    made = World()
    made.looked_for = []
    monkeypatch.setattr(module, "is_alive", lambda pid: made.looked_for.append(pid) or True)
    return made


def tell(world, moment, told):
    """Let a client go through all presences; call `told` at this moment."""

    def now(name):
        if name == moment:
            told()

    now("expected")
    world.come(COPILOT, COPILOT_CLI)
    now("shown")
    world.switch(copilot=False)
    now("hidden")
    world.switch(copilot=True)
    now("shown again")
    assert world.ids() == ["session-1"]


class TestProcessId:
    @pytest.mark.parametrize("moment", MOMENTS)
    def test_it_is_known_whenever_it_was_told(self, world, moment):
        tell(world, moment, lambda: world.agents.process_known(COPILOT_CLI, 4321))
        world.agents.went(COPILOT_CLI)
        for _, look in world.runtime.later:
            look()
        assert world.looked_for == [4321]

    def test_nobody_looks_for_the_program_of_one_that_was_not_shown(self, world):
        world.switch(copilot=False)
        world.come(COPILOT, COPILOT_CLI)
        for session in (COPILOT_CLI, CLAUDE_CODE):  # hidden, and never connected
            world.agents.process_known(session, 4321)
            world.agents.went(session)
        assert not world.runtime.later
        assert world.reviews.gone == ["session-1", "session-2"]
        assert not world.seen.count
        assert not world.tracker.listening

    def test_it_is_forgotten_with_the_client(self, world):
        world.agents.process_known(COPILOT_CLI, 4321)
        world.agents.went(COPILOT_CLI)
        world.come(COPILOT, COPILOT_CLI)
        world.agents.went(COPILOT_CLI)
        assert not world.runtime.later

    def test_our_own_test_that_tells_one_is_nobody(self, world):
        session = client(9, SELF_TEST)
        world.agents.process_known(session, 4321)
        world.agents.came(session)
        assert not world.ids()
        world.agents.went(session)
        assert not world.runtime.later
        assert not world.seen.count


class TestExpected:
    def test_it_is_as_good_as_not_there(self, world):
        world.agents.process_known(CLAUDE_CODE, 4321)
        world.agents.rename("session-2", "Greeting")
        world.agents.listed(CLAUDE_CODE, CLAUDE)
        assert not world.ids()
        assert world.agents.client("session-2") is None
        assert not world.names()
        assert not world.agents.take_mentions()
        assert world.agents.mention(Mention("/a.py")) is None
        world.switch(claude=False)
        world.switch(claude=True)
        world.agents.publish_context(CONTEXT)
        for _, again in world.runtime.later:
            again()
        assert not world.tracker.waiting
        assert not world.tracker.listening
        assert world.servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]

    def test_its_place_is_that_of_its_coming(self, world):
        world.agents.process_known(COPILOT_CLI, 4321)
        world.come(CLAUDE, CLAUDE_CODE)
        world.come(COPILOT, COPILOT_CLI)
        assert world.ids() == ["session-2", "session-1"]
        assert world.changed == [1]
        assert world.tracker.listening == [True]
        assert len(world.tracker.waiting) == 1


class TestGivenName:
    @pytest.mark.parametrize("moment", MOMENTS)
    def test_it_is_shown_whenever_it_was_told(self, world, moment):
        tell(world, moment, lambda: world.agents.rename("session-1", "Polite\ngreeting"))
        assert world.names() == ["Copilot CLI: Polite<U+000A>greeting"]
        world.switch(copilot=False)
        assert world.name(COPILOT_CLI) == "Copilot CLI: Polite<U+000A>greeting"
        world.switch(copilot=True)
        world.agents.rename("session-1", "")
        assert world.names() == ["Copilot CLI"]

    @pytest.mark.parametrize("hidden", [True, False])
    def test_it_is_news_and_forgotten_with_the_client(self, world, hidden):
        world.come(COPILOT, COPILOT_CLI)
        if hidden:
            world.switch(copilot=False)
        seen = world.seen.count
        world.agents.rename("session-1", "Greeting")
        assert world.seen.count == seen + 1
        world.agents.went(COPILOT_CLI)
        world.switch(copilot=True)
        world.come(COPILOT, COPILOT_CLI)
        assert world.names() == ["Copilot CLI"]


class TestHidingAndShowing:
    def test_who_is_shown_again_is_the_youngest_and_takes_the_mentions(self, world):
        world.come(CLAUDE, OPENCODE, CLAUDE_CODE)
        assert world.agents.mention(Mention("/a.py")) == "Claude Code"
        world.switch(opencode=False)
        world.switch(opencode=True)
        assert world.ids() == ["session-2", "session-3"]
        assert world.agents.mention(Mention("/a.py", None, 7)) == world.names()[-1] == "opencode"

    def test_those_that_wait_are_shown_in_the_order_in_which_they_were_hidden(self, world):
        world.come(COPILOT, COPILOT_CLI)
        world.switch(opencode=False)
        world.come(CLAUDE, OPENCODE)
        world.switch(copilot=False)
        world.come(CLAUDE, OPENCODE)  # told anew when a server was restarted
        world.switch(claude=False)
        world.come(CLAUDE, CLAUDE_CODE)
        world.switch(opencode=True, copilot=True, claude=True)
        assert world.ids() == ["session-3", "session-1", "session-2"]

    def test_one_that_is_hidden_and_comes_again_stays_hidden(self, world):
        world.switch(opencode=False)
        world.come(CLAUDE, OPENCODE, OPENCODE)
        assert not world.ids()
        assert not world.seen.count
        world.current = Settings()
        world.come(CLAUDE, OPENCODE)  # before the window was told of the setting
        assert world.ids() == ["session-3"]
        world.agents.wanted_has_changed()
        assert world.seen.count == 1
        world.agents.went(OPENCODE)
        world.agents.wanted_has_changed()
        assert not world.ids()

    def test_one_that_is_shown_again_has_been_told_nothing(self, world):
        world.come(CLAUDE, CLAUDE_CODE)
        world.agents.publish_context(CONTEXT)
        world.switch(claude=False)
        world.switch(claude=True)
        world.servers.heard()
        world.agents._send_context("session-2", CONTEXT._replace(active=None))
        assert world.servers.heard() == []


class LookedUp(OrderedDict):
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
    world.agents._clients = LookedUp()
    world.come(CLAUDE, CLAUDE_CODE)
    world.agents.rename("session-2", "Greeting")
    answers = []

    def ask():
        for session in (CLAUDE_CODE, OPENCODE):
            answers.append((world.name(session), world.agents.is_wanted(CLAUDE, session)))
        with pytest.raises(AssertionError):
            world.names()
        answers.append("names are not for this thread")

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert answers == [("Claude Code: Greeting", True), ("opencode", True), "names are not for this thread"]
