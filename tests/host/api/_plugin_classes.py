"""The base classes of plugins: commands, input handlers, listeners."""

from __future__ import annotations

import re

from .. import builds
from ..model.host import current
from . import sublime


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


class CommandInputHandler:
    """Asks for one argument of a command in the palette."""

    def name(self):
        return _snake(type(self).__name__, "_input_handler")

    def placeholder(self):
        return ""

    def initial_text(self):
        return ""

    def initial_selection(self):
        return []

    def preview(self, text):
        return ""

    def validate(self, text):
        return True

    def cancel(self):
        pass

    def confirm(self, text):
        pass

    def next_input(self, args):
        return None

    def want_event(self):
        return False

    def create_input_handler_(self, args):
        return self.next_input(args)

    def preview_(self, v):
        shown = self.preview(v)
        if shown is None:
            return ("", 0)
        return (shown.data, 1) if isinstance(shown, sublime.Html) else (shown, 0)

    def validate_(self, v, event):
        return self.validate(v, event) if self.want_event() else self.validate(v)

    def cancel_(self):
        self.cancel()

    def confirm_(self, v, event):
        if self.want_event():
            self.confirm(v, event)
        else:
            self.confirm(v)


class BackInputHandler(CommandInputHandler):
    """Goes back to the handler before."""

    def name(self):
        return "_Back"


class TextInputHandler(CommandInputHandler):
    """Asks for a text."""

    def description(self, text):
        return text

    def setup_(self, args):
        return (
            [],
            {
                "initial_text": self.initial_text(),
                "initial_selection": self.initial_selection(),
                "placeholder_text": self.placeholder(),
                "type": "text",
            },
        )

    def description_(self, v, text):
        return self.description(text) or ""


class ListInputHandler(CommandInputHandler):
    """Asks for one item of a list."""

    def list_items(self):
        return []

    def description(self, value, text):
        return text

    def setup_(self, args):
        items, selected = self.list_items(), -1
        if isinstance(items, tuple):
            items, selected = items
        rows = []
        for item in items:
            if isinstance(item, str):
                rows.append((item, item))
            elif isinstance(item, (list, tuple)):
                rows.append(tuple(item))
            elif isinstance(item, sublime.ListInputItem):
                rows.append((item.text, item.value))
            else:
                raise TypeError("items must contain only str, list, tuple or ListInputItem objects")
        return (
            rows,
            {
                "initial_text": self.initial_text(),
                "placeholder_text": self.placeholder(),
                "selected": selected,
                "type": "list",
            },
        )

    def description_(self, v, text):
        return self.description(v, text) or ""


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

    def want_event(self):
        return False

    def input(self, args):
        return None

    def input_description(self):
        return ""

    def filter_args(self, args):
        if args and "event" in args and not self.want_event():
            return {key: value for key, value in args.items() if key != "event"}
        return args

    def create_input_handler_(self, args):
        return self.input(args)

    def _ask(self, method, args):
        args = self.filter_args(args)
        try:
            answer = method(**args) if args else method()
        except TypeError:
            answer = method()
        if not isinstance(answer, bool):
            raise ValueError("%s must return a bool" % method.__name__, self)
        return answer

    def is_enabled_(self, args):
        return self._ask(self.is_enabled, args)

    def is_visible_(self, args):
        return self._ask(self.is_visible, args)

    def is_checked_(self, args):
        return self._ask(self.is_checked, args)

    def description_(self, args):
        args = self.filter_args(args)
        try:
            return (self.description(**args) if args is not None else self.description()) or ""
        except TypeError:
            return ""

    def _call(self, function, args):
        """Run; a missing argument opens the palette if the command has an input handler for it."""
        args = self.filter_args(args)
        try:
            return function(**args) if args else function()
        except TypeError as error:
            if not re.search("required positional argument", str(error)) or self.input(args or {}) is None:
                raise
            current().input_requests.append({"command": self.name(), "args": args or {}})


class ApplicationCommand(Command):
    """One instance for the whole editor."""

    def run_(self, edit_token, args):
        return self._call(self.run, args)

    def run(self):
        pass


class WindowCommand(Command):
    """One instance per window."""

    def __init__(self, window):
        self.window = window

    def run_(self, edit_token, args):
        return self._call(self.run, args)

    def run(self):
        pass


class TextCommand(Command):
    """One instance per view."""

    def __init__(self, view):
        self.view = view

    def run_(self, edit_token, args):
        args = self.filter_args(args)

        def run(**values):
            edit = self.view.begin_edit(edit_token, self.name(), values or None)
            try:
                return self.run(edit, **values)
            finally:
                self.view.end_edit(edit)

        return self._call(run, args)

    def run(self, edit):
        pass


class EventListener:
    """One instance for the whole editor."""


class ViewEventListener:
    """One instance per view that it applies to."""

    @classmethod
    def is_applicable(cls, settings):
        return True

    @classmethod
    def applies_to_primary_view_only(cls):
        return True

    def __init__(self, view):
        self.view = view


class TextChangeListener:
    """Hears of every change of a buffer's text."""

    @classmethod
    def is_applicable(cls, buffer):
        return True

    def __init__(self):
        self.__key = None
        self.buffer = None

    def attach(self, buffer):
        if not isinstance(buffer, sublime.Buffer):
            raise TypeError("Must be a buffer")
        if self.__key is not None:
            raise ValueError("TextChangeListener is already attached")
        self.buffer = buffer
        model = current().buffers.get(buffer.buffer_id)
        if model is not None:
            model.listeners.append(self)
        self.__key = current().next_id("text listener")

    def detach(self):
        if self.__key is None:
            raise ValueError("TextChangeListener is not attached")
        model = current().buffers.get(self.buffer.buffer_id)
        if model is not None and self in model.listeners:
            model.listeners.remove(self)
        self.__key = None

    def is_attached(self):
        return self.__key is not None


for _class in list(globals().values()):
    if isinstance(_class, type):
        _class.__module__ = "sublime_plugin"
