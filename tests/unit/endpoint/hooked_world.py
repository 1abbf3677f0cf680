"""A session of a program whose writes wait, in a window whose reviews are decided at once."""

from __future__ import annotations

import os
from types import SimpleNamespace

from companion.agents.claude_code import CLAUDE
from companion.endpoint.hook_gate import HookGate
from companion.endpoint.hook_sessions import HookSession
from companion.review.decision import Outcome
from companion.review.document import disk
from companion.review.document.preparation import FileRequest, read
from companion.settings import Settings
from tests.unit.endpoint.agents_world import World, client
from tests.unit.endpoint.answering_editors import Runtime as OneThread


class Runtime(OneThread):
    async def call_main(self, function, *arguments):
        return function(*arguments)


class Reviews:
    """Shows one review after the other, and decides each at once: with what `decides` gives for its text. Without one
    it waits."""

    def __init__(self, decides=None):
        self.decides, self.shown, self.over, self.gone, self.taken = decides, [], [], [], []
        self.turns = {}  # what is proposed for which file, by the ticket
        self.accepted_texts = SimpleNamespace(over=lambda owner, paths: self.over.append(paths))

    def file_request(self, path):
        return FileRequest(path, disk.LIMITS, "", {})

    def open_diff(self, owner, path, proposed, prepared, ticket, draft):
        is_turn = next(iter(self.turns), ticket) is ticket
        self.turns[ticket] = path, (draft or proposed).exact
        if is_turn:
            self.show_next()

    def show_next(self):
        self.ticket, (path, text) = next(iter(self.turns.items()))
        self.original = read(self.file_request(path)).original
        self.shown.append((os.path.basename(path), text))
        if self.decides is not None:
            self.decides(path, text, self.ticket)

    def confirm(self, ticket, text, told):
        self.told = told
        del self.turns[ticket]
        settled = ticket.settle(Outcome("", text))
        if self.turns:
            self.show_next()
        return settled

    def take_back(self, ticket):
        self.turns.pop(ticket, None)
        self.taken.append(ticket.name)

    def note(self, ticket, sentence):
        ticket.note(sentence)

    def owner_gone(self, owner):
        self.gone.append(owner)


class Window:
    """What is asked of an endpoint."""

    def __init__(self, folder, reviews=None, skip=(), processes=()):
        self.reviews = reviews or Reviews()
        self.reviews_every_write = True
        self.announced = (str(folder),)
        self.settings = lambda: Settings(review_skip=skip)
        world = World()
        self.agents = world.agents
        for number, process in enumerate(processes):
            world.come(CLAUDE, client(number, "claude-code"))
            if process is not None:
                self.agents.process_known(client(number), process)

    def folders(self):
        return self.announced

    @property
    def discovery(self):
        return SimpleNamespace(all_folders=self.announced)


class Asked:
    """A session of a program in a window, and what it is answered."""

    def __init__(self, agent, window, *others):
        self.agent, self.window = agent, window
        self.session = HookSession(agent, "s", window)
        self.windows = [window, *others]
        self.gate = HookGate(Runtime(), lambda: self.windows)

    async def tell(self, name, tool="", arguments=None, **fields):
        payload = {"session_id": "s", "cwd": self.window.announced[0], "hook_event_name": name, **fields}
        if tool:
            payload.update(tool_name=tool, tool_input=arguments, tool_use_id="1")
        return await self.gate.answer(self.session, self.agent.hooks.read(payload))

    async def write(self, content, name="PreToolUse", tool="Write", path="file.py", **fields):
        path = os.path.join(self.window.announced[0], path)
        return await self.tell(name, tool, {"file_path": path, "content": content}, **fields)


def decision(answer):
    said = answer.told.get("hookSpecificOutput", answer.told)
    return said.get("permissionDecision") or said.get("decision")


def reason(answer):
    return answer.told["hookSpecificOutput"]["permissionDecisionReason"]


def accept(path, text, ticket):
    ticket.consider(text, disk.read(path, disk.LIMITS))


def accept_as(mine):
    """The user has made another text of it."""
    return lambda path, text, ticket: accept(path, mine, ticket)


edit = accept_as("mine\n")


def reject(path, text, ticket):
    ticket.settle(Outcome(path, None))


def withdraw(path, text, ticket):
    ticket.settle(None)


def add(*paths):
    files = "".join(f"*** Add File: {path}\n+new\n" for path in paths)
    return {"command": f"*** Begin Patch\n{files}*** End Patch\n"}
