"""Servers under test, and what the suite and the SDKs run on."""

from __future__ import annotations

import os
from typing import Iterator

import pytest

from tests.conformance.servers import Server
from tests.tools import nodes, pythons


@pytest.fixture(scope="module")
def demo_server() -> Iterator[Server]:
    """The package's server with the suite's demo tools."""
    server = Server([])
    yield server
    server.close()


@pytest.fixture(scope="module")
def shipped_server() -> Iterator[Server]:
    """The package's server with the package's tools."""
    server = Server(["--shipped"])
    yield server
    server.close()


@pytest.fixture(scope="session")
def node() -> str:
    """A Node that the suite runs on."""
    return nodes.newer_node()


@pytest.fixture(scope="session")
def sdk_python() -> str:
    """A Python with the official SDK in it."""
    return os.environ.get("COMPANION_SDK_PYTHON") or pythons.sdk_environment()
