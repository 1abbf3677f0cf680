"""What one program, and five at once, cost the editor's main thread for a selection, in the headless editor.

    python tests/benchmarks/programs.py [--json]

Every change of the selection is told to all: Gemini CLI and Qwen Code over HTTP, Copilot CLI on a socket, Claude Code
and opencode over WebSockets, each as a client with its literal messages. One and five are measured in turns.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ratio import Measurement, show, summary  # noqa: E402
from resident import Editor, Listener, starting  # noqa: E402

from tests.clients.claude import ClaudeClient  # noqa: E402
from tests.clients.copilot import CopilotClient  # noqa: E402

TURNS = 7
CHANGES = 12
WATCH = """
import sys
import probe
watch = probe.Probe(probe.time.thread_time)  # the main thread's alone: four more clients keep the machine busy
watch.install()
watch.wrap(plugin.GeminiCompanionListener)
"""
CHANGE = """
view.run_command("move", {"by": "lines", "forward": True})
"""


def change(editor: Editor, witness: ClaudeClient) -> Tuple[float, float]:
    """For one change of the selection: the package's seconds on the main thread, and its questions to the editor."""
    host = editor.host
    host.execute("view.run_command('move_to', {'to': 'bof'})")
    host.pump(0.5)
    host.execute("watch.slices = []")
    host.call("clear_api_calls")
    before = len(witness.notifications)
    for _ in range(CHANGES):
        host.execute(CHANGE)
        host.pump(0.15)
    calls = sum(host.call("api_calls").values())
    seconds = sum(own for _, own, _ in host.evaluate("watch.slices"))
    told = len(witness.notifications) - before
    assert told >= CHANGES, f"{told} of {CHANGES} changes were told: nothing is measured"
    return seconds / CHANGES, calls / CHANGES


@contextlib.contextmanager
def four_more(editor: Editor) -> Iterator[None]:
    """The other programs, connected."""
    home = editor.host.environment["HOME"]
    listeners: List[Any] = [Listener(editor.target) for _ in range(2)]
    try:
        with ClaudeClient(home, editor.workspace, "opencode") as opencode, CopilotClient(
            home, editor.workspace
        ) as copilot:
            opencode.connect()
            copilot.connect()
            editor.host.wait_until("len(endpoint.agents.connected) == 5")
            yield
    finally:
        for listener in listeners:
            listener.end()
    editor.host.wait_until("len(endpoint.agents.connected) == 1")


def measurements() -> Iterator[Measurement]:
    """All that is measured, with its targets."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder, starting(folder) as editor:
        editor.enable()
        editor.host.execute(WATCH)
        with ClaudeClient(editor.host.environment["HOME"], editor.workspace) as claude:
            claude.connect()
            editor.host.wait_until("len(endpoint.agents.connected) == 1")
            change(editor, claude)
            alone, together = [], []
            for _ in range(TURNS):
                alone.append(change(editor, claude))
                with four_more(editor):
                    together.append(change(editor, claude))
    work = [five[0] / one[0] for one, five in zip(alone, together)]
    calls = [five[1] / one[1] for one, five in zip(alone, together)]
    yield summary("selection, five programs: main thread", work, target=1.1, unit="x one program")
    yield summary("selection, five programs: API calls", calls, target=1.0, unit="x one program")
    yield summary("selection, one program: main thread", [1e6 * one[0] for one in alone], target=1500, unit="us")


if __name__ == "__main__":
    sys.exit(show(measurements()))
