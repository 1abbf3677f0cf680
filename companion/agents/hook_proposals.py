"""What an agent's write tool is about to make of its files, and how the user's text is handed back to it.

Theory of operation: a hook sends a tool's arguments before the tool runs. These and the files as they are give the
whole text that each file would have: the proposal. If the user has edited it, new arguments are made, and their
proposal is worked out in the same way. This shows what the agent would write with them; what they cannot say is saved
over that afterwards.

Rules: a `WriteForm` has the differences between agents as data; its literals are in the agent's module. Texts are
exact, with line ends and byte order mark. A call that does not apply to the file, or is not understood, has no
proposal: an agent may still find a similar place, or read the call in its own way.

Pure. Any thread; a long text takes a while.
"""

from __future__ import annotations

import enum
import os
import re
import sys
import unicodedata
from itertools import islice
from typing import Any, Callable, Container, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..common.searching import MOST_WORK, Needle
from .patches import Operation, apply, is_plain_patch, operations, patch_of
from .smallest import smallest_edit

MARK = "\ufeff"
COUNTED_CHARACTERS, COUNTED_LINES = 4096, 5
_LINE_END = re.compile("\r?\n")
_UP = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)|[\x00-\x1f]")  # also what cannot be seen in a name
MOST_PLACES, LONGEST = 1 << 20, 1 << 26
"""The most places that are replaced in a file, and the most characters that it may then have. A call that needs more is
not understood."""
Texts = Mapping[str, Optional[str]]
"""The text of each file by the path that a tool names, None for a file that is not there."""


class WriteTool(NamedTuple):
    """The names of the arguments of a tool that writes; "" for those that it does not have."""

    path: str = ""
    whole: str = ""
    """The text of the whole file."""
    old: str = ""
    """The text that `new` replaces, once or, with `every`, everywhere."""
    new: str = ""
    every: str = ""
    edits: str = ""
    """A list of objects with `old`, `new` and `every`."""
    patch: str = ""
    """A patch, which names its files itself."""


class LineEnds(enum.Enum):
    """The line ends of a file after an edit."""

    ONE = "CR LF everywhere, if one line ends so"
    MOST = "those of most lines, everywhere"
    KEPT = "those of other lines stay; new lines get those of most"

    def are_crlf(self, text: str) -> bool:
        """Whether the lines of this text get CR LF. If most lines decide, only the beginning is counted."""
        if self is LineEnds.ONE:
            return "\r\n" in text
        if self is LineEnds.MOST:
            crlf, lines = text.count("\r\n", 0, COUNTED_CHARACTERS), text.count("\n", 0, COUNTED_CHARACTERS)
        else:
            ends = [found.group() for found in islice(_LINE_END.finditer(text), COUNTED_LINES)]
            crlf, lines = ends.count("\r\n"), len(ends)
        return 2 * crlf > lines


class WriteForm(NamedTuple):
    """How an agent writes. An edit is a call of a tool that replaces a text in a file."""

    tools: Mapping[str, WriteTool]
    restores_line_ends: bool = False
    """A whole text gets the line ends of the file that it replaces."""
    restores_mark: bool = False
    """A whole text gets the byte order mark of that file, too. An edit does not see the mark."""
    line_ends: LineEnds = LineEnds.ONE
    reads_crlf: bool = False
    """An edit takes CR LF in its own texts for line feeds. Otherwise a file read with line feeds does not hold them."""
    restores_end: bool = False
    """An edit cannot add or remove the line feed at the end of a file."""
    takes_line_end: bool = False
    """An edit that leaves nothing of a line takes its line feed, too."""
    fills_empty: bool = False
    """An edit of nothing fills a file that is empty."""
    makes_files: bool = True
    """An edit of nothing makes a file that is not there."""
    plain_patches: bool = False
    """It applies patches in its own way (`_applied_in_lines`); only patches in the plainest form are understood."""

    def paths(self, tool: str, arguments: Mapping[str, Any]) -> Tuple[str, ...]:
        """The files of a call, as it names them; none if it is not understood, or its tool is none of these."""
        form = self.tools.get(tool)
        named = arguments.get(form.patch or form.path) if form is not None else None
        if form is None or not isinstance(named, str):
            return ()
        if not form.patch:
            return (named,) if is_plain(named) else ()
        paths = tuple(dict.fromkeys(path for each in operations(named) or () for path in each.paths))
        return paths if not self.plain_patches or (is_plain_patch(named) and all(map(is_plain, paths))) else ()

    def proposals(self, tool: str, arguments: Mapping[str, Any], texts: Texts) -> Optional[Tuple[FileProposal, ...]]:
        """The proposals of a call, one for each of its files. None: it does not apply, or is not understood."""
        form = self.tools.get(tool)
        try:
            if form is None:
                return None
            if form.patch:
                if self.plain_patches and not self.paths(tool, arguments):
                    return None
                applied = _applied_in_lines if self.plain_patches else apply
                return _patched(_text(arguments, form.patch), texts, applied)
            (path,) = self.paths(tool, arguments)
            before = texts[path]
            text = _text(arguments, form.whole) if form.whole else self._edited(form, arguments, before)
        except (KeyError, TypeError, ValueError):  # an argument is missing, or is something else than it should be
            return None
        if text is not None and form.whole:
            text = self._restored(before, text)
        return None if text is None else (FileProposal(path, before, text),)

    def _edited(self, form: WriteTool, arguments: Mapping[str, Any], before: Optional[str]) -> Optional[str]:
        edits = arguments[form.edits] if form.edits else (arguments,)
        text, work = None if before is None else self._read(before), 0
        if not edits:
            return None
        for edit in edits:
            old, new = _text(edit, form.old), _text(edit, form.new)
            if self.reads_crlf and text is not None:
                old, new = _with_line_feeds(old), _with_line_feeds(new)
            if not old:
                is_made = self.makes_files if text is None else self.fills_empty and not text
                text = new if is_made else None
            elif text is not None and old != new and work <= MOST_WORK:
                replaced = _replaced_in_lines if self.line_ends is LineEnds.KEPT else self._replaced
                text, taken = replaced(text, old, new, edit.get(form.every) is True)
                work += taken
            else:
                text = None
            if text is None:
                return None
        if not before or text is None:
            return text
        if self.restores_end:
            text = _with_end_of(before, text)
        if self.line_ends is not LineEnds.KEPT and self.line_ends.are_crlf(before):
            text = _with_crlf(text)
        if self.restores_mark and before.startswith(MARK):
            return None if not text or text.startswith(MARK) else MARK + text  # one mark, two or none: agents differ
        return text

    def _read(self, before: str) -> str:
        """The text of a file as an edit sees it."""
        if self.restores_mark and before.startswith(MARK):
            before = before[1:]
        return before if self.line_ends is LineEnds.KEPT else _with_line_feeds(before)

    def _replaced(self, text: str, old: str, new: str, every: bool) -> Tuple[Optional[str], int]:
        """Replace `old` by `new`. Returns the text, or None if the agent would not find one place, and the work
        done."""
        needles = [Needle(old)]
        if self.takes_line_end and not new and not old.endswith("\n"):
            with_line_end = Needle(old + "\n")
            needles.insert(1 if with_line_end.find(text) >= 0 else 0, with_line_end)
        needle, most = needles[-1], MOST_PLACES if every else 1
        places = list(islice(needle.places(text), most + 1))
        work = len(text) + sum(each.work for each in needles)
        if not 0 < len(places) <= most or len(text) + len(places) * len(new) > LONGEST:
            return None, work
        starts = [0, *(place + len(needle.text) for place in places)]
        return new.join([text[start:end] for start, end in zip(starts, [*places, len(text)])]), work

    def _restored(self, before: Optional[str], text: str) -> Optional[str]:
        if before and self.restores_line_ends and LineEnds.ONE.are_crlf(before):
            text = _with_crlf(text)
        if before and self.restores_mark and before.startswith(MARK) and not text.startswith(MARK):
            return MARK + text if text else None
        return text

    # -- back to the agent ---------------------------------------------------------------------------------------------

    def handed_back(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        proposals: Sequence[FileProposal],
        accepted: Sequence[str],
        withheld: Container[str] = (),
    ) -> HandedBack:
        """Make the agent write the accepted texts, one for each of these proposals, and nothing else.

        The new arguments contain no more of a file than they need. Of the `withheld` files they contain no line that
        the agent's own do not contain: if the accepted text needs more, the agent writes its proposal.
        """
        wanted = tuple(accepted)
        as_proposed = tuple(each.text for each in proposals)
        if tuple(accepted) == as_proposed:
            return HandedBack(None, as_proposed, as_proposed)
        form = self.tools[tool]
        changed: Optional[Dict[str, Any]]
        if form.patch:
            changed = _patch_arguments(form, arguments, proposals, accepted, withheld)
        elif proposals[0].path in withheld:
            changed = self._rearranged(form, arguments, proposals[0], wanted[0])
        else:
            changed = self._changed(form, arguments, proposals[0], wanted[0])
        texts: Dict[str, Optional[str]] = {}
        for each in proposals:
            texts[each.path] = None if each.moved_from else each.before
            if each.moved_from:
                texts[each.moved_from] = each.before
        written = self.proposals(tool, changed, texts) if changed is not None else None
        if written is None:  # there are no arguments that say it
            return HandedBack(None, as_proposed, wanted)
        found = {each.path: each.text for each in written}
        return HandedBack(changed, tuple(found.get(each.path, each.before or "") for each in proposals), wanted)

    def _changed(
        self, form: WriteTool, arguments: Mapping[str, Any], proposal: FileProposal, wanted: str
    ) -> Dict[str, Any]:
        changed = dict(arguments)
        if form.whole:
            changed[form.whole] = wanted
            return changed
        before = proposal.before
        old, new = smallest_edit(self._read(before), self._read(wanted)) if before else ("", wanted)
        edit = {form.old: old, form.new: new}
        changed.pop(form.every, None)
        changed.update({form.edits: [edit]} if form.edits else edit)
        return changed

    def _rearranged(
        self, form: WriteTool, arguments: Mapping[str, Any], proposal: FileProposal, wanted: str
    ) -> Optional[Dict[str, Any]]:
        """Arguments with no line that the agent's own do not have; None if such cannot make the wanted text."""
        if form.whole:
            changed = self._changed(form, arguments, proposal, wanted)
            return changed if _line_set(wanted) <= _line_set(arguments[form.whole]) else None
        if form.edits or not proposal.before:
            return None
        old, before, after = _lf(arguments, form.old), _bare(proposal.before), _bare(wanted)
        start = Needle(old).find(before) if old else -1
        end = len(after) - (len(before) - start - len(old))
        said = after[start:end]
        if start < 0 or end < start or before[:start] + said + before[start + len(old) :] != after:
            return None
        own = _line_set(old) | _line_set(_lf(arguments, form.new))
        return {**arguments, form.new: said} if _line_set(said) <= own else None


class FileProposal(NamedTuple):
    """The text that a call would give one file. `path` is as the call names it."""

    path: str
    before: Optional[str]
    """The text of the file now, or of the file that is moved there; None if there is none."""
    text: str
    deletes: bool = False
    """The file is deleted; then the text is empty."""
    moved_from: str = ""
    """The path from which the call moves the file, if it does."""


class HandedBack(NamedTuple):
    """How the agent comes to write what the user has accepted."""

    arguments: Optional[Dict[str, Any]]
    """The arguments instead of the tool's own; None: it keeps them."""
    written: Tuple[str, ...]
    """The texts that it then writes, file by file."""
    wanted: Tuple[str, ...]
    """The texts that the user has accepted."""

    @property
    def is_complete(self) -> bool:
        """Whether both are the same; otherwise the accepted text has to be saved over what it writes."""
        return self.written == self.wanted


def is_plain(path: str) -> bool:
    """Whether every agent reads this name as the same path: some trim a name, expand a `~`, take a backslash away,
    compose accents, and leave out the part before a `..` although it may be a link."""
    odd = path.strip() != path or path.startswith("~") or (os.sep == "/" and "\\" in path)
    if not path or odd or _UP.search(path) is not None:
        return False
    # On macOS a name is the same however its accents are written.
    return sys.platform == "darwin" or unicodedata.normalize("NFC", path) == path


def _text(arguments: Mapping[str, Any], name: str) -> str:
    """Raises KeyError or TypeError if there is no such text."""
    value = arguments[name]
    if not isinstance(value, str):
        raise TypeError
    return value


def _lf(arguments: Mapping[str, Any], name: str) -> str:
    return _with_line_feeds(_text(arguments, name))


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")


def _with_crlf(text: str) -> str:
    return _with_line_feeds(text).replace("\n", "\r\n")


def _bare(text: str) -> str:
    """The text without what agents set aside: line ends, and maybe the byte order mark."""
    return _with_line_feeds(text[1:] if text.startswith(MARK) else text)


def _line_set(text: str) -> Set[str]:
    return set(_bare(text).split("\n"))


def _with_end_of(before: str, text: str) -> str:
    if before.endswith("\n"):
        return text if text.endswith("\n") else text + "\n"
    return text[:-1] if text.endswith("\n") else text


# -- edits that leave other lines as they are --------------------------------------------------------------------------


def _replaced_in_lines(text: str, old: str, new: str, _every: bool) -> Tuple[Optional[str], int]:
    """As `WriteForm._replaced`. A deletion from the beginning to the end of a line takes its line end, too."""
    if "\r" in _with_line_feeds(old) + _with_line_feeds(new):  # the agent leaves some of them out
        return None, 0
    needle = Needle(old)
    places = [(start, start + len(old)) for start in islice(needle.places(text), 2)]
    work = len(text) + needle.work
    if not places:
        places, taken = _whole_lines(text, old)
        work += taken
    if len(places) != 1 or len(text) + len(new) > LONGEST:
        return None, work
    ((start, end),) = places
    line_end = _LINE_END.match(text, end)
    if line_end and not new and not old.endswith("\n") and (not start or text[start - 1] == "\n"):
        end = line_end.end()
    new = _with_crlf(new) if LineEnds.KEPT.are_crlf(text) else _with_line_feeds(new)
    return text[:start] + new + text[end:], work


def _whole_lines(text: str, old: str) -> Tuple[List[Tuple[int, int]], int]:
    """The places of these lines with other line ends, and the work done. The agent also finds lines that are only
    similar: if there are any elsewhere, its choice is not known, and there is no place."""
    lines, wanted = _with_line_feeds(text), _with_line_feeds(old)
    alike, stripped = Needle(_stripped(wanted)), _stripped(lines)
    if "\r" in lines or not alike.text.strip():
        return [], 0
    found = alike.find(stripped)
    is_one = found >= 0 and alike.find(stripped, found + 1) < 0
    exact = Needle("\n" + wanted.rstrip("\n") + "\n")
    place = exact.find("\n" + lines + "\n") if is_one else -1
    work = alike.work + exact.work
    if place < 0 or not (lines + "\n").startswith(wanted, place):
        return [], work
    ends = [0, *(each.end() for each in _LINE_END.finditer(text)), len(text)]
    first = lines.count("\n", 0, place)
    last = first + wanted.count("\n")
    return [(ends[first], ends[last] + len(wanted) - wanted.rfind("\n") - 1)], work


def _stripped(text: str) -> str:
    """The lines without the blanks around them, and without empty ones."""
    lines = (line.strip() for line in text.replace(MARK, "").split("\n"))
    return "\n" + "".join(line + "\n" for line in lines if line)


# -- patches -----------------------------------------------------------------------------------------------------------


def _patched(
    patch: str, texts: Texts, applied: Callable[[Operation, Optional[str]], Optional[str]]
) -> Optional[Tuple[FileProposal, ...]]:
    steps = operations(patch)
    named = [path for each in steps or () for path in each.paths]
    if not steps or len(named) != len(set(named)):  # two steps with one file are refused
        return None
    found: List[FileProposal] = []
    for step in steps:
        before = texts[step.path]
        text = applied(step, before)
        if text is None:
            return None
        if step.moved_to:
            found.append(FileProposal(step.moved_to, before, text, moved_from=step.path))
        else:
            found.append(FileProposal(step.path, before, text, deletes=step.deletes))
    return tuple(found)


def _applied_in_lines(step: Operation, before: Optional[str]) -> Optional[str]:
    """`apply` for an agent that gives all lines the ends of most, keeps the end of the file, and ends none with an
    empty line. It adds no file that exists. Also None where the agent has ways of its own: new lines alone, at the end
    of a file, lone CRs, a hunk that begins with an empty line, and lines that the file has more than once."""
    if step.deletes:
        return apply(step, before)
    if step.added is not None:
        return None if before is not None else "" if step.added == "\n" else step.added
    text = _with_line_feeds(before or "")
    if not before or "\r" in text or len(step.hunks) * len(text) > MOST_WORK:
        return None
    stripped = _stripped_lines(text.split("\n"))
    for hunk in step.hunks:
        old = [line for sign, line in hunk.lines if sign != "+"]
        behind = [] if hunk.behind is None else [hunk.behind]
        if (
            hunk.at_end
            or not old
            or not old[0].strip()
            or not all(_stands_once(lines, stripped) for lines in (old, behind) if lines)
        ):
            return None
    after = apply(step, text)
    if after is None:
        return None
    if not text.endswith("\n") or after.endswith("\n\n") or after == "\n":
        after = after[:-1]
    return _with_crlf(after) if LineEnds.KEPT.are_crlf(before) else after


def _stripped_lines(lines: Sequence[str]) -> str:
    return "\n" + "".join(line.replace(MARK, "").strip() + "\n" for line in lines)


def _stands_once(lines: Sequence[str], stripped: str) -> bool:
    needle = Needle(_stripped_lines(lines))
    place = needle.find(stripped)
    return place >= 0 and needle.find(stripped, place + 1) < 0


def _patch_arguments(
    form: WriteTool,
    arguments: Mapping[str, Any],
    proposals: Sequence[FileProposal],
    accepted: Sequence[str],
    withheld: Container[str],
) -> Dict[str, Any]:
    texts = {proposal.path: (proposal, text) for proposal, text in zip(proposals, accepted)}
    steps: List[Operation] = []
    for step in operations(arguments[form.patch]) or ():
        if step.paths[-1] in texts:
            proposal, text = texts[step.paths[-1]]
            if text == proposal.before and not step.moved_to:
                continue  # all of it is taken back
            if text != proposal.text:
                edited = Operation.of(step.path, step.moved_to, proposal.before, text)
                if proposal.path not in withheld or edited.lines <= step.lines:
                    step = edited
            steps.append(step)
    return {**arguments, form.patch: patch_of(steps)}
