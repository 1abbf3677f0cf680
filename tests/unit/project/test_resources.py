"""The package's resource files agree with each other and with the code that reads them."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from companion import settings
from companion.agents.registry import wrong_programs
from companion.commands import COMMANDS, OFFERED
from tests.host import lenient_json

ROOT = Path(__file__).resolve().parents[3]
CAPTION_START = "Companion: "  # short, because it stands in every row
OWN_CONTEXT_KEY = "gemini_companion"
DEFAULTS = json.loads(json.dumps(vars(settings.Settings())))  # as they stand in a settings file
PAGE_COMMAND = "gemini_companion_open_page"  # for the menus: the palette would be full of pages
MOST_IN_PALETTE = 31  # one of them is hidden from users who have set no remotes
# The editor and its packages bind nothing to these, on no platform.
FREE = [["primary+k", "primary+r"], ["primary+k", "primary+shift+r"]]


def resource(name: str) -> Any:
    """A resource file's data, read as the editor reads it."""
    return lenient_json.loads((ROOT / name).read_text(encoding="utf-8"), name)


def definitions() -> Dict[str, Any]:
    """The schema's definitions of the settings, which the file and the projects' part of it share."""
    for contribution in resource("sublime-package.json")["contributions"]["settings"]:
        if "/Gemini Companion.sublime-settings" in contribution["file_patterns"]:
            definitions: Dict[str, Any] = contribution["schema"]["definitions"]
            return definitions
    raise AssertionError("sublime-package.json says nothing of the settings file")


def command_names() -> List[str]:
    """The names of the commands: those of the table, and of classes as the editor derives them."""
    names = ["gemini_companion_" + name for name in COMMANDS]
    for path in [ROOT / "plugin.py", *(ROOT / "companion").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Command"):
                words = re.findall(r"[A-Z][a-z0-9]*", node.name[: -len("Command")])
                names.append("_".join(words).lower())
    return names


def entries(items: List[Dict[str, Any]]) -> Iterator[Tuple[str, str, Dict[str, Any]]]:
    """Caption, command and arguments of every entry of a menu or palette, separators left out."""
    for item in items:
        if "children" in item:
            yield from entries(item["children"])
        elif item.get("caption") != "-":
            yield item.get("caption", ""), item["command"], item.get("args", {})


def submenu(*path: str) -> List[Dict[str, Any]]:
    """The entries under a path of menu identifiers, then captions, from the root of the menu file."""
    items: List[Dict[str, Any]] = resource("Main.sublime-menu")
    for step in path:
        (found,) = [item for item in items if step in (item.get("id"), item.get("caption"))]
        items = found["children"]
    return items


# -- Settings


def test_the_settings_file_has_every_setting_with_the_default_of_the_code() -> None:
    assert resource("Gemini Companion.sublime-settings") == DEFAULTS


PROGRAMS: List[Dict[str, Any]] = [
    {"codex": {"enabled": False}},
    {"codex": {"enabled": 0}},
    {"gemini": {"command": ["npx", "gemini"]}},
    {"gemini": {"command": []}},
    {"gemini": {"dialect": "qwen"}},
    {"gemini": True},
    {"OpenClaude": {"command": ["openclaude"], "dialect": "claude", "folder": "~/.openclaude"}},
    {"OpenClaude": {"command": ["openclaude"], "dialect": "codex"}},
    {"OpenClaude": {"command": ["openclaude"], "colour": "red"}},
]


def fits(value: Any, schema: Dict[str, Any]) -> bool:
    """Whether a JSON schema takes the value, as far as ours go."""
    if "$ref" in schema:
        return fits(value, definitions()[schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return any(fits(value, each) for each in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if isinstance(schema.get("type"), list):
        return any(fits(value, {**schema, "type": each}) for each in schema["type"])
    kind = {"boolean": bool, "integer": int, "array": list, "object": dict, "string": str, "null": type(None)}
    if type(value) is not kind[schema["type"]]:
        return False
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, list):
        return len(value) >= schema.get("minItems", 0) and all(fits(each, schema["items"]) for each in value)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return (
            set(schema.get("required", ())) <= set(value)
            and all(name in known or schema["additionalProperties"] is not False for name in value)
            and all(fits(each, known.get(name, schema["additionalProperties"])) for name, each in value.items())
        )
    return True


def test_the_schema_and_the_code_take_the_same_values() -> None:
    for key, entry in definitions()["settings"]["properties"].items():
        named = [value for each in entry.get("anyOf", [entry]) for value in each.get("enum", [])]
        bounds = [each[name] for each in entry.get("anyOf", []) for name in ("minimum", "maximum") if name in each]
        near = [value + step for value in bounds for step in (-1, 0, 1)]
        others = (True, False, None, 0, -1, 1.5, "", "x", [], ["x"], [1], {}, {"linux": ["xterm"]}, {"linux": "xterm"})
        for value in [*named, *near, *others, *PROGRAMS]:
            read = settings.read([("the test", {key: value})])
            wrong = [*read.complaints, *wrong_programs(read.settings)]
            assert (wrong == []) is fits(value, entry), (key, value)


def test_projects_are_offered_the_same_settings() -> None:
    contributions = resource("sublime-package.json")["contributions"]["settings"]
    (project,) = [entry for entry in contributions if "/*.sublime-project" in entry["file_patterns"]]
    part = project["schema"]["properties"]["settings"]["properties"][settings.PROJECT_KEY]
    assert part["$ref"].startswith("sublime://settings/Gemini Companion#/definitions/")


# -- Commands and menus


def test_every_command_of_the_palette_exists_and_has_our_caption() -> None:
    palette = list(entries(resource("Default.sublime-commands")))
    assert palette
    existing = command_names()
    for caption, command, _arguments in palette:
        if command == "edit_settings":
            assert caption.startswith("Preferences: Gemini Companion "), caption
        else:
            assert caption.startswith(CAPTION_START), caption
            assert command in existing, command
    captions = [caption for caption, _command, _arguments in palette]
    assert len(set(captions)) == len(captions)


def test_the_palette_opens_settings_and_key_bindings_under_common_captions() -> None:
    opened = {
        caption: arguments["base_file"].rsplit("/", 1)[-1]
        for caption, command, arguments in entries(resource("Default.sublime-commands"))
        if command == "edit_settings"
    }
    assert opened == {
        "Preferences: Gemini Companion Settings": "Gemini Companion.sublime-settings",
        "Preferences: Gemini Companion Key Bindings": "Default.sublime-keymap",
    }


def test_every_command_of_the_table_is_done_somewhere() -> None:
    tree = ast.parse((ROOT / "companion" / "actions.py").read_text(encoding="utf-8"))
    tables = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and _target(node) == "_actions"]
    (names,) = [table.keys for table in tables if isinstance(table, ast.Dict)]
    assert sorted(ast.literal_eval(name) for name in names if name is not None) == sorted(COMMANDS)


def _target(node: ast.Assign) -> str:
    return node.targets[0].attr if isinstance(node.targets[0], ast.Attribute) else ""


def test_the_palette_is_short() -> None:
    assert len(resource("Default.sublime-commands")) <= MOST_IN_PALETTE


def test_the_tools_menu_has_every_command_that_is_offered_once() -> None:
    """In submenus: the menu is the only part of the editor that a screen reader reads."""
    ours = submenu("tools", "Gemini Companion")
    offered = [command for _, command, _ in entries(ours) if command != PAGE_COMMAND]
    assert offered == ["gemini_companion_" + command.name for command in OFFERED]
    assert [item["caption"] for item in ours] == ["Review", "Changes", "Agents", "Sharing", "Help"]


def test_the_package_settings_menu_opens_settings_keys_and_every_page() -> None:
    (_, settings_command, settings_file), (_, keys_command, keys_file), *pages = list(
        entries(submenu("preferences", "package-settings", "Gemini Companion"))
    )
    assert settings_command == keys_command == "edit_settings"
    assert settings_file["base_file"] == "${packages}/Gemini Companion/Gemini Companion.sublime-settings"
    assert keys_file["base_file"].startswith("${packages}/Gemini Companion/Default")
    opened = [arguments["page"] for _, command, arguments in pages if command == PAGE_COMMAND]
    docs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert len(docs) >= 5
    assert sorted(opened) == sorted({"README.md", "CHANGELOG.md", *docs})
    helped = submenu("tools", "Gemini Companion", "Help")
    assert [entry for entry in entries(helped) if entry[1] == PAGE_COMMAND] == pages


def test_key_bindings_work_only_where_the_package_says_so() -> None:
    """A binding without a context key of our own would shadow one of the editor's everywhere."""
    keymaps = sorted(ROOT.glob("*.sublime-keymap"))
    assert keymaps
    for path in keymaps:
        for binding in resource(path.name):
            if binding["keys"] in FREE:
                continue
            keys = [condition["key"] for condition in binding.get("context", [])]
            assert any(key.startswith((OWN_CONTEXT_KEY, "setting." + OWN_CONTEXT_KEY)) for key in keys), binding
            own = [each for each in binding.get("context", []) if each["key"].startswith(OWN_CONTEXT_KEY)]
            wanted = [{"key": each["key"], "operator": "equal", "operand": True} for each in own]
            assert own == wanted, "the other way round it would shadow the key everywhere else"
            if binding["command"].startswith("gemini_companion"):
                assert binding["command"] in command_names()


# -- Messages and versions


def test_every_message_is_listed_and_every_listed_one_exists() -> None:
    listed = json.loads((ROOT / "messages.json").read_text(encoding="utf-8"))
    there = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "messages").iterdir())
    assert sorted(listed.values()) == there
    assert all(key == "install" or re.match(r"^\d+\.\d+\.\d+$", key) for key in listed)


def test_the_install_message_says_what_to_do_in_ten_lines() -> None:
    text = (ROOT / "messages" / "install.txt").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 10
    assert max(map(len, text.splitlines())) <= 90
    assert "/ide enable" in text
    assert "approvalMode" in text
    captions = {caption for caption, _command, _arguments in entries(resource("Default.sublime-commands"))}
    named = re.findall(r'"(Companion: [^"]+)"', text)
    assert named
    assert set(named) <= captions


def test_the_change_log_tells_of_every_version_that_has_a_message() -> None:
    listed = json.loads((ROOT / "messages.json").read_text(encoding="utf-8"))
    told = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert told == sorted(told, key=lambda version: [int(part) for part in version.split(".")], reverse=True)
    assert told
    assert set(listed) - {"install"} <= set(told)


def test_the_newest_version_of_the_change_log_is_the_one_of_the_code() -> None:
    code = (ROOT / "companion" / "application.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^VERSION = "([^"]+)"$', code, re.MULTILINE)
    told = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert told[0] == version


def test_the_editor_finds_no_command_but_those_that_are_meant() -> None:
    """It registers every command class that a plugin's module holds, those that others share included."""
    strangers = []
    for node in ast.walk(ast.parse((ROOT / "plugin.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("GeminiCompanion"):
            bases = {ast.unparse(base) if hasattr(ast, "unparse") else ast.dump(base) for base in node.bases}
            strangers += [node.name for base in bases if "sublime_plugin" in base or base.startswith("GeminiCompanion")]
    assert strangers == []
