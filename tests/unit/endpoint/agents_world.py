"""The agents at work in a window of which nothing else is real: what is done for them is kept; time is moved."""

from __future__ import annotations

import dataclasses

from companion.agents.window import ActiveFile, SharedContext, TextPosition
from companion.endpoint.agents_at_work import AgentsAtWork
from companion.protocol.tools import ClientSession
from companion.settings import Settings
from tests.support.programs import with_programs

ACTIVE = ActiveFile("/a.py", TextPosition(0, 0), TextPosition(0, 1), "x")
CONTEXT = SharedContext({"workspaceState": {"openFiles": []}}, ACTIVE)


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
        self.gone, self.withdrawn, self.open = [], [], []

    def owner_gone(self, session):
        self.gone.append(session)

    def withdraw(self, session):
        self.withdrawn.append(session)

    def end_all(self, of):
        self.withdrawn += [owner.session_id for owner in self.open if of(owner)]
        self.open = [owner for owner in self.open if not of(owner)]


class Servers:
    """Keeps what was sent: to which dialect, what, and to whom."""

    def __init__(self):
        self.sent = []

    def notify(self, dialect, message, session):
        self.sent.append((dialect, message, session))

    def publish(self, context, clients):
        for dialect, session in clients:
            for message in dialect.messages(context):
                self.notify(dialect, message, session)

    def heard(self):
        heard = [(dialect.key, message.method, session) for dialect, message, session in self.sent]
        self.sent.clear()
        return heard


class Runtime:
    """One thread; what waits for its time is kept."""

    def __init__(self):
        self.later, self.alive = [], True

    def assert_main_thread(self):
        pass

    def on_main(self, function, *args):
        function(*args)

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


class World:
    """The agents of a window, of which nothing else is real."""

    def __init__(self):
        self.current = Settings()
        self.reviews, self.tracker = Reviews(), Tracker()
        self.runtime, self.servers, self.seen = Runtime(), Servers(), Seen()
        self.rows_seen, self.attention, self.has_terminal = Seen(), Seen(), False
        self.changed = []
        self.agents = AgentsAtWork(
            self.runtime,
            lambda: self.current,
            self.reviews,
            self.tracker,
            lambda: self.servers,
            any_changed=lambda: self.changed.append(len(self.agents.connected)),
            changed=self.rows_seen.call,
            changed_soon=self.seen.call,
            attention_changed=self.attention.call,
            has_terminal=lambda: self.has_terminal,
        )

    def come(self, dialect, *sessions):
        for session in sessions:
            self.agents.came(session, dialect)

    def switch(self, **programs):
        """The user switches programs on and off."""
        entries = {key: {"enabled": value} for key, value in programs.items()}
        switched = with_programs(entries).programs
        self.current = dataclasses.replace(self.current, programs={**self.current.programs, **switched})
        self.agents.wanted_has_changed()

    def own_agents(self, **entries):
        """The user's own agents are these."""
        self.current = with_programs(entries)
        self.agents.wanted_has_changed()

    def ids(self):
        """The sessions that are connected."""
        return [each.session.id for each in self.agents.connected]

    def names(self, *, numbered=False):
        """What users call them."""
        return [each.name(numbered=numbered) for each in self.agents.connected]

    def name(self, session):
        """What users call the client."""
        return self.agents.owner_of(session).client_name
