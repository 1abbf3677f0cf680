"""The host's API is that of its build: every class, function and constant, and nothing else.

What the host has, has the published signature; what it does without is there by its name, and refuses to be called.

The list in `tests/host/api_surface.json` is our own. It was made by looking up what is published: the stubs of the
projects jfcherng-sublime/ST-API-stubs (builds 4131, 4136 and 4147) and sublimelsp/LSP (its `sublime.pyi`, the newest).
Where the two name a parameter differently, the name in the editor's own layer as ST-API-stubs quotes it was taken;
`disputed` in the list names these, so that nobody passes them by keyword. What builds newer than 4200 have beside that
is `since_4201`, from the stubs of build 4213 (SublimeText/sublime-text-stubs).
"""

from __future__ import annotations

import enum
import inspect
import json

import pytest

from tests.host.api._published import SURFACE

LACKING = "lacking"  # stands for the signature of what the host does without


def signature(function) -> str:
    """A function's parameters as text that is the same on every Python."""
    if hasattr(function, "lacking"):
        return LACKING
    parts = []
    keyword_only = False
    for parameter in inspect.signature(function).parameters.values():
        text = parameter.name
        if parameter.kind is parameter.VAR_KEYWORD:
            text = "**" + text
        elif parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        if parameter.default is not parameter.empty:
            default = parameter.default
            text += "=" + ("function" if callable(default) else json.dumps(default, default=str))
        parts.append(text)
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name != "self":
            parts.append("/")
    return ", ".join(parts)


def described(module) -> dict:
    """What a module offers, in the form of the list."""
    found: dict = {"constants": {}, "enumerations": {}, "functions": {}, "classes": {}}
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_"):
            continue
        if isinstance(value, type) and issubclass(value, enum.Enum):
            found["enumerations"][name] = {member: int(item) for member, item in value.__members__.items()}
        elif isinstance(value, type):
            found["classes"][name] = LACKING if hasattr(value, "lacking") else methods(value)
        elif inspect.isfunction(value):
            found["functions"][name] = signature(value)
        else:
            found["constants"][name] = json.loads(json.dumps(value))
    return found


def methods(cls) -> dict:
    """A class's public methods, the inherited ones included, and its constructor."""
    found = {}
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        if name.startswith("_") and name not in (
            "__init__",
            "__getitem__",
            "__setitem__",
            "__delitem__",
            "__contains__",
            "__iter__",
            "__len__",
        ):
            continue
        if isinstance(value, classmethod):
            found[name] = signature(value.__func__)
        elif inspect.isfunction(value):
            found[name] = signature(value)
    return found


@pytest.mark.parametrize("name", ["sublime", "sublime_plugin"])
@pytest.mark.parametrize("part", ["constants", "enumerations", "functions", "classes"])
def test_the_host_offers_what_is_published(bench, name, part):
    assert with_lacking(described(getattr(bench, name))[part], SURFACE[name][part]) == SURFACE[name][part]


def with_lacking(found, published):
    """What was found, with the published signatures of what the host does without."""
    if isinstance(found, dict) and isinstance(published, dict):
        return {name: with_lacking(value, published.get(name)) for name, value in found.items()}
    return published if found == LACKING else found


def test_what_the_host_does_without_refuses_to_be_called(bench):
    view = bench.window.new_file()
    for call in (view.symbols, bench.sublime.get_macro, bench.sublime.CompletionList):
        with pytest.raises(NotImplementedError, match="the headless editor has no "):
            call()
    bench.plugin("class Watcher(sublime_plugin.TextChangeListener): pass")
    assert bench.errors() == ["the headless editor knows no classes such as Watcher"]


def test_nothing_else_is_there(bench):
    view = bench.window.new_file()
    for owner, name in (
        (bench.sublime, "load_plugin_module"),
        (view, "add_decoration"),
        (bench.window, "on_resize"),
        (bench.sublime, "UI_ELEMENT_SIDE_BAR"),
        (bench.sublime.Region(0), "length"),
    ):
        with pytest.raises(AttributeError):
            getattr(owner, name)


def test_wrong_keywords_are_refused(bench):
    view = bench.window.new_file()
    with pytest.raises(TypeError):
        view.add_regions("k", [], style="x")
    with pytest.raises(TypeError):
        bench.window.open_file(path="x")
    with pytest.raises(TypeError):
        bench.window.views(True)
    with pytest.raises(TypeError):
        view.text_point(0, 0, True)
