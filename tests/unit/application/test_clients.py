"""The clients of one window: who is told what, in which words, and what is done when one goes."""

from __future__ import annotations

import dataclasses
import os

import pytest

from companion.agents.claude_dialect import CLAUDE
from companion.agents.copilot_dialect import COPILOT
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.shared_context import ActiveFile, Position, SharedContext
from companion.endpoint import clients as module
from companion.endpoint.clients import EndpointClients
from companion.endpoint.self_test import SELF_TEST
from companion.protocol.tools import ClientSession
from companion.review.decision import Outcome, Owner, Review, Ticket
from companion.settings import Settings

CONTEXT = SharedContext({"workspaceState": {"openFiles": []}}, ActiveFile("/a.py", Position(0, 0), Position(0, 1), "x"))


def client(number, name="gemini-cli", token_name=""):
    return ClientSession(f"session-{number}", name, "1", "2025-06-18", 0.0, token_name)


class Tracker:
    """Is current when the test says so."""

    def __init__(self):
        self.listening, self.waiting = [], []

    def set_listening(self, value):
        self.listening.append(value)

    def when_current(self, function):
        self.waiting.append(function)

    def be_current(self):
        waiting, self.waiting = self.waiting, []
        for function in waiting:
            function(CONTEXT)


class Reviews:
    """Keeps who has gone and whose reviews were taken away."""

    def __init__(self):
        self.gone, self.withdrawn = [], []

    def owner_gone(self, session):
        self.gone.append(session)

    def withdraw_all(self, session):
        self.withdrawn.append(session)


class Deliveries:
    """Keeps what was begun and what was not read."""

    def __init__(self):
        self.begun, self.not_read = [], []

    def begin(self, owner, outcome):
        self.begun.append((owner, outcome))
        return f"delivery {len(self.begun)}"

    def unread(self, tag, owner=None):
        self.not_read.append((tag, owner))


class Servers:
    """Keeps what was sent: to which dialect, what, to whom, and with which tag."""

    def __init__(self):
        self.sent = []

    def notify(self, dialect, message, session, tag=None):
        self.sent.append((dialect, message, session, tag))

    def heard(self):
        heard = [(dialect.key, message.method, session) for dialect, message, session, _ in self.sent]
        self.sent.clear()
        return heard


class Runtime:
    """One thread; what waits for its time is kept."""

    def __init__(self):
        self.later, self.alive = [], True

    def assert_main_thread(self):
        pass

    def later_on_main(self, milliseconds, function, *args):
        self.later.append((milliseconds, lambda: function(*args)))

    def use_disk(self, function, *args, then):
        then(function(*args, lambda: False))


class Seen:
    """Counts how often the status was to be drawn."""

    def __init__(self):
        self.count = 0

    def call(self):
        self.count += 1


class Endpoint(EndpointClients):
    """An endpoint of which only this part is real."""

    def __init__(self):
        self.current = Settings()
        self.settings = lambda: self.current
        self.clients, self._dialects, self._names, self._pids, self._answered = {}, {}, {}, {}, []
        self._hidden, self._informed = {}, set()
        self.reviews, self.tracker, self._deliveries = Reviews(), Tracker(), Deliveries()
        self._runtime, self._servers, self._clients_seen = Runtime(), Servers(), Seen()
        self.changed = []
        self._clients_changed = lambda: self.changed.append(len(self.clients))
        self._stopped = False


@pytest.fixture
def endpoint():
    return Endpoint()


class TestComing:
    def test_the_first_makes_the_window_listen_and_the_others_are_told_what_it_knows(self, endpoint):
        endpoint._client_came(client(1))
        assert endpoint.tracker.listening == [True] and endpoint.changed == [1]
        assert not endpoint.tracker.waiting
        endpoint._client_came(client(2))
        assert endpoint.tracker.listening == [True] and endpoint.changed == [1]
        endpoint.tracker.be_current()
        assert endpoint._servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", "session-2")]
        assert list(endpoint.clients) == ["session-1", "session-2"] and endpoint._clients_seen.count == 2

    def test_nobody_comes_twice_or_after_the_end_and_our_own_test_is_nobody(self, endpoint):
        endpoint._client_came(client(1))
        endpoint._client_came(client(1))
        endpoint._client_came(client(2, SELF_TEST))
        endpoint._stopped = True
        endpoint._client_came(client(3))
        assert list(endpoint.clients) == ["session-1"] and endpoint._clients_seen.count == 1
        assert not endpoint.tracker.waiting

    def test_a_program_that_is_not_wanted_is_told_nothing_and_not_shown(self, endpoint):
        endpoint.current = dataclasses.replace(Settings(), publish_for_opencode=False)
        endpoint._client_came(client(1, "opencode"), CLAUDE)
        assert not endpoint.clients and not endpoint.tracker.listening and not endpoint._clients_seen.count
        endpoint._client_came(client(2, "claude-code"), CLAUDE)
        endpoint._client_came(client(3, "somebody-else"), CLAUDE)
        assert list(endpoint.clients) == ["session-2", "session-3"]
        assert endpoint._is_wanted(IDE_COMPANION, client(4, "opencode")), "of another dialect it is another program"

    def test_what_is_switched_on_later_is_shown_and_told_then(self, endpoint):
        endpoint.current = dataclasses.replace(Settings(), publish_for_opencode=False)
        for number, name in ((1, "opencode"), (2, "opencode"), (3, "claude-code")):
            endpoint._client_came(client(number, name), CLAUDE)
        endpoint._client_went(client(2, "opencode"), [])
        endpoint._wanted_has_changed()
        assert list(endpoint.clients) == ["session-3"]
        endpoint.current = Settings()
        endpoint._wanted_has_changed()
        endpoint._wanted_has_changed()
        assert list(endpoint.clients) == ["session-3", "session-1"]
        endpoint.tracker.be_current()
        assert endpoint._servers.heard() == [("claude", "selection_changed", "session-1")]

    def test_what_is_switched_off_later_is_taken_back(self, endpoint):
        endpoint._client_came(client(1, "opencode"), CLAUDE)
        endpoint._client_came(client(2, "claude-code"), CLAUDE)
        endpoint._publish_context(CONTEXT)
        endpoint._servers.heard()
        endpoint.current = dataclasses.replace(Settings(), publish_for_opencode=False)
        endpoint._wanted_has_changed()
        ((_, message, session, _),) = endpoint._servers.sent
        assert session == "session-1" and message.params["filePath"] == ""
        assert list(endpoint.clients) == ["session-2"] and endpoint.reviews.withdrawn == ["session-1"]
        assert endpoint.tracker.listening == [True]
        endpoint._servers.heard()
        endpoint._publish_context(CONTEXT)
        assert endpoint._servers.heard()[1:] == [("claude", "selection_changed", "session-2")]
        endpoint.current = dataclasses.replace(Settings(), publish_for_opencode=False, publish_for_claude=False)
        endpoint._wanted_has_changed()
        assert not endpoint.clients and endpoint.tracker.listening == [True, False] and endpoint.changed == [1, 0]
        endpoint._client_went(client(1, "opencode"), [])
        endpoint.current = Settings()
        endpoint._wanted_has_changed()
        assert list(endpoint.clients) == ["session-2"]

    def test_nothing_is_taken_back_from_one_that_was_told_nothing(self, endpoint):
        endpoint._client_came(client(1, "claude-code"), CLAUDE)
        endpoint._publish_context(SharedContext({}))
        assert endpoint._servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]
        endpoint._publish_context(CONTEXT)
        endpoint._publish_context(SharedContext({}))
        assert [session for _, _, session in endpoint._servers.heard()] == [None, "session-1", None, "session-1"]

    def test_the_dialects_are_those_of_the_wanted_programs(self, endpoint):
        assert set(endpoint._wanted_dialects()) == {IDE_COMPANION, CLAUDE, COPILOT}
        endpoint.current = dataclasses.replace(Settings(), publish_for_copilot=False)
        assert set(endpoint._wanted_dialects()) == {IDE_COMPANION, CLAUDE}


class TestGoing:
    def test_the_last_makes_the_window_fall_silent(self, endpoint):
        both = client(1), client(2)
        for each in both:
            endpoint._client_came(each)
        endpoint._client_went(both[0], [])
        assert endpoint.tracker.listening == [True] and endpoint.changed == [1]
        endpoint._client_went(both[1], [])
        assert endpoint.tracker.listening == [True, False] and endpoint.changed == [1, 0]
        assert endpoint.reviews.gone == ["session-1", "session-2"]
        assert not endpoint.clients and not endpoint._dialects and endpoint._clients_seen.count == 4
        endpoint._client_went(both[1], ["tag"])
        assert endpoint.reviews.gone == ["session-1", "session-2"] and not endpoint._deliveries.not_read

    def test_what_it_did_not_read_is_not_lost(self, endpoint):
        endpoint._client_came(client(1))
        endpoint._client_went(client(1), ["one", "two"])
        owner = Owner("session-1", "gemini-cli")
        assert endpoint._deliveries.not_read == [("one", owner), ("two", owner)]

    def test_after_the_end_nothing_is_done(self, endpoint):
        endpoint._client_came(client(1))
        endpoint._stopped = True
        endpoint._client_went(client(1), ["one"])
        assert not endpoint.reviews.gone and not endpoint._deliveries.not_read

    @pytest.mark.parametrize("lives", [True, False])
    def test_a_program_that_lives_on_asks_in_its_terminal(self, endpoint, monkeypatch, lives):
        asked = []
        monkeypatch.setattr(module, "is_alive", lambda pid: asked.append(pid) or lives)
        endpoint._client_came(client(1), CLAUDE)
        endpoint._process_known(client(1), 4321)
        endpoint._client_went(client(1), [])
        ((milliseconds, look),) = endpoint._runtime.later
        assert milliseconds == 2000 and not asked
        look()
        assert asked == [4321] and endpoint.reviews.withdrawn == (["session-1"] if lives else [])
        assert not endpoint._pids

    def test_of_one_whose_process_is_not_known_nothing_is_asked(self, endpoint):
        endpoint._client_came(client(1), CLAUDE)
        endpoint._process_known(client(2), 4321)
        endpoint._client_went(client(1), [])
        assert not endpoint._runtime.later


class TestWords:
    def test_each_dialect_is_told_in_its_own(self, endpoint):
        endpoint._client_came(client(1))
        endpoint._client_came(client(2, "claude-code"), CLAUDE)
        endpoint._client_came(client(3, "opencode"), CLAUDE)
        endpoint._client_came(client(4, "copilot-cli"), COPILOT)
        endpoint._publish_context(CONTEXT)
        assert endpoint._servers.heard() == [
            (IDE_COMPANION.key, "ide/contextUpdate", None),
            ("claude", "selection_changed", "session-2"),
            ("claude", "selection_changed", "session-3"),
            ("copilot", "selection_changed", "session-4"),
        ]

    def test_who_has_gone_is_told_nothing(self, endpoint):
        endpoint._client_came(client(1))
        endpoint._client_came(client(2, "claude-code"), CLAUDE)
        endpoint._client_went(client(2), [])
        endpoint.tracker.be_current()
        endpoint._publish_context(CONTEXT)
        assert endpoint._servers.heard() == [(IDE_COMPANION.key, "ide/contextUpdate", None)]

    def test_a_program_that_misses_what_comes_first_is_told_again(self, endpoint):
        endpoint._client_came(client(1, "claude-code"), CLAUDE)
        endpoint._attentive_soon(CLAUDE, client(1))
        endpoint._attentive_soon(COPILOT, client(1))
        endpoint._attentive_soon(IDE_COMPANION, client(1))
        ((milliseconds, again),) = endpoint._runtime.later
        assert milliseconds == 500
        again()
        endpoint.tracker.be_current()
        assert endpoint._servers.heard() == [("claude", "selection_changed", "session-1")]
        endpoint._stopped = True
        again()
        assert not endpoint.tracker.waiting
        endpoint._stopped = False
        endpoint._client_went(client(1), [])
        again()
        assert not endpoint.tracker.waiting


class TestOutcomes:
    OWNER = Owner("session-1", "Gemini CLI")

    def test_the_one_that_asked_is_told_and_the_text_is_followed(self, endpoint):
        review = Review(self.OWNER, "/a.py", "new\n")
        outcome = Outcome("accepted", "/a.py", "edited\n")
        endpoint._tell_outcome(review, outcome)
        ((dialect, message, session, tag),) = endpoint._servers.sent
        assert (dialect, session, tag) == (IDE_COMPANION, "session-1", "delivery 1")
        assert message == ("ide/diffAccepted", {"filePath": "/a.py", "content": "edited\n"}, None)
        assert endpoint._deliveries.begun == [(self.OWNER, outcome)]

    def test_of_a_rejected_one_only_the_path_is_told(self, endpoint):
        endpoint._tell_outcome(Review(self.OWNER, "/a.py", "new\n"), Outcome("rejected", "/a.py", None))
        ((_, message, session, tag),) = endpoint._servers.sent
        assert message == ("ide/diffRejected", {"filePath": "/a.py"}, None)
        assert (session, tag) == ("session-1", None) and not endpoint._deliveries.begun

    def review_of_a_call(self, endpoint, number=1):
        settled = []
        ticket = Ticket("its name", True, settled.append)
        owner = Owner(f"session-{number}", "Claude Code")
        return Review(owner, "/a.py", "new\n", ticket), settled

    def test_a_call_is_answered_and_nothing_is_sent(self, endpoint):
        for kind in ("accepted", "rejected"):
            review, settled = self.review_of_a_call(endpoint)
            outcome = Outcome(kind, "/a.py", "text")
            endpoint._tell_outcome(review, outcome)
            assert settled == [outcome]
        assert not endpoint._servers.sent and len(endpoint._answered) == 1

    def test_a_program_that_goes_just_after_its_answer_may_not_have_written(self, endpoint, monkeypatch):
        now = [1000.0]
        monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
        for number in (1, 2):
            endpoint._client_came(client(number, "claude-code"), CLAUDE)
            endpoint._tell_outcome(self.review_of_a_call(endpoint, number)[0], Outcome("accepted", "/a.py", "text"))
        now[0] += 4.9
        endpoint._client_went(client(1), [])
        assert endpoint._deliveries.not_read == [("delivery 1", None)]
        now[0] += 0.2
        endpoint._client_went(client(2), [])
        assert len(endpoint._deliveries.not_read) == 1

    def test_what_was_answered_long_ago_is_forgotten(self, endpoint, monkeypatch):
        now = [1000.0]
        monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
        for _ in range(3):
            endpoint._tell_outcome(self.review_of_a_call(endpoint)[0], Outcome("accepted", "/a.py", "text"))
            now[0] += 6
        assert [delivery for _, _, delivery in endpoint._answered] == ["delivery 3"]


class TestNames:
    def test_a_program_is_called_as_users_call_it(self, endpoint):
        endpoint._client_came(client(1, "claude-code"), CLAUDE)
        endpoint._client_came(client(2, "somebody"), CLAUDE)
        endpoint._client_came(client(3, "streamable-http-client", "Qwen Code"))
        assert [endpoint._owner_of(each) for each in endpoint.clients.values()] == [
            Owner("session-1", "Claude Code"),
            Owner("session-2", "somebody"),
            Owner("session-3", "Qwen Code"),
        ]

    def test_a_session_that_has_a_name_is_shown_with_it(self, endpoint):
        endpoint._client_came(client(1, "copilot-cli"), COPILOT)
        endpoint._rename("session-1", "Polite\ngreeting")
        assert endpoint._owner_of(client(1, "copilot-cli")).client_name == "Copilot CLI: Polite<U+000A>greeting"
        assert endpoint._clients_seen.count == 2
        endpoint._rename("session-1", "")
        assert endpoint._owner_of(client(1, "copilot-cli")).client_name == "Copilot CLI"
        endpoint._rename("session-1", "again")
        endpoint._client_went(client(1), [])
        endpoint._client_came(client(1, "copilot-cli"), COPILOT)
        assert endpoint._owner_of(client(1, "copilot-cli")).client_name == "Copilot CLI"

    def test_who_is_there_is_connected(self, endpoint):
        owner = Owner("session-1", "Gemini CLI")
        assert not endpoint._is_connected(owner)
        endpoint._client_came(client(1))
        assert endpoint._is_connected(owner)


def test_a_living_process_is_this_one():
    assert module.is_alive(os.getpid())
