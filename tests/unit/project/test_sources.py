"""Rules that every file of the project keeps, read off the files themselves."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[3]

MOST_LINES = 600
LONGEST_TEST_NAME = 70

#: Addresses of package registries, and folders of the machine at hand. Neither may be in a file of the project.
REGISTRY_HOST = re.compile(r"//[a-z.-]*(?:pypi|pythonhosted|npmjs|debian)[a-z]*\.", re.IGNORECASE)
ON_EVERY_MACHINE = {Path("/", name) for name in ("", "home", "Users", "tmp", "private", "usr", "opt", "var")}
OF_THIS_MACHINE = ({ROOT} | {Path(*path.parts[:2]) for path in (ROOT, Path.home())}) - ON_EVERY_MACHINE
MACHINE_PATH = re.compile(
    r"(?<![\w.])(?:{})(?![\w-])".format("|".join(re.escape(path.as_posix()) for path in sorted(OF_THIS_MACHINE)))
)

#: What the pure parts know nothing of.
EDITOR_AND_NETWORK = {"sublime", "sublime_plugin", "aiohttp"}
PURE = (
    "companion/protocol/**/*.py",
    "companion/comparison/**/*.py",
    "companion/common/**/*.py",
    "companion/discovery/**/*.py",
    "companion/context/model.py",
    "companion/comments/model.py",
    "companion/comments/text.py",
    "companion/review/decision.py",
    "companion/review/window/layout.py",
    "companion/review/document/text.py",
    "companion/review/document/analysis.py",
    "companion/review/display/leveling.py",
    "companion/review/display/markup.py",
    "companion/terminals/command_lines.py",
    "companion/settings.py",
    "companion/agents/**/*.py",
    "companion/system/**/*.py",
)
#: What starts a terminal for the user.
SEEN_ON_PURPOSE = {"companion/terminals/processes.py"}


def project_files() -> List[Path]:
    """Every file that git tracks or would offer to track."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=str(ROOT),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode("utf-8")
    return [ROOT / name for name in sorted(set(listing.split("\0"))) if name and (ROOT / name).is_file()]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


SOURCES = [path for path in project_files() if path.suffix == ".py"]
SHIPPED = [path for path in SOURCES if relative(path) == "plugin.py" or relative(path).startswith("companion/")]


@functools.lru_cache(maxsize=len(SHIPPED))
def parsed(path: Path) -> ast.Module:
    """The syntax tree, read by the grammar of Python 3.8. Raises SyntaxError for anything newer."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path), feature_version=(3, 8))


def imports(tree: ast.AST) -> Iterator[Tuple[int, str]]:
    """Level (0 for absolute) and module name of every import in a tree, names of `from . import name` included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, alias.name
        elif isinstance(node, ast.ImportFrom):
            if node.module is not None:
                yield node.level, node.module
            else:
                for alias in node.names:
                    yield node.level, alias.name


def top_names(path: Path) -> Set[str]:
    """The top-level packages that a module imports anywhere in it."""
    return {name.split(".")[0] for level, name in imports(parsed(path)) if level == 0}


def imported_at_once(path: Path) -> Set[str]:
    """The modules that importing one imports: not what its functions do, nor what only a type checker reads."""
    later = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    steps = [
        step for step in parsed(path).body if not isinstance(step, later) and "TYPE_CHECKING" not in ast.dump(step)
    ]
    return {"." * level + name for step in steps for level, name in imports(step)}


def test_python_3_8_can_read_every_file_and_each_says_what_it_is_for() -> None:
    silent = [relative(path) for path in SOURCES if not (ast.get_docstring(parsed(path)) or "").strip()]
    assert silent == [], "no module docstring"


def test_no_file_is_too_long_to_read_in_one_sitting() -> None:
    kinds = {".py", ".js", ".mjs", ".ts", ".pyi", ".sh"}
    lengths = {
        relative(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in project_files()
        if path.suffix in kinds
    }
    long = {name for name, lines in lengths.items() if lines > MOST_LINES}
    assert long == set()


def test_names_of_tests_are_short_enough_to_be_read() -> None:
    names = [
        (relative(path), node.name)
        for path in sorted(ROOT.glob("tests/**/*.py"))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert len(names) > 1000
    assert [each for each in names if len(each[1]) > LONGEST_TEST_NAME] == []


def test_a_name_of_a_class_means_one_thing() -> None:
    counts: Dict[str, List[str]] = {}
    for path in SHIPPED:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                counts.setdefault(node.name, []).append(relative(path))
    assert {name: paths for name, paths in counts.items() if len(paths) > 1} == {}


def test_no_registry_and_no_machine_is_named() -> None:
    found = []
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if REGISTRY_HOST.search(line) or MACHINE_PATH.search(line):
                found.append(f"{relative(path)}:{number}: {line.strip()[:100]}")
    assert found == []


@pytest.mark.parametrize("pattern", PURE)
def test_pure_parts_know_neither_the_editor_nor_the_network(pattern: str) -> None:
    paths = list(ROOT.glob(pattern))
    assert paths, "nothing is called that"
    assert {relative(path): top_names(path) & EDITOR_AND_NETWORK for path in paths} == {
        relative(path): set() for path in paths
    }


def test_the_protocol_runs_no_loop_of_its_own() -> None:
    names = {relative(path) for path in (ROOT / "companion/protocol").rglob("*.py") if "asyncio" in top_names(path)}
    assert names == set()


def test_only_the_servers_and_their_trial_client_know_the_network_library() -> None:
    users = {relative(path) for path in SHIPPED if "aiohttp" in top_names(path)}
    assert {name for name in users if not name.startswith("companion/transport/")} == {"companion/diagnosis/client.py"}


def test_imports_inside_the_package_are_relative() -> None:
    """The package's folder has a space in its name, and another package may be called `companion` too."""
    assert {relative(path) for path in SHIPPED if top_names(path) & {"companion", "plugin", "tests"}} == set()


def test_in_editor_tests_do_not_rely_on_assert_statements() -> None:
    """The editor's Python strips them, so what they check would pass unseen."""
    inside = [path for path in SOURCES if relative(path).startswith(("tests/in_editor/", "tests/support/"))]
    assert len(inside) > 50
    relying = [path for path in inside if any(isinstance(node, ast.Assert) for node in ast.walk(parsed(path)))]
    assert [relative(path) for path in relying] == []


def test_loading_the_plugin_does_not_import_the_network_libraries() -> None:
    """The editor's main thread imports the plugin; what is slow to import is imported on another thread."""
    loaded = {
        name: imported_at_once(ROOT / name) for name in ("plugin.py", "companion/__init__.py", "companion/startup.py")
    }
    own = {name: {each for each in names if each.startswith(".")} for name, names in loaded.items()}
    assert own == {
        "plugin.py": {".companion.commands", ".companion.startup"},
        "companion/__init__.py": set(),
        "companion/startup.py": set(),
    }
    for names in loaded.values():
        assert not {name.split(".")[0] for name in names} & {"aiohttp", "asyncio", "jsonschema", "logging"}


def test_processes_open_no_console_window_unless_it_is_meant_to_be_seen() -> None:
    """Spelled out at the call, so that the channel's checker finds it: it knows `subprocess.CREATE_NO_WINDOW` only."""
    flashing = set()
    for path in SHIPPED:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and ast.dump(node.func).find("'Popen'") >= 0:
                flags = [word.value for word in node.keywords if word.arg == "creationflags"]
                named = [
                    part
                    for flag in flags
                    for part in ast.walk(flag)
                    if isinstance(part, ast.Attribute) and part.attr == "CREATE_NO_WINDOW"
                ]
                if not named:
                    flashing.add(relative(path))
    assert flashing == SEEN_ON_PURPOSE


def test_nothing_is_caught_without_a_name_or_dropped_without_a_word() -> None:
    found = []
    for path in SHIPPED:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ExceptHandler):
                broad = isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
                silent = all(isinstance(step, (ast.Pass, ast.Continue)) for step in node.body)
                if node.type is None or (broad and silent):
                    found.append(f"{relative(path)}:{node.lineno}")
    assert found == []


def test_no_mark_is_part_of_the_undo_history() -> None:
    """Regions without NO_UNDO come and go with the edits of the user (sublimehq/sublime_text 1121)."""
    calls = [
        (path, ast.get_source_segment(source, node) or "")
        for path in sorted((ROOT / "companion").rglob("*.py"))
        for source in [path.read_text("utf-8")]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_regions"
    ]
    assert len(calls) > 2
    assert [(path.name, call) for path, call in calls if "NO_UNDO" not in call] == []
