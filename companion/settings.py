"""The settings: one typed, frozen object, declared in one table and read in one place.

Rules: the dataclass below *is* the table. A field has its default, its check, and what a project may do with it; its
description for users stands in `sublime-package.json`, its commented default in `Gemini Companion.sublime-settings`. A
wrong value never takes effect: the default stands in for it and a sentence says so. A project file may come from a
stranger, so it can neither choose what is run nor widen what clients see.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

FILE_NAME = "Gemini Companion.sublime-settings"
PROJECT_KEY = "gemini_companion"  # in a project's "settings"

Check = Callable[[Any], Optional[str]]  # what was expected, or None when the value is right


def boolean(value: Any) -> Optional[str]:
    return None if isinstance(value, bool) else "true or false"


def boolean_or_null(value: Any) -> Optional[str]:
    return None if value is None or isinstance(value, bool) else "null, true or false"


def integer(least: int, most: int) -> Check:
    def check(value: Any) -> Optional[str]:
        right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return None if right else "a whole number from {} to {}".format(least, most)

    return check


def one_of(*names: str) -> Check:
    def check(value: Any) -> Optional[str]:
        # The type first: an unhashable or a number must not be compared with the names by accident.
        right = isinstance(value, str) and value in names
        return None if right else "one of " + ", ".join('"{}"'.format(name) for name in names)

    return check


def strings(value: Any) -> Optional[str]:
    right = isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
    return None if right else "a list of strings"


def platform_commands(value: Any) -> Optional[str]:
    right = isinstance(value, Mapping) and all(
        isinstance(key, str) and strings(words) is None for key, words in value.items()
    )
    return None if right else 'an object of command lines, such as {"linux": ["xterm", "-e", "$command"]}'


Merge = Callable[[Any, Any], Any]  # the user's value and the project's, both right, to the one that holds


def replacing(user: Any, project: Any) -> Any:
    return project


def adding(user: Any, project: Any) -> Any:
    return (*user, *project)


def both(user: Any, project: Any) -> Any:
    return user and project


def _setting(default: Any, check: Check, merge: Optional[Merge] = replacing) -> Any:
    """`merge` is None for a setting that is the user's alone."""
    metadata = {"check": check, "merge": merge}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """Every setting with its default. Units are in the names. Safe to hand to any thread."""

    # Which clients are told where this editor is.
    publish_for_gemini: bool = _setting(True, boolean)
    publish_for_qwen: bool = _setting(True, boolean)
    workspace_fallback: str = _setting("version_control", one_of("version_control", "directory", "none"))
    export_terminal_environment: bool = _setting(True, boolean, None)
    gemini_command: Tuple[str, ...] = _setting(("gemini",), strings, None)
    qwen_command: Tuple[str, ...] = _setting(("qwen",), strings, None)
    terminal_commands: Mapping[str, Any] = _setting({}, platform_commands, None)

    # What they are told of the editor.
    share_selection: bool = _setting(True, boolean, both)
    context_exclude: Tuple[str, ...] = _setting(
        (
            ".env*",
            "*.env",
            "*.pem",
            "*.key",
            "*.p12",
            "*.pfx",
            "*.keystore",
            "*.jks",
            "*.kdbx",
            "id_rsa*",
            "id_dsa*",
            "id_ecdsa*",
            "id_ed25519*",
            ".ssh",
            ".gnupg",
            ".netrc",
            ".npmrc",
            ".pypirc",
            ".pgpass",
            ".htpasswd",
            ".git-credentials",
            "credentials",
            "credentials.*",
            "*.sublime_session",
        ),
        strings,
        adding,
    )
    context_maximum_files: int = _setting(10, integer(1, 100))
    context_maximum_selection: int = _setting(16384, integer(0, 1048576))
    workspace_trust: Optional[bool] = _setting(None, boolean_or_null, None)

    # The diff review.
    review_focus: str = _setting("auto", one_of("auto", "always", "never"))
    review_presentation: str = _setting("auto", one_of("auto", "side_by_side", "inline"))
    review_inline_below_columns: int = _setting(100, integer(20, 1000))
    review_maximum_bytes: int = _setting(2000000, integer(1000, 1000000000))
    review_maximum_lines: int = _setting(50000, integer(100, 10000000))

    # The server and how it shows itself.
    maximum_body_mebibytes: int = _setting(32, integer(1, 1024))
    show_status: bool = _setting(True, boolean)
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
            complaints.append('"{}" in {} should be an object of settings.'.format(PROJECT_KEY, layer_name))
            continue
        for name, entry in known.items():
            if name not in layer:
                continue
            value = layer[name]
            expected = entry.metadata["check"](value)
            merge = entry.metadata["merge"]
            if expected is not None:
                complaints.append('"{}" in {} should be {}.'.format(name, layer_name, expected))
            elif number == 0:
                values[name] = _frozen(value)
            elif merge is None:
                complaints.append('"{}" in {} is ignored: it is yours alone to set.'.format(name, layer_name))
            else:
                values[name] = merge(values.get(name, getattr(_DEFAULTS, name)), _frozen(value))
    return Reading(Settings(**values), complaints)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def defaults() -> Dict[str, Any]:
    """Every setting's default as JSON values, for the check that the shipped settings file agrees."""
    result: Dict[str, Any] = {}
    for entry in fields(Settings):
        value = getattr(_DEFAULTS, entry.name)
        result[entry.name] = list(value) if isinstance(value, tuple) else value
    return result


def project_layer(project_data: Any) -> Any:
    """What a window's project data says of the package, an object if it is right; empty for nothing. Any thread."""
    found = project_data.get("settings") if isinstance(project_data, Mapping) else None
    return found.get(PROJECT_KEY, {}) if isinstance(found, Mapping) else {}
