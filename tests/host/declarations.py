"""What packages declare in files: palette entries, menus and key bindings.

Every `.sublime-commands`, `.sublime-menu` and `.sublime-keymap` of every package is really parsed.
Rule: an entry that names a command nobody has is an error, recorded with its file; a key binding
for another platform than the one asked for is parsed, too, and left out.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, NamedTuple

from . import errors, lenient_json, resources

_KEYMAP_PLATFORMS = {"linux": "Linux", "osx": "OSX", "windows": "Windows"}


class Entry(NamedTuple):
    """One declared entry: its resource name and the JSON object as written."""

    resource: str
    value: Dict[str, Any]

    @property
    def command(self) -> str:
        return str(self.value.get("command", ""))

    @property
    def arguments(self) -> Dict[str, Any]:
        return dict(self.value.get("args") or {})


def palette_entries() -> List[Entry]:
    """The entries of all `*.sublime-commands`, in load order."""
    return [entry for name in resources.find_resources("*.sublime-commands") for entry in _entries(name)]


def key_bindings(platform: str = "linux") -> List[Entry]:
    """The bindings of all keymaps valid on `platform`, in load order: later ones win."""
    names = ("Default.sublime-keymap", f"Default ({_KEYMAP_PLATFORMS[platform]}).sublime-keymap")
    bindings: List[Entry] = []
    for name in resources.find_resources("*.sublime-keymap"):
        parsed = _entries(name)
        if name.rsplit("/", 1)[-1] in names:
            bindings.extend(parsed)
    return bindings


def menu_entries(file_name: str = "Main.sublime-menu") -> List[Entry]:
    """All items of the menus with this file name, submenus flattened, in load order."""
    return [
        item for name in resources.find_resources(file_name) for top in _entries(name) for item in _flatten(top)
    ]


def check_commands(package: str, exists: Callable[[str], bool]) -> List[str]:
    """Returns, and records, a sentence for every entry of `package` that names a missing command."""
    prefix = f"Packages/{package}/"
    entries = palette_entries()
    for keymap in resources.find_resources("*.sublime-keymap"):
        entries.extend(_entries(keymap))
    for menu in resources.find_resources("*.sublime-menu"):
        entries.extend(item for top in _entries(menu) for item in _flatten(top))
    problems = [
        f"{entry.resource}: there is no command {entry.command!r}"
        for entry in entries
        if entry.resource.startswith(prefix) and entry.command and not exists(entry.command)
    ]
    for problem in problems:
        errors.record("declarations", problem)
    return problems


def _flatten(item: Entry) -> Iterator[Entry]:
    yield item
    for child in item.value.get("children", []):
        yield from _flatten(Entry(item.resource, child))


def _entries(name: str) -> List[Entry]:
    try:
        value = lenient_json.loads(resources.load_resource(name), name)
    except lenient_json.LenientJsonError as error:
        errors.record("declarations", str(error))
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        errors.record("declarations", f"{name}: a list of objects was expected")
        return []
    return [Entry(name, item) for item in value]
