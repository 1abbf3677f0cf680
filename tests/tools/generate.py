"""Writes what can be computed from the code: `python3 tests/tools/generate.py`.

From the rows of `Settings` come the file of defaults, its schema and the table of settings; from `AGENTS` the tables of
agents; from `MENUS` of `companion/commands.py` the palette, the menus and the table of commands.

Rule: `GENERATED` has one function for each generated file. It takes the text that the file has and returns the one that
it should have. Of a page only tables are replaced, each found by its first line. A test
(`tests/unit/project/test_generated.py`) fails while a file is not what its function returns.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import json
import re
import sys
import textwrap
from pathlib import Path
from types import MappingProxyType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from companion import commands, settings  # noqa: E402
from companion.agents import registry  # noqa: E402
from companion.agents.agent import Agent, RunnableAgent  # noqa: E402
from companion.agents.hooks import HookDialect  # noqa: E402
from companion.system.platform import LINUX, Platform  # noqa: E402

WIDTH = 100  # of the file of defaults
MOST_OF_A_DEFAULT = 40  # characters of one in a table
HEAD = """\
Gemini Companion: the defaults. Put your own values into the user file on the right. A project can have settings of its
own, under "settings": {"gemini_companion": {...}}. They can only restrict yours, except in how a diff is shown.
"""
CAPTION = "Companion: "  # what the captions of the palette begin with
DIVIDER = {"caption": "-"}
PAGES = {
    "README": "README.md",
    "Reviewing Diffs": "docs/reviewing.md",
    "Unreviewed Changes": "docs/unreviewed-changes.md",
    "Agents": "docs/programs.md",
    "Agents Elsewhere": "docs/remote.md",
    "Settings and Commands": "docs/settings-and-commands.md",
    "Troubleshooting": "docs/troubleshooting.md",
    "Change Log": "CHANGELOG.md",
}
"""The package's pages in the menus."""
EDITED: Sequence[Mapping[str, Any]] = [
    {
        "caption": "Settings",
        "command": "edit_settings",
        "args": {
            "base_file": "${packages}/Gemini Companion/Gemini Companion.sublime-settings",
            "default": "// Your own settings for Gemini Companion.\n{\n\t$0\n}\n",
        },
    },
    {
        "caption": "Key Bindings",
        "command": "edit_settings",
        "args": {
            "base_file": "${packages}/Gemini Companion/Default.sublime-keymap",
            "user_file": "${packages}/User/Default (${platform}).sublime-keymap",
            "default": "[\n\t$0\n]\n",
        },
    },
]
OF_PROJECTS = (
    "Gemini Companion's settings for this project. They can only restrict yours, except in how a diff is shown."
)
_MARKUP = re.compile(r"`(?P<code>[^`]+)`|\*+(?P<emphasis>[^*]+)\*+|\[(?P<link>[^\]]+)\]\([^)]+\)")


# -- texts ------------------------------------------------------------------------------------------------------------


def without_links(text: str) -> str:
    """Markdown without its links, which lead nowhere in a pop-up."""
    return _MARKUP.sub(lambda found: found["link"] or found[0], text)


def plain(text: str) -> str:
    """Markdown as the text of a comment, where names, patterns and captions are in quotes."""

    def unmarked(found: re.Match[str]) -> str:
        said = found["code"] or found["emphasis"]
        is_json = found["code"] and (said[0] in '"{' or said in ("true", "false", "null"))
        return found["link"] or (said if is_json else f'"{said}"')

    return _MARKUP.sub(unmarked, text)


def table(page: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The page with these rows in the table that has this head. Raises ValueError if there is not exactly one."""
    first = _row(head)
    lines = page.splitlines(keepends=True)
    found = [number for number, line in enumerate(lines) if line.rstrip("\n") == first]
    if len(found) != 1:
        raise ValueError(f"{len(found)} tables begin with {first!r}")
    end = found[0]
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    made = [first, _row(["---"] * len(head)), *map(_row, rows)]
    return "".join([*lines[: found[0]], *(line + "\n" for line in made), *lines[end:]])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell or "\u2013" for cell in cells) + " |"


# -- settings ---------------------------------------------------------------------------------------------------------


def _rows() -> List[dataclasses.Field[Any]]:
    return list(dataclasses.fields(settings.Settings))


def _default(name: str) -> Any:
    value = getattr(settings.Settings(), name)
    return list(value) if isinstance(value, tuple) else value


def _about(row: dataclasses.Field[Any]) -> str:
    """What users are told of a setting, with what a project can do to it."""
    merge, keys = row.metadata["merge"], ", ".join(f"`{each.key}`" for each in _programs())
    about = _texts()[row.name].replace("{keys}", keys)
    return f"{about} {merge.about if merge is not None else 'Not for projects.'}"


@functools.lru_cache(maxsize=None)
def _texts() -> Dict[str, str]:
    """The texts below the rows. Only the source has them."""
    body = next(
        node.body
        for node in ast.parse(Path(settings.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == settings.Settings.__name__
    )
    return {
        row.target.id: " ".join(ast.literal_eval(text.value).split())
        for row, text in zip(body, body[1:])
        if isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name) and isinstance(text, ast.Expr)
    }


def _schemas_of_agents() -> Dict[str, Any]:
    """Those of the entries of `programs`: of an agent that the package knows, and of one of the user's own."""
    enabled = {"type": "boolean", "markdownDescription": "`false`: it must not find this editor."}
    words = {"type": "array", "minItems": 1, "items": {"type": "string"}}
    known = {"enabled": enabled, "command": {**words, "markdownDescription": "What starts it, as a list of words."}}
    own = {
        **known,
        "dialect": {"enum": list(registry.MODELS), "markdownDescription": "The agent that it is like."},
        "folder": {
            "type": "string",
            "markdownDescription": "Where it looks for editors, if not where that agent does: a path such as "
            "`~/.openclaude`, in which it has a folder `ide`; with `gemini` a name in the folder for temporary files.",
        },
    }
    return {
        name: {"type": "object", "properties": properties, "additionalProperties": False}
        for name, properties in (("known_agent", known), ("own_agent", own))
    }


def _reference(name: str) -> Dict[str, str]:
    return {"$ref": f"sublime://settings/Gemini Companion#/definitions/{name}"}


def _values(row: dataclasses.Field[Any]) -> Dict[str, Any]:
    """The schema of a setting's values."""
    schema = dict(row.metadata["check"].schema)
    if row.name == "programs":
        known = {each.key: {**_reference("known_agent"), "markdownDescription": each.title} for each in _programs()}
        schema.update(properties=known, additionalProperties=_reference("own_agent"))
    return schema


def _programs() -> Sequence[RunnableAgent]:
    return [*registry.AGENTS, *registry.STARTED]


def _comment(text: str, indent: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent + "// ", subsequent_indent=indent + "// ")


def defaults_file(_: str) -> str:
    """Every setting with its default, below what it does."""
    entries = []
    for row in _rows():
        value = json.dumps(_default(row.name), ensure_ascii=False)
        line = f'    "{row.name}": {value},'
        if len(line) > WIDTH:
            words = textwrap.fill(value[1:-1], WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
            line = f'    "{row.name}": {value[0]}\n{words}\n    {value[-1]},'
        entries.append(_comment(plain(_about(row)), "    ") + "\n" + line + "\n")
    return _comment(" ".join(HEAD.split()), "") + "\n{\n" + "\n".join(entries) + "}\n"


def schema(_: str) -> str:
    """What the editor offers and accepts in a file of settings, and in a project's."""
    properties = {
        row.name: {
            **_values(row),
            "default": _default(row.name),
            "markdownDescription": without_links(_about(row)),
        }
        for row in _rows()
    }
    own = {
        "$id": "sublime://settings/Gemini Companion",
        "definitions": {
            "settings": {"type": "object", "properties": properties, "additionalProperties": False},
            **_schemas_of_agents(),
        },
        "allOf": [_reference("settings")],
    }
    of_projects: Mapping[str, Any] = {
        settings.PROJECT_KEY: {"markdownDescription": OF_PROJECTS, **_reference("settings")}
    }
    inner = {"properties": {"settings": {"properties": of_projects}}}
    contributions = [
        {"file_patterns": ["/" + settings.FILE_NAME], "schema": own},
        {"file_patterns": ["/*.sublime-project"], "schema": inner},
    ]
    return json.dumps({"contributions": {"settings": contributions}}, indent=2, ensure_ascii=False) + "\n"


def page_of_settings(page: str) -> str:
    """The table of settings."""
    rows = [(f"`{row.name}`", f"`{_short(_default(row.name))}`", _about(row)) for row in _rows()]
    return table(page, ("Setting", "Default", "Meaning"), rows)


def _short(value: Any) -> str:
    """A default for a table: of a long list only its beginning."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= MOST_OF_A_DEFAULT:
        return text
    return text[0] + ", ".join([*map(json.dumps, list(value)[:3]), "…"]) + text[-1]


# -- agents -----------------------------------------------------------------------------------------------------------


def page_of_agents(page: str) -> str:
    """What each agent can do, and where its hooks are configured."""
    rows = [
        (_linked(agent), f"`{agent.key}`", agent.profile.works, agent.profile.cannot, agent.profile.shows_diffs)
        for agent in registry.AGENTS
    ]
    names = ", ".join(each.title for each in registry.STARTED)
    keys = ", ".join(f"`{each.key}`" for each in registry.STARTED)
    started = "**Run Agent…** starts them, and [what they write](unreviewed-changes.md) is listed"
    rows.append((names, keys, started, "connect: they know no editor", ""))
    page = table(page, ("Agent", "Key", "Works", "Cannot", "What makes diffs come"), rows)
    hooked = [(agent.title, *_of_hooks(agent, agent.hooks)) for agent in registry.AGENTS if agent.hooks is not None]
    return table(page, ("Agent", "File", "When it takes effect"), hooked)


def readme(page: str) -> str:
    """How to connect each agent, which shows diffs, and which finds the editor from another machine."""
    rows: Dict[Tuple[str, str, str], List[str]] = {}
    for agent in registry.AGENTS:
        shows = "yes" if agent.profile.shows_diffs else "no"
        below = agent.profile.to_connect_below and f"; below the open folder {agent.profile.to_connect_below}"
        row = (agent.profile.to_connect or f"nothing{below}", shows, "yes")
        rows.setdefault(row, []).append(_linked(agent))
    started = ("they know no editor: **Run Agent…** starts them", "no", "no")
    rows[started] = [each.title for each in registry.STARTED]
    cells = [(", ".join(names), *row) for row, names in rows.items()]
    return table(page, ("Agent", "To connect, type", "Shows diffs", "Elsewhere"), cells)


def _linked(agent: Agent) -> str:
    return f"[{agent.title}]({agent.profile.link})" if agent.profile.link else agent.title


def _of_hooks(agent: Agent, hooks: HookDialect) -> Tuple[str, str]:
    """Where they are configured, and when a change of that takes effect."""
    home = agent.configuration(Platform(LINUX, {}, "~"))
    files = ["/".join([home, *names]) for names in (hooks.below_home, hooks.manifest_below_home) if names]
    told = " and ".join(f"`{file}`" for file in files)
    own = {1: ", a file of its own", 2: ", files of their own"}[len(files)] if hooks.is_own_file else ""
    when = "at once, in running sessions, too" if hooks.reads_while_running else "when you start it next"
    return told + own, f"{when}. {hooks.trust_note}" if hooks.trust_note else when


# -- commands ---------------------------------------------------------------------------------------------------------


def palette(_: str) -> str:
    """Every command that is offered, and the two that all packages have."""
    entries = [
        {"caption": CAPTION + caption, **_entry(command.name, arguments)}
        for command in commands.OFFERED
        for caption, arguments in command.captions()
    ]
    edited = [{**each, "caption": f"Preferences: Gemini Companion {each['caption']}"} for each in EDITED]
    return _resource([*entries, *edited])


def main_menu(_: str) -> str:
    """All commands below *Tools*; the files that users edit, and the pages, below *Preferences*."""
    pages = [{"caption": title, **_entry("open_page", {"page": page})} for title, page in PAGES.items()]
    submenus = []
    for title, groups in commands.MENUS.items():
        items = [[_item(command) for command in group] for group in groups]
        submenus.append({"caption": title, "children": _divided([*items, pages] if title == "Help" else items)})
    own = {"caption": "Gemini Companion", "id": "gemini-companion", "children": submenus}
    edited = {"caption": "Gemini Companion", "id": "gemini-companion-settings", "children": _divided([EDITED, pages])}
    packages = {"caption": "Package Settings", "mnemonic": "P", "id": "package-settings", "children": [edited]}
    return _resource([{"id": "preferences", "children": [packages]}, {"id": "tools", "children": [own]}])


def _item(command: commands.Command) -> Dict[str, Any]:
    """A command in a menu, which asks it for the caption that fits if it has two."""
    return _entry(command.name) if command.second else {"caption": command.caption, **_entry(command.name)}


def context_menu(clicked: Mapping[str, Any]) -> Callable[[str], str]:
    """The menu of what the editor puts into these arguments."""
    return lambda _: _resource([{"caption": "Send to Agent", **_entry("send_files", clicked)}])


def _entry(name: str, arguments: Mapping[str, Any] = MappingProxyType({})) -> Dict[str, Any]:
    found: Dict[str, Any] = {"command": "gemini_companion_" + name}
    return {**found, "args": dict(arguments)} if arguments else found


def _divided(groups: Sequence[Sequence[Any]]) -> List[Any]:
    """The items of a menu, with a line between the groups."""
    return [item for group in groups for item in (DIVIDER, *group)][1:]


def _resource(entries: Sequence[Any]) -> str:
    return _json(entries, "") + "\n"


def _json(value: Any, indent: str) -> str:
    """JSON in as few lines as fit the width, but for the outermost list, of which each entry has lines of its own."""
    line = json.dumps(value, ensure_ascii=False)
    if (indent and len(indent) + len(line) < 120) or not isinstance(value, (dict, list)):
        return line
    more = indent + "    "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_json(each, more)}" for key, each in value.items()]
    else:
        parts = [_json(each, more) for each in value]
    first, last = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return first + "\n" + ",\n".join(more + part for part in parts) + f"\n{indent}{last}"


def page_of_commands(page: str) -> str:
    """The table of commands."""
    rows = [(", ".join(name for name, _ in each.captions()), each.about) for each in commands.OFFERED]
    edited = ", ".join(f"Preferences: Gemini Companion {each['caption']}" for each in EDITED)
    return table(page, ("Command", "What it does"), [*rows, (edited, "Open the defaults and your own side by side.")])


# -- files ------------------------------------------------------------------------------------------------------------


GENERATED: Dict[str, Callable[[str], str]] = {
    settings.FILE_NAME: defaults_file,
    "sublime-package.json": schema,
    "Default.sublime-commands": palette,
    "Main.sublime-menu": main_menu,
    "Side Bar.sublime-menu": context_menu({"files": [], "dirs": []}),
    "Tab Context.sublime-menu": context_menu({"group": -1, "index": -1}),
    "docs/settings-and-commands.md": lambda page: page_of_commands(page_of_settings(page)),
    "docs/programs.md": page_of_agents,
    "README.md": readme,
}
"""By the name of the file."""


def stale() -> Dict[str, str]:
    """The files that are not what they should be, with the text that they should have."""
    found = {}
    for name, generate in GENERATED.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        wanted = generate(text)
        if text != wanted:
            found[name] = wanted
    return found


def main() -> None:
    """Write the files that are not what they should be."""
    for name, text in stale().items():
        with (ROOT / name).open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        print("wrote", name)


if __name__ == "__main__":
    main()
