"""The few key bindings and menus of the editor itself that the model knows, in our own words."""

from __future__ import annotations

from typing import Any, Dict, List

_OVERLAY = [{"key": "overlay_visible"}]
_INPUT = [{"key": "panel", "operand": "input"}, {"key": "panel_has_focus"}]


def _key(keys: str, command: str, args: Any = None, context: Any = None) -> Dict[str, Any]:
    return {"keys": keys.split(" "), "command": command, "args": args or {}, "context": context or []}


BINDINGS: List[Dict[str, Any]] = [
    _key("enter", "insert", {"characters": "\n"}),
    _key("tab", "insert", {"characters": "\t"}),
    _key("backspace", "left_delete"),
    _key("delete", "right_delete"),
    _key("ctrl+s", "save", {"async": True}),
    _key("ctrl+w", "close"),
    _key("ctrl+f4", "close_file"),
    _key("close", "close"),
    _key("save", "save"),
    _key("ctrl+shift+p", "show_overlay", {"overlay": "command_palette"}),
    _key("ctrl+shift+t", "reopen_last_file"),
    _key("ctrl+q", "exit"),
    _key("ctrl+z", "undo"),
    _key("ctrl+shift+z", "redo"),
    _key("ctrl+v", "paste"),
    _key("escape", "cancel"),
]
for _name, _by, _forward in (
    ("left", "characters", False),
    ("right", "characters", True),
    ("up", "lines", False),
    ("down", "lines", True),
):
    BINDINGS.append(_key(_name, "move", {"by": _by, "forward": _forward}))
    BINDINGS.append(_key("shift+" + _name, "move", {"by": _by, "forward": _forward, "extend": True}))
BINDINGS += [
    _key("up", "host_overlay", {"do": "up"}, _OVERLAY),
    _key("down", "host_overlay", {"do": "down"}, _OVERLAY),
    _key("enter", "host_overlay", {"do": "choose"}, _OVERLAY),
    _key("escape", "hide_overlay", None, _OVERLAY),
    _key("enter", "host_input_panel", {"accept": True}, _INPUT),
    _key("escape", "hide_panel", {"cancel": True}, _INPUT),
]

SIDE_BAR_MENU: List[Dict[str, Any]] = [
    {"caption": "Rename", "command": "rename_path", "args": {"paths": []}},
    {"caption": "Delete File", "command": "delete_file", "args": {"files": []}},
    {"caption": "Delete Folder", "command": "delete_folder", "args": {"dirs": []}},
]

MAIN_MENU: List[Dict[str, Any]] = [
    {
        "caption": "File",
        "id": "file",
        "children": [
            {"caption": "New File", "command": "new_file"},
            {"caption": "Save", "command": "save"},
            {"caption": "Close File", "command": "close"},
            {"caption": "Close Unmodified Tabs", "command": "close_unmodified"},
        ],
    },
    {"caption": "Edit", "id": "edit", "children": [{"caption": "Undo", "command": "undo"}]},
    {"caption": "Tools", "id": "tools", "children": []},
    {
        "caption": "Preferences",
        "id": "preferences",
        "children": [{"caption": "Package Settings", "id": "package-settings", "children": []}],
    },
]
