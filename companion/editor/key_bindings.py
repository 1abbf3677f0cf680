"""Which keys the user has for commands of the package, as people write them.

The editor tells no package what a key is bound to, so its files are read: the package's own, then the user's, of which
the last word counts. Rule: a key that the user has given to another command everywhere is no key of ours.

Disk thread, but for `known`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Tuple

import sublime

PREFIX = "gemini_companion_"  # of the names of all commands
KeyNames = Mapping[str, str]  # by the command, without its prefix; no entry for one that has no key

_PLATFORMS = {"linux": "Linux", "osx": "OSX", "windows": "Windows"}
_MODIFIERS = {"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "super": "Super"}
_MAC_MODIFIERS = {"ctrl": "\u2303", "alt": "\u2325", "shift": "\u21e7", "super": "\u2318"}

Stroke = Tuple[FrozenSet[str], str]  # the modifiers, and the key


class KeyBindings:
    """The key bindings as they were read last, for all windows. Main thread."""

    known: KeyNames = MappingProxyType({})

    @classmethod
    def read(cls, use_disk: Callable[..., object], then: Callable[[], None]) -> None:
        """Read them by `use_disk`, and call `then` on the main thread if they are others."""

        def use(names: KeyNames) -> None:
            if names != cls.known:
                cls.known = names
                then()

        use_disk(lambda cancelled: key_names(), then=use)


def key_names() -> KeyNames:
    """The keys that each command of the package has now. Disk thread."""
    platform = sublime.platform()
    bound: Dict[Tuple[Stroke, ...], str] = {}
    for package, name in (
        ("Gemini Companion", "Default.sublime-keymap"),
        ("User", "Default.sublime-keymap"),
        ("User", f"Default ({_PLATFORMS[platform]}).sublime-keymap"),
    ):
        for keys, entry in _entries(f"Packages/{package}/{name}"):
            strokes = tuple(_stroke(key, platform == "osx") for key in keys)
            command = entry.get("command")
            if not isinstance(command, str):
                continue
            if command.startswith(PREFIX) and not entry.get("args"):
                bound.pop(strokes, None)
                bound[strokes] = command[len(PREFIX) :]
            elif not entry.get("context"):
                bound.pop(strokes, None)
    modifiers, between = (_MAC_MODIFIERS, "") if platform == "osx" else (_MODIFIERS, "+")

    def written(held: FrozenSet[str], key: str) -> str:
        return between.join([*(name for modifier, name in modifiers.items() if modifier in held), _key(key)])

    return {command: ", ".join(written(*each) for each in strokes) for strokes, command in bound.items()}


def _entries(resource: str) -> Iterator[Tuple[List[str], Dict[str, Any]]]:
    """The bindings of a file; none if there is no such file, or it cannot be read."""
    try:
        found: Any = sublime.decode_value(sublime.load_resource(resource))
    except (OSError, ValueError):
        return
    for entry in found if isinstance(found, list) else ():
        keys = entry.get("keys") if isinstance(entry, dict) else None
        if isinstance(keys, list) and keys and all(isinstance(key, str) and key for key in keys):
            yield keys, entry


def _stroke(text: str, on_mac: bool) -> Stroke:
    *modifiers, key = text.lower().split("+")
    if not key:  # the plus itself
        modifiers, key = [each for each in modifiers if each], "plus"
    names = {"primary": "super" if on_mac else "ctrl", "option": "alt", "command": "super", "control": "ctrl"}
    return frozenset(names.get(each, each) for each in modifiers), key


def _key(key: str) -> str:
    return key.upper() if len(key) == 1 or (key[0] == "f" and key[1:].isdigit()) else key.replace("_", " ").title()
