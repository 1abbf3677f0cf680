"""A project file may come from anybody: whatever it says, it only ever narrows what the user has allowed."""

from __future__ import annotations

import itertools
from dataclasses import fields
from typing import Any, Dict, List

import pytest

from companion.settings import Settings, read

USER = "the settings"
PROJECT = "the project's settings"

NAMES = [entry.name for entry in fields(Settings)]
SWITCHES = [
    "share_selection",
]
WAYS: Dict[str, List[Any]] = {
    "workspace_fallback": ["version_control", "directory", "none"],
    "review_ignore_whitespace": ["all", "trailing", "none"],
    "track_changes": ["always", "connected", "never"],
    "review_before_writing": ["as_agent", "always"],
}
LISTS = ["context_exclude"]
OF_AGENTS = ["programs"]  # tests/unit/agents/test_own_agents.py
USERS_ALONE: Dict[str, List[Any]] = {
    "terminal_commands": [{"linux": ["sh"]}, {}],
    "notify": ["never", "unfocused"],
    "review_skip": [["*"], ["docs/**"], []],
    "workspace_trust": [True, False, None],
}
ONLY_SHOWN: Dict[str, List[Any]] = {
    "review_open": ["at_once", "on_request"],
    "review_focus": ["auto", "always", "never"],
    "review_presentation": ["side_by_side", "inline", 20, 1000],
    "review_marks": ["outline", "fill"],
    "review_colors": ["scheme", "blue_orange"],
}


def merged(name, user, project):
    reading = read([(USER, {name: user}), (PROJECT, {name: project})])
    return getattr(reading.settings, name), reading.complaints


def test_every_setting_is_in_exactly_one_of_these_classes():
    assert sorted([*SWITCHES, *WAYS, *LISTS, *OF_AGENTS, *USERS_ALONE, *ONLY_SHOWN]) == sorted(NAMES)


def test_every_switch_of_the_table_is_recognised_by_its_type():
    free_or_users = {*USERS_ALONE, *ONLY_SHOWN}
    by_type = {name: value for name, value in vars(Settings()).items() if name not in free_or_users}
    assert sorted(name for name, value in by_type.items() if isinstance(value, bool)) == sorted(SWITCHES)


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize(("user", "project"), itertools.product([True, False], repeat=2))
def test_of_two_switches_both_must_be_on(name, user, project):
    assert merged(name, user, project) == (user and project, [])


@pytest.mark.parametrize(("name", "ways"), list(WAYS.items()))
def test_of_two_ways_the_more_careful_one_holds(name, ways):
    for user, project in itertools.product(ways, repeat=2):
        assert merged(name, user, project) == (ways[max(ways.index(user), ways.index(project))], [])


@pytest.mark.parametrize("name", LISTS)
def test_exclusions_add_up(name):
    by_default = read([(USER, {}), (PROJECT, {name: ["*.theirs"]})]).settings
    assert getattr(by_default, name) == (*getattr(Settings(), name), "*.theirs")
    assert merged(name, ["*.mine"], ["*.theirs"]) == (("*.mine", "*.theirs"), [])
    assert merged(name, ["*.mine"], []) == (("*.mine",), [])


@pytest.mark.parametrize(("name", "values"), list(USERS_ALONE.items()))
def test_what_is_run_trusted_or_logged_is_the_users_alone(name, values):
    for user, project in itertools.product(values, repeat=2):
        value, complaints = merged(name, user, project)
        assert value == (tuple(user) if isinstance(user, list) else user)
        assert complaints == [f'"{name}" in {PROJECT} is ignored: only your own settings can set it.']


@pytest.mark.parametrize(("name", "values"), list(ONLY_SHOWN.items()))
def test_how_a_diff_is_shown_a_project_may_say(name, values):
    for user, project in itertools.product(values, repeat=2):
        assert merged(name, user, project) == (project, [])


def test_a_wrong_value_of_a_project_leaves_the_users():
    for name in NAMES:
        user = {"review_presentation": 70, "share_selection": False}
        reading = read([(USER, user), (PROJECT, {name: {"no": "setting is like this"}})])
        assert reading.complaints != []
        assert reading.settings == read([(USER, user)]).settings
