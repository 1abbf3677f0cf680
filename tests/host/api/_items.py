"""The API's plain records: syntaxes and rows of lists."""

from __future__ import annotations

from ._published import KIND_AMBIGUOUS


class _Record:
    """Equal fields print alike; the subclasses say which fields."""

    __slots__ = ()

    def __repr__(self):
        return "%s(%s)" % (
            type(self).__name__,
            ", ".join("%s=%r" % (name, getattr(self, name)) for name in self.__slots__),
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


for _class in list(globals().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "sublime"
