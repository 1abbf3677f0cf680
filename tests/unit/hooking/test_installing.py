"""Our hooks in programs' files: put there, found there, taken out again, byte by byte."""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from companion.agents.agent import Agent
from companion.agents.registry import AGENTS, agents_of
from companion.hooking import installing
from companion.hooking.installing import (
    HookState,
    Installation,
    OwnParts,
    carry_out,
    find,
    find_meant,
    installations,
    planned,
    snippet,
    state_of,
    with_hooks,
    without_hooks,
)
from companion.hooking.json_text import JsonTextError, parse
from companion.review.document.disk import ChangedError, DiskError, Kind
from companion.system.platform import LINUX, WINDOWS, Platform
from tests.support.programs import with_programs

BY_KEY: Dict[str, Agent] = {agent.key: agent for agent in AGENTS}
HOOKED = sorted(agent.key for agent in AGENTS if agent.hooks is not None)
SHARED_FILE = sorted(key for key in HOOKED if not BY_KEY[key].hooks.is_own_file)


class Files:
    """The FILEs of a test, in a folder whose name has what shells and JSON care about."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "Sublime 'Text' ü", "hooks")

    def file(self, agent: Agent) -> str:
        return os.path.join(self.folder, agent.key + ".conf")

    def make(self, agent: Agent) -> None:
        os.makedirs(self.folder, exist_ok=True)
        Path(self.file(agent)).write_text("address", encoding="utf-8")

    def forget(self, agent: Agent) -> None:
        with suppress(OSError):
            Path(self.file(agent)).write_text("nobody", encoding="utf-8")


class World:
    """A home without programs, and what is needed to connect them."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.files: Any = Files(str(folder))
        self.storage = str(folder / "storage")
        self.platform = Platform(LINUX, {}, str(self.home))

    def of(self, key: str, *more: Agent) -> Installation:
        ((wanted, _),) = installations([BY_KEY[key], *more], self.files, self.platform)
        return wanted

    def write(self, wanted: Installation, data: bytes) -> None:
        os.makedirs(os.path.dirname(wanted.path), exist_ok=True)
        Path(wanted.path).write_bytes(data)

    def accept(self, wanted: Installation, installs: bool) -> None:
        carry_out(planned(wanted, installs), self.files, frozenset(), self.storage)

    def everything(self) -> List[Tuple[str, bytes]]:
        """All files of the user."""
        return [(str(path), path.read_bytes()) for path in sorted(self.home.rglob("*")) if path.is_file()]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


# -- texts

OTHERS = '{"hooks": [{"type": "command", "command": "echo mine"}]}'
CRUEL = {
    "empty object": "{}",
    "empty object with a line end": "{}\n",
    "in lines": '{\n  "model": "x"\n}\n',
    "without a final line end": '{\n  "model": "x"\n}',
    "tabs": '{\n\t"model": "x",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
    "odd indentation": '{\n       "model": "x"}',
    "minified": '{"model":"x","env":{"A":"1"}}',
    "comments": '// top\n{ // open\n  "model": "x" /* one */, // "hooks": {}\n  // last\n} // end\n/* really */',
    "trailing commas": '{\n  "model": "x",\n  "hooks": {\n    "Stop": [\n      ' + OTHERS + ",\n    ],\n  },\n}\n",
    "CRLF": '{\r\n    "model": "x",\r\n    "hooks": {\r\n        "PreToolUse": [' + OTHERS + "]\r\n    }\r\n}\r\n",
    "mixed line ends": '{\r\n  "a": 1,\n  "b": 2\r\n}\n',
    "CR": '{\r  "a": 1\r}\r',
    "empty hooks": '{"hooks": {}}',
    "hooks with a comment alone": '{\n  "hooks": {\n    // none\n  }\n}',
    "empty list": '{\n  "hooks": {\n    "PreToolUse": [],\n    "Stop": [ ]\n  }\n}',
    "empty list in lines": '{\n  "hooks": {\n    "PreToolUse": [\n    ]\n  }\n}',
    "others": '{"hooks": {"PreToolUse": [' + OTHERS + ", " + OTHERS + '], "Other": [1, "x", null], "no list": true}}',
    "escapes": '{"\\u0061": "\\ud83d\\ude00 \\ud800", "https://x": "/* no */ // no"}',
    "blanks": '\n\n  {  \n\n  "a"  :  1  \n\n  }  \n\n',
}


@pytest.mark.parametrize("key", SHARED_FILE)
@pytest.mark.parametrize("name", CRUEL)
def test_connect_and_disconnect_give_the_very_text(world: World, key: str, name: str) -> None:
    wanted, before = world.of(key), CRUEL[name]
    assert state_of(before, wanted) is HookState.NOT_HOOKED
    connected, made = with_hooks(before, wanted, OwnParts())
    assert state_of(connected, wanted) is HookState.HOOKED
    assert with_hooks(connected, wanted, made) == (connected, made)
    assert without_hooks(connected, wanted, made) == before
    was = {**parse(before).value, "hooks": None}
    assert {**parse(connected).value, "hooks": None} == was
    for event, definition in wanted.definitions:
        assert definition in parse(connected).value["hooks"][event]
    for event, listed in (parse(before).value.get("hooks") or {}).items():
        now = parse(connected).value["hooks"][event]
        assert now[: len(listed)] == listed if isinstance(listed, list) else now == listed  # ours comes last


def test_what_is_edited_in_between_stays(world: World) -> None:
    """As another program does that reads and writes JSON: after us, before us, in our lists and in our groups."""
    wanted = world.of("claude")
    event = wanted.definitions[0][0]
    for name, before in CRUEL.items():
        text, made = with_hooks(before, wanted, OwnParts())
        edited = json.loads(json.dumps(parse(text).value))
        edited["added"] = {"by": ["somebody"]}
        edited["hooks"][event] = [{"matcher": "first"}, *edited["hooks"][event], {"matcher": "last"}]
        edited["hooks"][event][-2].setdefault("hooks", []).append({"type": "command", "command": "theirs"})
        rewritten = json.dumps(edited, indent=4)
        assert state_of(rewritten, wanted) is HookState.CHANGED, name
        left = parse(without_hooks(rewritten, wanted, made)).value
        assert left["added"] == {"by": ["somebody"]}
        assert "theirs" in json.dumps(left)
        assert [each for each in left["hooks"][event] if each.get("matcher") in ("first", "last")] == [
            {"matcher": "first"},
            {"matcher": "last"},
        ]
        assert wanted.file not in json.dumps(left, ensure_ascii=False)
        again, made = with_hooks(rewritten, wanted, made)
        assert parse(without_hooks(again, wanted, made)).value == left


def test_a_member_that_is_added_beside_ours_survives(world: World) -> None:
    """Of the file, and of its hooks: in front of each, with a comment, and behind it."""
    wanted = world.of("claude")
    text, made = with_hooks(CRUEL["in lines"], wanted, OwnParts())
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if re.match(r' {2,4}"', line)]
    assert len(places) > 5
    for number in places:
        added = "\n".join([*lines[:number], '"added": [1], // by somebody', *lines[number:]])
        left = without_hooks(added, wanted, made)
        assert '"added": [1]' in left
        assert " // by somebody\n" in left
        assert set(json.loads(left.replace(" // by somebody", "").replace("],\n  }", "]\n  }"))) <= {
            "model",
            "hooks",
            "added",
        }


@pytest.mark.parametrize("key", HOOKED)
def test_a_new_file_holds_ours_and_nothing_else(world: World, key: str) -> None:
    wanted = world.of(key)
    text, made = with_hooks(None, wanted, OwnParts())
    assert json.loads(text).keys() == {*wanted.dialect.other_members, "hooks"}
    assert state_of(text, wanted) is HookState.HOOKED
    assert made.file
    assert json.loads(snippet(wanted))["hooks"] == json.loads(text)["hooks"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "holds no object"),
        ('"x"', "holds no object"),
        ('{"hooks": []}', "“hooks” in it is no object"),
        ('{"hooks": null}', "“hooks” in it is no object"),
        ('{"hooks": {"PreToolUse": {}}}', "“PreToolUse” in its “hooks” is no list"),
        ('{"hooks": {}, "hooks": {}}', "repeats a name"),
        ("{'hooks': {}}", "line 1 is no JSON"),
        ("", "line 1 is no JSON"),
    ],
)
def test_what_is_not_understood_is_said(world: World, text: str, why: str) -> None:
    with pytest.raises(JsonTextError, match=why):
        state_of(text, world.of("claude"))


@pytest.mark.parametrize(
    "change",
    [
        lambda hooks: hooks["Stop"].pop(),
        lambda hooks: hooks["Stop"].append(hooks["Stop"][0]),
        lambda hooks: hooks["Stop"][0]["hooks"][0].update(timeout=6),
        lambda hooks: hooks["PreToolUse"].reverse(),
        lambda hooks: hooks.update(Elsewhere=[hooks["Stop"][0]]),
    ],
)
def test_ours_that_somebody_has_changed_is_known_and_put_right(world: World, change: Any) -> None:
    wanted = world.of("claude")
    text, made = with_hooks(CRUEL["in lines"], wanted, OwnParts())
    value = json.loads(text)
    change(value["hooks"])
    changed = json.dumps(value, indent=2)
    assert state_of(changed, wanted) is HookState.CHANGED
    right, made = with_hooks(changed, wanted, made)
    assert state_of(right, wanted) is HookState.HOOKED
    assert "hooks" not in json.loads(without_hooks(right, wanted, made)) or "Elsewhere" in json.loads(changed)["hooks"]


def test_the_hooks_of_another_editor_stay(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "home")
    theirs, _ = with_hooks("{}", other.of("claude"), OwnParts())
    wanted = world.of("claude")
    assert state_of(theirs, wanted) is HookState.NOT_HOOKED
    both, made = with_hooks(theirs, wanted, OwnParts())
    assert state_of(both, other.of("claude")) is HookState.HOOKED
    assert state_of(both, wanted) is HookState.HOOKED
    assert without_hooks(both, wanted, made) == theirs


def test_hooks_from_before_a_row_was_renamed_are_put_right(world: World) -> None:
    def row(name: str) -> Installation:
        settings = with_programs({name: {"command": ["x"], "dialect": "claude", "folder": "~/.x"}})
        found = installations(agents_of(settings), world.files, world.platform)
        return next(wanted for wanted, _ in found if wanted.agent.title == name)

    text, made = with_hooks("{}", row("Old Name"), OwnParts())
    assert state_of(text, row("New")) is HookState.CHANGED
    text, made = with_hooks(text, row("New"), made)
    assert state_of(text, row("New")) is HookState.HOOKED
    assert without_hooks(text, row("New"), made) == "{}"


def test_a_path_of_windows_is_known_again() -> None:
    class WindowsFiles(Files):
        def file(self, agent: Agent) -> str:
            return "C:\\Users\\O'Neil\\%OS% \u2019\\hooks\\" + agent.key + ".conf"

    files: Any = WindowsFiles("")
    platform = Platform(WINDOWS, {"USERPROFILE": "C:\\Users\\O'Neil"}, "C:\\")
    for wanted, _ in installations(AGENTS, files, platform):
        text, made = with_hooks('{"a": 1}', wanted, OwnParts())
        assert state_of(text, wanted) is HookState.HOOKED
        assert without_hooks(text, wanted, made) == '{"a": 1}'


# -- files


@pytest.mark.parametrize("key", HOOKED)
def test_what_connect_has_made_is_gone_after_disconnect(world: World, key: str) -> None:
    wanted = world.of(key)
    assert find(wanted).state is HookState.NOT_HOOKED
    world.accept(wanted, True)
    assert find(wanted).state is HookState.HOOKED
    assert planned(wanted, True).needless
    assert Path(wanted.file).read_text(encoding="utf-8") == "address"
    assert bool(wanted.manifest) == os.path.exists(wanted.manifest or "no such file")
    world.accept(wanted, False)
    assert world.everything() == []
    assert find(wanted).state is HookState.NOT_HOOKED
    assert os.listdir(world.files.folder) == [os.path.basename(wanted.file)]  # programs that are running read it
    assert Path(wanted.file).read_text(encoding="utf-8") == "nobody"
    if wanted.manifest:
        assert not os.path.exists(os.path.dirname(wanted.manifest))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", CRUEL)
def test_files_come_back_byte_by_byte(world: World, name: str, mark: bytes) -> None:
    wanted, data = world.of("claude"), mark + CRUEL[name].encode("utf-8")
    world.write(wanted, data)
    os.chmod(wanted.path, 0o640)
    world.accept(wanted, True)
    now = Path(wanted.path).read_bytes()
    assert now.startswith(mark)
    assert now != data
    assert find(wanted).state is HookState.HOOKED
    assert stat.S_IMODE(os.stat(wanted.path).st_mode) == 0o640
    world.accept(wanted, False)
    assert Path(wanted.path).read_bytes() == data
    assert stat.S_IMODE(os.stat(wanted.path).st_mode) == 0o640


def test_a_link_stays_a_link(world: World) -> None:
    wanted, target = world.of("claude"), world.home / "dotfiles.json"
    target.write_bytes(b'{"a": 1}\n')
    os.makedirs(os.path.dirname(wanted.path))
    os.symlink(target, wanted.path)
    world.accept(wanted, True)
    assert os.readlink(wanted.path) == str(target)
    assert wanted.file in target.read_text(encoding="utf-8").replace("'\\\\''", "'")
    world.accept(wanted, False)
    assert os.readlink(wanted.path) == str(target)
    assert target.read_bytes() == b'{"a": 1}\n'


def test_a_file_of_ours_that_has_become_a_link_is_not_removed(world: World) -> None:
    wanted, target = world.of("claude"), world.home / "dotfiles.json"
    world.accept(wanted, True)
    os.rename(wanted.path, target)
    os.symlink(target, wanted.path)
    world.accept(wanted, False)
    assert os.readlink(wanted.path) == str(target)
    assert json.loads(target.read_bytes()) == {}


@pytest.mark.parametrize("key", HOOKED)
def test_what_the_user_puts_into_a_file_of_ours_keeps_it(world: World, key: str) -> None:
    wanted = world.of(key)
    world.accept(wanted, True)
    text = Path(wanted.path).read_text(encoding="utf-8")
    world.write(wanted, ("// mine\n" + text).encode("utf-8"))
    assert find(wanted).state is HookState.HOOKED
    world.accept(wanted, False)
    left = Path(wanted.path).read_text(encoding="utf-8")
    assert left.startswith("// mine\n")
    assert parse(left).value == wanted.dialect.other_members


def test_an_empty_object_of_the_user_is_no_file_of_ours(world: World) -> None:
    wanted = world.of("claude")
    world.write(wanted, b"{}")
    world.accept(wanted, True)
    world.accept(wanted, False)
    assert Path(wanted.path).read_bytes() == b"{}"


def test_an_older_note_says_nothing_of_a_file_that_was_replaced(world: World) -> None:
    wanted, theirs = world.of("claude"), b'{"hooks": {"Stop": []}}'
    world.accept(wanted, True)
    world.write(wanted, theirs)
    world.accept(wanted, True)
    world.accept(wanted, False)
    assert Path(wanted.path).read_bytes() == theirs


@pytest.mark.parametrize("note", [b"", b"[]", b"{}", b"\xff", b'["x", true, true, ["Stop"]]', b"[1, 2, 3, 4]", b"3"])
def test_a_note_that_is_lost_takes_nothing_of_the_users_away(world: World, note: bytes) -> None:
    wanted = world.of("claude")
    world.write(wanted, b'{"hooks": {"Stop": []}, "a": 1}')
    world.accept(wanted, True)
    Path(os.path.splitext(wanted.file)[0] + ".made").write_bytes(note)
    world.accept(wanted, False)
    left = json.loads(Path(wanted.path).read_bytes())
    assert left.pop("a") == 1
    assert left["hooks"]["Stop"] == []
    assert set(map(str, left["hooks"].values())) == {"[]"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe{\x00}\x00", "is not in UTF-8"),
        (b'{"a": "\xfc"}', "is not in UTF-8"),
        (b'{"a": "\x00"}', "is a binary file"),
        (b"{" + b" " * installing.MOST_BYTES + b"}", "is too large"),
        (b"{" + b"\n" * installing.MOST_BYTES + b"}", "is too large"),
        (b"no", "line 1 is no JSON"),
        (b"", "line 1 is no JSON"),
        (b"{" * 100000, "is no JSON"),
        (b"[" * 100000, "is nested too deeply"),
        (b'{"hooks": {"Stop": "x"}}', "is no list"),
    ],
)
@pytest.mark.parametrize("installs", [True, False])
def test_a_file_that_is_not_understood_is_left_alone(world: World, data: bytes, why: str, installs: bool) -> None:
    wanted = world.of("claude")
    world.write(wanted, data)
    found = planned(wanted, installs).found
    assert found.state is HookState.NOT_UNDERSTOOD
    assert why in found.problem
    assert found.problem.count(".") == found.problem.count("settings.json") + 1
    assert "settings.json" in found.problem


def test_what_is_no_file_is_left_alone(world: World) -> None:
    wanted = world.of("claude")
    os.makedirs(wanted.path)
    assert find(wanted).problem == "settings.json is not a regular file."
    os.rmdir(wanted.path)
    os.symlink("nowhere", wanted.path)
    assert "does not exist" in find(wanted).problem


def test_a_manifest_of_somebody_else_is_left_alone(world: World) -> None:
    wanted = world.of("gemini")
    os.makedirs(os.path.dirname(wanted.manifest))
    Path(wanted.manifest).write_text('{"name": "gemini-companion", "version": "9"}', encoding="utf-8")
    before = world.everything()
    assert find(wanted).problem == f"{wanted.manifest} is somebody else's."
    assert world.everything() == before


def test_half_of_what_was_made_is_made_whole_or_removed(world: World) -> None:
    wanted = world.of("gemini")
    for installs in (True, False):
        for lost in (wanted.path, wanted.manifest):
            world.accept(wanted, True)
            os.unlink(lost)
            assert find(wanted).state is HookState.CHANGED
            world.accept(wanted, installs)
            assert find(wanted).state is (HookState.HOOKED if installs else HookState.NOT_HOOKED)
            assert installs or world.everything() == []


@pytest.mark.parametrize("installs", [True, False])
def test_a_file_that_has_changed_meanwhile_is_not_written(world: World, installs: bool) -> None:
    wanted = world.of("claude")
    world.write(wanted, b'{"a": 1}')
    if not installs:
        world.accept(wanted, True)
    shown = planned(wanted, installs)
    world.write(wanted, b'{"a": 2}')
    with pytest.raises(ChangedError):
        carry_out(shown, world.files, frozenset(), world.storage)
    assert Path(wanted.path).read_bytes() == b'{"a": 2}'
    assert Path(wanted.file).read_text(encoding="utf-8") == ("nobody" if installs else "address")


def test_a_file_of_ours_that_has_changed_meanwhile_is_not_removed(world: World) -> None:
    wanted = world.of("copilot")
    world.accept(wanted, True)
    shown = planned(wanted, False)
    assert shown.data is None
    world.write(wanted, b'{"version": 1, "hooks": {"mine": []}}')
    with pytest.raises(ChangedError):
        carry_out(shown, world.files, frozenset(), world.storage)
    assert b"mine" in Path(wanted.path).read_bytes()


def test_a_file_that_was_made_meanwhile_is_not_written(world: World) -> None:
    wanted = world.of("claude")
    shown = planned(wanted, True)
    world.write(wanted, b"{}")
    with pytest.raises(ChangedError):
        carry_out(shown, world.files, frozenset(), world.storage)
    assert Path(wanted.path).read_bytes() == b"{}"


def test_unsaved_edits_in_a_tab_are_not_written_over(world: World) -> None:
    wanted, link = world.of("claude"), world.home / "link.json"
    world.write(wanted, b"{}")
    os.symlink(wanted.path, link)
    with pytest.raises(DiskError, match="unsaved edits"):
        carry_out(planned(wanted, True), world.files, {str(link)}, world.storage)
    assert Path(wanted.path).read_bytes() == b"{}"


def test_without_a_file_of_ours_nothing_is_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(agent: Agent) -> None:
        raise OSError(28, "No space left on device")

    wanted = world.of("claude")
    monkeypatch.setattr(world.files, "make", fail)
    with pytest.raises(DiskError, match="settings.json was not changed: No space left on device"):
        world.accept(wanted, True)
    assert world.everything() == []
    assert find(wanted).original.kind is Kind.NEW


# -- which there are


def test_rows_of_the_user_have_hooks_by_their_dialect(world: World) -> None:
    own = {"command": ["own"], "dialect": "claude", "folder": "~/.own"}
    settings = with_programs({"Own": own, "Same": {"command": ["same"], "dialect": "claude"}})
    found = installations(agents_of(settings), world.files, world.platform)
    by_path = {wanted.path: [agent.title for agent in sharing] for wanted, sharing in found}
    assert by_path[str(world.home / ".own" / "settings.json")] == ["Own"]
    assert by_path[str(world.home / ".claude" / "settings.json")] == ["Claude Code", "Same"]
    assert len({wanted.file for wanted, _ in found}) == len(found)


@pytest.mark.parametrize("key", SHARED_FILE)
def test_installed_agents_are_offered_to_hook_and_hooked_ones_to_unhook(
    world: World, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """One of those that share a settings file is enough."""

    def listed(installs: bool) -> List[str]:
        return [each.wanted.agent.key for each in find_meant(found, settings, installs, lambda: False)]

    settings = with_programs({"Own": {"command": ["own", "run"], "dialect": "claude"}})
    found = installations(agents_of(settings), world.files, world.platform)
    program = {"claude": "own"}.get(key, BY_KEY[key].command(settings)[0])
    asked: List[Any] = []

    def find(names: Any, *_: Any) -> Any:
        asked.extend(names)
        return frozenset({program})

    monkeypatch.setattr(installing, "find_installed", find)
    assert listed(installs=False) == []
    assert asked == []
    assert listed(installs=True) == [key]
    assert {"claude", "own", "gemini"} <= set(asked)
    wanted = world.of(key)
    world.accept(wanted, installs=True)
    assert listed(installs=False) == [key]
    world.write(wanted, Path(wanted.path).read_bytes()[:-9])  # not understood, and it names our FILE all the same
    assert listed(installs=False) == [key]
    world.write(wanted, b"{}")
    assert listed(installs=False) == []
