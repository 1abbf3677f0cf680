"""Long texts are worked on in portions, so that a worker thread lets the main thread run in between.

Python runs one thread at a time, and lets another one run only between two steps of a program. One call into C, such as
a search through 30 MB, is one step.
"""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any, Callable, List

import pytest

from companion.common.workers import Computation
from companion.protocol import json_text
from companion.review.document import disk
from companion.review.document import text as encodings
from companion.review.document.disk import Kind
from companion.review.document.journal import KeptTexts, Text
from companion.review.document.text import ProposedText, plain, usual_ending

LONGEST = 0.8  # of what one search through all of 30 MB takes
LINES = 30 * (1 << 20) // 22
TEXTS = {
    "ASCII": "line with some words\r\n" * LINES,
    "mixed endings": "line with some words\r\nand others\n" * (LINES // 2),
    "other letters": "Zeile mit W\u00f6rtern \u4e2d\u6587\r\n" * (LINES * 3 // 4),
    "one line": "x" * (30 << 20),
}


def stall(function: Callable[[], Any], text: str) -> float:
    """Run the function; for how long its longest step would have kept another thread from running.

    That is a share of what one call takes that replaces the line endings of the whole text, measured beside it: how
    quick a machine is with memory varies more than how quick it is. A step is one instruction of the interpreter, in
    time of the processor: how long other processes keep it does not count. They also empty its caches, so that the best
    of some runs is taken.
    """
    shares = []
    for _ in range(5):
        share = longest_step(function) / longest_step(lambda: text.replace("\r\n", "\n"))
        shares.append(share)
        if share < LONGEST / 2:
            break
    print(f"{min(shares):.2f} of one search through the text")
    return min(shares)


def longest_step(function: Callable[[], Any]) -> float:
    longest, last = 0.0, time.thread_time()

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal longest, last
        longest = max(longest, time.thread_time() - last)
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        last = time.thread_time()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return longest


def test_one_long_call_is_a_stall() -> None:
    def search() -> None:
        re.findall("\r\n|\r|\n", TEXTS["ASCII"])

    assert stall(search, TEXTS["ASCII"]) > LONGEST


@pytest.mark.parametrize("name", list(TEXTS))
def test_a_proposal_of_thirty_megabytes_is_made_ready(name: str) -> None:
    assert stall(lambda: ProposedText(TEXTS[name]), TEXTS["ASCII" if name == "one line" else name]) < LONGEST


@pytest.mark.parametrize("name", ["ASCII", "other letters"])
def test_a_file_of_sixteen_megabytes_is_read_and_encoded(tmp_path: Any, name: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(TEXTS[name].encode("utf-8")[:15999900] + b"\r\n")

    def read() -> disk.Original:
        return disk.read(str(path), disk.Limits(2000000, 50000), fallback="")

    original = read()
    assert original.kind in (Kind.HUGE, Kind.UNDECODABLE)
    assert stall(read, TEXTS[name]) < LONGEST
    if original.exact:
        assert stall(lambda: disk.encoded(original, TEXTS["ASCII"]), TEXTS["ASCII"]) < LONGEST


class HereAndNow:
    """Stands for the runtime: what goes to a disk thread is done on this one."""

    def use_disk(self, function: Callable[..., Any], *, then: Callable[[Any], Any]) -> Computation:
        computation = Computation()
        then(function(computation.cancelled))
        computation.end(None)
        return computation


@pytest.mark.parametrize("name", ["ASCII", "other letters"])
def test_an_accepted_text_of_thirty_megabytes_is_kept(tmp_path: Any, name: str) -> None:
    kept = KeptTexts(HereAndNow(), str(tmp_path))  # type: ignore[arg-type]
    assert stall(lambda: kept.keep("a", Text("/file.txt", "A client", TEXTS[name])), TEXTS[name]) < LONGEST
    kept.leave()
    found = []
    assert stall(lambda: kept.take(lambda path: True, found.append), TEXTS[name]) < LONGEST
    [[(_, text)]] = [each.texts for each in found if each.texts]
    assert text.content == TEXTS[name]


@pytest.mark.parametrize("name", ["ASCII", "other letters"])
def test_a_message_of_thirty_megabytes_is_made(name: str) -> None:
    message = {"params": {"content": TEXTS[name]}}
    assert stall(lambda: json_text.encode(message), TEXTS[name]) < LONGEST


@pytest.mark.parametrize("text", ["", 'a"\\\n\u00e4\u4e2d\U0001f600', "\ud83d\ude00", "\ud83d"])
def test_portions_change_no_message(monkeypatch: Any, text: str) -> None:
    message = {"id": text, "result": {"content": [{"text": text * 3}, text, 1, None, [text * 20]], text * 9: text}}
    whole = json.dumps(message, separators=(",", ":")).encode()
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(json_text, "AT_ONCE_CHARACTERS", size)
        assert json_text.encode(message) == whole


@pytest.mark.parametrize(
    "text", ["a\r\n", "a\r", "\r\n\r\n", "\r\r\n\n", "", "a\nb\r\nc\rd", "\n\r", "\ufeff\ufeffa\r\n"]
)
def test_portions_do_not_tear_line_endings(monkeypatch: Any, text: str) -> None:
    def work() -> List[str]:
        proposal = ProposedText(text * 50)
        return [plain(text * 50), usual_ending(text * 50), proposal.shown, proposal.restore("new\n" + proposal.shown)]

    whole = work()
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(sys.modules["companion.review.document.text"], "PORTION", size)
        assert work() == whole


@pytest.mark.parametrize(
    "data", ["\u4e2d\u6587 W\u00f6rter".encode(), b"a\xff\xfeb\xe4\xb8", b"\xe4\xb8", b"\xf0\x9f\x92a"]
)
def test_portions_do_not_tear_characters(monkeypatch: Any, data: bytes) -> None:
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(encodings, "PORTION", size)
        assert encodings.decode(data, "utf-8", "replace") == data.decode("utf-8", "replace")
