"""The base classes of plugins: commands and listeners."""

from __future__ import annotations

import re

from .. import builds


def _snake(name, suffix):
    """FooBarCommand -> foo_bar. Of capitals in a row, build 4200 keeps all but the first (sublime_text 6447)."""
    if builds.MODERN:
        result = re.sub(r"(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
        return result[: -len(suffix)] if result.endswith(suffix) else result
    result, after_capital = name[0].lower(), False
    for character in name[1:]:
        if character.isupper() and not after_capital:
            result += "_" + character.lower()
        else:
            result += character
        after_capital = character.isupper()
    return result[: -len(suffix)] if result.endswith(suffix) else result


class Command:
    """What all commands have. The methods that end in an underscore are called by the editor."""

    def name(self):
        return _snake(type(self).__name__, "_command")

    def is_enabled(self):
        return True

    def is_visible(self):
        return True

    def is_checked(self):
        return False

    def description(self):
        return ""

    def _ask(self, method, args):
        try:
            answer = method(**args) if args else method()
        except TypeError:
            answer = method()
        if not isinstance(answer, bool):
            raise ValueError("%s must return a bool" % method.__name__, self)
        return answer

    def description_(self, args):
        try:
            return self.description(**args) if args is not None else self.description()
        except TypeError:
            return ""

    def is_enabled_(self, args):
        return self._ask(self.is_enabled, args)

    def is_visible_(self, args):
        return self._ask(self.is_visible, args)


class ApplicationCommand(Command):
    """One instance for the whole editor."""

    def run_(self, edit_token, args):
        return self.run(**(args or {}))

    def run(self):
        pass


class WindowCommand(Command):
    """One instance per window."""

    def __init__(self, window):
        self.window = window

    def run_(self, edit_token, args):
        return self.run(**(args or {}))

    def run(self):
        pass


class TextCommand(Command):
    """One instance per view."""

    def __init__(self, view):
        self.view = view

    def run_(self, edit_token, args):
        edit = self.view.begin_edit(edit_token, self.name(), args or None)
        try:
            return self.run(edit, **(args or {}))
        finally:
            self.view.end_edit(edit)

    def run(self, edit):
        pass


class EventListener:
    """One instance for the whole editor."""


for _class in list(globals().values()):
    if isinstance(_class, type):
        _class.__module__ = "sublime_plugin"
