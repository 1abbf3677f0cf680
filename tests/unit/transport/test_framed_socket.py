"""A socket of which there is one for each user: who gets it, and what is answered there."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has named pipes instead", allow_module_level=True)

from companion.system.folders import is_answered
from companion.transport import framed_socket
from companion.transport.framed_socket import (
    MOST_BYTES,
    MOST_CONNECTIONS,
    YOUNG_SECONDS,
    Claim,
    FrameServer,
    ask,
    claim,
)
from tests.host.waiting import a_moment, ends


@pytest.fixture
def path():
    """In a folder of its own, whose name is short enough for a socket."""
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(dir="/tmp")
    yield os.path.join(folder, "ipc.sock")
    shutil.rmtree(folder)


@pytest.fixture
def another(path):
    """Another editor, which listens there."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(5)
        yield listening


class TestClaiming:
    def test_a_free_path_becomes_the_users_alone(self, path):
        claimed = claim(path)
        assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
        assert not claimed.is_lost()
        claimed.release()
        assert not os.path.exists(path)
        claimed.release()

    def test_a_living_one_of_another_editor_is_left_alone(self, path, another):
        inode = os.lstat(path).st_ino
        assert claim(path) is None
        assert os.lstat(path).st_ino == inode

    def test_so_is_one_that_takes_nobody_in_at_the_moment(self, path, another):
        waiting = []
        for _ in range(8):
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            try:
                waiting[-1].connect(path)
            except BlockingIOError:
                break
        assert claim(path) is None
        assert os.path.exists(path)
        for each in waiting:
            each.close()

    def test_one_that_a_crash_has_left_is_replaced(self, path, another, later):
        another.close()
        later(YOUNG_SECONDS)
        claimed = claim(path)
        assert claimed is not None
        assert is_answered(path)
        claimed.release()

    def test_a_young_one_may_be_about_to_listen(self, path, another):
        another.close()
        assert claim(path) is None
        assert os.path.exists(path)

    def test_of_two_who_look_at_once_one_alone_clears_the_way(self, path):
        import fcntl

        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        assert claim(path) is None
        os.close(folder)
        claimed = claim(path)
        assert claimed is not None
        claimed.release()

    def test_one_that_somebody_removes_at_once_leaves_no_socket_open(self, path, monkeypatch):
        bound, bind = [], framed_socket.bind

        def removed(path):
            bound.append(bind(path))
            os.unlink(path)
            return bound[0]

        monkeypatch.setattr(framed_socket, "bind", removed)
        with pytest.raises(FileNotFoundError):
            claim(path)
        assert bound[0].fileno() == -1

    @pytest.mark.parametrize("make", [lambda path: open(path, "w").close(), lambda path: os.symlink("/dev/null", path)])
    def test_what_is_no_socket_stays_and_is_an_error(self, path, make):
        make(path)
        with pytest.raises(OSError, match="no socket of yours"):
            claim(path)
        assert os.path.lexists(path)

    def test_what_another_editor_has_put_in_its_place_stays(self, path):
        claimed = claim(path)
        os.unlink(path)
        with open(path, "w"):
            assert claimed.is_lost()
            claimed.release()
            assert os.path.exists(path)


def serve(path, answer, scenario, frame_seconds=60.0):
    async def main():
        server, claimed = FrameServer(answer, frame_seconds), claim(path)
        await server.serve(claimed)
        try:
            return await ends(scenario(server))
        finally:
            server.close()
            claimed.release()

    return asyncio.run(main())


async def turned(frame, process):
    return frame[::-1] if frame != b"silence" else None


def framed(text):
    return struct.pack("<I", len(text)) + text


async def exchanged(connection, text):
    """The answer to a frame on a connection, of as many bytes as the frame."""
    reader, writer = connection
    writer.write(framed(text))
    return (await reader.readexactly(4 + len(text)))[4:]


class TestAnswering:
    def test_frames_are_answered_in_order_however_they_come(self, path):
        async def scenario(server):
            reader, writer = await asyncio.open_unix_connection(path)
            for byte in framed(b"one") + framed(b"silence") + framed(b"two"):
                writer.write(bytes([byte]))
                await writer.drain()
            assert await reader.readexactly(14) == framed(b"eno") + framed(b"owt")
            writer.close()

        serve(path, turned, scenario)

    def test_the_process_at_the_other_end_is_known_on_linux(self, path):
        async def tell(frame, process):
            return str(process).encode()

        expected = [str(os.getpid())] if sys.platform == "linux" else ["None", str(os.getpid())]
        assert serve(path, tell, lambda server: ask(path, b"who")).decode() in expected

    @pytest.mark.parametrize("size", [0, MOST_BYTES + 1, 0xFFFFFFFF])
    def test_a_frame_of_no_sensible_length_ends_the_connection(self, path, size):
        async def scenario(server):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(struct.pack("<I", size))
            assert await reader.read() == b""
            writer.close()
            assert await ask(path, b"ab") == b"ba"

        serve(path, turned, scenario)

    def test_whoever_has_been_silent_longest_makes_room_for_who_comes(self, path):
        async def scenario(server):
            silent = [await asyncio.open_unix_connection(path) for _ in range(MOST_CONNECTIONS)]
            assert await exchanged(silent[-1], b"ab") == b"ba", "all of them have come in"
            assert await exchanged(silent[0], b"ab") == b"ba"
            assert await ask(path, b"cd") == b"dc"
            assert await silent[1][0].read() == b""
            for connection in (silent[0], *silent[2:]):
                assert await exchanged(connection, b"ef") == b"fe"
            for _, writer in silent:
                writer.close()

        serve(path, turned, scenario)

    def test_who_is_being_answered_makes_room_for_nobody(self, path):
        waiting = []

        async def later(frame, process):
            waiting.append(asyncio.get_running_loop().create_future())
            await waiting[-1]
            return frame

        async def scenario(server):
            busy = [await asyncio.open_unix_connection(path) for _ in range(MOST_CONNECTIONS)]
            for _, writer in busy:
                writer.write(framed(b"ab"))
            while len(waiting) < MOST_CONNECTIONS:
                await asyncio.sleep(0)
            with pytest.raises(OSError, match="no answer|reset|pipe"):
                await ask(path, b"ab")
            for each in waiting:
                each.set_result(None)
            for reader, writer in busy:
                assert await reader.readexactly(6) == framed(b"ab")
                writer.close()

        serve(path, later, scenario)

    @pytest.mark.parametrize("begun", [b"", b"\x02", struct.pack("<I", 2), struct.pack("<I", 2) + b"a"])
    def test_a_frame_that_never_comes_or_ends_is_not_waited_for(self, path, begun):
        async def scenario(server):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(begun)
            assert await reader.read() == b""
            writer.close()

        serve(path, turned, scenario, frame_seconds=0.05)

    def test_between_frames_a_program_may_be_silent(self, path, monkeypatch):
        async def scenario(server):
            kept = await asyncio.open_unix_connection(path)
            assert await exchanged(kept, b"ab") == b"ba"
            server.frame_seconds = 0.05
            reader, writer = await asyncio.open_unix_connection(path)
            # By when this one has ended, the other one would have ended too.
            assert await reader.read() == b""
            writer.close()
            server.frame_seconds = 60.0
            assert await exchanged(kept, b"cd") == b"dc"
            kept[1].close()

        serve(path, turned, scenario)

    def test_who_reads_no_answers_is_not_waited_for(self, path):
        """Else such connections would make room for nobody."""

        async def long(frame, process):
            return bytes(4 * MOST_BYTES)

        async def scenario(server):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                client.sendall(framed(b"ab"))
                with pytest.raises(BrokenPipeError):
                    while True:
                        client.sendall(b"\x01")
                        await a_moment()

        serve(path, long, scenario, frame_seconds=0.05)

    def test_a_process_of_another_user_is_sent_away(self, path, monkeypatch):
        if sys.platform != "linux":
            pytest.skip("the system does not tell")

        async def scenario(server):
            monkeypatch.setattr(framed_socket.os, "getuid", lambda: 4242)
            with pytest.raises(OSError, match="no answer|reset"):
                await ask(path, b"ab")
            monkeypatch.undo()

        serve(path, turned, scenario)


class TestNamedPipes:
    """Windows: asked of a loop that serves pipes as the proactor loop does."""

    def test_the_pipe_is_served_under_its_name_and_given_back(self, monkeypatch):
        served, closed = [], []

        class Pipe:
            def close(self):
                closed.append(self)

        async def serve_pipe(protocols, path):
            served.append((type(protocols()), path))
            return [Pipe()]

        async def main():
            monkeypatch.setattr(asyncio.get_running_loop(), "start_serving_pipe", serve_pipe, raising=False)
            server = FrameServer(turned)
            await server.serve(Claim(r"\\.\pipe\codex-ipc"))
            server.close()

        asyncio.run(main())
        assert served == [(asyncio.StreamReaderProtocol, r"\\.\pipe\codex-ipc")]
        assert len(closed) == 1
