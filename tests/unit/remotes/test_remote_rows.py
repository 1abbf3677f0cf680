"""What users write of their remotes: which rows are right, and what is said of the others."""

from __future__ import annotations

import pytest

from companion.settings import RemoteRow, read

RIGHT = {"command": ["ssh", "-T", "web"], "folders": {"/srv/app": "~/mnt/app", "/data": None}}


def reading(remotes, project=None):
    return read([("the settings", {"remotes": remotes}), ("the project's settings", project or {})])


def test_a_row_has_a_command_and_folders():
    found = reading({"web": RIGHT})
    assert found.complaints == []
    assert found.settings.remotes == {
        "web": RemoteRow("web", ("ssh", "-T", "web"), {"/srv/app": "~/mnt/app", "/data": ""})
    }


@pytest.mark.parametrize(
    "change",
    [
        {"command": "ssh web"},
        {"command": []},
        {"command": ["ssh", "\x1b[0m"]},
        {"folders": {}},
        {"folders": {"srv/app": None}},
        {"folders": {"/srv/../etc": None}},
        {"folders": {"/": None}},
        {"folders": {"/srv/app": 1}},
        {"folders": {"/srv/app": "mnt/app"}},
        {"folders": {"/srv/app": "~/mnt/../app"}},
        {"folders": {"/srv/app": "/mnt\0"}},
        {"folders": ["/srv/app"]},
        {"any_user": "yes"},
        {"password": "x"},
    ],
)
def test_a_row_that_is_wrong_is_left_out_and_named(change):
    found = reading({"web": {**RIGHT, **change}, "other": RIGHT})
    assert list(found.settings.remotes) == ["other"]
    assert [each for each in found.complaints if "“web”" in each] == found.complaints != []


def test_no_project_can_set_a_remote():
    found = reading({}, {"remotes": {"web": RIGHT}})
    assert found.settings.remotes == {}
    assert found.complaints == ['"remotes" in the project\'s settings is ignored: only your own settings can set it.']
