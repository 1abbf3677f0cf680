"""README and the pages in `docs/`: short, complete, and every link leads somewhere, also inside the editor.

They are read here as `companion.editor.pages` shows them and as Markdown is: what a page names is there.
"""

from __future__ import annotations

import re
from typing import Iterator, List, Set, Tuple

import pytest

from tests.host import lenient_json
from tests.tools.release import packing
from tests.unit.project.test_resources import ROOT, resource

MOST_WORDS = 900
README = "README.md"
DOCS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
PAGES = [README, *DOCS]
OUTSIDE = ("https://",)
TEST_COMMAND = "python3 tests/run.py"
REFERENCE = "docs/settings-and-commands.md"


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def links(text: str) -> List[str]:
    """What a page links to. Pictures are none: the editor shows text."""
    return re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", text)


def pictures(text: str) -> List[str]:
    """The pictures of a page, in every size."""
    named = re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text)
    shown = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text)
    return [part.split()[0] for each in named for part in each.split(",")] + shown


def anchors(page: str) -> Set[str]:
    titles = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def rows(page: str, title: str) -> List[List[str]]:
    """The rows of the first table below a heading, without its head."""
    below = text_of(page).partition(f"## {title}\n")[2].partition("\n## ")[0]
    table = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[2:]]


def resolved(page: str, link: str) -> Tuple[str, str]:
    """The file and the anchor that a link of a page leads to."""
    name, _, anchor = link.partition("#")
    target = ((ROOT / page).parent / name).resolve() if name else ROOT / page
    return target.relative_to(ROOT).as_posix(), anchor


def test_readme_is_read_in_a_few_minutes() -> None:
    words = re.sub(r"<picture>.*?</picture>", "", text_of(README), flags=re.DOTALL).split()
    assert 300 < len(words) <= MOST_WORDS


def test_readme_says_how_to_begin_before_it_goes_on() -> None:
    titles = re.findall(r"^## (.+)$", text_of(README), re.MULTILINE)
    assert titles == ["Install", "The first minute", "Agents", "More", "Try it, test it"]


def test_readme_names_the_demonstration_and_the_command_that_the_ci_calls() -> None:
    section = text_of(README).partition("## Try it, test it\n")[2].partition("\n## ")[0]
    assert re.findall(r"^```sh\n(.+?)\n```$", section, re.MULTILINE) == ["python3 tests/demo.py", TEST_COMMAND]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f'exec {TEST_COMMAND} "$@"' in script.splitlines()
    assert (ROOT / "tests" / "demo.py").is_file()


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md"])
def test_every_link_leads_somewhere_in_the_package_too(page: str) -> None:
    packed = packing.packed(ROOT)
    assert page in packed
    for link in links(text_of(page)):
        if link.startswith(OUTSIDE):
            continue
        name, anchor = resolved(page, link)
        assert name in packed, link
        assert not anchor or anchor in anchors(name), link


@pytest.mark.parametrize("page", PAGES)
def test_every_picture_is_there_and_is_said_to_be_drawn(page: str) -> None:
    shown = pictures(text_of(page))
    assert [each for each in shown if not (ROOT / resolved(page, each)[0]).is_file()] == []
    assert not shown or "rawn by the headless editor" in text_of(page)


def test_every_page_is_reached_from_readme() -> None:
    reached, new = set(), {README}
    while new:
        reached |= new
        found = {
            resolved(page, link)[0] for page in new for link in links(text_of(page)) if not link.startswith(OUTSIDE)
        }
        new = {page for page in found if page in PAGES} - reached
    assert sorted(reached) == sorted(PAGES)
    assert len(DOCS) >= 5


@pytest.mark.parametrize("page", DOCS)
def test_every_page_leads_back(page: str) -> None:
    assert text_of(page).splitlines()[2] == "[Back to README](../README.md)"


def test_the_keys_of_the_page_of_changes_are_named_where_it_is_explained() -> None:
    named = " ".join(" ".join(row) for row in rows(ROOT / "docs" / "reviewing.md", "All on one page")) + " `?` `q`"
    for key, _ in bound("in_page"):
        modifier, _, letter = key.rpartition("+")
        name = letter.upper() if modifier == "shift" and len(letter) == 1 else letter
        written = f"`{name}`" if len(name) == 1 and not modifier.startswith("primary") else ""
        typed = "+".join(part.title() for part in key.replace("primary", "ctrl").split("+"))
        assert (written or typed) in named, key


def bound(where: str = "") -> Iterator[Tuple[str, str]]:
    """The keys and their commands that mean something in the page of changes, or anywhere else."""
    for binding in resource("Default.sublime-keymap"):
        keys = [each["key"].partition(".")[2] for each in binding.get("context", ())]
        if ("in_page" in keys) is bool(where) and "_nv_ex_mode" not in keys:
            yield ", ".join(binding["keys"]), binding["command"][len("gemini_companion_") :]


def test_the_page_of_keys_has_those_of_the_package() -> None:
    named = {
        (keys.strip("`"), command.split(", ")[0].lower().replace(" ", "_"))
        for keys, command, _ in rows(REFERENCE, "Keys")
    }
    assert named == set(bound())
    file = (ROOT / "Default.sublime-keymap").read_text(encoding="utf-8")
    examples = lenient_json.loads(
        "[" + re.sub(r"(?m)^    // (?=[{}\" ])", "", file.partition("These have no keys")[2].partition("\n")[2]), ""
    )
    assert [each["command"] for each in examples] == [
        "gemini_companion_accept_hunk",
        "gemini_companion_revert_hunk",
    ]
