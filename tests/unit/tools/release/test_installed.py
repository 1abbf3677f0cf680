"""The built package with the libraries that Package Control installs, and nothing else: it starts and does its job.

The wheels come from the index by Package Control's rules; `jsonschema` is 2.6.0, as the default channel has it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from tests.host.driver import Host
from tests.support.listening_client import ListeningClient
from tests.tools.release import build
from tests.tools.release.libraries import BY_NAME
from tests.tools.release.repository import ATTACHED_NAME
from tests.unit.tools.release.conftest import RUNNING

pytestmark = pytest.mark.everything  # wheels from the index


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built package as a file."""
    path = tmp_path_factory.mktemp("dist") / build.FILE_NAME
    path.write_bytes(build.package())
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with one file."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "greeting.py").write_bytes(b'print("hello")\n')
    return folder


@pytest.fixture
def host(package: Path, lib_folder: Path, workspace: Path) -> Iterator[Host]:
    """An editor with the installed package, the workspace open and its file in front."""
    with Host.start(
        package=str(package),
        libraries=[str(lib_folder)],
        folders=[str(workspace)],
        files=[str(workspace / "greeting.py")],
    ) as started:
        yield started


def discovery_file(host: Host) -> Path:
    """The discovery file that the package has written; waits for it."""
    folder = Path(host.environment["TMPDIR"], "gemini", "ide")
    found = host.wait_until(lambda: list(folder.glob("gemini-ide-server-*.json")))
    return found[0]  # type: ignore[no-any-return]


def connected(host: Host) -> ListeningClient:
    """A client that has been told of the window."""
    client = ListeningClient(json.loads(discovery_file(host).read_text(encoding="utf-8")))
    host.wait_until(lambda: client.contexts)
    return client


def test_every_library_comes_from_the_lib_folder(host: Host, lib_folder: Path) -> None:
    discovery_file(host)
    needed = [name for name, library in BY_NAME.items() if library.needed_on(RUNNING)]
    host.execute("import " + ", ".join(sorted(module_of(name) for name in needed)))
    for name in needed:
        origin = host.evaluate(f"__import__('sys').modules[{module_of(name)!r}].__file__")
        assert within(Path(origin), lib_folder), name
    assert [path for path in host.evaluate("__import__('sys').path") if "site-packages" in path] == []
    assert host.evaluate("__import__('jsonschema').__version__") == "2.6.0"


def module_of(library: str) -> str:
    """The module that a library is imported as."""
    return {"attrs": "attr"}.get(library, library.replace("-", "_"))


def within(path: Path, folder: Path) -> bool:
    """Whether a path is inside a folder, links resolved."""
    return folder.resolve() in path.resolve().parents


def test_an_installed_package_does_its_job(host: Host, workspace: Path) -> None:
    """Connected; told of the file; a diff opened and accepted with its text, another rejected; the file left alone."""
    found = discovery_file(host)
    assert json.loads(found.read_text(encoding="utf-8"))["workspacePath"] == str(workspace.resolve())
    client = connected(host)
    path = str(workspace / "greeting.py")
    host.wait_until(lambda: client.paths == [path])

    for caption, method in (("Accept / Keep", "ide/diffAccepted"), ("Reject / Undo", "ide/diffRejected")):
        answer = client.call_tool("openDiff", filePath=path, newContent='print("good morning")\n')
        assert not answer.get("isError"), answer
        host.wait_until("len(window.views()) == 3")
        host.call("run_palette", caption="Companion: " + caption)
        (outcome,) = host.wait_until(lambda method=method: told(client, method))
        assert outcome["filePath"] == path
        if method == "ide/diffAccepted":
            assert outcome["content"] == 'print("good morning")\n'
        host.wait_until("len(window.views()) == 1")
    assert (workspace / "greeting.py").read_bytes() == b'print("hello")\n'
    client.close()


def told(client: ListeningClient, method: str) -> List[Dict[str, Any]]:
    """The parameters of what the client was told by this method."""
    return [message["params"] for message in client.notifications if message.get("method") == method]


def test_a_package_loads_under_the_name_by_which_a_release_attaches_it(
    package: Path,
    lib_folder: Path,
    workspace: Path,
    tmp_path: Path,
) -> None:
    """A host of releases makes dots of blanks, and a package whose file name has a dot inside is not loaded."""
    replaced = ATTACHED_NAME.replace(" ", ".")
    assert "." not in replaced[: -len(".sublime-package")]
    downloaded = tmp_path / replaced
    downloaded.write_bytes(package.read_bytes())
    with Host.start(package=str(downloaded), libraries=[str(lib_folder)], folders=[str(workspace)]) as host:
        client = connected(host)
        answer = client.call_tool("openDiff", filePath=str(workspace / "greeting.py"), newContent="x = 1\n")
        assert not answer.get("isError"), answer
        client.close()


def test_quitting_leaves_no_discovery_file(host: Host) -> None:
    found = discovery_file(host)
    host.quit()
    assert not found.exists()


def test_without_its_libraries_it_says_so_and_starts_once_they_are_there(
    package: Path,
    lib_folder: Path,
    workspace: Path,
    tmp_path: Path,
) -> None:
    """Package Control may install the package before its libraries, or fail to."""
    late = tmp_path / "Lib"
    late.mkdir()
    with Host.start(package=str(package), libraries=[str(late)], folders=[str(workspace)]) as host:
        said = host.wait_until(lambda: status_texts(host))
        assert "Package Control: Satisfy Libraries" in said, said
        problem = "the libraries aiohttp and jsonschema are missing: run"
        assert problem in said, said
        host.execute("window.run_command('gemini_companion_run_agent', {'agent': 'gemini'})")
        assert problem in host.snapshot()["windows"][0]["status_messages"][-1]
        host.call("run_palette", caption="Companion: Diagnose")
        report = host.wait_until(lambda: finished_report(host))
        assert [line for line in report.splitlines() if line.startswith("- FAILED")] == [
            "- FAILED: the libraries can be imported: the libraries aiohttp and jsonschema are missing"
        ]
        assert report.count("    what to do: ") == 1
        assert ", installed\n" in report, "where the package is, though its modules may have no file"
        assert "Traceback" not in host.console()
        for entry in lib_folder.iterdir():
            (late / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
        assert discovery_file(host)


def finished_report(host: Host) -> str:
    """The text of Diagnose's report; empty while checks are under way."""
    text = str(host.evaluate("window.active_view().substr(sublime.Region(0, window.active_view().size()))"))
    return text if "## Checks" in text and "\n- \u2026 " not in text else ""


def status_texts(host: Host) -> str:
    """Everything that the status bar of the window shows, in one string; empty if nothing of ours."""
    shown = json.dumps(host.snapshot())
    return shown if "Satisfy Libraries" in shown else ""
