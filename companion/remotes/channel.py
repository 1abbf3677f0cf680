"""The command of a remote at work: its helper is started through it, and frames go to and fro.

A connection that the helper opens becomes one of a server of ours, through the socket that only this user can open.

Rules: one frame after the other is taken, and what takes nothing for `STALLED_SECONDS` is ended: so nothing that the
other side sends is held in memory without a bound. A helper of which nothing is heard for `SILENT_SECONDS` is given up.
Loop thread.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import logging
import re
import subprocess
import sys
import zlib
from typing import Any, Awaitable, Callable, Dict, NamedTuple, Sequence, Set, Tuple

from ..common.clock import clock
from ..common.display_names import shown
from .frames import ANSWER, ASK, CLOSE, DATA, MARK, MOST_BYTES, OPEN, PING, QUESTIONS, FrameError, Frames, pack

logger = logging.getLogger("gemini_companion.remotes")

START_SECONDS = 30.0
PING_SECONDS, SILENT_SECONDS = 15.0, 45.0
STALLED_SECONDS = 15.0
END_SECONDS = 2.0
ANSWER_SECONDS = 20.0
MOST_STREAMS = 256
MOST_PRINTED = 1 << 16
"""Bytes that a login shell may print before the helper speaks."""
MOST_UNTAKEN = 1 << 26
"""Bytes that wait for the helper to take them, if it opens connections all the same."""
LAST_WORDS = 2048

_IMPORTS = re.compile(r"^from \.frames import .*$", re.MULTILINE)

Connect = Callable[[str], Awaitable[Tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""Opens a connection of the server of this name. Raises `OSError`."""


class ChannelError(Exception):
    """The editor cannot reach the remote, or its helper refuses a request. The message is a sentence for the user."""


class HelperAnswer(NamedTuple):
    """What the helper has answered, and the bytes that came with it."""

    fields: Dict[str, Any]
    data: bytes = b""


class _Asked:
    def __init__(self, most: int) -> None:
        self.answer: asyncio.Future[HelperAnswer] = asyncio.get_running_loop().create_future()
        self.data = bytearray()
        self.most = most


class Channel:
    """One run of a remote's command. `connect` opens what the helper's streams are connected to."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._process: asyncio.subprocess.Process
        self._streams: Dict[int, asyncio.StreamWriter] = {}
        self._questions: Dict[int, _Asked] = {}
        self._asked = QUESTIONS
        self._heard = 0.0
        self._words = b""
        self._started = self._closing = False
        self._draining = asyncio.Lock()
        self._tasks: Set[asyncio.Future[Any]] = set()
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done once the channel is; why, as a sentence for the user."""

    async def open(self, command: Sequence[str], source: str) -> None:
        """Start the command, and the helper of this `source` through it. Raises `ChannelError`."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                "sh",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **hidden(),
            )
        except (OSError, ValueError) as error:
            self._closing = True
            raise ChannelError(f"{command[0]} cannot be started ({shown(str(error))})") from None
        self._started = True
        if self._closing:  # it was left meanwhile
            self._process.kill()
            raise ChannelError("it was disconnected")
        self._spawn(self._listen_to_words())
        self._send(source.encode("ascii") + b"\n")
        try:
            frames = await asyncio.wait_for(self._after_mark(), START_SECONDS)
        except (asyncio.TimeoutError, OSError, FrameError) as error:
            await self.close("")
            if isinstance(error, asyncio.TimeoutError):
                raise ChannelError("it does not answer") from None
            raise ChannelError(f"the helper sent {error}" if isinstance(error, FrameError) else self._why()) from None
        self._heard = clock.now()
        self._spawn(self._carry(frames))
        self._spawn(self._ping())

    async def _after_mark(self) -> Frames:
        """Wait for the helper's first words, whatever the login shell has printed before them."""
        printed = b""
        while MARK not in printed:
            data = await self._output.read(MOST_BYTES)
            printed += data
            if not data or len(printed) > MOST_PRINTED:
                await asyncio.wait({asyncio.ensure_future(self._process.wait())}, timeout=END_SECONDS)
                raise OSError("no helper")
        frames = Frames()
        await self._take(frames, printed.split(MARK, 1)[1])
        return frames

    @property
    def _output(self) -> asyncio.StreamReader:
        assert self._process.stdout is not None
        return self._process.stdout

    def _why(self) -> str:
        """Why the helper did not start, or has ended."""
        words = self._words.decode("utf-8", "replace").strip()
        last = shown(words.splitlines()[-1])[:160] if words else f"its command has ended ({self._process.returncode})"
        if "python3" in words and ("not found" in words or "No such file" in words):
            return "there is no python3 on the other side"
        if "Permission denied" in words or "password" in words.lower() or "Host key verification" in words:
            return f"{last} (if it asks for a password or a host key, log in once in a terminal)"
        return last

    async def _listen_to_words(self) -> None:
        assert self._process.stderr is not None
        while True:
            data = await self._process.stderr.read(MOST_BYTES)
            if not data:
                return
            self._words = (self._words + data)[-LAST_WORDS:]

    def _spawn(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- frames -------------------------------------------------------------------------------------------------------

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(data)

    async def _sent(self) -> None:
        """Wait until the other side has taken most of what was sent."""
        assert self._process.stdin is not None
        async with self._draining:  # before Python 3.10 only one may wait
            await self._process.stdin.drain()

    async def _carry(self, frames: Frames) -> None:
        why = ""
        try:
            while True:
                data = await self._output.read(MOST_BYTES)
                if not data:
                    break
                await self._take(frames, data)
        except FrameError as error:
            why = f"the helper sent {error}"
        except OSError as error:
            logger.debug("a remote's command broke: %s", error)
        await self.close(why)

    async def _take(self, frames: Frames, data: bytes) -> None:
        for kind, number, body in frames.feed(data):
            self._heard = clock.now()
            if kind == OPEN and number < QUESTIONS and number not in self._streams:
                await self._open_stream(number, body)
            elif kind == DATA and number < QUESTIONS:
                await self._pass_on(number, body)
            elif kind == DATA:
                self._add(number, body)
            elif kind == CLOSE:
                self._end_stream(number)
            elif kind == ANSWER:
                self._answered(number, body)

    async def _ping(self) -> None:
        while clock.now() - self._heard < SILENT_SECONDS:
            self._send(pack(PING, 0))
            await asyncio.sleep(PING_SECONDS)
        await self.close("nothing was heard of it any more")

    async def close(self, why: str) -> None:
        """End everything: the helper sees the end of its input, and cleans up."""
        if self._closing:
            return
        self._closing = True
        if not self._started:
            self.over.set_result(why)
            return
        for number in list(self._streams):
            self._end_stream(number)
        if self._process.stdin is not None:
            self._process.stdin.close()
        ended = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.wait({ended}, timeout=END_SECONDS)
        finally:  # also if the package ends first
            if not ended.done():
                self._process.kill()
                self._close_pipes()
        self.over.set_result(why or self._why())
        self._close_pipes()
        for question in self._questions.values():
            if not question.answer.done():
                question.answer.set_exception(ChannelError("it is not connected any more"))
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()

    def _close_pipes(self) -> None:
        """Close the pipes now: after the loop has ended, Python could not do that any more. There is no public way to
        them. The transport itself would take the exit status away from those who wait for it."""
        for number in range(3):
            pipe = self._process._transport.get_pipe_transport(number)  # type: ignore[attr-defined]  # noqa: SLF001
            if pipe is not None:
                pipe.close()

    # -- questions ----------------------------------------------------------------------------------------------------

    async def ask(self, do: str, most: int = 0, data: bytes = b"", **fields: Any) -> HelperAnswer:
        """Ask the helper, and send it `data` with that; it may send up to `most` bytes with its answer. Raises
        `ChannelError`; one with the number of a system's error in it has that as its second argument."""
        if self._closing:
            raise ChannelError("it is not connected")
        body = json.dumps({"do": do, **fields}).encode("ascii")
        if len(body) > MOST_BYTES:
            raise ChannelError("its name is too long", errno.ENAMETOOLONG)
        self._asked += 1
        number, question = self._asked, _Asked(most)
        self._questions[number] = question
        try:
            for place in range(0, len(data), MOST_BYTES):
                self._send(pack(DATA, number, data[place : place + MOST_BYTES]))
            self._send(pack(ASK, number, body))
            answer = await asyncio.wait_for(question.answer, ANSWER_SECONDS)
        except asyncio.TimeoutError:
            raise ChannelError("it does not answer") from None
        finally:
            del self._questions[number]
        if "error" in answer.fields:
            raise ChannelError(shown(str(answer.fields["error"]))[:200], answer.fields.get("number"))
        return answer

    def _add(self, number: int, data: bytes) -> None:
        question = self._questions.get(number)
        if question is not None:
            question.data += data
            if len(question.data) > question.most:
                raise FrameError(f"more than {question.most} bytes")

    def _answered(self, number: int, body: bytes) -> None:
        question = self._questions.get(number)
        if question is None or question.answer.done():
            return
        try:
            fields = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise FrameError("an answer that is no object")
        question.answer.set_result(HelperAnswer(fields, bytes(question.data)))

    # -- streams ------------------------------------------------------------------------------------------------------

    async def _open_stream(self, number: int, name: bytes) -> None:
        assert self._process.stdin is not None
        if self._process.stdin.transport.get_write_buffer_size() > MOST_UNTAKEN:
            raise FrameError("connections, and takes nothing of what comes back")
        if len(self._streams) >= MOST_STREAMS:
            self._send(pack(CLOSE, number))
            return
        try:
            reader, writer = await asyncio.wait_for(self._connect(name.decode("ascii", "replace")), STALLED_SECONDS)
        except (OSError, asyncio.TimeoutError) as error:
            logger.info("a connection of a remote was not taken: %s", error)
            self._send(pack(CLOSE, number))
            return
        self._streams[number] = writer
        self._spawn(self._send_back(number, reader, writer))

    async def _send_back(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What a server of ours says."""
        try:
            while True:
                data = await reader.read(MOST_BYTES)
                if not data:
                    break
                self._send(pack(DATA, number, data))
                await self._sent()
        except OSError as error:
            logger.debug("a connection of a remote broke: %s", error)
        if self._streams.get(number) is writer:
            self._send(pack(CLOSE, number))
            self._end_stream(number)

    async def _pass_on(self, number: int, data: bytes) -> None:
        writer = self._streams.get(number)
        if writer is None:
            return
        try:
            writer.write(data)
            await asyncio.wait_for(writer.drain(), STALLED_SECONDS)
        except (OSError, asyncio.TimeoutError):
            self._send(pack(CLOSE, number))
            self._end_stream(number)

    def _end_stream(self, number: int) -> None:
        writer = self._streams.pop(number, None)
        if writer is not None:
            writer.close()


def shell_line(frames: str, helper: str) -> str:
    """The line by which a shell over there runs the helper and its `frames`, in Python's isolated mode. It holds no
    secret, since all users of that machine can see it. `exec` leaves the rest of the shell's input to the helper."""
    text = frames + _IMPORTS.sub("", helper) + "\nmain()\n"
    packed = base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")
    return f"exec python3 -I -c 'import zlib,base64;exec(zlib.decompress(base64.b64decode(\"{packed}\")))'"


def hidden() -> Dict[str, Any]:
    """How a command is started so that it opens no window, and asks nothing in a terminal of the editor's."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}
