"""One writer on a connection that fails at the worst moment."""

from __future__ import annotations

import asyncio

from companion.protocol.limits import Limits
from companion.protocol.metadata import ASSUMED
from companion.protocol.sessions import MCP, Session
from companion.protocol.streams import QueuedMessage
from companion.protocol.tools import ClientSession
from companion.transport import server
from companion.transport.server import AT_ONCE_BYTES, EventStreamWriter
from tests.host.waiting import a_moment, comes_true, ends


class Connection:
    """A connection's transport and, in one, the request and protocol that lead to it."""

    def __init__(self):
        self.transport = self
        self.protocol = self
        self.on_lost = None
        self.written = b""
        self.closing = False
        self.buffered = 0
        self.gate = None  # while it is shut nothing can be written
        self.aborted = asyncio.Event()

    def abort(self):
        self.aborted.set()

    def write(self, data):
        self.written += data

    def is_closing(self):
        return self.closing

    def get_write_buffer_size(self):
        return self.buffered


class Response:
    """Stands for aiohttp's: the real one needs a real connection."""

    headers = {"Transfer-Encoding": "chunked"}

    def __init__(self, connection):
        self._connection = connection

    async def prepare(self, request):
        return None

    async def write(self, data):
        if self._connection.closing:
            raise ConnectionResetError("closing")
        if self._connection.gate is not None:
            await self._connection.gate.wait()
        self._connection.written += b"<" + data + b">"

    async def write_eof(self):
        self._connection.written += b"."


def queue(stream, sequence, size=1):
    stream.outbox.add(QueuedMessage(sequence, b'"' + b"x" * size + b'"', None))


def run(scenario, monkeypatch):
    async def main():
        connection = Connection()
        session = Session(ClientSession("1", "", "", "", 0.0), ASSUMED, MCP, Limits(), 0.0)
        stream = session.new_stream()
        monkeypatch.setattr("aiohttp.web.StreamResponse", lambda headers: Response(connection))
        session.attach(stream, None)
        writer = EventStreamWriter(session, stream)
        running = asyncio.ensure_future(writer.run(connection))
        await asyncio.sleep(0)
        await scenario(connection, stream, writer)
        await ends(running)

    asyncio.run(main())


def test_little_is_written_at_once_as_one_chunk(monkeypatch):
    async def scenario(connection, stream, writer):
        connection.written = b""
        queue(stream, 1)
        writer.pump()
        assert connection.written == b'13\r\nid: 1-1\ndata: "x"\n\n\r\n'.replace(
            b"13", b"%x" % len('id: 1-1\ndata: "x"\n\n')
        )
        connection.on_lost(False)

    run(scenario, monkeypatch)


def test_much_or_on_a_busy_connection_it_is_written_in_turn(monkeypatch):
    async def scenario(connection, stream, writer):
        connection.written = b""
        queue(stream, 1, AT_ONCE_BYTES)
        writer.pump()
        assert connection.written == b""
        await asyncio.sleep(0)
        assert connection.written.startswith(b"<id: 1-1\n")
        connection.written, connection.buffered = b"", 10
        queue(stream, 2)
        writer.pump()
        assert connection.written == b""
        await asyncio.sleep(0)
        assert connection.written.startswith(b"<id: 1-2\n")
        connection.on_lost(False)

    run(scenario, monkeypatch)


def test_what_was_taken_but_not_written_makes_the_end_a_reset(monkeypatch):
    async def scenario(connection, stream, writer):
        queue(stream, 1, AT_ONCE_BYTES)
        writer.pump()
        connection.on_lost(False)
        await asyncio.sleep(0)
        assert writer.was_reset

    run(scenario, monkeypatch)


def test_nothing_is_written_into_a_connection_that_is_closing(monkeypatch):
    async def scenario(connection, stream, writer):
        connection.written, connection.closing = b"", True
        queue(stream, 1)
        writer.pump()
        await asyncio.sleep(0)
        assert connection.written == b""
        assert writer.was_reset

    run(scenario, monkeypatch)


def test_a_stream_that_closes_ends_after_its_last_message(monkeypatch):
    async def scenario(connection, stream, writer):
        queue(stream, 1)
        stream.close()
        writer.pump()
        await asyncio.sleep(0)
        assert connection.written.endswith(b'data: "x"\n\n>.')

    run(scenario, monkeypatch)


async def block(connection, stream, writer):
    """Let the writer wait in the midst of a message, as for a client that has stopped reading."""
    connection.gate = asyncio.Event()
    queue(stream, 1, AT_ONCE_BYTES)
    writer.pump()
    await asyncio.sleep(0)
    connection.written = b""


def test_a_client_that_reads_slowly_is_given_all_the_time(monkeypatch, later):
    async def scenario(connection, stream, writer):
        await block(connection, stream, writer)
        for sequence in (2, 3):
            queue(stream, sequence)
            writer.pump()
            later(2 * server.CLOSING_SECONDS)
            await a_moment()
        assert not connection.aborted.is_set()
        connection.gate.set()
        while b"1-3" not in connection.written:
            await asyncio.sleep(0)
        assert not connection.aborted.is_set()
        connection.on_lost(False)

    run(scenario, monkeypatch)


def test_unless_the_stream_is_to_end(monkeypatch, clock):
    async def scenario(connection, stream, writer):
        await block(connection, stream, writer)
        stream.close()
        writer.pump()
        await a_moment()
        assert not connection.aborted.is_set()
        clock.advance(server.CLOSING_SECONDS)
        await comes_true(connection.aborted.is_set)
        connection.gate.set()
        connection.on_lost(True)

    run(scenario, monkeypatch)
