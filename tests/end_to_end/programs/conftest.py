"""One editor and one program for the tests of a module that names its `PROGRAM` and the `MODEL` that it asks."""

from __future__ import annotations

import os

import pytest

from tests.clients.programs.shared import SharedProgram


@pytest.fixture(scope="module")
def beside(request, tmp_path_factory):
    """The program beside its editor."""
    workspace = os.path.join(os.path.realpath(tmp_path_factory.mktemp("beside")), "workspace")
    os.mkdir(workspace)
    with request.module.MODEL() as model:
        shared = SharedProgram(workspace, model, request.module.PROGRAM)
        yield shared
        shared.close()


@pytest.fixture
def desktop(request, beside):
    """The editor, with the word "Hello" selected; at the end nothing may have gone wrong."""
    desktop = beside.desktop()
    failures = request.session.testsfailed
    yield desktop
    found = [desktop.host.errors(), desktop.host.call("problems")["unexpected_dialogs"], beside.model.problems]
    if found != [[], [], []] or request.session.testsfailed != failures:
        beside.close()
    assert found == [[], [], []]


@pytest.fixture
def model(beside, desktop):
    """The model, which has been asked nothing yet."""
    return beside.model
