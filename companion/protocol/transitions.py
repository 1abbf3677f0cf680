"""Tables of states: which state follows which on what event, checked when it happens and drawn for the documentation.

Rule: a state changes through `after` and in no other way, so that a change that no table foresees is an error where it
happens, not a riddle later.
"""

from __future__ import annotations

from enum import Enum
from typing import Mapping, TypeVar

State = TypeVar("State", bound=Enum)
Event = TypeVar("Event", bound=Enum)


class ImpossibleTransition(RuntimeError):
    """The table has no such transition: a mistake of ours, never a client's."""


def after(table: Mapping[State, Mapping[Event, State]], state: State, event: Event) -> State:
    """The state that follows. Raises ImpossibleTransition."""
    try:
        return table[state][event]
    except KeyError:
        raise ImpossibleTransition(f"{event.name} cannot happen in the state {state.name}") from None


def picture(title: str, table: Mapping[State, Mapping[Event, State]]) -> str:
    """The table as lines of text, for a module's documentation."""
    rows = [
        f"    {state.name:<12} {event.name:<16} -> {following.name}"
        for state, events in table.items()
        for event, following in events.items()
    ]
    return "\n".join([f"\n{title}:\n", *rows, ""])
