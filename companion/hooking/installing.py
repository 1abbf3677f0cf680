"""Our hooks in an agent's settings file: whether they are there, and what the file holds with them and without them.

A hook is ours if one of its command lines names a file in the folder of FILE, which `curl` reads. Rules: what others
have written stays byte by byte, wherever it stands; ours comes last in each list. What is empty once ours is gone goes,
too, if the command has made it, which is noted beside FILE. A file that is not understood is left alone.

The upper half is pure. What follows blocks on the disk: disk threads.
"""

from __future__ import annotations

import itertools
import json
import os
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..agents.hooks import HookDialect, Shell
from ..comparison import never
from ..endpoint.hook_answers import HookAnswers
from ..review.document import disk
from ..review.document.disk import COARSE_FACTOR, DiskError, Kind, Original, ReadLimits
from ..review.document.text import UTF_8, UTF_8_WITH_BOM, encode, usual_ending
from ..settings import Settings
from ..system import files
from ..system.platform import Platform
from ..terminals.installed import find_installed
from .json_text import JsonTextError, Node, appended, is_bare, parse, step_of_indentation, without

HOOKS = "hooks"
MOST_BYTES = 1 << 18
_LIMITS = ReadLimits(MOST_BYTES // COARSE_FACTOR, MOST_BYTES // COARSE_FACTOR)


class HookState(Enum):
    """The state of an agent's hooks."""

    HOOKED = "hooked"
    NOT_HOOKED = "not hooked"
    CHANGED = "changed by somebody else"
    NOT_UNDERSTOOD = "its settings cannot be understood"


class Installation(NamedTuple):
    """The hooks of one agent: the settings file in which they stand, the FILE that they name, and each of them with
    its event."""

    agent: Agent
    dialect: HookDialect
    path: str
    file: str
    definitions: Tuple[Tuple[str, Any], ...]
    manifest: str
    """A second file that is ours alone, which says what the first one is; "" if the agent needs none."""

    def is_ours(self, hook: Any) -> bool:
        """Whether a hook, or each one of a group, is ours."""
        if not isinstance(hook, dict):
            return False
        group = hook.get(HOOKS)
        if isinstance(group, list) and group:
            return all(map(self.is_ours, group))
        folder = self.file[: max(self.file.rfind("/"), self.file.rfind("\\")) + 1]
        spelled = {shell.quoted(each)[1:-1] for each in (folder, folder.replace("\\", "/")) for shell in Shell}
        return any(each in line for line in hook.values() if isinstance(line, str) for each in spelled)


class OwnParts(NamedTuple):
    """What the command has made: the file itself, its object `hooks`, and in that the lists of these events."""

    file: bool = False
    hooks: bool = False
    events: Tuple[str, ...] = ()


def state_of(text: str, wanted: Installation) -> HookState:
    """The state of the hooks in a file with this text. Raises `JsonTextError`."""
    found = [(event, container.items[index].node.value) for event, container, index in _ours(text, wanted)]
    if not found:
        return HookState.NOT_HOOKED
    return HookState.HOOKED if by_event(found) == by_event(wanted.definitions) else HookState.CHANGED


def with_hooks(text: Optional[str], wanted: Installation, made: OwnParts) -> Tuple[str, OwnParts]:
    """The text with ours instead of what is there of ours, and what has been `made` then. None: there is no file."""
    if text is None:
        lists = by_event(wanted.definitions)
        return _written({**wanted.dialect.other_members, HOOKS: lists}), OwnParts(True, True, tuple(lists))
    style = usual_ending(text), step_of_indentation(text)
    text = without_hooks(text, wanted, made)
    before = parse(text).member(HOOKS)
    events = [event for event in made.events if before is not None and before.node.member(event) is not None]
    for event, definition in wanted.definitions:
        root = parse(text)
        hooks = root.member(HOOKS)
        listed = hooks.node.member(event) if hooks is not None else None
        if hooks is None:
            text = appended(text, root, HOOKS, {event: [definition]}, *style)
        elif listed is None:
            text = appended(text, hooks.node, event, [definition], *style)
        else:
            text = appended(text, listed.node, None, definition, *style)
            continue
        events.append(event)
    return text, OwnParts(made.file, made.hooks or before is None, tuple(events))


def without_hooks(text: str, wanted: Installation, made: OwnParts) -> str:
    """The text without ours, nor what was `made` and is empty now. Raises `JsonTextError`."""
    while True:
        found = list(_ours(text, wanted))
        if not found:
            break
        _, container, index = found[-1]
        text = without(text, container, index)
    for event in reversed(made.events):
        hooks = parse(text).member(HOOKS)
        text = _without_bare(text, hooks.node, event) if hooks is not None else text
    return _without_bare(text, parse(text), HOOKS) if made.hooks else text


def _without_bare(text: str, container: Node, name: str) -> str:
    index = next((number for number, item in enumerate(container.items) if item.key == name), None)
    bare = index is not None and is_bare(text, container.items[index].node)
    return without(text, container, index) if index is not None and bare else text


def _ours(text: str, wanted: Installation) -> Iterator[Tuple[str, Node, int]]:
    """What is ours in the order of the text: its event, the list that it stands in, and its number there.

    Raises `JsonTextError`, also if others stand where ours could not be put beside them.
    """
    root = parse(text)
    if not isinstance(root.value, dict):
        raise JsonTextError("it holds no object")
    hooks = root.member(HOOKS)
    if hooks is None:
        return
    if not isinstance(hooks.node.value, dict):
        raise JsonTextError(f"“{HOOKS}” in it is no object")
    events = {event for event, _ in wanted.definitions}
    for listed in hooks.node.items:
        if not isinstance(listed.node.value, list):
            if listed.key in events:
                raise JsonTextError(f"“{listed.key}” in its “{HOOKS}” is no list")
            continue
        for index, item in enumerate(listed.node.items):
            group = item.node.member(HOOKS)
            if wanted.is_ours(item.node.value):
                yield str(listed.key), listed.node, index
            elif group is not None and isinstance(group.node.value, list):  # of somebody else's hooks, too
                for number, hook in enumerate(group.node.value):
                    if wanted.is_ours(hook):
                        yield str(listed.key), group.node, number


def by_event(hooks: Iterable[Tuple[str, Any]]) -> Dict[str, List[Any]]:
    """The hooks in lists, as settings have them."""
    lists: Dict[str, List[Any]] = {}
    for event, definition in hooks:
        lists.setdefault(event, []).append(definition)
    return lists


def snippet(wanted: Installation) -> str:
    """Return the text that the user can put into the file by hand."""
    return _written({HOOKS: by_event(wanted.definitions)})


def _written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# -- on the disk -------------------------------------------------------------------------------------------------------


class FoundHooks(NamedTuple):
    """An agent's hooks as they were found. `problem`: why they can be neither put there nor taken out, a sentence."""

    wanted: Installation
    state: HookState
    original: Original
    problem: str = ""


class Plan(NamedTuple):
    """What Accept does. `text` and `data` are what the file holds then; no `data` if it is removed, as the manifest
    is."""

    found: FoundHooks
    installs: bool
    text: str = ""
    data: Optional[bytes] = None
    made: OwnParts = OwnParts()

    @property
    def needless(self) -> bool:
        """Whether all is already as it would be."""
        return self.found.state is (HookState.HOOKED if self.installs else HookState.NOT_HOOKED)


def installations(
    agents: Sequence[Agent], answers: HookAnswers, platform: Platform
) -> List[Tuple[Installation, List[Agent]]]:
    """The agents that have hooks, each with all that share its settings file. Any thread."""
    found: Dict[str, Tuple[Installation, List[Agent]]] = {}
    for agent in agents:
        dialect = agent.hooks
        if dialect is not None:
            join = partial(platform.path.join, agent.configuration(platform))
            path, manifest = join(*dialect.below_home), dialect.manifest_below_home
            file = answers.file(agent)
            hooks = tuple((entry.event, dialect.definition(entry, file, platform)) for entry in dialect.entries())
            wanted = Installation(agent, dialect, path, file, hooks, join(*manifest) if manifest else "")
            found.setdefault(path, (wanted, []))[1].append(agent)
    return list(found.values())


def find_meant(
    found: Sequence[Tuple[Installation, List[Agent]]], settings: Settings, installs: bool, cancelled: Callable[[], bool]
) -> List[FoundHooks]:
    """Find the hooks that a command is about: to install, those of the agents on this machine; to remove, those that
    are installed, or whose file names our FILE anywhere. Disk thread."""
    names = {wanted.path: [agent.command(settings)[0] for agent in sharing] for wanted, sharing in found}
    all_names = itertools.chain.from_iterable(names.values())
    installed = find_installed(all_names, Platform.current(), cancelled) if installs else frozenset()

    def is_meant(each: FoundHooks) -> bool:
        if installs:
            return not installed.isdisjoint(names[each.wanted.path])
        is_known = each.state in (HookState.HOOKED, HookState.CHANGED)
        return is_known or each.wanted.is_ours({"": each.original.exact.replace("\\\\", "\\")})  # as JSON has it

    return list(filter(is_meant, (find(wanted) for wanted, _ in found)))


def find(wanted: Installation) -> FoundHooks:
    """Read the file of an agent's hooks and find their state. Never raises."""
    original, name = disk.read(wanted.path, _LIMITS), os.path.basename(wanted.path)
    beside = disk.read(wanted.manifest, _LIMITS) if wanted.manifest else original
    state, problem = HookState.NOT_UNDERSTOOD, ""
    if original.kind is Kind.HUGE:
        problem = f"{name} is too large to be looked through"
    elif original.kind not in (Kind.NEW, Kind.TEXT):
        problem = original.notice.rstrip(".")
    elif original.encoding not in (UTF_8, UTF_8_WITH_BOM):
        problem = f"{name} is not in UTF-8"
    elif beside is not original and beside.kind is not Kind.NEW and beside.exact != manifest_text(wanted):
        problem = f"{wanted.manifest} is somebody else's"
    else:
        try:
            state = state_of(original.exact, wanted) if original.kind is Kind.TEXT else HookState.NOT_HOOKED
        except JsonTextError as error:
            problem = f"{name} is left as it is: {error}"
        if (beside.kind is Kind.NEW) != (original.kind is Kind.NEW) and not problem:
            state = HookState.CHANGED
    return FoundHooks(wanted, state, original, f"{problem}." if problem else "")


def planned(wanted: Installation, installs: bool, cancelled: Callable[[], bool] = never) -> Plan:
    """Plan how to install or remove an agent's hooks, as its file is now. Never raises."""
    found = find(wanted)
    original, is_new = found.original, found.original.kind is Kind.NEW
    made = OwnParts() if found.state is HookState.NOT_HOOKED else _made(wanted)
    if wanted.dialect.is_own_file:
        made = OwnParts(True, True, tuple(by_event(wanted.definitions)))
    if found.problem or (is_new and not installs):
        return Plan(found, installs)
    if installs:
        text, made = with_hooks(None if is_new else original.exact, wanted, made)
    else:
        text = without_hooks(original.exact, wanted, made)
        if made.file and _holds_nothing(text, wanted) and not os.path.islink(wanted.path):
            return Plan(found, installs)
    return Plan(found, installs, text, encode(text, original.encoding), made)


def _holds_nothing(text: str, wanted: Installation) -> bool:
    """Whether a text holds nothing but what the command puts into a new file beside the hooks."""
    members, comments = wanted.dialect.other_members, "//" in text or "/*" in text
    return bool({**members, **parse(text).value} == members) and not comments


def carry_out(
    plan: Plan, answers: HookAnswers, unsaved: Iterable[str], storage: str, cancelled: Callable[[], bool] = never
) -> None:
    """Do it, if the file still is as it was found. Raises `DiskError`; the file is as it was then. `unsaved` are the
    files with unsaved edits in tabs."""
    wanted, original = plan.found.wanted, plan.found.original
    name = os.path.basename(wanted.path)
    if disk.same_files(wanted.path, unsaved):
        raise DiskError(f"{name} has unsaved edits in a tab: save or revert them, then accept again.")
    try:
        if plan.installs:
            answers.make(wanted.agent)  # first: an agent that is running may use its hooks at once
            _note(wanted, plan.made)
        if plan.data is not None:
            disk.write(original, plan.data, storage)
        else:
            _remove(original)
        if wanted.manifest:
            beside = disk.read(wanted.manifest, _LIMITS)
            if not plan.installs:
                _remove(beside)
            elif beside.kind is Kind.NEW:
                disk.write(beside, manifest_text(wanted).encode("ascii"), storage)
    except (OSError, DiskError) as error:
        if plan.installs and plan.found.state is HookState.NOT_HOOKED:
            answers.forget(wanted.agent)
        if isinstance(error, DiskError):
            raise
        raise DiskError(f"{name} was not changed: {error.strerror or error}.") from error
    if not plan.installs:
        for path in (wanted.path, wanted.manifest) if wanted.manifest else ():
            with suppress(OSError):  # others have put something there
                os.rmdir(os.path.dirname(path))
        files.remove(_note_path(wanted))
        answers.forget(wanted.agent)


def _remove(original: Original) -> None:
    """Remove a file that is what was read. Raises `ChangedError` and `OSError`."""
    if original.kind is not Kind.NEW:
        disk.holding(original.path, encode(original.exact, original.encoding))
        os.unlink(original.path)
        files.flush_folder(os.path.dirname(original.path))


def manifest_text(wanted: Installation) -> str:
    """Return the text of the second file."""
    return _written(wanted.dialect.manifest)


# -- what the command has made -----------------------------------------------------------------------------------------


def _note_path(wanted: Installation) -> str:
    return os.path.splitext(wanted.file)[0] + ".made"


def _note(wanted: Installation, made: OwnParts) -> None:
    files.write(_note_path(wanted), json.dumps([wanted.path, *made]).encode("ascii"))


def _made(wanted: Installation) -> OwnParts:
    """Return the note on this file, an empty one if there is none."""
    try:
        with files.opened(_note_path(wanted), os.O_RDONLY) as (descriptor, _):
            path, file, hooks, events = json.loads(files.read_all(descriptor, MOST_BYTES).decode("ascii"))
    except (OSError, ValueError, TypeError):
        return OwnParts()
    right = path == wanted.path and isinstance(events, list)
    return OwnParts(file is True, hooks is True, tuple(map(str, events))) if right else OwnParts()
