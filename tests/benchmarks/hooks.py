"""How long a hook takes that has nothing to say, or whose editor has gone, in units of the same `curl` and a bare
aiohttp handler.

    python tests/benchmarks/hooks.py [--json]

The hook is heard by a whole editor, of a program that is at work in its window, before a tool that only reads and after
one that has written. Of each pair one run follows the other, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ratio import Measurement, show, summary  # noqa: E402

from tests.host.driver import Host  # noqa: E402
from tests.support.hooked import make  # noqa: E402

TURNS, PAIRS = 9, 7
CANNOT_CONNECT = 7  # curl's exit status
PUBLISHED = (
    "{!r} in __import__('sys').modules['Gemini Companion.plugin'].application.endpoints()[0].discovery.all_folders"
)
BARE = """
import socket

from aiohttp import web

async def answer(request):
    await request.json()
    return web.json_response({})

application = web.Application()
application.router.add_post("/hook", answer)
listening = socket.create_server(("127.0.0.1", 0))
print("http://127.0.0.1:%d" % listening.getsockname()[1], flush=True)
web.run_app(application, sock=listening, print=None)
"""


def run(file: str, payload: bytes, answer: bytes = b"{}") -> float:
    """Seconds of one hook."""
    command = ["curl", "-q", "-sS", "-K", file, "-H", f"X-Companion-Parent: {os.getpid()}", "--data-binary", "@-"]
    began = time.perf_counter()
    done = subprocess.run(command, input=payload, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    taken = time.perf_counter() - began
    assert (done.stdout.strip(), done.returncode) == (answer, 0 if answer else CANNOT_CONNECT), done
    return taken


def compare(name: str, files: List[str], payload: bytes, answer: bytes = b"{}") -> Measurement:
    """The first of the two files, which gives this answer, in units of the second."""
    ratios = []
    for _ in range(TURNS):
        pairs = [[run(files[0], payload, answer), run(files[1], payload)] for _ in range(PAIRS)]
        ratios.append(statistics.median(ours / bare for ours, bare in pairs))
    return summary(name, ratios, target=2.0, unit="x curl and bare aiohttp")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = os.path.join(os.path.realpath(folder), "workspace")
        os.mkdir(workspace)
        bare = subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE, universal_newlines=True)
        assert bare.stdout is not None
        address = bare.stdout.readline().strip()
        file = os.path.join(folder, "bare.conf")
        with open(file, "w", encoding="utf-8") as conf:
            conf.write(f'url = "{address}/hook"\nheader = "Content-Type: application/json"\nnoproxy = "*"\n')
        try:
            with Host.start(folders=[workspace]) as host:
                files = [make(host, "claude"), file]
                host.wait_until(PUBLISHED.format(workspace))
                told = {"session_id": "s", "cwd": workspace, "permission_mode": "auto", "tool_use_id": "t"}
                read = {**told, "tool_name": "Read", "tool_input": {"file_path": os.path.join(workspace, "a")}}
                before, question = (
                    json.dumps({**read, "hook_event_name": event}).encode()
                    for event in ("PreToolUse", "PermissionRequest")
                )
                run(files[0], json.dumps({**told, "hook_event_name": "SessionStart"}).encode())
                measured = [
                    compare("Hook of a tool that reads", files, before),
                    compare("Hook of a question", files, question),
                ]
                host.quit()
                measured.append(compare("Hook of an editor that has quit", files, before))
                host.restart()
                host.wait_until(lambda: "http://" in Path(files[0]).read_text(encoding="utf-8"))
                host.kill()
                measured.append(compare("Hook of an editor that was killed", files, before, b""))
                show(measured)
        finally:
            bare.kill()
            bare.wait()
            bare.stdout.close()


if __name__ == "__main__":
    main()
