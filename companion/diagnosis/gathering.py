"""Collects the facts for a report from the editor and from the running package.

Rule: one step on the main thread, in which nothing blocks.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, List, Tuple

import sublime

from ..agents.registry import wanted_agents
from ..common.display_names import client_name
from ..endpoint.client import SELF_TEST
from ..log import shortened
from ..review.decision import Writer
from .facts import Facts, WindowFacts

if TYPE_CHECKING:
    from ..endpoint.endpoint import Endpoint

MOST_PROBLEMS = 20
MOST_CHARACTERS = 2000  # of one problem: the rest of a long traceback is in the log


def gather(endpoints: List[Endpoint], problems: List[str], window: sublime.Window, version: str) -> Facts:
    """What is known now. `problems` are the log's warnings and errors. Main thread."""
    ports = tuple(
        service.address.port
        for endpoint in endpoints
        for service in endpoint.servers.services.values()
        if service.address.port
    )
    endpoints = sorted(
        open_endpoints(endpoints), key=lambda endpoint: (endpoint.window != window, endpoint.window.id())
    )
    view = window.active_view()
    # It is no problem that our own check with a wrong token was refused.
    problems = [problem for problem in problems if SELF_TEST not in problem]
    return Facts(
        time=time.strftime("%Y-%m-%d %H:%M:%S %z"),
        versions=(
            ("Gemini Companion", f"{version}, {_package_place()}"),
            ("Sublime Text", f"{sublime.version()} ({sublime.channel()})"),
            ("System", f"{sublime.platform()} {sublime.arch()}, {_system_release()}"),
            ("Python", sys.version.split()[0]),
        ),
        windows=tuple(_window(endpoint, endpoint.window == window, ports) for endpoint in endpoints),
        active_file=view.file_name() if view is not None else None,
        problems=tuple(shortened(problem, MOST_CHARACTERS) for problem in problems[-MOST_PROBLEMS:]),
    )


def open_endpoints(endpoints: List[Endpoint]) -> List[Endpoint]:
    """The endpoints whose windows are open. Main thread.

    The endpoint of a closed window may listen for a moment longer. A check of it would fail for no good reason.
    """
    return [endpoint for endpoint in endpoints if endpoint.window.is_valid()]


def title_of(window: sublime.Window, is_this: bool) -> str:
    """The name of a window in the report."""
    return "this window" if is_this else f"window {window.id()}"


def _window(endpoint: Endpoint, is_this: bool, ports: Tuple[int, ...]) -> WindowFacts:
    settings = endpoint.settings()
    clients: List[str] = []
    for client, name in zip(endpoint.clients.values(), endpoint.clients.names(numbered=True)):
        version, since = client_name(client.client_version), time.strftime("%H:%M:%S", time.localtime(client.opened_at))
        clients.append(f"{name} {version}, MCP {client.protocol_version}, connected at {since}")
    reviews: List[str] = []
    for review in endpoint.reviews.pending():
        gone = ", which has gone" if review.writer is Writer.CLIENT_GONE else ""
        reviews.append(f"{review.path}, proposed by {review.owner.client_name}{gone}")
    return WindowFacts(
        title=title_of(endpoint.window, is_this),
        is_this=is_this,
        port=endpoint.port,
        problem=endpoint.problem,
        folders=endpoint.folders(),
        published_for=tuple(agent.key for agent in wanted_agents(settings)),
        sharing=endpoint.tracker.sharing,
        clients=tuple(clients),
        reviews=tuple(reviews),
        all_ports=ports,
        addresses={key: service.address for key, service in endpoint.servers.services.items()},
    )


def _system_release() -> str:
    # On old Pythons the module `platform` starts a process to find this out.
    if sys.platform == "win32":
        return f"build {sys.getwindowsversion().build}"
    return os.uname().release


def _package_place() -> str:
    # Package Control installs a package as one file. A module that is imported from it need not have a `__file__`.
    place = globals().get("__file__") or getattr(__spec__, "origin", None) or ""
    return "installed" if ".sublime-package" in place else "from a folder"
