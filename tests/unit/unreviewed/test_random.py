"""Random days: an agent writes, in tool calls and outside, the user saves and accepts, git moves, the package ends
without a word; whose is each line?

An oracle knows who wrote each line. What the package calls "before" must be exactly the user's text: no line of his is
ever undone, no line of the agent's kept silently. What is listed of a file, and what it holds, must fit to that. What
the user has saved last is on the disk, or he gets there by undoing, until he decides something else; and so is each
line that he has typed.
"""

from __future__ import annotations

import copy
import random
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

import pytest

from companion.comparison import Hunk
from companion.unreviewed.content import NOTHING
from companion.unreviewed.evidence import PERHAPS
from companion.unreviewed.listing import Listing
from companion.unreviewed.texts import are_apart, hunks_between
from tests.unit.unreviewed.conftest import WINDOW

STEPS = {"git": 300, "no git": 1000}
PULLED = "pulled.txt"


class Line(NamedTuple):
    """A line of the oracle: `added` or `removed` by the agent and not reviewed."""

    text: str
    added: bool = False
    removed: bool = False


def compared(old: bytes, new: bytes) -> List[Line]:
    """The lines of two texts, by their comparison."""
    before, now = old.decode().splitlines(True), new.decode().splitlines(True)
    lines: List[Line] = []
    place = 0
    for hunk in hunks_between(old, new):
        lines += [Line(text) for text in before[place : hunk.left_start]]
        lines += [Line(text, removed=True) for text in before[hunk.left_start : hunk.left_end]]
        lines += [Line(text, added=True) for text in now[hunk.right_start : hunk.right_end]]
        place = hunk.left_end
    return lines + [Line(text) for text in before[place:]]


class Below(NamedTuple):
    """A change that was undecided when the user saved the file, before the agent wrote again."""

    lines: List[Line]
    existed: bool
    how: FrozenSet[str]

    @property
    def before(self) -> bytes:
        return "".join(line.text for line in self.lines if not line.added).encode() if self.existed else b""


class Oracle:
    """What one file holds, line by line."""

    def __init__(self) -> None:
        self.lines: List[Line] = []
        self.below: List[Below] = []
        self.saved: Optional[bytes] = None
        """What the user has saved last, and decided nothing since."""
        self.is_marked = False
        """Whether what the agent writes next is a change of its own."""
        self.typed: Set[str] = set()
        self.exists = self.existed = False
        self.how: FrozenSet[str] = frozenset()
        """How the agent has written what nobody has reviewed: in a call, freely, or in a way that git hides."""
        self.accepted: List[Line] = []
        """The lines when the user had accepted a proposal the last time, and nobody has decided anything since."""

    @property
    def now(self) -> Optional[bytes]:
        return "".join(line.text for line in self.lines if not line.removed).encode() if self.exists else None

    @property
    def before(self) -> Optional[bytes]:
        return "".join(line.text for line in self.lines if not line.added).encode() if self.existed else None

    @property
    def counts(self) -> Tuple[int, int]:
        """How many lines came and went, as the list says."""
        hunks = hunks_between(self.before or b"", self.now or b"")
        return sum(hunk.right_count for hunk in hunks), sum(hunk.left_count for hunk in hunks)

    def keep(self) -> None:
        self.decided([Line(line.text) for line in self.lines if not line.removed])
        self.existed = self.exists

    def undo(self) -> None:
        self.decided([Line(line.text) for line in self.lines if not line.added])
        self.exists = self.existed
        self.rise()
        self.forget_typed()

    def forget_typed(self) -> None:
        """The user takes back some of the text that was typed."""
        texts = [self.now or b"", self.before or b"", *(lower.before for lower in self.below)]
        self.typed = self.typed.intersection(b"".join(texts).decode().splitlines(True))

    def decided(self, lines: List[Line]) -> None:
        """The user has said something: from now on these are the lines."""
        self.lines, self.accepted, self.saved = lines, [], None
        if not any(line.added or line.removed for line in lines):
            self.how = frozenset()

    def saves(self) -> None:
        """The user has saved what the file holds."""
        self.rise()
        while self.below and are_apart(self.below[-1].before, self.before or b"", self.now or b""):
            lower, former = self.below.pop(), self.below
            self.lines = compared(lower.before, self.now or b"")
            self.existed, self.how, self.below = lower.existed, self.how | lower.how | {"git"}, former
        self.saved, self.is_marked = self.now, self.before != self.now

    def leave_save(self) -> None:
        """The agent is about to write."""
        if self.is_marked:
            self.below.append(Below(self.lines, self.existed, self.how))
            self.lines = [Line(line.text) for line in self.lines if not line.removed]
            self.existed, self.how, self.is_marked = self.exists, frozenset(), False

    def rise(self) -> None:
        """Nothing may be left of the upper change."""
        while self.below and self.before == self.now:
            self.lines, self.existed, self.how = self.below.pop()
            self.is_marked = True
        self.is_marked = self.is_marked and self.before != self.now


class Day:
    """A project, and the oracle of each file; with git also what is committed."""

    def __init__(self, project: Any, seed: int, hooked: bool) -> None:
        self.project = project
        self.hooked = hooked
        self.in_call: FrozenSet[str] = frozenset()
        """The files that the agent writes in a call which it says has run."""
        self.random = random.Random(seed)
        self.files: Dict[str, Oracle] = {f"{name}.txt": Oracle() for name in "abcd"}
        self.count = 0
        self.committed: Dict[str, Optional[bytes]] = {}
        self.upstream: List[str] = []
        self.looked = False
        self.listing: Any = None
        for name, oracle in self.files.items():
            oracle.lines = [Line(self.text("first")) for _ in range(8)]
            oracle.exists = oracle.existed = True
            self.write(name)
        if project.with_git:
            self.upstream = self.commits_of_others()
            self.committed = {name: oracle.now for name, oracle in self.files.items()}
        self.begin()

    def begin(self) -> None:
        """The package begins to track."""
        self.project.begin()
        self.project.calls.only_hooked(WINDOW, self.hooked)
        self.project.look()  # from now on it is so
        self.listing = Listing(self.project.workspace)

    def commits_of_others(self) -> List[str]:
        """Commit what is there. Others have gone on from there, and the last of their commits comes first."""
        self.project.write(pulled_txt=b"")
        self.project.commit()
        history = b"".join(
            b"commit refs/heads/theirs\ncommitter x <x> %d +0000\ndata 0\n%sM 100644 inline %s\ndata %d\n%s\n"
            % (number, b"" if number else b"from refs/heads/main\n", PULLED.encode(), len(text), text)
            for number, text in enumerate(b"theirs %d\n" % number for number in range(STEPS["git"]))
        )
        self.project.git("fast-import", "--quiet", asked=history)
        return str(self.project.git("rev-list", "main..theirs")).split()

    def text(self, who: str) -> str:
        self.count += 1
        return f"{who} {self.count}\n"

    def write(self, name: str) -> None:
        path, data = self.project.folder / name, self.files[name].now
        if data is not None:
            path.write_bytes(data)
        elif path.exists():
            path.unlink()
        self.looked = False

    def agent_has(self, name: str) -> None:
        """The agent has written to a file."""
        self.files[name].how |= {"in a call" if name in self.in_call else "freely"}
        self.files[name].rise()
        self.write(name)

    def look(self) -> None:
        if not self.looked:
            self.project.workspace.look(lambda: False)
            self.looked = True

    def go_on(self, steps: int) -> None:
        """So many steps, of which some are done between two looks."""
        actions = [self.agent_writes] * 16 + [self.user_saves] * 14 + [self.decide] * 10 + [self.crash] * 2
        actions += [self.agent_creates_or_deletes] * 4 + [self.user_accepts] * 8 + [self.agent_brings_back] * 4
        actions += [self.agent_calls_a_tool] * 12
        actions += [self.user_edits_what_the_agent_wrote] * 8 + [self.user_saves_again] * 4
        if self.project.with_git:
            actions += [self.stage, self.commit, self.commit_one, self.agent_commits, self.stash, self.pull]
        while steps > 0:
            for _ in range(self.random.randrange(1, 5)):
                self.random.choice(actions)(self.random.choice(sorted(self.files)))
                steps -= 1
            self.look()
            self.check()

    def agent_writes(self, name: str) -> None:
        oracle = self.files[name]
        if not oracle.exists:
            return
        oracle.leave_save()
        for _ in range(self.random.randrange(1, 3)):
            place = self.random.randrange(len(oracle.lines) + 1)
            new = [Line(self.text("agent"), added=True) for _ in range(self.random.randrange(1, 3))]
            oracle.lines[place:place] = new
        if self.random.random() < 0.6 and oracle.lines:
            place = self.random.randrange(len(oracle.lines))
            line = oracle.lines[place]
            oracle.lines[place : place + 1] = [] if line.added else [line._replace(removed=True)]
        self.agent_has(name)

    def agent_calls_a_tool(self, name: str) -> None:
        """It tells of what it is about to do, and waits until its folder was looked at. It may name the file. It may
        ask its user first, who may say no: what is written then is not its own, for all that it says."""
        named = [name] if self.random.random() < 0.3 else []
        asks = self.random.random() < 0.4
        runs = not asks or self.random.random() < 0.6
        with self.project.call("Claude Code", "go on", paths=named, doubtful=asks, has_run=runs):
            self.looked = True
            self.in_call = frozenset(named or self.files) if runs else frozenset()
            for _ in range(self.random.randrange(1, 3)):
                self.agent_writes(self.random.choice(sorted(self.files)))
                if self.random.random() < 0.3:
                    self.look()
            self.agent_creates_or_deletes(name)
            self.in_call = frozenset()
        self.looked = True

    def user_saves(self, name: str) -> None:
        oracle = self.files[name]
        free = self.free(oracle)
        if not oracle.exists or not free:
            return
        if not self.looked:
            self.look()  # as when a tab reads the file anew
        place = self.random.choice(free)
        oracle.accepted = []
        self.type(oracle, place, self.text("user"))
        if self.random.random() < 0.4:
            own = [place for place in range(len(oracle.lines)) if self.lone(oracle, place)]
            if own:
                gone = oracle.lines.pop(self.random.choice(own))
                oracle.typed = oracle.typed - {gone.text}
                for lower in oracle.below:
                    lower.lines.remove(gone)
        self.saves(name)

    def user_edits_what_the_agent_wrote(self, name: str) -> None:
        """Whether it is a line of a change or one in its midst, it is a part of the change from then on."""
        oracle = self.files[name]
        places = [place for place, line in enumerate(oracle.lines) if line.added]
        if not oracle.exists or not places:
            return
        if not self.looked:
            self.look()
        place = self.random.choice(places)
        oracle.accepted = []
        former, oracle.lines[place] = oracle.lines[place], Line(self.text("user"), added=True)
        oracle.typed = oracle.typed - {former.text} | {oracle.lines[place].text}
        self.saves(name)

    def user_saves_again(self, name: str) -> None:
        """What the file holds, without an edit."""
        if self.files[name].exists:
            if not self.looked:
                self.look()
            self.files[name].accepted = []
            self.saves(name)

    def saves(self, name: str) -> None:
        oracle = self.files[name]
        oracle.saves()
        self.project.saving(name)
        self.write(name)
        if self.random.random() < 0.5:
            self.look()  # before the editor's event has come
        self.project.saved(name, oracle.now)
        self.looked = False

    def user_accepts(self, name: str) -> None:
        """The user accepts a proposal with one line more, and the agent writes it; then it writes on."""
        oracle, workspace = self.files[name], self.project.workspace
        free = self.free(oracle)
        if not oracle.exists or not free:
            return
        self.look()  # so the proposal was made of what is there
        self.type(oracle, self.random.choice(free), self.text("accepted"))
        oracle.saves()
        workspace.expect(name, oracle.now)
        self.write(name)
        self.look()
        oracle.accepted = list(oracle.lines)

    def agent_brings_back(self, name: str) -> None:
        """It writes what the user had accepted, once more: that is no second yes to it."""
        oracle = self.files[name]
        if oracle.exists and oracle.existed and oracle.accepted:
            self.look()
            accepted = "".join(line.text for line in oracle.accepted if not line.removed).encode()
            if accepted != oracle.now:
                oracle.leave_save()
            oracle.lines = compared(oracle.before or b"", accepted)
            self.agent_has(name)

    @staticmethod
    def free(oracle: Oracle) -> List[int]:
        """The places beside which no line is the agent's, or was taken by it."""
        return [place for place in range(len(oracle.lines) + 1) if is_free(oracle, place)]

    @staticmethod
    def type(oracle: Oracle, place: int, text: str) -> None:
        """The user types a line at a free place."""
        beside = oracle.lines[max(0, place - 1) : place + 1]
        for lower in oracle.below:
            lower.lines.insert(place_of(lower.lines, place, beside) or 0, Line(text))
        oracle.lines.insert(place, Line(text))
        oracle.typed = oracle.typed | {text}

    def lone(self, oracle: Oracle, place: int) -> bool:
        return is_free(oracle, place) and is_free(oracle, place + 1)

    def agent_creates_or_deletes(self, name: str) -> None:
        oracle = self.files[name]
        if oracle.exists:
            oracle.leave_save()
            oracle.exists = False
            # Whatever it deletes is as the user left it.
            oracle.lines = [line._replace(removed=False) for line in oracle.lines if not line.added]
        elif not oracle.existed:
            oracle.exists = True
            oracle.lines = [Line(self.text("agent"), added=True) for _ in range(4)]
        else:
            return
        self.agent_has(name)

    def decide(self, name: str) -> None:
        self.look()
        self.looked = False
        oracle, workspace = self.files[name], self.project.workspace
        change = self.all_listed().get(name)
        if change is None or change.old_path:
            return  # a rename is another file's, too
        before, now = change.before, change.now
        if self.random.random() < 0.5:
            assert workspace.keep(name, before, now)
            workspace.write_down()
            oracle.keep()
            self.relearn(name)
            return
        if self.random.random() < 0.5 or not (now.there and before.there):
            former = copy.copy(oracle)
            former.below, former.is_marked = list(oracle.below), True
            self.undo(change)
            oracle.undo()
            if self.random.random() < 0.3:
                self.look()
                self.check()
                assert self.project.restore() == []
                self.files[name] = former
                self.looked = False
            return
        hunks = hunks_between(workspace.copies.data(before), workspace.copies.data(now))
        some = self.random.sample(hunks, self.random.randrange(1, len(hunks) + 1))
        if self.random.random() < 0.5:
            assert workspace.keep(name, before, now, some)
            workspace.write_down()
        else:
            self.undo(change, some)
            assert oracle.below or workspace.copies.data(workspace.model.row(name).approved) == workspace.copies.data(
                before
            )
        self.look()
        self.relearn(name)

    def all_listed(self) -> Dict[str, Any]:
        """What is listed, in whatever part."""
        lists = self.listing.lists()
        return {change.path: change for change in (*lists.changes, *lists.outside)}

    def undo(self, change: Any, hunks: Sequence[Hunk] = ()) -> None:
        assert self.project.undo_these([change], hunks=hunks) == []

    def relearn(self, name: str) -> None:
        """After a decision the oracle takes over the texts: which lines a hunk holds is the comparison's to say."""
        oracle, workspace, path = self.files[name], self.project.workspace, self.project.folder / name
        old, now = self.held_before(name), path.read_bytes() if path.exists() else None
        lines = compared(old or b"", now or b"")
        mine = {line.text for line in oracle.lines if not line.added}
        mine.update(line.text for lower in oracle.below for line in lower.lines if not line.added)
        before = (old or b"").decode().splitlines(True)
        assert all(line in mine or line in (now or b"").decode() for line in before if line.startswith("agent"))
        layers = workspace.model.row(name).below
        assert len(layers) <= len(oracle.below)
        above = [*(workspace.copies.data(layer.before) for layer in layers[1:]), old]
        oracle.below = [
            Below(compared(workspace.copies.data(layer.before), later or b""), layer.before.there, frozenset(["git"]))
            for layer, later in zip(layers, above)
        ]
        is_risen, oracle.existed = oracle.before != old, old is not None
        oracle.decided(lines)
        oracle.how |= {"git"} if is_risen else frozenset()
        oracle.is_marked = workspace.model.row(name).save == workspace.model.row(name).now
        oracle.forget_typed()

    def held_before(self, name: str) -> Optional[bytes]:
        before = self.project.workspace.model.row(name).approved
        data: Optional[bytes] = self.project.workspace.copies.data(before)
        return None if before == NOTHING else data

    def stage(self, name: str) -> None:
        self.project.git("add", "-A")
        self.looked = False

    def commit(self, name: str, *names: str) -> None:
        """Commit these files, or all. What git can bring back is not listed any more, and nothing else."""
        self.look()
        changed = [each for each in names or self.files if self.committed.get(each) != self.files[each].now]
        if not changed:
            return
        self.project.git("add", "-A", "--", *names, check=False)  # one may have gone from the index before
        self.project.git("commit", "-q", "-m", "more", "--", *names)
        self.looked = False
        self.look()
        for each in changed:
            oracle, former = self.files[each], self.committed[each]
            self.committed[each] = oracle.now
            befores = [oracle.before or b"", *(lower.before for lower in oracle.below)]
            if oracle.before != oracle.now and self.held_before(each) == oracle.now:
                in_git = {*(former or b"").splitlines(), *(oracle.now or b"").splitlines()}
                assert in_git.issuperset(b"".join(befores).splitlines())
                oracle.keep()
                oracle.below, oracle.is_marked = [], False
                oracle.forget_typed()
            else:
                assert oracle.before == oracle.now or any(before != former for before in befores)

    def agent_commits(self, name: str) -> None:
        """In a call."""
        self.look()
        with self.project.call("Claude Code", "go on"):
            self.commit(name, name)

    def commit_one(self, name: str) -> None:
        self.commit(name, name)

    def stash(self, name: str) -> None:
        """Stash all, and bring it back."""
        if all(self.committed.get(each) == oracle.now for each, oracle in self.files.items()):
            return
        self.look()
        for oracle in self.files.values():
            if oracle.how:
                oracle.how |= {"git"}
        self.project.git("reset", "-q")  # it loses what is staged as deleted and there again
        self.project.git("stash", "-q", "-u")
        self.looked = False
        if self.random.random() < 0.5:
            self.look()
        self.project.git("stash", "pop", "-q")
        self.looked = False

    def pull(self, name: str) -> None:
        """Commit all, and merge what others have done meanwhile."""
        self.stage(name)
        self.commit(name)
        self.project.git("merge", "-q", "--no-edit", self.upstream.pop())
        self.looked = False

    def crash(self, name: str) -> None:
        self.look()
        self.begin()

    def check(self) -> None:
        """What is held, what is listed and what is in the files is what the oracle says."""
        model, data = self.project.workspace.model, self.project.workspace.copies.data
        for name, oracle in self.files.items():
            assert self.held_before(name) == oracle.before, name
            path = self.project.folder / name
            assert (path.read_bytes() if path.exists() else None) == oracle.now, name
            below = [data(layer.before) for layer in model.row(name).below]
            assert below == [each.before for each in oracle.below], name
            reached = [oracle.now or b"", *map(data, model.row(name).befores())]
            assert oracle.saved is None or oracle.saved in reached, name
            assert oracle.typed <= set(b"".join(reached).decode().splitlines(True)), name
        found = self.all_listed()
        listed = {path: (change.added, change.removed) for path, change in found.items()}
        assert listed == {name: each.counts for name, each in self.files.items() if each.before != each.now}
        for path, change in found.items():
            how, origin = self.files[path].how, change.origin
            assert bool(origin.who) <= ("in a call" in how or "git" in how), path
            if how == {"in a call"} and not change.old_path:
                assert origin[:3] == ("Claude Code", "go on", True), path
            if how == {"freely"} and self.hooked:
                assert origin == PERHAPS, path


def is_free(oracle: Oracle, place: int) -> bool:
    """Whether no line beside the place is the agent's, or was taken by it, in whatever change."""
    beside = oracle.lines[max(0, place - 1) : place + 1]
    is_top_free = all(not (line.added or line.removed) for line in beside)
    return is_top_free and all(place_of(lower.lines, place, beside) is not None for lower in oracle.below)


def place_of(lines: List[Line], place: int, beside: Sequence[Line]) -> Optional[int]:
    """Where that is in a change below: between the same lines, or at the same end."""
    if not beside or any(line not in lines for line in beside):
        return 0 if not lines and not beside else None
    first = lines.index(beside[0])
    if len(beside) == 2:
        return first + 1 if lines[first + 1 : first + 2] == [beside[1]] else None
    if place == 0:
        return 0 if first == 0 else None
    return first + 1 if first + 1 == len(lines) else None


@pytest.mark.parametrize(("seed", "hooked"), [(1, False), (2, True)])
def test_no_line_changes_hands(project, seed, hooked):
    Day(project, seed, hooked).go_on(STEPS["git" if project.with_git else "no git"])
