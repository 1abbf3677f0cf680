"""Makes random patches for Codex CLI, most of them nearly right: odd blanks, marks in wrong places, lines left out.

Rule: a seed makes the same patch on every machine. Standard library only.
"""

from __future__ import annotations

import random
import re
from typing import Dict, List, NamedTuple, Sequence

ENDS = (["\n"], ["\n"], ["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"], ["\n", "\r", "\r\n"])
#: What may stand where nothing should. The last four are no blanks for the program.
BLANKS = ["", "", " ", " ", "\t", "  ", "\r", "\r\r", "\xa0", "\u3000", "\x0b", "\x85", "\u2028"]
BLANKS += ["\x1c", "\x1f", "\ufeff", "\u200b"]
WORDS = ["a", "b", "", "x", " a", "a ", "\ta", "a\t", "a b", "a\xa0b", "a\u200ab", "\xe9"]
WORDS += ["'q'", '"q"', "\u2018q\u2019", "\u201cq\u201d", "-x", "\u2013x", "+"]
WORDS += ["* q", "@@", "@@ a", "a\rb", "\x0c", "\x85", "\u2028", "\ufeff"]
WORDS += ["*** End Patch", "*** End of File", "*** Delete File: f"]
END = "*** End Patch"
FILES = ("f", "g", "d/h")
PATHS = ["n", "./f", "d/../g", "d//h", "../f", "new/deep/n", "{outside}/f", "d/h/x", "f/../g", "f ", " f", "f/", "d/."]
PATHS += ["\tf", "d\r/h", "f\t\r", "..", "d", ".", "~", "~/f", "$HOME", "F", "f\xe9", "g%20", "g%2f", "f#x", "\\f"]
MARKS = ["", " ", "\t", "\xa0", "@", "@@", "@@ ", "@@@", "@@ -1,2 +1,3 @@", "junk", "*", "***", "--- a", "+++ b"]
MARKS += ["*** End of File", "*** End Patch", "*** End Patch ", "*** Begin Patch", "*** Move to: m", "*** Delete File:"]
MARKS += ["*** Rename File: x", "*** Environment ID: q", "\\ No newline at end of file"]


class Made(NamedTuple):
    """A patch, and the files of the folder in which it is applied."""

    files: Dict[str, str]
    patch: str


def made(seed: int, outside: str) -> Made:
    """The patch of this seed. `outside` is the absolute path of a folder that some of them write to."""
    maker = _Maker(random.Random(seed))
    files = {name: maker.text() for name in FILES}
    return Made(files, maker.patch(files).replace("{outside}", outside))


class _Maker:
    def __init__(self, source: random.Random) -> None:
        self._random = source

    def _often(self, share: float) -> bool:
        return self._random.random() < share

    def _any(self, choices: Sequence[str]) -> str:
        return self._random.choice(choices)

    def _blank(self, share: float = 0.04) -> str:
        return self._any(BLANKS) if self._often(share) else ""

    def text(self) -> str:
        ends = self._random.choice(ENDS)
        text = "".join(self._any(WORDS) + self._any(ends) for _ in range(self._random.randrange(9)))
        return text.rstrip("\r\n") if self._often(0.3) else text

    def patch(self, files: Dict[str, str]) -> str:
        lines = [f"*** Environment ID:{self._any(['', ' ', ' e'])}"] if self._often(0.02) else []
        for _ in range(self._random.choice((1, 1, 1, 1, 2, 3))):
            lines += self._step(files)
        if self._often(0.15):
            self._spoil(lines)
        begin, end = (self._blank(0.04) + mark + self._blank(0.06) for mark in ("*** Begin Patch", "*** End Patch"))
        if self._often(0.02):
            begin = self._any(["", "*** begin patch", "***  Begin Patch", "*** Begin Patch\n*** Begin Patch"])
        if self._often(0.02):
            end = self._any(["", "*** End of Patch", f"{END}\n\n{END}", f"{END}\nx\n{END}"])
        lines = [begin, *lines, end]
        if self._often(0.06):
            first = self._any(["<<EOF", "<<'EOF'", '<<"EOF"', "<<EOF ", "<< EOF", "<<eof"])
            lines = [first, *lines, self._any(["EOF", "EOF", "xEOF", "EOF ", " EOF", "eof", "\nEOF"])]
        ends = self._any(["\n"] * 8 + ["\r\n", "\r\r\n"])
        return self._blank() + ends.join(lines) + self._any(["", "\n", "\n\n", " ", "\r\n"])

    def _step(self, files: Dict[str, str]) -> List[str]:
        path, kind = self._any(FILES) if self._often(0.8) else self._any(PATHS), self._random.random()
        mark = "Add" if kind < 0.2 else "Delete" if kind < 0.3 else "Update"
        lines = [f"{self._blank()}*** {mark} File: {path}{self._blank()}"]
        if mark == "Add":
            return lines + ["+" + self._any(WORDS) for _ in range(self._random.randrange(4))]
        if mark == "Delete":
            return lines
        if self._often(0.2):
            to = self._any(FILES) if self._often(0.3) else self._any(PATHS)
            lines.append(f"{self._blank()}*** Move to: {to}{self._blank(0.2)}")
        text = re.sub("\r\n|\r", "\n", files.get(path, files["f"])).split("\n")
        at = 0
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            at = self._random.randrange(at, len(text)) if at < len(text) else 0
            lines += self._hunk(text, at)
            at += 3
        return lines

    def _hunk(self, text: List[str], start: int) -> List[str]:
        found: List[str] = []
        if self._often(0.97):
            behind = " " + (self._any(text) if self._often(0.7) else self._any(WORDS)) if self._often(0.1) else ""
            found.append("@@" + behind + self._blank())
        end = len(text) if self._often(0.25) else start + self._random.randrange(1, 4)
        for line in text[start:end] if self._often(0.9) else [self._any(WORDS)]:
            found.append(self._any("   ----") + self._nearly(line) if self._often(0.98) else line)
            if self._often(0.35):
                found.append("+" + self._any(WORDS))
        if self._often(0.1):
            found.append(self._any(["", "", " ", "-", "+", "\t", "\r"]))
        if self._often(0.15):
            found.append(self._blank(0.03) + "*** End of File" + self._blank(0.3))
        return found

    def _nearly(self, line: str) -> str:
        """The line as the file has it, or one that the program takes for the same, or none of the two."""
        if self._often(0.85):
            return line
        alike = line.replace("\u2013", "-").replace("\u201c", '"').replace("\u201d", '"').replace("\xa0", " ")
        return self._any([line.strip(), alike, self._any(BLANKS) + line, line + self._any(BLANKS)])

    def _spoil(self, lines: List[str]) -> None:
        for _ in range(self._random.randrange(1, 3)):
            at, kind = self._random.randrange(len(lines)), self._random.randrange(4)
            if kind == 0:
                lines.insert(at, self._any(MARKS))
            elif kind == 1:
                lines.insert(at, lines[at])
            elif kind == 2 and len(lines) > 1:
                del lines[at]
            else:
                place = self._random.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:place] + self._any([*BLANKS, "*", "@"]) + lines[at][place:]
