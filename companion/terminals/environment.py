"""The environment variables by which a client in a terminal finds the right window.

Rule: they hold a port, paths and a process id, never a token. Every program that a terminal runs inherits its
environment, while the discovery file, in which clients find the token, can be read by the user only.
"""

from __future__ import annotations

from typing import Dict, Mapping, MutableMapping, Optional, Sequence

from ..agents.agent import ConnectionDetails
from ..agents.registry import AGENTS
from ..system.platform import Platform

CERTIFICATES = "SSL_CERT_FILE"


def terminal_variables(connection: ConnectionDetails) -> Dict[str, str]:
    """What a terminal started from the editor inherits. Companion specifications, section I.2."""
    variables: Dict[str, str] = {}
    for agent in AGENTS:
        variables.update(agent.terminal_variables(connection))
    return variables


def client_variables(connection: ConnectionDetails) -> Dict[str, str]:
    """What a program needs if the editor is not among its parent processes: the same, and the editor's process id."""
    variables = terminal_variables(connection)
    for agent in AGENTS:
        variables.update(agent.client_variables(connection))
    return variables


def for_programs(environment: Mapping[str, str], editors: Sequence[str], platform: Platform) -> Dict[str, str]:
    """The environment for a program that we start: without what the plugin host has set for itself.

    The host points OpenSSL at its own certificates, and a company's would be missing. `editors` are the editor's own
    files and folders.
    """
    kept = dict(environment)
    path = platform.path.normcase(kept.get(CERTIFICATES, ""))
    places = [platform.path.normcase(place) for place in editors if place]
    if any(path == place or path.startswith(platform.path.join(place, "")) for place in places):
        kept.pop(CERTIFICATES, None)
    return kept


class ExportedEnvironment:
    """Variables set in the process's environment for its children, and removed again. One thread only.

    Former values are restored; what somebody else has set meanwhile is theirs, and stays or is restored.
    """

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        self._environment = environment
        self._former: Dict[str, Optional[str]] = {}
        self._ours: Dict[str, str] = {}

    def put(self, variables: Mapping[str, str]) -> None:
        """Set exactly these variables, and restore the others of ours."""
        for name in [name for name in self._ours if name not in variables]:
            self._restore(name)
        for name, value in variables.items():
            current = self._environment.get(name)
            if name not in self._ours or current != self._ours[name]:
                self._former[name] = current
            self._environment[name] = self._ours[name] = value

    def clear(self) -> None:
        """Restore all variables of ours."""
        self.put({})

    def _restore(self, name: str) -> None:
        ours, former = self._ours.pop(name), self._former.pop(name)
        if self._environment.get(name) != ours:
            return
        if former is None:
            del self._environment[name]
        else:
            self._environment[name] = former
