"""What there is to choose from: the palette and the menus, the programs, the pages, the diffs that wait."""

from __future__ import annotations

import pytest

from tests.clients.claude import ClaudeClient
from tests.host.driver import Host
from tests.tools.desktop import TITLE, Desktop

OPEN = """
import sys
modules = {{name: sys.modules["Gemini Companion." + name] for name in ("plugin", "companion.review.decision")}}
endpoint = modules["plugin"].application.window_opened(sublime.Window({window}))
owner = modules["companion.review.decision"].Owner("played", "Gemini CLI")
endpoint.reviews.open_diff(owner, {path!r}, "proposed\\n")
"""
SEND = "gemini_companion_send_files"
LINKS = "gemini_companion.links"
MOST_WHILE_IDLE = 9
IDLE = [
    "Review Every Write",
    "Run Agent\u2026",
    "Install Agent Hooks\u2026",
    "Remove Agent Hooks\u2026",
    "Pause Sharing",
    "Diagnose",
]
IN_REVIEW = [
    "Accept / Keep",
    "Reject / Undo",
    "Comment on Line\u2026",
    "Next Change",
    "Previous Change",
    "Revert Hunk / Undo Hunk",
    "Accept This Hunk Only / Keep Hunk",
    "Toggle Whitespace Changes",
    "Review Changes / Review Last Turn",
    "Show Pending Diffs",
]


@pytest.fixture
def home(desktop):
    return desktop.host.environment["HOME"]


def open_diff(desktop, name, window=None):
    number = window if window is not None else desktop.host.evaluate("window.id()")
    desktop.host.execute(OPEN.format(window=number, path=desktop.path(name)))


def choices(desktop):
    """The rows of the quick panel in the window in front, once it shows."""
    panel = desktop.host.wait_until(lambda: desktop.window()["quick_panel"])
    return [row["trigger"] for row in panel["items"]]


def offered(host):
    """What the palette offers of the package, without what its captions begin with."""
    shown = [entry["caption"] for entry in host.call("palette") if entry["enabled"] and entry["visible"]]
    return [caption[len(TITLE) :] for caption in shown if caption.startswith(TITLE)]


def test_palette_and_menu_name_nothing_that_is_not_there(desktop):
    menu = desktop.host.call("menu")
    ours = [entry for entry in menu if "Gemini Companion" in entry["path"]]
    assert {"Tools", "Preferences"} == {entry["path"][0] for entry in ours}
    entries = [*desktop.host.call("palette"), *menu]
    assert [entry for entry in entries if not entry["exists"]] == []


def test_a_new_user_with_one_program_finds_no_more_than_can_be_used(tmp_path, workspace):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gemini").write_text("#!/bin/sh\n")
    (programs / "gemini").chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "SHELL": "/bin/sh", "HOME": str(tmp_path)}
    with Host.start(folders=[workspace], env=environment) as host:
        desktop = Desktop(host, workspace)
        desktop.wait_published()
        assert offered(host) == IDLE
        settings = [each["caption"] for each in host.call("palette") if "Gemini Companion" in each["caption"]]
        assert len(IDLE) + len(settings) <= MOST_WHILE_IDLE
        assert "Companion" not in desktop.window()["status_bar"]
        desktop.open("greeting.py")
        desktop.run("Pause Sharing")
        assert offered(host) == [name.replace("Pause", "Resume") for name in IDLE]
        desktop.run("Resume Sharing")
        open_diff(desktop, "greeting.py")
        desktop.wait_proposal()
        assert offered(host) == IN_REVIEW + IDLE
        desktop.reject()
        desktop.wait_no_review()
        assert offered(host) == IDLE


@pytest.mark.parametrize("in_shell", [False, True])
def test_a_program_installed_later_is_offered_once_the_list_was_opened(tmp_path, workspace, in_shell):
    programs = tmp_path / "programs"
    programs.mkdir()
    path = "/usr/bin:/bin" if in_shell else f"{programs}:/usr/bin:/bin"
    (tmp_path / ".profile").write_text(f"PATH='{programs}':$PATH\n" if in_shell else "")
    with Host.start(folders=[workspace], env={"PATH": path, "SHELL": "/bin/sh", "HOME": str(tmp_path)}) as host:
        desktop = Desktop(host, workspace)
        desktop.wait_published()
        desktop.run("Run Agent\u2026")
        rows = desktop.rows()
        assert rows.pop("In another terminal") == ("copies what connects it", "")
        assert {annotation for _, annotation in rows.values()} == {"not found"}
        assert "npm install -g @openai/codex" in rows["Codex CLI"][0]
        host.call("choose", item=-1)
        (programs / "codex").write_text("#!/bin/sh\n")
        (programs / "codex").chmod(0o755)

        def opened():
            desktop.run("Run Agent\u2026")
            first = next(iter(desktop.rows()))
            host.call("choose", item=-1)
            return first == "Codex CLI"

        host.wait_until(opened)


def test_every_page_is_opened_from_the_menu_and_its_links_lead_on(desktop):
    host = desktop.host
    title = lambda: host.evaluate("window.active_view().name()")  # noqa: E731
    menu = [entry for entry in host.call("menu") if entry["path"][:1] == ["Preferences"]]
    for entry in [entry for entry in menu if entry["command"] == "gemini_companion_open_page"]:
        host.call("run_menu", path=entry["path"])
        name = entry["args"]["page"].rpartition("/")[2]
        host.wait_until(lambda name=name: title() == f"{name} \u2014 Gemini Companion")
    host.call("run_menu", path=["Tools", "Gemini Companion", "Help", "README"])
    host.wait_until(lambda: title() == "README.md \u2014 Gemini Companion")
    text = host.evaluate("window.active_view().substr(sublime.Region(0, window.active_view().size()))")
    assert "](" not in text
    assert "<picture>" not in text
    view = host.evaluate("window.active_view().id()")
    links = [each["content"] for each in host.call("snapshot_view", view=view)["phantoms"] if each["key"] == LINKS]
    index = next(number for number, link in enumerate(links) if 'href="docs/unreviewed-changes.md' in link)
    host.call("click_phantom", key=LINKS, href="docs/*", index=index, view=view)
    host.wait_until(lambda: title() == "unreviewed-changes.md \u2014 Gemini Companion")


def test_files_are_sent_from_the_side_bar_and_from_tabs(desktop, home):
    host = desktop.host
    desktop.write("other.py", b"one\n")
    for path in ("greeting.py", "other.py"):
        desktop.open(path)
    side_bar = {"files": [desktop.path("greeting.py")], "dirs": [desktop.path("folder")]}
    for name, on in (("Side Bar", side_bar), ("Tab Context", {"group": 0, "index": 1})):
        found = [entry for entry in host.call("menu", name=name, on=on) if entry["command"] == SEND]
        assert [entry["visible"] for entry in found] == [False], "nobody is there to be sent it"
    with ClaudeClient(home, desktop.workspace) as claude:
        claude.connect()
        desktop.wait_status("Claude Code")
        host.call("run_menu", path=["Send to Agent"], name="Side Bar", on=side_bar)
        host.call("run_menu", path=["Send to Agent"], name="Tab Context", on={"group": 0, "index": 1})
        desktop.open("greeting.py")
        desktop.run("Send Selection to Agent")
        expected = [{"filePath": desktop.path(name)} for name in ("greeting.py", "folder", "other.py", "greeting.py")]
        sent = lambda: [params for name, params in claude.notifications if name == "at_mentioned"]  # noqa: E731
        host.wait_until(lambda: len(sent()) == 4)
        assert sent() == expected


def test_a_pending_diff_of_any_window_is_picked(desktop):
    here = desktop.host.evaluate("window.id()")
    other = desktop.host.call("new_window", folders=[desktop.workspace])
    open_diff(desktop, "greeting.py", here)
    open_diff(desktop, "new.py", other)
    desktop.host.wait_until(lambda: desktop.host.evaluate("window.id()") == other)
    desktop.run("Show Pending Diffs")
    assert sorted(choices(desktop)) == ["greeting.py", "new.py"]
    desktop.host.call("choose", item="greeting.py")
    desktop.host.wait_until(lambda: desktop.host.evaluate("window.id()") == here)
    role = "window.active_view().settings().get('gemini_companion.role', {}).get('role')"
    desktop.host.wait_until(lambda: desktop.host.evaluate(role) == "proposal")
