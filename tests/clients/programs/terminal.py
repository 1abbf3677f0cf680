"""A program in a pseudo-terminal: what it shows, and what a user types.

    with Terminal(["gemini"], cwd=workspace, env={...}) as terminal:
        terminal.wait_for("Type your message")
        terminal.type("hello")
        terminal.press("enter")

Rule: nothing sleeps for luck; a wait ends with what it waited for, or with a ScreenTimeout that shows the screen.
One thread uses a terminal; a second one, its own, reads what the program writes. POSIX only.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from typing import Any, Callable, List, Mapping, Optional, Sequence

import pyte

from tests.host.waiting import NEVER_SECONDS

COLUMNS, LINES = 110, 50
PATIENCE = NEVER_SECONDS
LOOK_SECONDS = 0.03  # between two looks: programs draw more often than that, and a look takes a tenth of it
KEYS = {"enter": "\r", "escape": "\x1b", "end": "\x1b[F", "up": "\x1b[A", "down": "\x1b[B"}

# Sequences that the model of the screen does not know: CSI with a private mark, device control, program commands.
_FOREIGN = re.compile(rb"\x1b\[[<=>][0-9;:]*[ -/]*[@-~]|\x1b[P_^X][^\x1b]*\x1b\\", re.DOTALL)
_SYNCHRONIZED = re.compile(rb"\x1b\[\?2026([hl])")  # a frame begins or ends (private mode 2026)
_BEGUN = re.compile(rb"\x1b(\[([<=>?][0-9;: -/]*)?|[P_^X][^\x1b]*\x1b?)?\Z", re.DOTALL)

# Characters without a width of their own, at which the model would stop to draw.
_WITHOUT_WIDTH = dict.fromkeys((0xFE0E, 0xFE0F, 0x200D))


_Rows = Mapping[int, Mapping[int, Any]]  # characters of the model by row and column, where there are any


class ScreenTimeout(AssertionError):
    """The screen did not come to show what was waited for. The message holds the screen."""


class Terminal:
    """One program in one terminal window. Leaving the `with` block ends the program and all it has started."""

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self._screen = _Screen(COLUMNS, LINES)
        self._screen.answer = self._write
        self._stream = pyte.ByteStream(self._screen)
        self._held: Optional[_Rows] = None  # what shows while a program draws its next frame
        self._drawing = threading.Lock()
        self._ended = False
        self.closed = False
        self._rest = b""
        self._process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(env, TERM="xterm-256color"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reader.start()

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return not self.closed and self._process.poll() is None

    # ---- what a user sees --------------------------------------------------------------------------

    def text(self) -> str:
        """The screen now, without trailing blanks and empty lines."""
        with self._drawing:
            lines = _lines(self._screen.buffer if self._held is None else self._held)
        return "\n".join(line for line in lines if line)

    def wait_for(self, text: str, timeout: float = PATIENCE) -> None:
        """Waits until the screen shows this text; blanks and the ends of lines count as one blank."""
        self.wait_until(lambda: squeezed(text) in squeezed(self.text()), f"the text {text!r}", timeout)

    def wait_until(self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE) -> Any:
        """Waits for a true value of `condition`, which is asked again and again."""
        deadline = time.monotonic() + timeout
        while True:
            ended = self._ended
            value = condition()
            if value:
                return value
            if ended or time.monotonic() > deadline:
                reason = f"the program ended ({self._process.poll()})" if ended else f"{timeout:g} s have passed"
                raise ScreenTimeout(f"waited for {what}, but {reason}. The screen:\n{self.text()}\n(end of the screen)")
            time.sleep(LOOK_SECONDS)

    def is_soon(self, condition: Callable[[], Any], seconds: float) -> bool:
        """Whether `condition` becomes true within this time."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    # ---- what a user does --------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Types text; it is sent as one piece, as the clipboard or an input method would."""
        self._write(text)

    def press(self, key: str) -> None:
        """Presses one key of KEYS, or one that types itself."""
        self._write(KEYS.get(key, key))

    # ---- the end -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends the program as closing a terminal window does: its group hangs up; what stays is killed."""
        if self.closed:
            return
        self.closed = True
        for sign, patience in ((signal.SIGHUP, 3.0), (signal.SIGKILL, 10.0)):
            try:
                os.killpg(self._process.pid, sign)
            except OSError:
                pass  # all of the group has ended
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
        self._reader.join(PATIENCE)
        os.close(self._master)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    # ---- the line ----------------------------------------------------------------------------------

    def _write(self, text: str) -> None:
        data = text.encode("utf-8")
        while data:
            data = data[os.write(self._master, data) :]

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError as error:
                if error.errno not in (errno.EIO, errno.EBADF):
                    raise
                data = b""
            with self._drawing:
                if data:
                    self._feed(data)
                else:
                    self._ended = True
                    self._held = None
            if not data:
                return

    def _feed(self, data: bytes) -> None:
        """Draws what has come. As terminals do, it shows what a program marks as one frame only when it is whole.

        The beginning of a sequence waits for its end.
        """
        data = self._rest + data
        begun = _BEGUN.search(data)
        end = begun.start() if begun else len(data)
        self._rest = data[end:]
        done = 0
        for mark in _SYNCHRONIZED.finditer(data, 0, end):
            self._draw(data[done : mark.start()])
            if mark.group(1) == b"l":
                self._held = None
            elif self._held is None:
                self._held = {number: row.copy() for number, row in self._screen.buffer.items()}
            done = mark.end()
        self._draw(data[done:end])

    def _draw(self, data: bytes) -> None:
        self._stream.feed(_FOREIGN.sub(b"", data))


def _lines(rows: _Rows) -> List[str]:
    """The lines without trailing blanks. Of a character two columns wide the second one holds no text."""
    columns = range(COLUMNS)
    return [
        "".join([row[column].data if column in row else " " for column in columns]).rstrip()
        for row in (rows.get(number, {}) for number in range(LINES))
    ]


class _Screen(pyte.Screen):
    """The model of the screen, which answers the questions that programs ask a terminal."""

    answer: Callable[[str], None]

    def write_process_input(self, data: str) -> None:
        self.answer(data)

    def draw(self, data: str) -> None:
        super().draw(data.translate(_WITHOUT_WIDTH))

    def report_device_status(self, mode: int = 0, **private: Any) -> None:
        if not private:
            super().report_device_status(mode)

    def select_graphic_rendition(self, *attributes: int, **private: Any) -> None:
        if not private:
            super().select_graphic_rendition(*attributes)


def squeezed(text: str) -> str:
    """The text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())
