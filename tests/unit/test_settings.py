"""Settings: right values take effect, wrong ones are said, and a project can neither run nor reveal anything."""

from __future__ import annotations

import pytest

from companion.settings import Settings, project_layer, read

USER = "the settings"
PROJECT = "the project's settings"


def test_without_any_layer_everything_has_its_default():
    assert read([]) == (Settings(), [])


def test_a_right_value_takes_effect():
    assert read([(USER, {"review_focus": "never"})]).settings.review_focus == "never"


def test_a_wrong_value_is_said_and_the_default_holds():
    reading = read([(USER, {"review_presentation": 1001})])
    assert reading.settings.review_presentation == 100
    (said,) = reading.complaints
    assert said.startswith('"review_presentation" in the settings should be one of "side_by_side", "inline", or')


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("review_presentation", True),
        ("terminal_commands", {"linux": "xterm -e"}),
        ("terminal_commands", ["xterm"]),
    ],
)
def test_what_looks_like_another_type_is_wrong(name, value):
    reading = read([(USER, {name: value})])
    assert (reading.settings, len(reading.complaints)) == (Settings(), 1)


@pytest.mark.parametrize("data", [None, {}, {"settings": None}, {"settings": {}}, "text"])
def test_a_project_that_says_nothing(data):
    assert project_layer(data) == {}


def test_a_layer_that_is_no_object_is_said():
    assert read([(USER, {}), (PROJECT, "text")]).complaints == [
        '"gemini_companion" in the project\'s settings should be an object of settings.'
    ]


def test_the_users_own_list_of_patterns_has_no_end_and_a_projects_has():
    """From where the user's own were cut, secret files would be shared."""
    patterns = [f"*.secret{number}" for number in range(500)] + ["x" * 500]
    own = read([(USER, {"context_exclude": patterns})])
    assert own.settings.context_exclude == tuple(patterns)
    assert own.complaints == []
    both = read([(USER, {"context_exclude": patterns}), (PROJECT, {"context_exclude": patterns})])
    assert both.settings.context_exclude == (*patterns, *patterns[:64])
    assert len(both.complaints) == 1
    assert "the last 437 are ignored" in both.complaints[0]
    few = read([(USER, {"context_exclude": patterns}), (PROJECT, {"context_exclude": patterns[:64]})])
    assert few.settings.context_exclude == (*patterns, *patterns[:64])
    assert few.complaints == []


@pytest.mark.parametrize(("length", "right"), [(128, True), (129, False)])
def test_a_projects_pattern_has_a_longest_length(length, right):
    reading = read([(USER, {"context_exclude": []}), (PROJECT, {"context_exclude": ["x" * length, "*.draft"]})])
    assert reading.settings.context_exclude == (*(["x" * length] if right else []), "*.draft")
    assert (reading.complaints == []) is right


def test_of_many_wrong_patterns_a_few_are_named_and_the_rest_counted():
    reading = read([(USER, {"context_exclude": ["[z-a]"] * 10 + ["*.right"]})])
    named = [each for each in reading.complaints if "an invalid pattern" in each]
    (rest,) = [each for each in reading.complaints if "more invalid patterns" in each]
    assert f"has {10 - len(named)} more" in rest
    assert reading.settings.context_exclude == ("*.right",)
