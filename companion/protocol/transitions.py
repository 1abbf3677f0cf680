"""State tables: which state follows on which event. They are checked at run time and printed in the documentation.

Rule: a state changes only through `after`. A transition that is missing from the table therefore fails where it
happens, not later.
"""

from __future__ import annotations

from enum import Enum
from typing import Mapping, TypeVar

State = TypeVar("State", bound=Enum)
Event = TypeVar("Event", bound=Enum)


class IdentityHashed(Enum):
    """An enum whose members are hashed by identity, as each exists once.

    `Enum.__hash__` is written in Python, and a step of a table takes two of them.
    """

    __hash__ = object.__hash__


class ImpossibleTransition(RuntimeError):
    """The table has no such transition. This is a bug of this package, never a client's fault."""


def after(table: Mapping[State, Mapping[Event, State]], state: State, event: Event) -> State:
    """The state that follows. Raises ImpossibleTransition."""
    try:
        return table[state][event]
    except KeyError:
        raise ImpossibleTransition(f"{event.name} cannot happen in the state {state.name}") from None


def picture(title: str, table: Mapping[State, Mapping[Event, State]]) -> str:
    """The table as text, for a module's docstring."""
    rows = [
        f"    {state.name:<12} {event.name:<16} -> {following.name}"
        for state, events in table.items()
        for event, following in events.items()
    ]
    return "\n".join([f"\n{title}:\n", *rows, ""])
