"""What Codex CLI is answered when it asks for something else, or in another form."""

from __future__ import annotations

import asyncio

import pytest

from companion.agents.codex_cli import CODEX
from companion.agents.window import SharedContext

ASKED = {"type": "request", "requestId": "1", "method": "ide-context", "version": 0, "params": {"workspaceRoot": "/w"}}


def reply(message):
    """The answer, and the folders for which a context was asked."""
    roots = []

    async def context_of(root, name):
        roots.append(root)
        return SharedContext({})

    return asyncio.run(CODEX.reply(message, context_of)), roots


@pytest.mark.parametrize("more", [{"method": "thread-list"}, {"version": 1}])
def test_what_is_not_served_is_said(more):
    answer, roots = reply({**ASKED, **more})
    assert answer == {
        "type": "response",
        "requestId": "1",
        "method": more.get("method", "ide-context"),
        "handledByClientId": "sublimetext",
        "resultType": "error",
        "error": "no-handler-for-request",
    }
    assert not roots


@pytest.mark.parametrize("params", [None, [], {}, {"workspaceRoot": 7}])
def test_without_a_folder_any_window_will_do(params):
    answer, roots = reply({**ASKED, "params": params})
    assert (answer["resultType"], roots) == ("success", [""])


@pytest.mark.parametrize("kind", ["response", "broadcast", None])
def test_what_is_no_request_gets_no_answer(kind):
    assert reply({**ASKED, "type": kind}) == (None, [])


@pytest.mark.parametrize(("asked", "can"), [(ASKED, True), ({"method": "thread-list"}, False), (None, False)])
def test_it_hears_what_can_be_answered(asked, can):
    answer, _ = reply({"type": "client-discovery-request", "requestId": "2", "request": asked})
    assert answer == {"type": "client-discovery-response", "requestId": "2", "response": {"canHandle": can}}
