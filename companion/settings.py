"""The settings: one typed, frozen object, declared in one table and read in one place.

Rules: the dataclass below *is* the table. A field has a default, a check, a rule for projects and a text for users, of
which `tests/tools/generate.py` makes the file of defaults, its schema and the table in `docs/`. An invalid value
is replaced by the default and reported. A project file is not trusted, so it can only restrict: of two switches both
must be on, of two modes the more careful one, and exclusions add up. Only the user decides what is run or trusted. Only
the display of a diff is free.
"""

from __future__ import annotations

import operator
import os
import re
from dataclasses import dataclass, field, fields
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .common.display_names import CLIENT_COLUMNS, columns, cut_middle, has_control_characters, shown
from .common.globs import problem as pattern_problem

FILE_NAME = "Gemini Companion.sublime-settings"
PROJECT_KEY = "gemini_companion"  # in a project's "settings"

# What a project may add to `context_exclude`: they are held against every open file on the main thread.
MOST_PROJECT_PATTERNS = 64
LONGEST_PROJECT_PATTERN = 128  # characters
_MOST_COMPLAINTS = 3  # of one list


class ValueCheck(NamedTuple):
    """Which values are right: in words, as a JSON schema, and as a function."""

    expected: str
    schema: Mapping[str, Any]
    is_right: Callable[[Any], bool]


def integer(least: int, most: int) -> ValueCheck:
    return ValueCheck(
        f"a whole number from {least} to {most}",
        {"type": "integer", "minimum": least, "maximum": most},
        lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most,
    )


def one_of(*names: str) -> ValueCheck:
    expected = "one of " + ", ".join(f'"{name}"' for name in names)
    return ValueCheck(expected, {"enum": list(names)}, lambda value: isinstance(value, str) and value in names)


def are_strings(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


boolean = ValueCheck("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool))
boolean_or_null = ValueCheck(
    "null, true or false", {"type": ["boolean", "null"]}, lambda value: value is None or isinstance(value, bool)
)
strings = ValueCheck("a list of strings", {"type": "array", "items": {"type": "string"}}, are_strings)
platform_commands = ValueCheck(
    'an object of command lines, such as {"linux": ["xterm", "-e", "$command"]}',
    {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
    lambda value: isinstance(value, Mapping) and all(map(are_strings, value.values())),
)
program_rows = ValueCheck(
    'an object of objects, such as {"codex": {"enabled": false}}',
    {"type": "object"},
    lambda value: isinstance(value, Mapping),
)

remote_rows = ValueCheck(
    'an object of objects, such as {"web": {"command": ["ssh", "-T", "web"], "folders": {"/srv/app": null}}}',
    {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                "folders": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
                "any_user": {"type": "boolean"},
            },
            "required": ["command", "folders"],
            "additionalProperties": False,
        },
    },
    lambda value: isinstance(value, Mapping),
)


def readable(text: str) -> str:
    """Quote the beginning of a text that may hold anything."""
    return cut_middle(shown(text), 60)


class Sifted(NamedTuple):
    """The entries of a list or an object that are right, and the end of a sentence for each other one (at most a
    few)."""

    right: Any
    complaints: List[str]


Sift = Callable[[Any, bool], Sifted]  # of the entries and whether a project says them


class ProgramRow(NamedTuple):
    """The user's entry for one agent, which the package knows or which is their own."""

    name: str
    """The key as the user spells it, which is the name of an agent of their own."""
    enabled: bool = True
    command: Tuple[str, ...] = ()
    dialect: str = ""
    folder: str = ""


def program_key(name: str) -> str:
    """Return a key that is equal for two spellings of a name: neither case nor signs count."""
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def sifted_programs(value: Mapping[str, Any], of_project: bool) -> Sifted:
    """The rows by their keys. One that is wrong is left out, but for that it is disabled."""
    right: Dict[str, ProgramRow] = {}
    wrong: List[str] = []
    for name, row in value.items():
        if of_project and row != {"enabled": False}:
            wrong.append(f'may say nothing of “{readable(name)}” but "enabled": false')
            continue
        key = program_key(name)
        why = _name_problem(name) or _row_problem(row)
        if why is None and key in right:
            why = f"“{right[key].name}” stands for the same agent"
        if why is None:
            right[key] = ProgramRow(name, **{**row, "command": tuple(row.get("command", ()))})
            continue
        wrong.append(f"is wrong for “{readable(name)}”: {why}")
        if isinstance(row, Mapping) and row.get("enabled") is False:
            right[key] = right.get(key, ProgramRow(name))._replace(enabled=False)
    return Sifted(right, a_few(wrong, "is wrong for {} more agents"))


def _name_problem(name: str) -> Optional[str]:
    """Say what is wrong with the name of an agent, as the end of a sentence. The name is shown, typed and listed."""
    if name != name.strip():
        return "its name should have no blanks at its ends"
    if shown(name) != name or columns(name) > CLIENT_COLUMNS:
        return f"its name should be one line of at most {CLIENT_COLUMNS} visible characters"
    return None if program_key(name) else "its name should have a letter or a digit"


def _row_problem(row: Any) -> Optional[str]:
    """Say what is wrong with the entry of an agent, as the end of a sentence."""
    if not isinstance(row, Mapping):
        return 'it should be an object, such as {"command": ["name", "--option"]}'
    unknown = sorted(set(row) - set(ProgramRow._fields[1:]))
    if unknown:
        return f"it has an unknown entry “{readable(unknown[0])}”"
    if not isinstance(row.get("enabled", True), bool):
        return "its “enabled” should be true or false"
    words = row.get("command", ["-"])
    if not are_strings(words) or not words or not words[0].strip():
        return 'its “command” should be a list of words, such as ["name", "--option"]'
    texts = [row.get("dialect", ""), row.get("folder", "")]
    if not are_strings(texts):
        return "its “dialect” and its “folder” should be texts"
    return "it has control characters" if any(map(has_control_characters, [*words, *texts])) else None


class RemoteRow(NamedTuple):
    """The user's entry for one machine, or container, on which agents run."""

    name: str
    command: Tuple[str, ...]
    folders: Mapping[str, str]
    """By the names that they have there: those that they have here, "" where the editor does not see them."""
    any_user: bool = False


def sifted_remotes(value: Mapping[str, Any], of_project: bool) -> Sifted:
    """The rows by their names. One that is wrong is left out."""
    right: Dict[str, RemoteRow] = {}
    wrong: List[str] = []
    for name, row in value.items():
        why = _name_problem(name) or _remote_problem(row)
        if why is not None:
            wrong.append(f"is wrong for “{readable(name)}”: {why}")
            continue
        folders = {remote: local or "" for remote, local in row["folders"].items()}
        right[name] = RemoteRow(name, tuple(row["command"]), folders, row.get("any_user", False))
    return Sifted(right, a_few(wrong, "is wrong for {} more remotes"))


def _is_plain(folder: str) -> bool:
    """Whether it names one folder of this machine in full."""
    folder = os.path.expanduser(folder)
    return os.path.isabs(folder) and ".." not in re.split(r"[/\\]", folder) and not has_control_characters(folder)


def _remote_problem(row: Any) -> Optional[str]:
    """Say what is wrong with the entry of a remote, as the end of a sentence."""
    if not isinstance(row, Mapping) or set(row) - set(RemoteRow._fields[1:]):
        return "it should be an object with a “command” and “folders”, and nothing else but “any_user”"
    words = row.get("command")
    if not are_strings(words) or not words or not words[0].strip() or any(map(has_control_characters, words)):
        return 'its “command” should be a list of words, such as ["ssh", "-T", "host"]'
    folders = row.get("folders")
    if not isinstance(folders, Mapping) or not folders:
        return 'its “folders” should be an object, such as {"/srv/app": "~/mnt/app"}'
    if not are_strings([local for local in folders.values() if local is not None]):
        return "its “folders” should be texts, or null where the editor does not see a folder"
    if not all(_is_plain(local) for local in folders.values() if local):
        return "its “folders” should be named in full on this side, such as “~/mnt/app”, without “..”"
    if not all(re.match(r"/[^/\0]", each) and ".." not in each.split("/") for each in folders):
        return "its “folders” should be named as on the other side, from / on"
    return None if isinstance(row.get("any_user", False), bool) else "its “any_user” should be true or false"


def sifted_patterns(value: Sequence[str], of_project: bool) -> Sifted:
    considered = value[:MOST_PROJECT_PATTERNS] if of_project else value
    problems = [(pattern, _pattern_problem(pattern, of_project)) for pattern in considered]
    wrong = [f'has an invalid pattern, "{readable(pattern)}": {shown(why)}' for pattern, why in problems if why]
    complaints = a_few(wrong, "has {} more invalid patterns")
    if len(value) > len(considered):
        complaints.append(
            f"may have at most {MOST_PROJECT_PATTERNS} patterns: the last {len(value) - len(considered)} are ignored"
        )
    return Sifted([pattern for pattern, why in problems if not why], complaints)


def _pattern_problem(pattern: str, of_project: bool) -> Optional[str]:
    if of_project and len(pattern) > LONGEST_PROJECT_PATTERN:
        return f"a project's pattern may have at most {LONGEST_PROJECT_PATTERN} characters"
    return pattern_problem(pattern)


def a_few(complaints: List[str], more: str) -> List[str]:
    """The first of the complaints, and behind them `more` with the number of the others."""
    left = len(complaints) - _MOST_COMPLAINTS
    return [*complaints[:_MOST_COMPLAINTS], more.format(left)] if left > 0 else complaints


class Merge(NamedTuple):
    """What a project's value does to the user's, both right: as a function, and in a sentence for users."""

    of: Callable[[Any, Any], Any]
    about: str


both = Merge(min, "It is off if you or the project switches it off.")  # False is less than True
adding = Merge(
    operator.add,  # both are tuples
    f"A project's are added to yours: at most {MOST_PROJECT_PATTERNS} patterns of {LONGEST_PROJECT_PATTERN} "
    "characters.",
)
disabling = Merge(
    lambda user, project: {
        **user,
        **{key: user.get(key, row)._replace(enabled=False) for key, row in project.items()},
    },
    'A project can only say `"enabled": false`.',
)
harmless = Merge(lambda user, project: project, "A project can choose it.")


def towards(*names: str) -> Merge:
    """Of two of these the one that comes later, as it is the more careful one."""
    about = f'A project\'s value counts only if it is nearer to `"{names[-1]}"`.'
    return Merge(lambda user, project: max(user, project, key=names.index), about)


def _setting(default: Any, check: ValueCheck, merge: Optional[Merge] = None, sift: Optional[Sift] = None) -> Any:
    """Without a `merge` it is the user's alone, without a `sift` it is right or wrong as a whole."""
    metadata = {"check": check, "merge": merge, "sift": sift}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


# From the most to the least: what a project asks for takes effect only towards the end.
FALLBACKS = ("version_control", "directory", "none")
TRACKING = ("always", "connected", "never")
UNFOCUSED = "unfocused"
REVIEWED = (AS_AGENT, ALWAYS_BEFORE) = ("as_agent", "always")
IGNORED_WHITESPACE = ("all", "trailing", "none")
SIDE_BY_SIDE, INLINE = "side_by_side", "inline"
_COLUMNS = integer(20, 1000)
_PRESENTATIONS = one_of(SIDE_BY_SIDE, INLINE)
PRESENTATION = ValueCheck(
    f"{_PRESENTATIONS.expected}, or {_COLUMNS.expected}",
    {"anyOf": [_PRESENTATIONS.schema, _COLUMNS.schema]},
    lambda value: _PRESENTATIONS.is_right(value) or _COLUMNS.is_right(value),
)

# The names of what commonly holds secrets.
SECRETS = tuple(
    ".env* *.env *.pem *.key *.p12 *.pfx *.keystore *.jks *.kdbx id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh .gnupg "
    ".netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials credentials credentials.* *.sublime_session".split()
)


@dataclass(frozen=True)
class Settings:
    """Every setting with its default and, in Markdown, what users are told of it. Safe to hand to any thread."""

    # Which agents there are, and how they find this editor.
    programs: Mapping[str, ProgramRow] = _setting({}, program_rows, disabling, sifted_programs)
    """What you want otherwise of an agent, by its key ({keys}). `enabled`: `false` for one that must not find this
    editor; *Run Agent…* leaves it out. `command`: the words that start it; the first may have `~` and environment
    variables. Any other key is an [agent of your own](programs.md#agents-of-your-own), which needs a `command`. If it
    connects as a known agent does, it has the key of that one as its `dialect`, and maybe a `folder` in which it looks
    for editors. Example: `{"codex": {"enabled": false}, "gemini": {"command": ["npx", "gemini"]}}`."""
    workspace_fallback: str = _setting("version_control", one_of(*FALLBACKS), towards(*FALLBACKS))
    """The workspace of a window without folders and without a project: the version-controlled folder that holds the
    active file, else the folder of that file (`"version_control"`); always the folder of that file (`"directory"`); or
    none (`"none"`): then no agent finds the window."""
    terminal_commands: Mapping[str, Any] = _setting({}, platform_commands)
    """How to open a system terminal, by platform (`"linux"`, `"osx"`, `"windows"`), as a list of words. `$command`
    stands for the command line to run, `$folder` for the folder to run it in. In the first word `~` and environment
    variables can be used. Without an entry, the platform's usual terminal is opened."""

    remotes: Mapping[str, RemoteRow] = _setting({}, remote_rows, None, sifted_remotes)
    """Where else [agents run](remote.md), by a name that you choose. `command`: the words behind which a shell is
    started there, such as `["ssh", "-T", "host"]` or `["docker", "exec", "-i", "name"]`. `folders`: the project's
    folders by the names that they have there, each with the one that it has here, or `null` if the editor does not see
    it. `any_user`: `true` where programs may connect although the system does not tell whose they are."""

    # What agents are told of the editor.
    share_selection: bool = _setting(True, boolean, both)
    """Whether agents see the selected text. The file and the position of the cursor are shared anyway."""
    context_exclude: Tuple[str, ...] = _setting(SECRETS, strings, adding, sifted_patterns)
    """Files that agents are never told about: patterns (`*`, `?`, `[a-z]`, `[!a-z]`) for a name or, with a slash, for a
    path. The status bar names an invalid pattern; the others still work."""
    workspace_trust: Optional[bool] = _setting(None, boolean_or_null)
    """Whether agents are told that the folder is trusted (`true`) or is not (`false`). `null` leaves the decision to
    them."""

    # What agents write.
    track_changes: str = _setting("connected", one_of(*TRACKING), towards(*TRACKING))
    """When [files that agents change without asking](unreviewed-changes.md) are listed: while an agent is connected or
    was started from here (`"connected"`), `"always"`, or `"never"`."""
    notify: str = _setting("never", one_of("never", UNFOCUSED))
    """Whether the system says so when a [hooked](programs.md#hooks) agent waits for you: `"never"`, or `"unfocused"`,
    while no tab of the editor has the focus."""
    hold_turns: bool = _setting(False, boolean)
    """Whether a [hooked](programs.md#hooks) agent waits at the end of its turn, for five minutes at most, while
    something is to be reviewed: *Send Review* lets it go on with your comments. The turn ends if you type a prompt, or
    nothing is left. Escape ends it, too, but Gemini CLI and Copilot CLI do not tell of that: send no review then. Not
    with Qwen Code."""
    review_before_writing: str = _setting(AS_AGENT, one_of(*REVIEWED), towards(*REVIEWED))
    """What you see before an agent writes it: what the agent asks about (`"as_agent"`), or [every
    write](programs.md#every-write-before-it-happens) of a hooked agent (`"always"`)."""
    review_skip: Tuple[str, ...] = _setting((), strings, None, sifted_patterns)
    """Files that `"always"` leaves out: an agent writes them as it likes. Patterns as in `context_exclude`, of names
    (`*.lock`) or of paths below a folder of the window (`docs/**`). What counts is where a file really is."""

    # How a diff is reviewed.
    review_open: str = _setting("at_once", one_of("at_once", "on_request"), harmless)
    """When a diff opens: `"at_once"`, or `"on_request"`, once you choose it in *Show Pending Diffs*. Until then the
    status bar counts it."""
    review_focus: str = _setting("auto", one_of("auto", "always", "never"), harmless)
    """Whether a diff that opens, or a file that an agent opens, gets the focus: `"always"`, `"never"`, or `"auto"`,
    which leaves the focus to a terminal, another window or another diff that has it."""
    review_presentation: Union[str, int] = _setting(100, PRESENTATION, harmless)
    """How a diff opens: `"side_by_side"`, `"inline"`, or a number: inline where there are fewer columns than that, and
    side by side elsewhere. An open diff stays as it is."""
    review_marks: str = _setting("outline", one_of("outline", "fill"), harmless)
    """How changed lines are marked: `"outline"` draws a line around them, so that they keep their syntax colors;
    `"fill"` gives them the backgrounds that the color scheme has for diffs, on which the editor draws text in one
    color."""
    review_colors: str = _setting("scheme", one_of("scheme", "blue_orange"), harmless)
    """The colors of the marks: green and red as the color scheme has them (`"scheme"`), or `"blue_orange"`, with which
    changed characters of the text are underlined."""
    review_fold: bool = _setting(True, boolean, harmless)
    """Whether a diff of more than 60 lines opens with its unchanged lines folded, but for three around each change.
    *Fold Unchanged Lines / Show Unchanged Lines* decides for one diff."""
    review_ignore_whitespace: str = _setting("none", one_of(*IGNORED_WHITESPACE), towards(*IGNORED_WHITESPACE))
    """Changes of whitespace that are not marked: `"none"`, those at the ends of lines (`"trailing"`), or those anywhere
    inside lines, indentation too (`"all"`). They stay part of the proposal: the header says how many are hidden, and
    shows them at a click."""


_DEFAULTS = Settings()


class Reading(NamedTuple):
    """The settings as far as they are right, and a sentence for each one that is not."""

    settings: Settings
    complaints: List[str]


def read(layers: List[Tuple[str, Any]]) -> Reading:
    """Check and merge the user's layer and, behind it, a project's, each with the name by which a complaint calls it.

    Any thread.
    """
    known = {entry.name: entry for entry in fields(Settings)}
    values: Dict[str, Any] = {}
    complaints: List[str] = []
    for number, (layer_name, layer) in enumerate(layers):
        if not isinstance(layer, Mapping):
            complaints.append(f'"{PROJECT_KEY}" in {layer_name} should be an object of settings.')
            continue
        for name, entry in known.items():
            if name not in layer:
                continue
            value = layer[name]
            check, merge = entry.metadata["check"], entry.metadata["merge"]
            if not check.is_right(value):
                complaints.append(f'"{name}" in {layer_name} should be {check.expected}.')
                continue
            if entry.metadata["sift"] is not None:
                value, wrong = entry.metadata["sift"](value, number > 0)
                complaints.extend(f'"{name}" in {layer_name} {each}.' for each in wrong)
            if number == 0:
                values[name] = _frozen(value)
            elif merge is None:
                complaints.append(f'"{name}" in {layer_name} is ignored: only your own settings can set it.')
            else:
                values[name] = merge.of(values.get(name, getattr(_DEFAULTS, name)), _frozen(value))
    return Reading(Settings(**values), complaints)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def project_settings(project_data: Any) -> Mapping[str, Any]:
    """The settings that a window's project data says; its windows and views inherit them. Any thread."""
    found = project_data.get("settings") if isinstance(project_data, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def project_layer(project_data: Any) -> Any:
    """What it says of the package, an object if it is right; empty for nothing. Any thread."""
    return project_settings(project_data).get(PROJECT_KEY, {})
