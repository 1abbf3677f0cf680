"""Windows, and programs whose hooks tell of their sessions."""

from __future__ import annotations

import os
from types import SimpleNamespace

from companion.endpoint.hook_sessions import HookAnswer, HookSessions
from companion.settings import Settings
from companion.transport.hook_server import HookCall
from tests.host.waiting import comes_true
from tests.unit.endpoint.agents_world import World
from tests.unit.endpoint.answering_editors import Runtime as OneThread


class Runtime(OneThread):
    async def call_main(self, function, *arguments):
        return function(*arguments)


class Window:
    """What is asked of an endpoint."""

    def __init__(self, *folders, last=0):
        self.tracker = SimpleNamespace(last_in_front=last)
        self.discovery = SimpleNamespace(all_folders=folders)
        self.window = SimpleNamespace(id=lambda: id(self))
        self.changes = SimpleNamespace(turn_begins=lambda begun: begun(), sign=lambda: None)
        self.world = World()
        self.agents = self.world.agents
        self.settings = Settings
        self.reviews_every_write = True

    def at_work(self):
        return [each.agent.key for each in self.agents.hooked]


class Tracking:
    """Nothing is tracked: each look is over at once."""

    def __init__(self):
        self.open, self.ended = {}, []

    def call_begins(self, window, call, open_call, looked):
        self.open[call] = open_call
        looked()

    def call_doubtful(self, window, call):
        self.open[call] = self.open[call]._replace(is_doubtful=True)

    def call_ended(self, window, call, looked, has_run=True):
        self.ended.append((self.open.pop(call), has_run))
        looked()


PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"


class NoOpinion:
    """Nothing is reviewed before it is written."""

    async def answer(self, session, event):
        return HookAnswer({})

    def session_ended(self, session):
        pass


class NothingSent:
    """The user sends no review."""

    def heard(self, session, event):
        return False

    async def answered(self, session, event, told):
        return told

    def session_ended(self, session):
        pass


class Editor:
    def __init__(self, *windows):
        self.windows = list(windows)
        self.tracking = Tracking()
        self.said = []
        self.sessions = HookSessions(
            Runtime(), lambda: self.windows, self.tracking, NoOpinion(), NothingSent(), self.said.append
        )

    async def tell(
        self, event, program="claude", session="s", process=None, folder="/code", held=False, is_long=False, **fields
    ):
        payload = {"session_id": session, "cwd": os.path.abspath(folder), "hook_event_name": event, **fields}
        return await self.sessions.handle(HookCall(program, event if held else "", process, payload, held, is_long))

    async def until(self, condition):
        await comes_true(condition)


def run_tool(number, command="make"):
    return {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": str(number)}
