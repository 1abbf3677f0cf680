"""Writes what can be computed from the code: `python3 tests/tools/generate.py`.

From the rows of `Settings` come the file of defaults, its schema and the table of settings.

Rule: `GENERATED` has one function for each generated file. It takes the text that the file has and returns the one that
it should have. Of a page only tables are replaced, each found by its first line. A test
(`tests/unit/project/test_generated.py`) fails while a file is not what its function returns.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from companion import settings  # noqa: E402

WIDTH = 100  # of the file of defaults
MOST_OF_A_DEFAULT = 40  # characters of one in a table
HEAD = """\
Gemini Companion: the defaults. Put your own values into the user file on the right. A project can have settings of its
own, under "settings": {"gemini_companion": {...}}. They can only restrict yours, except in how a diff is shown.
"""
OF_PROJECTS = (
    "Gemini Companion's settings for this project. They can only restrict yours, except in how a diff is shown."
)
_MARKUP = re.compile(r"(?P<code>`[^`]+`)|\*+(?P<emphasis>[^*]+)\*+|\[(?P<link>[^\]]+)\]\([^)]+\)")


# -- texts ------------------------------------------------------------------------------------------------------------


def plain(text: str, code: str = "", emphasis: str = '"') -> str:
    """Markdown as text: without links, with these characters around code and around what is emphasised."""

    def unmarked(found: re.Match[str]) -> str:
        if found["code"]:
            return code + found["code"][1:-1] + code
        return found["link"] or emphasis + found["emphasis"] + emphasis

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
    return "| " + " | ".join(cells) + " |"


# -- settings ---------------------------------------------------------------------------------------------------------


def _rows() -> List[dataclasses.Field[Any]]:
    return list(dataclasses.fields(settings.Settings))


def _default(name: str) -> Any:
    value = getattr(settings.Settings(), name)
    return list(value) if isinstance(value, tuple) else value


def _about(row: dataclasses.Field[Any]) -> str:
    """What users are told of a setting, with what a project can do to it."""
    merge = row.metadata["merge"]
    return f"{row.metadata['about']} {settings.USERS_ALONE if merge is None else merge.about}"


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
    reference = {"$ref": "sublime://settings/Gemini Companion#/definitions/settings"}
    properties = {
        row.name: {
            **row.metadata["check"].schema,
            "default": _default(row.name),
            "markdownDescription": plain(_about(row), code="`", emphasis="*"),
        }
        for row in _rows()
    }
    own = {
        "$id": "sublime://settings/Gemini Companion",
        "definitions": {"settings": {"type": "object", "properties": properties, "additionalProperties": False}},
        "allOf": [reference],
    }
    of_projects: Mapping[str, Any] = {settings.PROJECT_KEY: {"markdownDescription": OF_PROJECTS, **reference}}
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


# -- files ------------------------------------------------------------------------------------------------------------


GENERATED: Dict[str, Callable[[str], str]] = {
    settings.FILE_NAME: defaults_file,
    "sublime-package.json": schema,
    "docs/settings-and-commands.md": page_of_settings,
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
