"""A call that waits for the user is answered once, in whatever order answers, cancellations and broken sockets come.

From the message to the answer with the real protocol, dialect and window; only the threads and the editor's views
are stand-ins, whose steps are taken in any order.
"""

from __future__ import annotations

import json
from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from companion.agents.claude_code import CLAUDE
from companion.agents.window import RESTORES_ALL
from companion.protocol.core import Protocol
from companion.protocol.exchanges import CallCancelled
from companion.protocol.tools import Cancellation, Implementation, ToolCall
from companion.review import proposing
from companion.review.decision import Owner, Review, ReviewError
from tests.support.stepping import SteppedLoop
from tests.unit.conftest import with_editor

IDENTITY = Implementation("companion", "Companion", "1")
INITIALIZE = {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
NUMBERS = st.integers(0, 5)


class Threads:
    """A runtime whose main thread, disk and timers take a step when they are told to."""

    def __init__(self, loop):
        self._loop = loop
        self.main, self.disk, self.later = [], [], []

    def on_loop(self, function, *args):
        self._loop.call_soon(function, *args)

    def on_main(self, function, *args):
        self.main.append(partial(function, *args))

    def later_on_main(self, milliseconds, function, *args):
        self.later.append(partial(function, *args))

    def call_main(self, function, *args):
        return self._asked(self.main, partial(function, *args))

    def in_worker(self, function, *args):
        return self._asked(self.disk, partial(function, *args))

    def _asked(self, queue, function):
        future = self._loop.create_future()

        def tell(method, value):
            if not future.done():
                method(value)

        def run():
            try:
                result = function()
            except Exception as error:  # noqa: BLE001 - handed on
                self._loop.call_soon(tell, future.set_exception, error)
            else:
                self._loop.call_soon(tell, future.set_result, result)

        queue.append(run)
        return future


class Reviews:
    """The reviews of a window without views, ended as the real ones are."""

    def __init__(self):
        self.all = []
        self.refuses = False

    def file_request(self, path):
        return path

    def open_diff(self, owner, path, proposal, prepared, ticket, draft):
        if self.refuses:
            raise ReviewError("It is a folder.")
        self.all.append(Review(owner, path, "text\n", None, ticket))

    def pending(self):
        return [review for review in self.all if review.pending]

    def take_back(self, ticket):
        for review in self.pending():
            if review.ticket is ticket:
                review.reject()

    def withdraw(self, session, name=None):
        found = [review for review in self.pending() if name in (None, review.ticket.name)]
        for review in found:
            review.reject()
            review.ticket.settle(None)
        return len(found)


class Calls(RuleBasedStateMachine):
    """`module` is `endpoint.agent_window`."""

    module = None

    @initialize()
    def connect(self):
        self.loop = SteppedLoop()
        self.threads = Threads(self.loop)
        self.reviews = Reviews()
        self.connected, self.switched_off = True, False
        self.window = self.module.EndpointWindow(None, self.threads, self.reviews, None, None, self, None)
        self.core = Protocol(CLAUDE, IDENTITY)
        self.session = self.core.registry.connection("client-1", 0.0)
        self.say(INITIALIZE)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.session.take()
        self.asked, self.taken_back, self.cancelled, self.answered = [], set(), set(), []

    # -- the clients --------------------------------------------------------------------------------------------------

    def owner_of(self, session):
        return Owner(session.id, "Claude Code")

    def restored_by(self, session):
        return RESTORES_ALL

    def __contains__(self, session):
        return self.connected

    def hides(self, owner):
        return self.switched_off

    # -- the connection, as the transport carries it ------------------------------------------------------------------

    def say(self, message):
        reaction = self.core.receive(self.session, message, 0, 0.0)
        self.perform(reaction.events)
        for call in reaction.reply.calls if reaction.reply is not None else ():
            self.loop.create_task(self.run(call))

    def perform(self, events):
        for event in events:
            if isinstance(event, CallCancelled):
                event.call.cancel(event.reason)

    async def run(self, call):
        self.perform(self.core.finish(call, await CLAUDE.call(call, self.window), 0.0))

    def hear(self):
        messages = [json.loads(payload) for payload in self.session.take()]
        self.answered += [message["id"] for message in messages if isinstance(message["id"], int)]

    # -- what happens -------------------------------------------------------------------------------------------------

    @rule(refuses=st.booleans())
    def ask(self, refuses):
        number = len(self.asked)
        self.reviews.refuses = refuses
        arguments = {"new_file_path": f"/{number}", "new_file_contents": "text\n", "tab_name": f"tab {number % 3}"}
        params = {"name": "openDiff", "arguments": arguments}
        if self.connected:
            self.asked.append(number)
        self.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    @rule(number=NUMBERS)
    def cancel(self, number):
        self.hear()
        if self.connected and number in self.asked and number not in self.answered:
            self.taken_back.add(number)
            self.cancelled.add(f"/{number}")
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        self.say(note)

    @rule()
    def lose_the_connection(self):
        self.hear()
        self.taken_back.update(number for number in self.asked if number not in self.answered)
        self.connected = False
        self.perform(self.core.registry.close(self.session, "the connection has ended"))

    @rule(off=st.booleans())
    def switch(self, off):
        self.switched_off = off
        if off:
            self.reviews.withdraw(self.session)

    @rule()
    def step_loop(self):
        self.loop.step()
        self.hear()

    @rule()
    def step_main(self):
        if self.threads.main:
            self.threads.main.pop(0)()

    @rule()
    def step_disk(self):
        if self.threads.disk:
            self.threads.disk.pop(0)()

    @rule(number=NUMBERS, accepts=st.booleans())
    def decide(self, number, accepts):
        pending = self.reviews.pending()
        if number < len(pending):
            review = pending[number]
            outcome = review.accept("text\n") if accepts else review.reject()
            review.ticket.settle(outcome)

    @rule(number=NUMBERS)
    def answer_in_the_terminal(self, number):
        self.say({"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call",
                  "params": {"name": "close_tab", "arguments": {"tab_name": f"tab {number % 3}"}}})  # fmt: skip

    @rule()
    def ask_and_show(self):
        self.ask(False)
        self.let_everything_happen()

    @rule()
    def let_everything_happen(self):
        self.settle()
        self.hear()

    # -- the end ------------------------------------------------------------------------------------------------------

    def settle(self):
        for _ in range(50):
            self.loop.step()
            for queue in (self.threads.main, self.threads.disk):
                while queue:
                    queue.pop(0)()

    def teardown(self):
        self.settle()
        left = {review.path for review in self.reviews.pending()}
        assert not left & self.cancelled, "no review of a call that its program has taken back"
        if self.connected:
            for review in self.reviews.pending():
                review.ticket.settle(review.reject())
        self.settle()
        self.hear()
        assert sorted(self.answered) == sorted(set(self.asked) - self.taken_back)
        self.loop.close()


def test_every_call_is_answered_exactly_once_whatever_the_order_of_events(monkeypatch):
    module = with_editor("companion.endpoint.agent_window", monkeypatch, None)
    monkeypatch.setattr(proposing, "make_ready", lambda request, proposals: [(object(), object(), None)])
    monkeypatch.setattr(Calls, "module", module)
    run_state_machine_as_test(Calls, settings=settings(max_examples=120, stateful_step_count=25))


@pytest.mark.parametrize("reason", Cancellation)
def test_a_call_cancelled_before_it_began_is_told_as_soon_as_it_asks(reason):
    heard = []
    call = ToolCall("openDiff", {}, None)
    call.cancel(reason)
    call.on_cancelled(heard.append)
    assert heard == [reason]
    call.cancel(reason)
    assert heard == [reason]
