"""What is published of the API, name by name: its numbers, and a stand-in for each thing that this host does without.

The list is `tests/host/api_surface.json`; `tests/host/tests/test_api_surface.py` says where it is from. Enumerations
and constants are made from it. A class, function or method that no plugin and no test here needs exists, as in the
editor, and refuses to be called.
"""

from __future__ import annotations

import enum
import json
import os

from .. import builds

with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "api_surface.json"), encoding="utf-8") as _file:
    SURFACE = json.load(_file)
if builds.MODERN:
    for _part, _names in SURFACE["since_4201"].items():
        for _name, _value in _names.items():
            _known = SURFACE["sublime"][_part].get(_name)
            SURFACE["sublime"][_part][_name] = {**_known, **_value} if isinstance(_known, dict) else _value


def _enumeration(name, members):
    are_flags = name.endswith("Flags") or name == "PointClassification"
    made = (enum.IntFlag if are_flags else enum.IntEnum)(name, members)
    made.__module__ = "sublime"
    return made


def _constant(value):
    return tuple(value) if isinstance(value, list) else value


def lacking(name):
    """A function that refuses to be called, and that tests can tell by its mark."""

    def refuse(*arguments, **keywords):
        raise NotImplementedError("the headless editor has no %s" % name)

    refuse.lacking = True
    return refuse


def complete(namespace, module):
    """Put a stand-in into the names of a module, "sublime" or "sublime_plugin", for all that it does not have."""
    for name in SURFACE[module]["functions"]:
        namespace.setdefault(name, lacking(name))
    for name, methods in SURFACE[module]["classes"].items():
        made = type(name, (), {"__init__": lacking(name), "__module__": module, "lacking": True})
        cls = namespace.setdefault(name, made)
        for method in methods:
            if not hasattr(cls, method):
                setattr(cls, method, lacking(name + "." + method))


NUMBERS = {name: _enumeration(name, members) for name, members in SURFACE["sublime"]["enumerations"].items()}
NUMBERS.update((name, _constant(value)) for name, value in SURFACE["sublime"]["constants"].items())
globals().update(NUMBERS)
