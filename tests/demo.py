"""The demonstration: `python3 tests/demo.py` runs the main job and shows each step as it happens.

A headless editor with the package in it opens a sample workspace. The real IDE client of Gemini CLI's core
connects to it, hears the context, and proposes changes: one is edited and accepted, one rejected. Two files are changed
by somebody who does not ask: one change is kept, one undone. A last proposal is answered from the client's side. Then a
program that would write without asking is told by its hook why not. With --keep-running the editor stays, for a program
of your own.
Sets up what it needs in `.cache/`, once: the package's libraries and Gemini CLI's core. Runs on Python 3.8 or newer
with nothing but the standard library; needs Node 20.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from tests.clients.gemini import GeminiClient  # noqa: E402
from tests.clients.json_lines import ClientError  # noqa: E402
from tests.host.driver import Host, HostError  # noqa: E402
from tests.support.hooked import make  # noqa: E402
from tests.tools import cache, nodes, pythons  # noqa: E402
from tests.tools.desktop import ACCEPT, REJECT, Desktop  # noqa: E402

GREETING = "def greet(name):\n    return 'Hello, ' + name\n\n\nprint(greet('world'))\n"
TODO = b"Greet in more languages.\n"


class Demonstration:
    """The steps, each printed as it happens. A step that does not happen raises."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop = desktop
        self._step = 0

    def say(self, text: str, **details: Any) -> None:
        self._step += 1
        print(f"{self._step:2}. {text}")
        for name, value in details.items():
            for number, line in enumerate(str(value).rstrip("\n").split("\n")):
                label = f"{name.replace('_', ' ')}:" if number == 0 else ""
                print(f"      {label:12} {line}")
        sys.stdout.flush()

    def run(self) -> None:
        announcement = self.desktop.wait_published()
        self.say(
            "The package has started with the editor and published itself.",
            editor=f"process {self.desktop.host.editor_pid}, port {announcement['port']}",
            file=self.desktop.own_discovery_files()[0],
        )
        with self.desktop.client() as client:
            self.connect(client)
            self.show_context(client)
            self.accept_with_edits(client)
            self.reject(client)
            self.review_what_was_not_asked()
            self.answer_from_client(client)
        self.say_why_not()
        errors = self.desktop.host.errors()
        if errors:
            raise RuntimeError(f"errors in the editor: {errors}")

    def connect(self, client: GeminiClient) -> None:
        status = client.connect()
        if status["status"] != "connected":
            raise RuntimeError(f"the client did not connect: {status}")
        tools = ", ".join(client.call("tools"))
        self.say("Gemini CLI's IDE client is connected.", editor=status["ide"]["displayName"], tools=tools)

    def show_context(self, client: GeminiClient) -> None:
        self.desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
        event = client.wait_event("context", lambda event: (first_file(event) or {}).get("selectedText") == "greet")
        file = first_file(event) or {}
        self.say(
            "A file was opened and a word selected; the client heard it.",
            file=file["path"],
            cursor="line {line}, character {character}".format(**file["cursor"]),
            selection=file["selectedText"],
        )

    def accept_with_edits(self, client: GeminiClient) -> None:
        before = self.desktop.arrangement()
        tabs, held = self.desktop.titles(), self.text("greeting.py")
        pending = client.start_call("edit", path=self.desktop.path("greeting.py"), before="Hello", after="Good day")
        proposal = self.desktop.wait_proposal()
        opened = self.desktop.titles()
        self.say("The client's edit tool opened a diff.", tabs_before=" | ".join(tabs), tabs_now=" | ".join(opened))
        self.desktop.type_at_end(proposal["id"], "# Reviewed by hand.\n")
        self.say("The user edited the proposal; the file is as it was.", added="# Reviewed by hand.", on_disk=held)
        self.desktop.accept()
        result = pending.result()
        written = self.text("greeting.py")
        if result["outcome"] != "accepted" or result["error"] or "# Reviewed" not in written:
            raise RuntimeError(f"the diff was not accepted as expected: {result}")
        self.say(f"'{ACCEPT}': the client took the edited text and wrote the file itself.", on_disk=written)
        self.desktop.wait_no_review()
        if self.desktop.arrangement() != before:
            raise RuntimeError("the window is not as it was before the review")
        self.say("Layout, tabs and focus are as they were before.", tabs_now=" | ".join(self.desktop.titles()))

    def reject(self, client: GeminiClient) -> None:
        before = self.text("greeting.py")
        pending = client.start_call("edit", path=self.desktop.path("greeting.py"), before="world", after="nobody")
        self.desktop.wait_proposal()
        self.desktop.reject()
        result = pending.result()
        if result["outcome"] != "rejected" or self.text("greeting.py") != before:
            raise RuntimeError(f"the diff was not rejected as expected: {result}")
        self.desktop.wait_no_review()
        self.say(
            f"'{REJECT}': a second proposal was rejected, and the file is untouched.",
            proposed=line_with("nobody", before.replace("world", "nobody")),
            on_disk=line_with("world", self.text("greeting.py")),
        )

    def answer_from_client(self, client: GeminiClient) -> None:
        path = self.desktop.path("notes.txt")
        pending = client.start_call("edit", path=path, before="", after="A new file.\n")
        self.desktop.wait_proposal()
        client.call("resolve", path=path, outcome="accepted")
        result = pending.result()
        if result["outcome"] != "accepted" or self.desktop.read("notes.txt") != b"A new file.\n":
            raise RuntimeError(f"the answer from the client did not arrive: {result}")
        self.desktop.wait_no_review()
        self.say(
            "A last one, for a new file, was accepted in the client, which called closeDiff.",
            before="no such file",
            on_disk=self.text("notes.txt"),
        )

    def say_why_not(self) -> None:
        file = make(self.desktop.host, "claude")
        self.desktop.run("Review Every Write")
        arguments = {"file_path": self.desktop.path("greeting.py"), "old_string": "name", "new_string": "n"}
        before = self.text("greeting.py")
        self.tell(file, "UserPromptSubmit", prompt="Shorten the names").communicate()
        hook = self.tell(file, "PreToolUse", tool_name="Edit", tool_input={**arguments, "replace_all": True})
        self.desktop.wait_proposal()
        self.desktop.wait_decidable()
        self.say(
            "Claude Code, which may write without asking, is about to: its hook waits, as every write is reviewed.",
            on_disk=line_with("def", before),
            proposed=line_with("def", before.replace("name", "n")),
            status=self.status(),
        )
        self.desktop.run("Reject With Reason\u2026")
        self.desktop.host.call("type_text", text="keep the names")
        self.desktop.host.call("press", keys="enter")
        answer = json.loads(hook.communicate()[0])["hookSpecificOutput"]
        self.desktop.wait_no_review()
        if answer["permissionDecision"] != "deny" or self.text("greeting.py") != before:
            raise RuntimeError(f"the write was not rejected as expected: {answer}")
        self.say(
            "'Reject With Reason\u2026': nothing is written, and its model reads why.",
            reason=answer["permissionDecisionReason"],
            on_disk=line_with("def", self.text("greeting.py")),
        )
        self.send_comment(file)

    def tell(self, file: str, event: str, **arguments: Any) -> subprocess.Popen[bytes]:
        """Claude Code's hook tells the editor of an event; its output is the answer."""
        told = {"session_id": "demonstration", "cwd": self.desktop.workspace, "hook_event_name": event, **arguments}
        told.update(permission_mode="auto", tool_use_id="1")
        command = ["curl", "-q", "-sS", "-K", file, "--data-binary", json.dumps(told)]
        return subprocess.Popen(command, stdout=subprocess.PIPE)

    def send_comment(self, file: str) -> None:
        host, step = self.desktop.host, {"tool_name": "Bash", "tool_input": {"command": "ls"}}
        self.desktop.open("greeting.py")
        self.desktop.run("Comment on Line\u2026")
        host.call("type_text", text="say hello in Welsh, too")
        host.call("press", keys="enter")
        self.desktop.run("Send Review / Take Back Review")
        self.desktop.wait_status("1 comment goes to Claude Code")
        self.say("The user comments on a line and sends that.", status=self.status())
        answer = json.loads(self.tell(file, "PostToolUse", **step).communicate()[0])["hookSpecificOutput"]
        self.say("Claude Code has run a command: its model reads the comment.", comment=answer["additionalContext"])
        self.tell(file, "PreToolUse", **step).communicate()
        self.say("Its next step proves that it has.", said=self.said("Claude Code has your 1 comment"))

    def said(self, words: str) -> str:
        """What the status bar has said with these words, once it has."""

        def last() -> str:
            return next((each for each in reversed(self.desktop.window()["status_messages"]) if words in each), "")

        return str(self.desktop.host.wait_until(last))

    def review_what_was_not_asked(self) -> None:
        old = self.text("greeting.py")
        changed = old.replace("Good day", "Good morning")
        self.desktop.write("greeting.py", changed.encode("utf-8"))
        self.desktop.write("todo.txt", b"Something else.\n")
        self.desktop.wait_status("2 to keep or undo")
        self.say(
            "A program changed two files without asking; the status bar tells.",
            greeting_py=f"{line_with('Good', old)}\n{line_with('Good', changed)}",
            todo_txt=f"{TODO.decode('utf-8')}{self.text('todo.txt')}",
            status=self.status(),
        )
        self.desktop.show_change("greeting.py")
        self.say("'Show Unreviewed Changes' shows one as a diff.", header=self.desktop.header())
        self.desktop.run("Accept / Keep")
        self.desktop.wait_status("1 to keep or undo")
        kept = line_with("Good", self.text("greeting.py"))
        self.say("'Keep' keeps it.", greeting_py=kept, status=self.status())
        self.desktop.show_change("todo.txt")
        self.desktop.run("Reject / Undo")
        self.desktop.wait_no_review()
        if (self.text("greeting.py"), self.desktop.read("todo.txt")) != (changed, TODO):
            raise RuntimeError("the files are not as they were decided")
        self.say("'Undo' undoes the other: it is as it was before.", todo_txt=TODO.decode("utf-8"))

    def text(self, name: str) -> str:
        """What a file of the workspace holds."""
        return self.desktop.read(name).decode("utf-8")

    def status(self) -> str:
        return str(self.desktop.window()["status_bar"])


def first_file(event: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    files: List[Dict[str, Any]] = (event.get("context") or {}).get("workspaceState", {}).get("openFiles", [])
    return files[0] if files else None


def line_with(word: str, text: str) -> str:
    """The first line of a text that holds this word."""
    return next(line.strip() for line in text.splitlines() if word in line)


def set_up() -> str:
    """Sets up what the demonstration shows; returns the Python for the editor. Raises SetupError."""
    nodes.node()
    nodes.npm()
    python = pythons.newest()
    if not nodes.are_set_up("gemini_core"):
        print(
            "Before its first start this puts the package's libraries and Gemini CLI's core, 400 MB, into .cache.\n"
            "That takes about a minute. Then the demonstration runs, for less than half a minute.\n",
            flush=True,
        )
    executable = pythons.package_environment(python)
    nodes.packages("gemini_core")
    return executable


def keep_running(desktop: Desktop) -> None:
    """Leaves the editor to a program in another terminal until Ctrl-C, showing the diffs that it opens."""
    print(
        "\nThe editor keeps running. To attach a program of your own, in another terminal:\n\n"
        f"    cd {desktop.workspace}\n"
        "    gemini        and then /ide enable\n"
        "    qwen          and then /ide enable\n"
        "    claude        and then /ide, Sublime Text\n"
        "    copilot       connects by itself\n"
        "    opencode      connects by itself\n\n"
        "Then ask it to change a file. Answer here: a = accept, r = reject, s = show tabs. Ctrl-C ends.\n",
        flush=True,
    )
    answers = {"a": desktop.accept, "r": desktop.reject, "s": lambda: print(" | ".join(desktop.titles()))}
    while True:
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if not answer:  # no terminal to answer from: just wait
            time.sleep(3600)
        try:
            answers.get(answer.strip(), lambda: print("a, r, s, or Ctrl-C"))()
        except HostError as error:
            print(error.message)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep-running", action="store_true", help="keep the editor running for a program of your own")
    parser.add_argument(
        "--workspace", help="a folder to work in; greeting.py, notes.txt and todo.txt are written there"
    )
    options = parser.parse_args()
    try:
        python = set_up()
    except cache.SetupError as error:
        print(f"The demonstration cannot run: {error}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="companion-demo-") as temporary:
        workspace = os.path.realpath(options.workspace or temporary)
        desktop_env: Dict[str, Optional[str]] = {}
        if options.keep_running:  # another terminal's CLI looks in the real temp and home folders
            names = ("TMPDIR", "TMP", "TEMP", "HOME", "USERPROFILE")
            desktop_env = {name: os.environ.get(name) for name in names}
        with Host.start(folders=[workspace], python=python, env=desktop_env) as host:
            if options.keep_running and "TMPDIR" not in host.environment:
                host.environment["TMPDIR"] = node_tmpdir()
            desktop = Desktop(host, workspace)
            desktop.write("greeting.py", GREETING.encode("utf-8"))
            desktop.write("todo.txt", TODO)
            try:
                Demonstration(desktop).run()
            except (RuntimeError, TimeoutError, HostError, ClientError) as error:
                print(f"\nThe demonstration FAILED: {error}\n---- the editor's console ----\n{host.console_tail()}")
                return 1
            print("\nThe main job is done: all steps happened as they should.", flush=True)
            if options.keep_running:
                try:
                    keep_running(desktop)
                except KeyboardInterrupt:
                    print("\nQuitting the editor.")
    return 0


def node_tmpdir() -> str:
    """Where Node, and so Gemini CLI, looks for temporary files in this terminal."""
    return next((os.environ[name] for name in ("TMPDIR", "TMP", "TEMP") if os.environ.get(name)), "/tmp")


if __name__ == "__main__":
    sys.exit(main())
