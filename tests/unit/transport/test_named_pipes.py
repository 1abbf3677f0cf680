"""Programs that connect to a named pipe, as on Windows: asked of a loop that serves pipes as the proactor loop does."""

from __future__ import annotations

import asyncio

import pytest

from companion.transport import listening


def test_a_pipe_has_a_name_that_nobody_can_guess(monkeypatch):
    served, closed = [], []

    class Pipe:
        def close(self):
            closed.append(self)

    async def serve(protocols, path):
        served.append((protocols, path))
        return [Pipe()]

    async def scenario():
        monkeypatch.setattr(asyncio.get_running_loop(), "start_serving_pipe", serve, raising=False)
        monkeypatch.setattr(listening.sys, "platform", "win32")
        locals_ = [await listening.listen_locally(asyncio.Protocol) for _ in range(2)]
        monkeypatch.undo()
        return locals_

    first, second = asyncio.run(scenario())
    assert served == [(asyncio.Protocol, first.address.socket), (asyncio.Protocol, second.address.socket)]
    assert first.address.socket != second.address.socket
    for local in (first, second):
        name = local.address.socket[len("\\\\.\\pipe\\") :]
        assert local.address.socket.startswith("\\\\.\\pipe\\gemini-companion-")
        assert len(name) == len("gemini-companion-") + 32
    first.close()
    assert len(closed) == 1


def test_a_loop_without_pipes_is_an_error_with_a_sentence(monkeypatch):
    async def scenario():
        monkeypatch.setattr(listening.sys, "platform", "win32")
        try:
            with pytest.raises(OSError, match="serves no named pipes"):
                await listening.listen_locally(asyncio.Protocol)
        finally:
            monkeypatch.undo()

    asyncio.run(scenario())
