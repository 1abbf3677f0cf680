"""A session of a program whose writes wait, in a window whose reviews are decided at once."""

from __future__ import annotations

import os
from types import SimpleNamespace

from companion.endpoint.clients import HookedPrograms
from companion.endpoint.hook_gate import HookGate
from companion.endpoint.hook_sessions import HookSession
from companion.review.decision import Outcome
from companion.review.document import disk
from companion.review.document.preparation import FileRequest
from companion.settings import Settings
from tests.unit.endpoint.answering_editors import Runtime as OneThread


class Runtime(OneThread):
    async def call_main(self, function, *arguments):
        return function(*arguments)


class Reviews:
    """Decides every review as soon as it is shown: with what `decides` gives for its text. Without one it waits."""

    def __init__(self, decides=None):
        self.decides, self.shown, self.over, self.gone, self.taken = decides, [], [], [], []
        self.accepted_texts = SimpleNamespace(over=lambda owner, paths: self.over.append(paths))

    def file_request(self, path):
        return FileRequest(path, disk.LIMITS, "", {})

    def open_diff(self, owner, path, proposed, prepared, ticket, draft):
        text = (draft or proposed).exact
        self.shown.append((os.path.basename(path), text))
        self.ticket, self.original = ticket, prepared.original
        if self.decides is not None:
            self.decides(path, text, ticket)

    def confirm(self, ticket, text, told):
        self.told = told
        return ticket.settle(Outcome("", text))

    def take_back(self, ticket):
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
        self.clients = SimpleNamespace(processes=lambda key: list(processes))
        self.hooked = HookedPrograms()

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
