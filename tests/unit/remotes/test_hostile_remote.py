"""A helper that an attacker has written: what it sends is bounded and said, and nothing here is read or written."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any, Callable, List, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.agents.window import CannotDo
from companion.remotes import channel as channels
from companion.remotes.answers import RemoteAnswers
from companion.remotes.channel import Channel, ChannelError
from companion.remotes.frames import (
    ANSWER,
    CLOSE,
    DATA,
    HEAD,
    MARK,
    MOST_BYTES,
    OPEN,
    QUESTIONS,
    FrameError,
    Frames,
    pack,
)
from companion.remotes.texts import RemoteFiles
from companion.system import files, shared_folders

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the other side is POSIX")


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(0, 2**32 - 1), st.binary(max_size=40))), st.data())
def test_frames_come_whole_however_they_are_cut(sent, data):
    stream = b"".join(pack(*each) for each in sent)
    frames, found = Frames(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += frames.feed(stream[:size])
        stream = stream[size:]
    assert found == sent


@pytest.mark.parametrize("head", [(MOST_BYTES + 1, DATA, 1), (2**32 - 1, DATA, 1), (0, 0, 1), (0, 8, 1), (0, 255, 1)])
def test_what_is_no_frame_is_refused_before_it_is_held(head):
    with pytest.raises(FrameError):
        Frames().feed(HEAD.pack(*head))


def hostile(code: str) -> List[str]:
    """A command whose helper runs this code, and then waits for its end."""
    said = f"import os, struct, sys; pack = struct.Struct('>IBI').pack; os.write(1, {MARK!r})\n"
    return [sys.executable, "-c", f"{said}{code}\nsys.stdin.read()"]


def sending(sent: bytes) -> str:
    return f"os.write(1, {sent!r})"


def against(code: str, test: Callable[[Channel], Any], connect: Optional[Any] = None) -> Any:
    async def refuse(name: str) -> Any:
        raise OSError("no server")

    async def all_of_it() -> Any:
        channel = Channel(connect or refuse)
        await channel.open(hostile(code), "#")
        try:
            return await asyncio.wait_for(test(channel), 600.0)
        finally:
            await channel.close("")

    return asyncio.run(all_of_it())


@pytest.mark.parametrize("head", [HEAD.pack(5, 9, 1), HEAD.pack(MOST_BYTES + 1, DATA, 1)])
def test_a_wrong_frame_ends_the_connection_and_is_said(head: bytes) -> None:
    async def test(channel: Channel) -> str:
        with pytest.raises(ChannelError):
            await channel.ask("hello")
        return await channel.over

    assert "the helper sent a frame of kind" in against("sys.stdin.buffer.read(3); " + sending(head), test)


def test_a_wrong_frame_behind_the_mark_is_said(tmp_path: Any) -> None:
    async def test() -> None:
        channel = Channel(lambda name: asyncio.open_unix_connection("/nothing"))
        (tmp_path / "sent").write_bytes(MARK + HEAD.pack(5, 9, 1))
        with pytest.raises(ChannelError, match="the helper sent a frame of kind 9"):
            await channel.open(["cat", str(tmp_path / "sent"), "/dev/null"], "#")

    asyncio.run(test())


def test_ten_thousand_streams_are_bounded():
    opened: List[Any] = []

    async def connect(name: str) -> Any:
        opened.append(name)
        return asyncio.StreamReader(), _Nowhere()

    async def test(channel: Channel) -> None:
        assert (await channel.ask("anything")).fields == {"after": "them"}

    said = "[os.write(1, pack(6, 1, number) + b'claude') for number in range(1, 10001)]\n"
    answer = pack(ANSWER, QUESTIONS + 1, b'{"after": "them"}')
    heard = "held = b''\nwhile b'anything' not in held: held += os.read(0, 65536)\n"
    against(f"{said}{heard}{sending(answer)}", test, connect)
    assert len(opened) == channels.MOST_STREAMS


class _Nowhere:
    """A connection to a server that takes nothing."""

    def close(self) -> None:
        pass


def test_frames_that_belong_to_nothing_are_ignored():
    sent = pack(CLOSE, 7) + pack(DATA, 9, b"x") + pack(ANSWER, QUESTIONS + 99, b"{}") + pack(OPEN, QUESTIONS + 1, b"a")

    async def test(channel: Channel) -> bool:
        await asyncio.sleep(0.1)
        return channel.over.done()

    assert against(sending(sent), test) is False


def test_more_than_was_asked_for_ends_the_connection():
    async def test(channel: Channel) -> str:
        with pytest.raises(ChannelError):
            await channel.ask("read", most=10, path="/x")
        return await channel.over

    sent = b"".join(pack(DATA, QUESTIONS + 1, b"x" * 1000) for _ in range(5))
    assert "more than 10 bytes" in against("sys.stdin.buffer.read(3); " + sending(sent), test)


def test_a_helper_that_takes_nothing_is_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(channels, "MOST_UNTAKEN", 1 << 17)

    async def test(channel: Channel) -> str:
        return await channel.over

    code = "while True: os.write(1, b''.join(pack(6, 1, number) + b'claude' for number in range(1, 10001)))"
    assert "takes nothing of what comes back" in against(code, test)


def test_two_connections_wait_at_once_for_a_helper_that_is_slow():
    size = 1 << 20

    async def connect(name: str) -> Any:
        reader = asyncio.StreamReader(limit=size)
        reader.feed_data(b"x" * size)
        reader.feed_eof()
        return reader, _Nowhere()

    async def test(channel: Channel) -> None:
        answer = await channel.ask("both have ended")
        assert answer.fields == {"bytes": 2 * size}

    code = (
        "import json, time; sys.stdin.buffer.readline()\n"
        "os.write(1, b''.join(pack(6, 1, number) + b'claude' for number in (1, 2)))\n"
        "time.sleep(0.5); found = closed = 0\n"
        "while closed < 2:\n"
        "    length, kind, number = struct.unpack('>IBI', sys.stdin.buffer.read(9)); sys.stdin.buffer.read(length)\n"
        "    found += length if kind == 2 and number < 3 else 0; closed += kind == 3\n"
        "said = json.dumps({'bytes': found}).encode()\n"
        f"os.write(1, pack(len(said), 5, {QUESTIONS + 1}) + said)"
    )
    against(code, test, connect)


def test_a_name_that_is_too_long_for_a_frame_is_refused():
    async def test(channel: Channel) -> bool:
        with pytest.raises(ChannelError, match="too long"):
            await channel.ask("read", path="/srv/app/" + "x" * MOST_BYTES)
        return channel.over.done()

    assert against("", test) is False


def test_a_command_ends_that_was_left_while_it_started():
    async def test() -> int:
        channel = Channel(lambda name: asyncio.open_unix_connection("/nothing"))
        opening = asyncio.ensure_future(channel.open(hostile(""), "#"))
        await asyncio.sleep(0)
        await channel.close("it was disconnected")
        with pytest.raises(ChannelError):
            await opening
        return await asyncio.wait_for(channel._process.wait(), 600.0)  # type: ignore[union-attr]

    asyncio.run(test())


def test_a_command_is_killed_although_nobody_waits_for_its_end():
    async def test(channel: Channel) -> int:
        leaving = asyncio.ensure_future(channel.close("the package ends"))
        await asyncio.sleep(0.05)
        leaving.cancel()
        return await asyncio.wait_for(channel._process.wait(), 600.0)  # type: ignore[union-attr]

    assert against("import time; time.sleep(600)", test) == -9


def test_the_names_that_an_agent_gives_itself_are_not_kept():
    told: List[Any] = []

    class Endpoint:
        agents = type("Agents", (), {"asked": print, "went": told.append})()
        tracker = type("Tracker", (), {"published": "context"})()
        settings = print

    class Runtime:
        on_main = staticmethod(lambda function, *args: function(*args) if function == told.append else None)

    async def test() -> None:
        agent = type("Agent", (), {"is_wanted": lambda self, settings: True})()
        dialect = type("Dialect", (), {"key": "codex of web"})()
        answers = RemoteAnswers(Runtime(), Endpoint(), agent, dialect)  # type: ignore[arg-type]
        for number in range(100):
            await answers._context("/srv/app", str(number))
        answers.close()

    asyncio.run(test())
    assert [each.id for each in told] == ["codex of web"]


def test_a_helper_that_falls_silent_is_given_up(later: Any) -> None:
    async def test(channel: Channel) -> str:
        for _ in range(3):
            later(channels.PING_SECONDS + 1)
            for _ in range(9):
                await asyncio.sleep(0)
        return await channel.over

    assert "nothing was heard" in against("", test)


# -- what the disk here is asked ---------------------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Any, monkeypatch: Any) -> Any:
    """A folder that the other machine writes to, too, and a file of the editor's beside it."""
    monkeypatch.setattr(shared_folders, "_shared", set())
    (tmp_path / "mount").mkdir()
    (tmp_path / "secret").write_text("own")
    shared_folders.share(str(tmp_path / "mount"))
    return tmp_path


def test_a_link_out_of_a_shared_folder_is_not_opened(shared: Any) -> None:
    os.symlink(str(shared / "secret"), str(shared / "mount" / "link"))
    os.symlink(str(shared), str(shared / "mount" / "up"))
    (shared / "mount" / "own").write_text("x")
    for name in ("link", "up/secret"):
        with pytest.raises(OSError, match="leads out"), files.opened(str(shared / "mount" / name), os.O_RDONLY):
            pass
    with files.opened(str(shared / "mount" / "own"), os.O_RDONLY):
        pass
    with files.opened(str(shared / "secret"), os.O_RDONLY):  # by its own name it is the user's
        pass


def test_a_link_that_is_put_there_in_between_is_noticed(shared: Any, monkeypatch: Any) -> None:
    place = shared / "mount" / "file"
    place.write_text("x")
    really_opened = os.open

    def swap(path: str, *args: Any) -> int:
        place.unlink()
        os.symlink(str(shared / "secret"), str(place))
        descriptor = really_opened(path, *args)
        place.unlink()
        place.write_text("x")
        return descriptor

    monkeypatch.setattr(files.os, "open", swap)
    with pytest.raises(OSError, match="leads out"), files.opened(str(place), os.O_RDONLY):
        pass


class _Runtime:
    async def in_worker(self, function: Any, *args: Any) -> Any:
        return function(*args)


@pytest.mark.parametrize(
    "path", ["/srv/app/../secret", "/secret", "/srv/app/\0", "secret", "/srv/app/a/../../../secret", "//srv/appx"]
)
def test_a_diff_for_a_path_outside_is_refused_and_nothing_is_asked(shared: Any, path: str) -> None:
    async def ask(do: str, **fields: Any) -> Any:
        raise AssertionError("nothing is to be asked")

    folders = {"/srv/app": str(shared / "mount")}
    texts = RemoteFiles(_Runtime(), ask, folders, str(shared / "copies"), "linux", print)  # type: ignore[arg-type]
    with pytest.raises(CannotDo):
        asyncio.run(texts.reviewed_at(path))
    assert not (shared / "copies").exists()


@pytest.mark.parametrize("holds", ["what the helper says", "something else", "a link out"])
def test_a_file_is_reviewed_in_place_only_if_it_holds_what_the_helper_says(shared: Any, holds: str) -> None:
    place = shared / "mount" / "x"
    if holds == "a link out":
        os.symlink(str(shared / "secret"), str(place))
    else:
        place.write_text(holds)

    async def ask(do: str, **fields: Any) -> Any:
        data = b"own" if holds == "a link out" else b"what the helper says"  # it has guessed what the secret is
        return channels.HelperAnswer({}, data)

    folders = {"/srv/app": str(shared / "mount")}
    texts = RemoteFiles(_Runtime(), ask, folders, str(shared / "copies"), "linux", print)  # type: ignore[arg-type]
    found = asyncio.run(texts.reviewed_at("/srv/app/x"))
    assert (found == str(place)) == (holds == "what the helper says")
    assert found == str(place) or found.startswith(str(shared / "copies"))
    assert texts.map.to_remote(found) == "/srv/app/x"


def test_copies_of_a_remote_have_a_bound(shared: Any, monkeypatch: Any) -> None:
    async def ask(do: str, **fields: Any) -> Any:
        return channels.HelperAnswer({}, b"x" * 1000)

    texts = RemoteFiles(_Runtime(), ask, {"/srv/app": ""}, str(shared / "copies"), "linux", print)  # type: ignore[arg-type]
    monkeypatch.setattr("companion.remotes.texts.MOST_COPIED", 2000 + 3 * len(str(shared / "copies" / "0" / "x")))
    for name in ("x", "x", "y"):
        asyncio.run(texts.reviewed_at(f"/srv/app/{name}"))
    with pytest.raises(CannotDo, match="too much"):
        asyncio.run(texts.reviewed_at("/srv/app/z"))
