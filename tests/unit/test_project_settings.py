"""A project file may come from anybody: whatever it says, it only ever narrows what the user has allowed.

Every setting is tried with all values that its check takes; what a project may say of `programs` is tested in
`tests/unit/agents/test_own_agents.py`.
"""

from __future__ import annotations

import itertools
from dataclasses import fields
from typing import Any, List

import pytest

from companion.settings import IGNORED_WHITESPACE, REVIEWED, TRACKING, Settings, adding, both, harmless, read

USER = "the settings"
PROJECT = "the project's settings"
ROWS = {entry.name: entry for entry in fields(Settings)}
RUN_TRUSTED_OR_UNSEEN = {"terminal_commands", "workspace_trust", "review_skip"}


def values(name: str) -> List[Any]:
    """Right values of a setting."""
    schema = ROWS[name].metadata["check"].schema
    found = [value for each in schema.get("anyOf", [schema]) for value in each.get("enum", [])]
    return found or [
        value
        for value in (True, False, None, 20, 1000, ["*"], ["docs/**"], [], {"linux": ["sh"]}, {})
        if ROWS[name].metadata["check"].is_right(value)
    ]


def merged_by(merge):
    return [name for name, entry in ROWS.items() if entry.metadata["merge"] is merge]


def merged(name, user, project):
    reading = read([(USER, {name: user}), (PROJECT, {name: project})])
    return getattr(reading.settings, name), reading.complaints


def test_of_two_switches_both_must_be_on():
    assert "share_selection" in merged_by(both)
    for name in merged_by(both):
        for user, project in itertools.product([True, False], repeat=2):
            assert merged(name, user, project) == (user and project, [])


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("workspace_fallback", ("version_control", "directory", "none")),
        ("review_ignore_whitespace", IGNORED_WHITESPACE),
        ("track_changes", TRACKING),
        ("review_before_writing", REVIEWED),
    ],
)
def test_of_two_ways_the_more_careful_one_holds(name, ways):
    assert sorted(values(name)) == sorted(ways)
    for user, project in itertools.product(ways, repeat=2):
        assert merged(name, user, project) == (ways[max(ways.index(user), ways.index(project))], [])


def test_exclusions_add_up():
    assert merged_by(adding) == ["context_exclude"]
    for name in merged_by(adding):
        by_default = read([(USER, {}), (PROJECT, {name: ["*.theirs"]})]).settings
        assert getattr(by_default, name) == (*getattr(Settings(), name), "*.theirs")
        assert merged(name, ["*.mine"], ["*.theirs"]) == (("*.mine", "*.theirs"), [])
        assert merged(name, ["*.mine"], []) == (("*.mine",), [])


def test_what_is_run_trusted_or_unseen_is_the_users_alone():
    assert set(merged_by(None)) >= RUN_TRUSTED_OR_UNSEEN
    for name in merged_by(None):
        assert len(values(name)) > 1
        for user, project in itertools.product(values(name), repeat=2):
            value, complaints = merged(name, user, project)
            alone = read([(USER, {name: user})])  # some rows of it may be wrong
            assert value == getattr(alone.settings, name)
            ignored = f'"{name}" in {PROJECT} is ignored: only your own settings can set it.'
            assert set(complaints) >= {*alone.complaints, ignored}


def test_only_how_a_diff_is_shown_a_project_may_say():
    for name in merged_by(harmless):
        assert name.startswith("review_")
        for user, project in itertools.product(values(name), repeat=2):
            assert merged(name, user, project) == (project, [])


@pytest.mark.parametrize("name", ROWS)
def test_a_wrong_value_of_a_project_leaves_the_users(name):
    user = {"review_presentation": 70, "share_selection": False}
    reading = read([(USER, user), (PROJECT, {name: {"no": "setting is like this"}})])
    assert reading.complaints != []
    assert reading.settings == read([(USER, user)]).settings
