"""The plain value classes of the API, and the checks for what may cross into the editor.

Rule kept here: a value that the editor's C layer would refuse (a float as a point, a lone surrogate
in a text, an object as a setting) is refused at this border, with the same class of exception.
"""

from __future__ import annotations

from typing import Any


def as_point(value: Any) -> int:
    """Return `value` as a text point. Raises TypeError for anything that is not an int."""
    if not isinstance(value, int):
        raise TypeError("an integer is required (got type %s)" % type(value).__name__)
    return int(value)


def as_text(value: Any) -> str:
    """Return `value` as a text. Raises TypeError for other types, UnicodeEncodeError for lone surrogates."""
    if not isinstance(value, str):
        raise TypeError("a str is required, not %s" % type(value).__name__)
    if not value.isascii():
        value.encode("utf-8")
    return str(value)


def as_region(value: Any) -> Region:
    """Return a fresh Region. Raises TypeError for other types and for ends that are not ints."""
    if not isinstance(value, Region):
        raise TypeError("a sublime.Region is required, not %s" % type(value).__name__)
    return Region(as_point(value.a), as_point(value.b), value.xpos)


def as_vector(value: Any) -> tuple:
    """Return an (x, y) pair of floats. Raises TypeError for anything else."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError("a pair of numbers is required")
    for part in value:
        if not isinstance(part, (int, float)):
            raise TypeError("a pair of numbers is required")
    return (float(value[0]), float(value[1]))


def as_callback(value: Any, what: str) -> Any:
    """Return `value` if it is None or callable. Raises TypeError otherwise."""
    if value is not None and not callable(value):
        raise TypeError("%s must be callable" % what)
    return value


def to_value(value: Any) -> Any:
    """Return a deep copy made of JSON types only; tuples become lists. Raises TypeError("Value required")."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, (list, tuple)):
        return [to_value(item) for item in value]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError("Value required: keys must be str")
        return {as_text(key): to_value(item) for key, item in value.items()}
    raise TypeError("Value required, not %s" % type(value).__name__)


def to_args(args: Any) -> Any:
    """Return command arguments as JSON values, or None. Raises TypeError unless None or a dict of JSON values."""
    if args is None:
        return None
    if not isinstance(args, dict):
        raise TypeError("command arguments must be a dict or None, not %s" % type(args).__name__)
    return to_value(args)


class Region:
    """Two text points; `b` is the caret's end in a selection. Equality ignores `xpos`; mutable, so not hashable."""

    __slots__ = ["a", "b", "xpos"]

    def __init__(self, a, b=None, xpos=-1):
        self.a = a
        self.b = a if b is None else b
        self.xpos = xpos

    def __iter__(self):
        yield self.a
        yield self.b

    def __str__(self):
        return "(%s, %s)" % (self.a, self.b)

    def __repr__(self):
        tail = "" if self.xpos == -1 else ", xpos=%s" % self.xpos
        return "Region(%s, %s%s)" % (self.a, self.b, tail)

    def __len__(self):
        return self.size()

    def __eq__(self, rhs):
        return isinstance(rhs, Region) and (self.a, self.b) == (rhs.a, rhs.b)

    def __lt__(self, rhs):
        return (self.begin(), self.end()) < (rhs.begin(), rhs.end())

    def __contains__(self, v):
        if isinstance(v, Region):
            return v.a in self and v.b in self
        if isinstance(v, int):
            return self.begin() <= v <= self.end()
        raise TypeError("in <Region> requires int or Region as left operand, not %s" % type(v).__qualname__)

    def to_tuple(self):
        return (self.a, self.b)

    def empty(self):
        return self.a == self.b

    def begin(self):
        return min(self.a, self.b)

    def end(self):
        return max(self.a, self.b)

    def size(self):
        return abs(self.b - self.a)

    def contains(self, x):
        return x in self


class Edit:
    """The permission to change one view's text, alive only while its TextCommand runs."""

    def __init__(self, token):
        self.edit_token = token

    def __repr__(self):
        return "Edit(%r)" % (self.edit_token,)


for _class in (Region, Edit):
    _class.__module__ = "sublime"
