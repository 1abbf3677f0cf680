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
    failures = request.session.testsfailed
    whole = False
    try:
        desktop = beside.desktop()
        yield desktop
        found = [beside.model.problems]
        if desktop.host.running:
            found.append(desktop.host.errors())
        whole = not any(found) and request.session.testsfailed == failures
        assert not any(found)
    finally:
        if not whole:  # an editor that has ended, too: its program looks for it where no other one will be
            beside.close()


@pytest.fixture
def model(beside, desktop):
    """The model, which has been asked nothing yet."""
    return beside.model
