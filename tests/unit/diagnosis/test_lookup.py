"""The lookup of each client, done over again, gives what the published clients give."""

from __future__ import annotations

import os

import pytest

from companion.agents.agent import Entry, LookupContext, contains
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.qwen_code import QWEN_CODE
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform

OWN, LIVING, DEAD = 500, 400, 900


def lookup(folder="/code/app/src", port="", pid=OWN, platform=LINUX, real=lambda path: path):
    return LookupContext(folder, pid, port, Platform(platform, {}, "/home/me"), lambda pid: pid in (OWN, LIVING), real)


def gemini(pid, port, workspace="/code/app"):
    return Entry(f"gemini-ide-server-{pid}-{port}.json", {"port": port, "workspacePath": workspace})


def qwen(port, written=0.0, workspace="/code/app", pid=OWN):
    return Entry(f"{port}.lock", {"port": port, "workspacePath": workspace, "ppid": pid}, written)


def port(entry):
    return entry.content["port"] if entry is not None else None


# -- Gemini CLI -------------------------------------------------------------------------------------------------------


def test_gemini_prefers_the_editor_that_it_was_started_from():
    assert port(GEMINI_CLI.choose([gemini(DEAD, 1), gemini(LIVING, 2), gemini(OWN, 3)], lookup())) == 3


def test_gemini_prefers_the_living_then_the_largest_process_id():
    entries = [gemini(DEAD, 1), gemini(LIVING, 2), gemini(OWN, 3)]
    assert port(GEMINI_CLI.choose(entries, lookup(pid=77))) == 3
    assert port(GEMINI_CLI.choose([gemini(800, 1), gemini(DEAD, 2)], lookup(pid=77))) == 2


def test_gemini_takes_only_a_workspace_that_holds_its_folder():
    assert port(GEMINI_CLI.choose([gemini(OWN, 1, "/code/application"), gemini(LIVING, 2)], lookup())) == 2
    assert GEMINI_CLI.choose([gemini(OWN, 1, "/code/app/src/deeper")], lookup()) is None
    assert GEMINI_CLI.choose([gemini(OWN, 1, "")], lookup()) is None
    assert port(GEMINI_CLI.choose([gemini(OWN, 1, "/other:/code/app")], lookup())) == 1


def test_gemini_counts_relative_entries_from_where_it_runs():
    """An empty one between two separators is such an entry, too."""
    assert port(GEMINI_CLI.choose([gemini(OWN, 1, "/other:")], lookup())) == 1
    assert port(GEMINI_CLI.choose([gemini(OWN, 1, "/other:..")], lookup(real=os.path.normpath))) == 1


def test_gemini_breaks_a_tie_by_the_inherited_port():
    entries = [gemini(OWN, 1), gemini(OWN, 2), gemini(OWN, 3)]
    assert port(GEMINI_CLI.choose(entries, lookup(port="2"))) == 2
    assert port(GEMINI_CLI.choose(entries, lookup(port="9"))) == 1
    assert port(GEMINI_CLI.choose(entries, lookup())) == 1


def test_gemini_follows_the_inherited_port_only_among_those_that_fit():
    assert port(GEMINI_CLI.choose([gemini(OWN, 1), gemini(OWN, 2, "/other")], lookup(port="2"))) == 1


def test_gemini_passes_over_what_it_cannot_read_and_other_names():
    entries = [Entry("gemini-ide-server-500-1.json", None), Entry("notes.json", {"workspacePath": "/code/app"})]
    assert GEMINI_CLI.choose(entries, lookup()) is None
    assert port(GEMINI_CLI.choose([*entries, gemini(LIVING, 2)], lookup())) == 2


# -- Qwen Code --------------------------------------------------------------------------------------------------------


def test_qwen_takes_the_file_that_the_inherited_port_names():
    entries = [qwen(1, written=9.0), qwen(2, written=1.0)]
    assert port(QWEN_CODE.choose(entries, lookup(port="2"))) == 2
    assert port(QWEN_CODE.choose(entries, lookup())) == 1


def test_qwen_takes_the_newest_that_fits():
    entries = [qwen(1, 1.0), qwen(2, 3.0), qwen(3, 9.0, "/other"), qwen(4, 2.0)]
    assert port(QWEN_CODE.choose(entries, lookup())) == 2


def test_qwen_goes_on_to_scan_if_the_named_file_does_not_fit():
    assert port(QWEN_CODE.choose([qwen(1, 1.0, "/other"), qwen(2, 1.0)], lookup(port="1"))) == 2
    assert port(QWEN_CODE.choose([qwen(2, 1.0)], lookup(port="1"))) == 2


def test_qwen_passes_over_dead_editors_and_the_longer_name():
    longer = Entry("500-7.lock", {"port": 7, "workspacePath": "/code/app", "ppid": OWN}, 9.0)
    assert QWEN_CODE.choose([qwen(1, pid=DEAD), longer], lookup()) is None


def test_qwen_reads_json_arrays_and_only_absolute_folders():
    assert port(QWEN_CODE.choose([qwen(1, workspace='["/other", "/code/app"]')], lookup())) == 1
    assert QWEN_CODE.choose([qwen(1, workspace='["/other"]')], lookup()) is None
    assert QWEN_CODE.choose([qwen(1, workspace="/other::.")], lookup()) is None
    assert port(QWEN_CODE.choose([qwen(1, workspace="[/odd:/code/app")], lookup())) == 1


# -- folders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "folder", "path", "inside"),
    [
        (LINUX, "/code", "/code", True),
        (LINUX, "/code/", "/code/a", True),
        (LINUX, "/code", "/codes", False),
        (LINUX, "/Code", "/code/a", False),
        (MACOS, "/Code", "/code/a", True),
        (WINDOWS, "C:\\Code", "c:\\code\\a", True),
        (LINUX, "/", "/anything", True),
    ],
)
def test_a_folder_contains_what_is_below_it(platform, folder, path, inside):
    assert contains(folder, path, lookup(platform=platform)) is inside


def test_links_are_resolved_on_both_sides():
    real = {"/link/src": "/code/app/src", "/code/app": "/code/app"}
    assert contains("/code/app", "/link/src", lookup(real=lambda path: real[path]))
