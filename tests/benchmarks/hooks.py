"""How long a hook takes that has nothing to say, in units of the same `curl` and a bare aiohttp handler.

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


def run(file: str, payload: bytes) -> float:
    """Seconds of one hook."""
    command = ["curl", "-q", "-sS", "-K", file, "-H", f"X-Companion-Parent: {os.getpid()}", "--data-binary", "@-"]
    began = time.perf_counter()
    said = subprocess.run(command, input=payload, stdout=subprocess.PIPE, check=True).stdout
    taken = time.perf_counter() - began
    assert said == b"{}", said
    return taken


def compare(name: str, files: List[str], payload: bytes) -> Measurement:
    """The first of the two files, in units of the second."""
    ratios = []
    for _ in range(TURNS):
        pairs = [[run(file, payload) for file in files] for _ in range(PAIRS)]
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
                run(files[0], json.dumps({**told, "hook_event_name": "SessionStart"}).encode())
                show(
                    compare(name, files, json.dumps(payload).encode())
                    for name, payload in (
                        ("Hook of a tool that reads", {**read, "hook_event_name": "PreToolUse"}),
                        ("Hook of a question", {**read, "hook_event_name": "PermissionRequest"}),
                    )
                )
        finally:
            bare.kill()
            bare.wait()
            bare.stdout.close()


if __name__ == "__main__":
    main()
