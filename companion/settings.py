"""The settings: one typed, frozen object, declared in one table and read in one place.

Rules: the dataclass below *is* the table. A field has a default, a check, and a rule for projects; its description for
users is in `sublime-package.json`, its commented default in `Gemini Companion.sublime-settings`. An invalid value is
replaced by the default and reported. A project file is not trusted, so it can only restrict: of two switches both must
be on, of two limits the smaller one holds, of two modes the more careful one, and exclusions add up. Only the user
decides what is run, trusted or logged. Only the display of a diff is free.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, fields
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .common.display_names import CLIENT_COLUMNS, columns, cut_middle, has_control_characters, shown
from .common.globs import problem as pattern_problem

FILE_NAME = "Gemini Companion.sublime-settings"
PROJECT_KEY = "gemini_companion"  # in a project's "settings"

# What a project may add to `context_exclude`: they are held against every open file on the main thread.
MOST_PROJECT_PATTERNS = 64
LONGEST_PROJECT_PATTERN = 128  # characters
_MOST_COMPLAINTS = 3  # of one list

Check = Callable[[Any], Optional[str]]  # what was expected, or None when the value is right


def boolean(value: Any) -> Optional[str]:
    return None if isinstance(value, bool) else "true or false"


def boolean_or_null(value: Any) -> Optional[str]:
    return None if value is None or isinstance(value, bool) else "null, true or false"


def integer(least: int, most: int) -> Check:
    def check(value: Any) -> Optional[str]:
        right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return None if right else f"a whole number from {least} to {most}"

    return check


def one_of(*names: str) -> Check:
    def check(value: Any) -> Optional[str]:
        return None if value in names else "one of " + ", ".join(f'"{name}"' for name in names)

    return check


def strings(value: Any) -> Optional[str]:
    right = isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
    return None if right else "a list of strings"


def platform_commands(value: Any) -> Optional[str]:
    right = isinstance(value, Mapping) and all(strings(words) is None for words in value.values())
    return None if right else 'an object of command lines, such as {"linux": ["xterm", "-e", "$command"]}'


def rows(value: Any) -> Optional[str]:
    return None if isinstance(value, (list, tuple)) else "a list of objects"


def commands(value: Any) -> Optional[str]:
    return None if isinstance(value, Mapping) else 'an object of command lines, such as {"Goose": ["goose", "session"]}'


def readable(text: str) -> str:
    """What a sentence quotes of a text that may hold anything."""
    return cut_middle(shown(text), 60)


def name_problem(name: Any) -> Optional[str]:
    """What is wrong with the name of a user's own program, as the end of a sentence. It is shown, typed and listed."""
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        return "its name should be a text without blanks at its ends"
    if shown(name) != name or columns(name) > CLIENT_COLUMNS:
        return f"its name should be one line of at most {CLIENT_COLUMNS} visible characters"
    return None


def words_problem(words: Any) -> Optional[str]:
    """The same for its command line."""
    if strings(words) is not None or not words or not words[0].strip():
        return 'its command should be a list of words, such as ["name", "--option"]'
    return "its command holds control characters" if any(map(has_control_characters, words)) else None


class Sifted(NamedTuple):
    """The entries of a list or an object that are right, and the end of a sentence for each other one (at most a
    few)."""

    right: Any
    complaints: List[str]


Sift = Callable[[Any, bool], Sifted]  # of the entries and whether a project says them


def sifted_commands(value: Mapping[str, Any], of_project: bool) -> Sifted:
    problems = {name: name_problem(name) or words_problem(words) for name, words in value.items()}
    right = {name: list(words) for name, words in value.items() if problems[name] is None}
    wrong = [f"leaves out “{readable(name)}”: {why}" for name, why in problems.items() if why is not None]
    return Sifted(right, a_few(wrong, "leaves out {} more entries"))


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


Merge = Callable[[Any, Any], Any]  # the user's value and the project's, both right, to the one that holds


smaller: Merge = min
both: Merge = min  # False is less than True
adding: Merge = operator.add  # both are tuples


def towards(*names: str) -> Merge:
    """Of two of these the one that comes later, as it is the more careful one."""

    def merge(user: Any, project: Any) -> Any:
        return max(user, project, key=names.index)

    return merge


def harmless(user: Any, project: Any) -> Any:
    """The project's, for what only changes how a diff is shown."""
    return project


def _setting(default: Any, check: Check, merge: Optional[Merge], sift: Optional[Sift] = None) -> Any:
    """`merge` is None for a setting that is the user's alone, `sift` for one that is right or wrong as a whole."""
    metadata = {"check": check, "merge": merge, "sift": sift}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


# From the most to the least: what a project asks for takes effect only towards the end.
FALLBACKS = ("version_control", "directory", "none")
TRACKING = ("always", "connected", "never")
UNFOCUSED = "unfocused"
REVIEWED = (AS_PROGRAM, ALWAYS_BEFORE) = ("as_program", "always")
IGNORED_WHITESPACE = ("all", "trailing", "none")

# The names of what commonly holds secrets.
SECRETS = tuple(
    ".env* *.env *.pem *.key *.p12 *.pfx *.keystore *.jks *.kdbx id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh .gnupg "
    ".netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials credentials credentials.* *.sublime_session".split()
)
RUN_COMMANDS = {
    "Antigravity CLI": ["agy"],
    "Amp": ["amp"],
    "Goose": ["goose", "session"],
    "Pi": ["pi"],
    "Cursor CLI": ["cursor-agent"],
    "Kiro CLI": ["kiro-cli"],
}


@dataclass(frozen=True)
class Settings:
    """Every setting with its default. Units are in the names. Safe to hand to any thread."""

    # Which clients are told where this editor is.
    publish_for_gemini: bool = _setting(True, boolean, both)
    publish_for_qwen: bool = _setting(True, boolean, both)
    publish_for_llxprt: bool = _setting(True, boolean, both)
    publish_for_claude: bool = _setting(True, boolean, both)
    publish_for_opencode: bool = _setting(True, boolean, both)
    publish_for_kilo: bool = _setting(True, boolean, both)
    publish_for_copilot: bool = _setting(True, boolean, both)
    publish_for_codex: bool = _setting(True, boolean, both)
    workspace_fallback: str = _setting("version_control", one_of(*FALLBACKS), towards(*FALLBACKS))
    export_terminal_environment: bool = _setting(True, boolean, None)
    gemini_command: Tuple[str, ...] = _setting(("gemini",), strings, None)
    qwen_command: Tuple[str, ...] = _setting(("qwen",), strings, None)
    llxprt_command: Tuple[str, ...] = _setting(("llxprt",), strings, None)
    claude_command: Tuple[str, ...] = _setting(("claude",), strings, None)
    opencode_command: Tuple[str, ...] = _setting(("opencode",), strings, None)
    kilo_command: Tuple[str, ...] = _setting(("kilo",), strings, None)
    copilot_command: Tuple[str, ...] = _setting(("copilot",), strings, None)
    codex_command: Tuple[str, ...] = _setting(("codex",), strings, None)
    agents: Tuple[Any, ...] = _setting((), rows, None)
    run_commands: Mapping[str, Sequence[str]] = _setting(RUN_COMMANDS, commands, None, sifted_commands)
    terminal_commands: Mapping[str, Any] = _setting({}, platform_commands, None)

    # What they are told of the editor.
    share_selection: bool = _setting(True, boolean, both)
    context_exclude: Tuple[str, ...] = _setting(SECRETS, strings, adding, sifted_patterns)
    context_maximum_files: int = _setting(10, integer(1, 100), smaller)
    context_maximum_selection: int = _setting(16384, integer(0, 1048576), smaller)
    workspace_trust: Optional[bool] = _setting(None, boolean_or_null, None)

    # What they write without asking.
    track_changes: str = _setting("connected", one_of(*TRACKING), towards(*TRACKING))

    notify: str = _setting("never", one_of(UNFOCUSED, "never"), None)

    # What the user sees before it is written.
    review_before_writing: str = _setting(AS_PROGRAM, one_of(*REVIEWED), towards(*REVIEWED))
    review_skip: Tuple[str, ...] = _setting((), strings, None, sifted_patterns)

    # The diff review.
    review_open: str = _setting("at_once", one_of("at_once", "on_request"), harmless)
    review_focus: str = _setting("auto", one_of("auto", "always", "never"), harmless)
    review_presentation: str = _setting("auto", one_of("auto", "side_by_side", "inline"), harmless)
    review_inline_below_columns: int = _setting(100, integer(20, 1000), harmless)
    review_marks: str = _setting("outline", one_of("outline", "fill"), harmless)
    review_colors: str = _setting("scheme", one_of("scheme", "blue_orange"), harmless)
    review_ignore_whitespace: str = _setting("none", one_of(*IGNORED_WHITESPACE), towards(*IGNORED_WHITESPACE))
    review_maximum_bytes: int = _setting(2000000, integer(1000, 1000000000), None)
    review_maximum_lines: int = _setting(50000, integer(100, 10000000), None)

    # The server and how it shows itself.
    maximum_body_mebibytes: int = _setting(32, integer(1, 1024), smaller)
    show_status: bool = _setting(True, boolean, both)
    log_level: str = _setting("info", one_of("debug", "info", "warning", "error"), None)


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
            expected = entry.metadata["check"](value)
            merge = entry.metadata["merge"]
            if expected is not None:
                complaints.append(f'"{name}" in {layer_name} should be {expected}.')
                continue
            if entry.metadata["sift"] is not None:
                value, wrong = entry.metadata["sift"](value, number > 0)
                complaints.extend(f'"{name}" in {layer_name} {each}.' for each in wrong)
            if number == 0:
                values[name] = _frozen(value)
            elif merge is None:
                complaints.append(f'"{name}" in {layer_name} is ignored: only your own settings can set it.')
            else:
                values[name] = merge(values.get(name, getattr(_DEFAULTS, name)), _frozen(value))
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
