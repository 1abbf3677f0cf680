"""The API's plain records: completions, syntaxes, rows of lists, symbols."""

from __future__ import annotations

from ._enums import (
    COMPLETION_FORMAT_COMMAND,
    COMPLETION_FORMAT_SNIPPET,
    COMPLETION_FORMAT_TEXT,
    KIND_AMBIGUOUS,
    KIND_SNIPPET,
)


class _Record:
    """Equal fields print alike; the subclasses say which fields."""

    __slots__ = ()

    def __repr__(self):
        return "%s(%s)" % (
            type(self).__name__,
            ", ".join("%s=%r" % (name, getattr(self, name)) for name in self.__slots__),
        )


class Html(_Record):
    """Marks a text as HTML in an input handler's preview."""

    __slots__ = ["data"]

    def __init__(self, data):
        self.data = data


class ContextStackFrame(_Record):
    """One context of a syntax definition."""

    __slots__ = ["context_name", "source_file", "source_location"]

    def __init__(self, context_name, source_file, source_location):
        self.context_name = context_name
        self.source_file = source_file
        self.source_location = source_location


class CompletionList:
    """Completions that may come later."""

    def __init__(self, completions=None, flags=0):
        self.target = None
        self.completions = completions
        self.flags = flags

    def __repr__(self):
        return "CompletionList(completions=%r, flags=%r)" % (self.completions, self.flags)

    def _set_target(self, target):
        if self.completions is None:
            self.target = target
        else:
            target.completions_ready(self.completions, self.flags)

    def set_completions(self, completions, flags=0):
        assert self.completions is None
        assert flags is not None
        self.completions, self.flags = completions, flags
        if self.target is not None:
            self.target.completions_ready(completions, flags)


class CompletionItem(_Record):
    """One completion."""

    __slots__ = ["trigger", "annotation", "completion", "completion_format", "kind", "details", "flags"]

    def __init__(
        self,
        trigger,
        annotation="",
        completion="",
        completion_format=COMPLETION_FORMAT_TEXT,
        kind=KIND_AMBIGUOUS,
        details="",
        flags=0,
    ):
        self.trigger = trigger
        self.annotation = annotation
        self.completion = completion
        self.completion_format = completion_format
        self.kind = kind
        self.details = details
        self.flags = flags

    def __eq__(self, rhs):
        if not isinstance(rhs, CompletionItem):
            return False
        return all(getattr(self, name) == getattr(rhs, name) for name in self.__slots__)

    @classmethod
    def snippet_completion(cls, trigger, snippet, annotation="", kind=KIND_SNIPPET, details=""):
        return CompletionItem(trigger, annotation, snippet, COMPLETION_FORMAT_SNIPPET, kind, details)

    @classmethod
    def command_completion(cls, trigger, command, args=None, annotation="", kind=KIND_AMBIGUOUS, details=""):
        from ._functions import format_command

        return CompletionItem(
            trigger, annotation, format_command(command, args), COMPLETION_FORMAT_COMMAND, kind, details
        )


class Syntax(_Record):
    """One syntax definition; equal by path."""

    __slots__ = ["path", "name", "hidden", "scope"]

    def __init__(self, path, name, hidden, scope):
        self.path = path
        self.name = name
        self.hidden = hidden
        self.scope = scope

    def __eq__(self, other):
        return isinstance(other, Syntax) and self.path == other.path

    def __hash__(self):
        return hash(self.path)


class QuickPanelItem(_Record):
    """A row of a quick panel."""

    __slots__ = ["trigger", "details", "annotation", "kind"]

    def __init__(self, trigger, details="", annotation="", kind=KIND_AMBIGUOUS):
        self.trigger = trigger
        self.details = details
        self.annotation = annotation
        self.kind = kind


class ListInputItem(_Record):
    """A row of a list input handler."""

    __slots__ = ["text", "value", "details", "annotation", "kind"]

    def __init__(self, text, value, details="", annotation="", kind=KIND_AMBIGUOUS):
        self.text = text
        self.value = value
        self.details = details
        self.annotation = annotation
        self.kind = kind


class SymbolRegion(_Record):
    """A symbol in a view."""

    __slots__ = ["name", "region", "syntax", "type", "kind"]

    def __init__(self, name, region, syntax, type, kind):
        self.name = name
        self.region = region
        self.syntax = syntax
        self.type = type
        self.kind = kind


class SymbolLocation(_Record):
    """A symbol in a file."""

    __slots__ = ["path", "display_name", "row", "col", "syntax", "type", "kind"]

    def __init__(self, path, display_name, row, col, syntax, type, kind):
        self.path = path
        self.display_name = display_name
        self.row = row
        self.col = col
        self.syntax = syntax
        self.type = type
        self.kind = kind

    def path_encoded_position(self):
        return "%s:%d:%d" % (self.path, self.row, self.col)


for _class in list(globals().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "sublime"
