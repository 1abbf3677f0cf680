"""Long texts are worked on in portions, so that a worker thread lets the main thread run in between.

Python runs one thread at a time, and lets another one run only between two steps of a program. One call into C, such as
a search through 30 MB, is one step.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Callable, List

import pytest

from companion.common.workers import Computation
from companion.protocol import jsonrpc
from companion.review.document import disk
from companion.review.document import text as text_module
from companion.review.document.disk import Kind
from companion.review.document.journal import KeptTexts, Text
from companion.review.document.text import ProposedText, plain, usual_ending
from tests.support.work import Work

MOST = 1 << 19  # characters or bytes that one call may work on: a portion, and what its encoding adds
LINES = 12 * (1 << 20) // 22
TEXTS = {
    "ASCII": "line with some words\r\n" * LINES,
    "mixed endings": "line with some words\r\nand others\n" * (LINES // 2),
    "other letters": "Zeile mit W\u00f6rtern \u4e2d\u6587\r\n" * (LINES * 3 // 4),
    "one line": "x" * (12 << 20),
}


def longest_step(function: Callable[[], Any], *copying: str) -> int:
    """Run the function; the length of the longest text that it handed to one call into C."""
    work = Work(*copying)
    with work.counted():
        function()
    print(f"{work.longest} at once by {work.where}, in {work.calls} calls")
    return work.longest


@pytest.mark.parametrize(
    "search",
    [
        lambda text: re.findall("\r\n|\r|\n", text),
        lambda text: text.replace("\r\n", "\n"),
        lambda text: text.encode("utf-8"),
        json.dumps,
        lambda text: codecs.getincrementalencoder("utf-8")().encode(text),
    ],
)
def test_one_call_with_all_of_a_text_is_noticed(search: Callable[[str], Any]) -> None:
    assert longest_step(lambda: search(TEXTS["ASCII"])) == len(TEXTS["ASCII"])


@pytest.mark.parametrize("name", list(TEXTS))
def test_a_long_proposal_is_made_ready(name: str) -> None:
    assert 0 < longest_step(lambda: ProposedText(TEXTS[name])) < MOST


def test_a_long_proposal_is_restored_after_an_edit() -> None:
    proposal = ProposedText(TEXTS["ASCII"])
    edited = proposal.shown + "more"
    assert 0 < longest_step(lambda: proposal.restore(edited)) < MOST


@pytest.mark.parametrize("name", ["ASCII", "other letters"])
def test_a_long_file_is_read_and_encoded(tmp_path: Any, name: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(TEXTS[name].encode("utf-8")[:5999900] + b"\r\n")

    def read() -> disk.Original:
        return disk.read(str(path), disk.ReadLimits(2000000, 50000), fallback="")

    original = read()
    assert original.kind is Kind.TEXT
    assert 0 < longest_step(read, "count") < MOST  # of a single character, which is as quick
    assert 0 < longest_step(lambda: disk.encoded(original, TEXTS["ASCII"])) < MOST


class HereAndNow:
    """Stands for the runtime: what goes to a disk thread is done on this one."""

    def use_disk(self, function: Callable[..., Any], *, then: Callable[[Any], Any]) -> Computation:
        computation = Computation()
        then(function(computation.cancelled))
        computation.end(None)
        return computation


@pytest.mark.parametrize("name", ["ASCII", "other letters"])
def test_a_long_accepted_text_is_kept(tmp_path: Any, name: str) -> None:
    kept = KeptTexts(HereAndNow(), str(tmp_path))  # type: ignore[arg-type]
    assert 0 < longest_step(lambda: kept.keep("a", Text("/file.txt", "A client", TEXTS[name]))) < MOST
    kept.leave()
    found = []
    assert 0 < longest_step(lambda: kept.take(lambda path: True, found.append), "split") < MOST  # of long lines
    [[(_, text)]] = [each.texts for each in found if each.texts]
    assert text.content == TEXTS[name]


@pytest.mark.parametrize("name", ["ASCII", "other letters"])
def test_a_long_message_is_made(name: str) -> None:
    message = {"params": {"content": TEXTS[name]}}
    assert 0 < longest_step(lambda: jsonrpc.encode(message)) < MOST


@pytest.mark.parametrize("text", ["", 'a"\\\n\u00e4\u4e2d\U0001f600', "\ud83d\ude00", "\ud83d"])
def test_portions_change_no_message(monkeypatch: Any, text: str) -> None:
    message = {"id": text, "result": {"content": [{"text": text * 3}, text, 1, None, [text * 20]], text * 9: text}}
    whole = json.dumps(message, separators=(",", ":")).encode()
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(jsonrpc, "AT_ONCE_CHARACTERS", size)
        assert jsonrpc.encode(message) == whole


@pytest.mark.parametrize(
    "text", ["a\r\n", "a\r", "\r\n\r\n", "\r\r\n\n", "", "a\nb\r\nc\rd", "\n\r", "\ufeff\ufeffa\r\n"]
)
def test_portions_do_not_tear_line_endings(monkeypatch: Any, text: str) -> None:
    def work() -> List[str]:
        proposal = ProposedText(text * 50)
        return [plain(text * 50), usual_ending(text * 50), proposal.shown, proposal.restore("new\n" + proposal.shown)]

    whole = work()
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(text_module, "PORTION", size)
        assert work() == whole


@pytest.mark.parametrize(
    "data", ["\u4e2d\u6587 W\u00f6rter".encode(), b"a\xff\xfeb\xe4\xb8", b"\xe4\xb8", b"\xf0\x9f\x92a"]
)
def test_portions_do_not_tear_characters(monkeypatch: Any, data: bytes) -> None:
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(text_module, "PORTION", size)
        assert text_module.decode(data, "utf-8", "replace") == data.decode("utf-8", "replace")
