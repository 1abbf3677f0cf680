"""Checks what a package declares in files: palette entries, menus and key bindings, for every platform.

The model runs them (see `model/keymap.py` and `model/menus.py`), but only those of this platform and only
when somebody asks for them. Here each file of a package is read, used or not.
Rule: an entry that names an unknown command is an error, recorded with its file.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Tuple

from . import errors, lenient_json, resources

PATTERNS = ("*.sublime-commands", "*.sublime-keymap", "*.sublime-mousemap", "*.sublime-menu")


def check_commands(package: str, exists: Callable[[str], bool]) -> List[str]:
    """Returns, and records, a sentence for every entry of `package` that is broken or names a missing command."""
    prefix = f"Packages/{package}/"
    problems: List[str] = []
    for pattern in PATTERNS:
        for name in resources.find_resources(pattern):
            if name.startswith(prefix):
                problems.extend(_problems_of(name, exists))
    for problem in problems:
        errors.record("declarations", problem)
    return problems


def _problems_of(name: str, exists: Callable[[str], bool]) -> Iterator[str]:
    try:
        value = lenient_json.loads(resources.load_resource(name), name)
    except lenient_json.LenientJsonError as error:
        yield str(error)
        return
    for is_entry, entry in _entries(value):
        if not is_entry:
            yield f"{name}: a list of objects was expected, not {entry!r}"
        elif "command" in entry and not exists(entry["command"]):
            yield f"{name}: there is no command {entry['command']!r}"
        elif not isinstance(entry.get("args") or {}, dict):
            yield f"{name}: the args of {entry['command']!r} are not an object"


def _entries(value: Any) -> Iterator[Tuple[bool, Dict[str, Any]]]:
    """Every entry, those of submenus too; (False, what was found) where there is none."""
    if not isinstance(value, list):
        yield False, value
        return
    for item in value:
        yield isinstance(item, dict), item
        if isinstance(item, dict) and "children" in item:
            yield from _entries(item["children"])
