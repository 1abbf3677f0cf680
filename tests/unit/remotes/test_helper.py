"""The helper as it is sent, run by a shell of this machine: what it makes, whom it lets in, what it leaves behind."""

from __future__ import annotations

import ast
import asyncio
import os
import socket
import stat
import sys
from pathlib import Path
from typing import Any, Awaitable, Callable, List

import pytest

from companion import remotes
from companion.remotes.channel import Channel, ChannelError, shell_line
from companion.remotes.frames import MOST_BYTES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the other side is POSIX")
ROOM = Path(remotes.__file__).parent
SOURCE = shell_line(*((ROOM / name).read_text(encoding="utf-8") for name in ("frames.py", "helper.py")))
SECONDS = 60.0


class EchoServer:
    """Stands for a server of the editor's: sends back what it gets."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.asked: List[str] = []

    async def start(self) -> None:
        self.server = await asyncio.start_unix_server(self._echo, self.path)

    async def _echo(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            data = await reader.read(MOST_BYTES)
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    async def connect(self, name: str) -> Any:
        self.asked.append(name)
        return await asyncio.open_unix_connection(self.path)


@pytest.fixture
def beside(tmp_path: Path) -> Callable[[Callable[[Channel, EchoServer], Awaitable[Any]]], Any]:
    """Runs a test beside a helper."""

    def run(test: Callable[[Channel, EchoServer], Awaitable[Any]], *command: str) -> Any:
        async def all_of_it() -> Any:
            echo = EchoServer(str(tmp_path / "echo"))
            await echo.start()
            channel = Channel(echo.connect)
            await channel.open(command or ("env",), SOURCE)
            try:
                return await asyncio.wait_for(test(channel, echo), SECONDS)
            finally:
                await channel.close("")
                echo.server.close()

        return asyncio.run(all_of_it())

    return run


def test_what_connects_there_reaches_the_server_here(beside: Any) -> None:
    async def test(channel: Channel, echo: EchoServer) -> None:
        listening = (await channel.ask("listen", name="copilot")).fields
        mode = stat.S_IMODE(os.stat(listening["socket"]).st_mode)
        folder = stat.S_IMODE(os.stat(os.path.dirname(listening["socket"])).st_mode)
        reader, writer = await asyncio.open_unix_connection(listening["socket"])
        sent = os.urandom(3 * MOST_BYTES + 7)
        writer.write(sent)
        got = await reader.readexactly(len(sent))
        writer.close()
        assert (mode, folder) == (0o600, 0o700)
        assert got == sent
        assert echo.asked == ["copilot"]

    beside(test)


def test_a_port_is_for_this_user_alone(beside: Any) -> None:
    async def test(channel: Channel, echo: EchoServer) -> bytes:
        port = (await channel.ask("listen", name="claude", port=0)).fields["port"]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"own")
        assert await reader.readexactly(3) == b"own"
        writer.close()
        asked = (
            "import os, socket; os.setuid(65534)\n"
            f"s = socket.create_connection(('127.0.0.1', {port})); s.sendall(b'other'); print(s.recv(9))"
        )
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", asked, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        told, _ = await other.communicate()
        assert echo.asked == ["claude"]
        return told

    if os.getuid():
        pytest.skip("only the superuser can become another user")
    assert beside(test) in (b"b''\n", b"")


def test_a_file_is_read_up_to_a_bound(beside: Any, tmp_path: Path) -> None:
    text = os.urandom(2 * MOST_BYTES + 3)
    (tmp_path / "text").write_bytes(text)
    os.mkfifo(str(tmp_path / "fifo"))

    async def test(channel: Channel, echo: EchoServer) -> None:
        answer = await channel.ask("read", most=len(text), path=str(tmp_path / "text"), bound=len(text))
        assert answer.data == text
        for name in ("text", "fifo", "missing", "."):
            with pytest.raises(ChannelError):
                await channel.ask("read", most=len(text), path=str(tmp_path / name), bound=len(text) - 1)

    beside(test)


def test_what_it_made_is_gone_after_it(beside: Any, tmp_path: Path) -> None:
    async def test(channel: Channel, echo: EchoServer) -> str:
        made = await channel.ask("put", root=str(tmp_path), is_shared=False, below=["ide"], name="1.lock", text="{}")
        path = made.fields["path"]
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        return str((await channel.ask("listen", name="a")).fields["socket"])

    left = beside(test)
    assert not os.path.exists(os.path.dirname(left))
    assert not (tmp_path / "ide").exists()


def test_a_folder_that_others_can_write_to_gets_no_file(beside: Any, tmp_path: Path) -> None:
    (tmp_path / "ide").mkdir()
    (tmp_path / "ide").chmod(0o777)

    async def test(channel: Channel, echo: EchoServer) -> None:
        with pytest.raises(ChannelError, match="another user"):
            await channel.ask("put", root=str(tmp_path), is_shared=False, below=["ide"], name="1.lock", text="{}")

    beside(test)


def test_a_login_shell_may_print_something_first(beside: Any) -> None:
    async def test(channel: Channel, echo: EchoServer) -> int:
        return int((await channel.ask("hello", variables=["HOME"], folders=[])).fields["pid"])

    assert beside(test, "sh", "-c", "echo welcome; exec sh") > 0


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["/no/such/program"], "cannot be started"),
        (["sh", "-c", "echo 'ssh: connect to host web port 22: Connection refused' >&2; exit 255"], "refused"),
        (["sh", "-c", "PATH=/nothing; exec /bin/sh"], "no python3"),
        (["sh", "-c", "echo 'me@web: Permission denied (password).' >&2; exit 255"], "log in once in a terminal"),
    ],
)
def test_a_command_that_fails_says_why_in_a_sentence(command: List[str], why: str) -> None:
    async def test() -> None:
        channel = Channel(lambda name: asyncio.open_unix_connection("/nothing"))
        with pytest.raises(ChannelError, match=why):
            await channel.open(command, SOURCE)

    asyncio.run(test())


def test_another_program_at_the_port_is_said(beside: Any) -> None:
    async def test(channel: Channel, echo: EchoServer) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen(1)
            with pytest.raises(ChannelError, match="in use"):
                await channel.ask("listen", name="claude", port=taken.getsockname()[1])

    beside(test)


@pytest.mark.parametrize("name", ["frames.py", "helper.py", "relay.py"])
def test_what_is_sent_there_needs_python_36_and_nothing_else(name: str) -> None:
    tree = ast.parse((ROOM / name).read_text(encoding="utf-8"), feature_version=(3, 6))
    imported = [each for each in ast.walk(tree) if isinstance(each, (ast.Import, ast.ImportFrom))]
    names = {alias.name.split(".")[0] for each in imported if isinstance(each, ast.Import) for alias in each.names}
    names |= {each.module or "" for each in imported if isinstance(each, ast.ImportFrom)}
    known = {"base64", "errno", "grp", "hashlib", "http", "json", "os", "pwd", "select", "shutil", "signal", "socket"}
    assert names <= known | {"frames", "stat", "struct", "sys", "tempfile", "threading", "typing"}
