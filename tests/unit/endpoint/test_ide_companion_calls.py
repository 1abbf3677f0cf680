"""What Gemini CLI calls: what is asked of the reviews, on which thread, and what the client is answered."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from companion.agents.ide_companion import IDE_COMPANION, LONG_TEXT
from companion.protocol.tools import ToolCall
from companion.review.decision import ReviewError
from tests.host.waiting import ends
from tests.support.agent_windows import CLIENT, OWNER, Bench


@pytest.fixture
def bench(load, tmp_path):
    (tmp_path / "file.py").write_bytes(b"old\n")
    return Bench(load("companion.endpoint.agent_window"), os.path.realpath(str(tmp_path)))


async def begin(bench, name, **arguments):
    return await IDE_COMPANION.call(ToolCall(name, arguments, CLIENT), bench.subject)


def call(bench, name, **arguments):
    """The text of the answer, and whether it tells of a failure."""
    result = asyncio.run(begin(bench, name, **arguments))
    return "".join(block["text"] for block in result.content), result.is_error


def test_open_diff_reads_on_a_disk_thread_and_shows_on_the_main_thread(bench):
    assert call(bench, "openDiff", filePath=bench.path(), newContent="new\r\n") == ("", False)
    assert bench.reviews.asked == [("open", OWNER, bench.path(), "new\r\n", "old\n")]
    assert bench.runtime.main == ["file_request", "show"]
    assert bench.runtime.disk == ["make_ready"]


class TestCloseDiff:
    @pytest.mark.parametrize(("sent", "silent"), [({}, False), ({"suppressNotification": True}, True)])
    def test_the_text_is_answered_as_json_and_a_notification_may_be_unwanted(self, bench, sent, silent):
        text, failed = call(bench, "closeDiff", filePath=bench.path(), **sent)
        assert (json.loads(text), failed) == ({"content": "edited\n"}, False)
        assert bench.reviews.asked == [("close", OWNER, bench.path(), silent)]

    @pytest.mark.parametrize(
        ("text", "threads"), [(None, []), ("x" * LONG_TEXT, []), ("x" * (LONG_TEXT + 1), ["dumps"])]
    )
    def test_there_may_be_none_and_a_long_text_does_not_hold_up_the_loop(self, bench, text, threads):
        bench.reviews.close_diff = lambda owner, path, suppress_notification: text
        assert json.loads(call(bench, "closeDiff", filePath=bench.path())[0]) == {"content": text}
        assert bench.runtime.disk == threads


class TestAcceptDiff:
    def test_a_workspace_file_is_accepted_and_answered_once_it_is_written(self, bench):
        assert call(bench, "acceptDiff", filePath=bench.path()) == ("", False)
        assert bench.reviews.asked == [("accept", OWNER, bench.path())]
        assert bench.runtime.main == ["path_of", "_accept"]
        assert bench.runtime.disk == ["_not_to_be_written"]

    @pytest.mark.parametrize("given_up", [False, True])
    def test_the_answer_waits_for_the_write(self, bench, given_up):
        bench.reviews.problem = None

        async def scenario():
            answer = asyncio.ensure_future(begin(bench, "acceptDiff", filePath=bench.path()))
            for _ in range(20):
                await asyncio.sleep(0)
            assert bench.reviews.asked
            assert not answer.done()
            if given_up:
                answer.cancel()
                await asyncio.wait([answer])
            bench.reviews.done("file.py cannot be written.")  # which raises nothing
            return None if given_up else await ends(answer)

        result = asyncio.run(scenario())
        assert given_up or (result.is_error, result.content[0]["text"]) == (True, "file.py cannot be written.")

    def test_a_diff_that_is_opened_anew_between_the_check_and_the_write(self, bench):
        bench.reviews.paths = [bench.path(), bench.path("another.py")]
        text, failed = call(bench, "acceptDiff", filePath=bench.path())
        assert failed
        assert "opened again under another path" in text
        assert bench.reviews.asked == []


def test_reject_diff_rejects(bench):
    assert call(bench, "rejectDiff", filePath=bench.path()) == ("", False)
    assert bench.reviews.asked == [("reject", OWNER, bench.path())]


@pytest.mark.parametrize("name", ["openDiff", "closeDiff", "acceptDiff", "rejectDiff"])
def test_what_the_reviews_refuse_is_an_error_with_their_words(bench, name):
    bench.reviews.fails = ReviewError("No diff is open for this file.")
    assert call(bench, name, filePath=bench.path(), newContent="") == (str(bench.reviews.fails), True)
