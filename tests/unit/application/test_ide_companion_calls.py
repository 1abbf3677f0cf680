"""What Gemini CLI calls: what is asked of the reviews, on which thread, and what the client is answered."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from companion.agents.ide_companion import IDE_COMPANION, LONG_TEXT
from companion.protocol.tools import ClientSession, ToolCall
from companion.review.decision import Owner, ReviewError
from companion.review.document.disk import DiskError
from companion.review.document.preparation import FileRequest

CLIENT = ClientSession("session-1", "gemini-cli", "1.0", "2025-06-18", 0.0, "Gemini CLI")
OWNER = Owner("session-1", "gemini-cli")


class Reviews:
    """Keeps what it is asked; `fails` is raised by whatever decides."""

    def __init__(self, folder):
        self.asked = []
        self.fails = None
        self.text = "edited\n"
        self.paths = []
        self.problem = ""
        self.guard = None
        self.folder = folder

    def file_request(self, path):
        return FileRequest(path, 1000, 100, "Western (Windows 1252)", {})

    def path_of(self, owner, path):
        return self.paths.pop(0) if self.paths else path

    def open_diff(self, owner, path, proposed, prepared):
        self._note("open", owner, path, proposed.exact, prepared.original.text)

    def close_diff(self, owner, path, *, suppress_notification):
        self._note("close", owner, path, suppress_notification)
        return self.text

    def accept_by_client(self, owner, path, done, guard):
        self._note("accept", owner, path)
        self.guard, self.done = guard, done
        if self.problem is not None:
            done(self.problem)

    def reject_by_client(self, owner, path):
        self._note("reject", owner, path)

    def _note(self, *what):
        if self.fails is not None:
            raise self.fails
        self.asked.append(what)


class Runtime:
    """Carries everything out at once, and keeps what it was given for which thread."""

    def __init__(self):
        self.on_main, self.on_disk = [], []
        self.hangs = False

    async def call_main(self, function, *args):
        self.on_main.append(function.__name__)
        return function(*args)

    async def in_worker(self, function, *args):
        self.on_disk.append(function.__name__)
        if self.hangs:
            await asyncio.get_running_loop().create_future()
        return function(*args)


class Bench:
    """One window's tools, and what they are made of."""

    def __init__(self, module, folder):
        self.module, self.folder = module, folder
        self.reviews, self.runtime = Reviews(folder), Runtime()
        hooks = module.Hooks(
            owner_of=lambda session: OWNER,
            is_connected=lambda owner: True,
            rename=lambda session, name: None,
            folders=lambda: [folder],
        )
        self.window = module.EndpointWindow(None, self.runtime, self.reviews, None, None, hooks)

    def path(self, name="file.py"):
        return os.path.join(self.folder, name)

    async def begin(self, name, **arguments):
        return await IDE_COMPANION.call(ToolCall(name, arguments, CLIENT), self.window)

    def call(self, name, **arguments):
        """The text of the answer, and whether it tells of a failure."""
        result = asyncio.run(self.begin(name, **arguments))
        return "".join(block["text"] for block in result.content), result.is_error


@pytest.fixture
def bench(load, tmp_path):
    (tmp_path / "file.py").write_bytes(b"old\n")
    return Bench(load("companion.endpoint.agent_window"), os.path.realpath(str(tmp_path)))


class TestOpenDiff:
    def test_the_file_is_read_on_a_disk_thread_and_shown_on_the_main_thread(self, bench):
        assert bench.call("openDiff", filePath=bench.path(), newContent="new\r\n") == ("", False)
        assert bench.reviews.asked == [("open", OWNER, bench.path(), "new\r\n", "old\n")]
        assert bench.runtime.on_main == ["file_request", "open_diff"]
        assert bench.runtime.on_disk == ["prepare"]

    def test_what_cannot_be_shown_is_an_error_and_opens_nothing(self, bench):
        text, failed = bench.call("openDiff", filePath=bench.folder, newContent="new\n")
        assert (text, failed) == ("filePath is a folder, not a file.", True)
        bench.reviews.fails = ReviewError("The editor window has been closed.")
        assert bench.call("openDiff", filePath=bench.path(), newContent="") == (str(bench.reviews.fails), True)
        assert bench.reviews.asked == []

    def test_a_disk_that_does_not_answer_is_an_error(self, bench, monkeypatch):
        monkeypatch.setattr(bench.module, "PREPARE_SECONDS", 0.01)
        bench.runtime.hangs = True
        text, failed = bench.call("openDiff", filePath=bench.path(), newContent="new\n")
        assert failed
        assert "The disk does not answer" in text
        assert bench.reviews.asked == []


class TestCloseDiff:
    @pytest.mark.parametrize(("sent", "silent"), [({}, False), ({"suppressNotification": True}, True)])
    def test_the_text_is_answered_as_json_and_a_notification_may_be_unwanted(self, bench, sent, silent):
        text, failed = bench.call("closeDiff", filePath=bench.path(), **sent)
        assert (json.loads(text), failed) == ({"content": "edited\n"}, False)
        assert bench.reviews.asked == [("close", OWNER, bench.path(), silent)]
        assert (bench.runtime.on_main, bench.runtime.on_disk) == (["_close"], [])

    def test_without_a_review_there_is_no_text(self, bench):
        bench.reviews.text = None
        assert json.loads(bench.call("closeDiff", filePath=bench.path())[0]) == {"content": None}

    @pytest.mark.parametrize(("length", "threads"), [(LONG_TEXT, []), (LONG_TEXT + 1, ["dumps"])])
    def test_a_long_text_does_not_hold_up_the_loop(self, bench, length, threads):
        bench.reviews.text = "x" * length
        assert len(json.loads(bench.call("closeDiff", filePath=bench.path())[0])["content"]) == length
        assert bench.runtime.on_disk == threads


class TestAcceptDiff:
    def test_a_file_of_the_workspace_is_accepted_and_answered_when_it_is_written(self, bench):
        assert bench.call("acceptDiff", filePath=bench.path()) == ("", False)
        assert bench.reviews.asked == [("accept", OWNER, bench.path())]
        assert bench.runtime.on_main == ["path_of", "_accept"]
        assert bench.runtime.on_disk == ["inside_workspace"]

    def test_the_answer_waits_for_the_write(self, bench):
        bench.reviews.problem = None

        async def scenario():
            answer = asyncio.ensure_future(bench.begin("acceptDiff", filePath=bench.path()))
            for _ in range(20):
                await asyncio.sleep(0)
            assert bench.reviews.asked
            assert not answer.done()
            bench.reviews.done("file.py cannot be written.")
            return await asyncio.wait_for(answer, 10)

        result = asyncio.run(scenario())
        assert result.is_error
        assert result.content[0]["text"] == "file.py cannot be written."

    def test_a_call_that_is_given_up_hears_nothing(self, bench):
        bench.reviews.problem = None

        async def scenario():
            answer = asyncio.ensure_future(bench.begin("acceptDiff", filePath=bench.path()))
            for _ in range(20):
                await asyncio.sleep(0)
            answer.cancel()
            with pytest.raises(asyncio.CancelledError):
                await answer

        asyncio.run(scenario())
        bench.reviews.done("")  # raises nothing

    def test_a_file_outside_is_not_even_asked_for(self, bench):
        outside = os.path.join(os.path.dirname(bench.folder), "elsewhere.py")
        assert bench.call("acceptDiff", filePath=outside) == (bench.module.NOT_WRITTEN, True)
        assert bench.reviews.asked == []

    def test_what_counts_is_the_path_that_would_be_written(self, bench):
        outside = os.path.join(os.path.dirname(bench.folder), "elsewhere.py")
        bench.reviews.paths = [outside]
        assert bench.call("acceptDiff", filePath=bench.path()) == (bench.module.NOT_WRITTEN, True)
        assert bench.reviews.asked == []

    def test_a_diff_that_is_opened_anew_between_the_check_and_the_write(self, bench):
        bench.reviews.paths = [bench.path(), os.path.join(os.path.dirname(bench.folder), "elsewhere.py")]
        text, failed = bench.call("acceptDiff", filePath=bench.path())
        assert failed
        assert "opened again under another path" in text
        assert bench.reviews.asked == []

    def test_the_step_that_writes_judges_once_more(self, bench):
        bench.call("acceptDiff", filePath=bench.path())
        bench.reviews.guard(bench.path("new.py"))
        with pytest.raises(DiskError, match="outside the workspace folders"):
            bench.reviews.guard(os.path.join(os.path.dirname(bench.folder), "elsewhere.py"))

    def test_without_a_review_the_client_hears_that(self, bench):
        bench.reviews.fails = ReviewError("No diff is open for this file.")
        assert bench.call("acceptDiff", filePath=bench.path()) == ("No diff is open for this file.", True)


def test_reject_diff(bench):
    assert bench.call("rejectDiff", filePath=bench.path()) == ("", False)
    assert bench.reviews.asked == [("reject", OWNER, bench.path())]
    assert bench.runtime.on_main == ["reject_by_client"]
    bench.reviews.fails = ReviewError("No diff is open for this file.")
    assert bench.call("rejectDiff", filePath=bench.path()) == ("No diff is open for this file.", True)
