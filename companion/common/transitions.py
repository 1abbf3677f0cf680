"""May one state follow another? The answer for all tables of states, which their modules call `TRANSITIONS`.

Rule: a state changes by `step` alone. A caller for whom the way may be closed meanwhile, because a review has ended for
one, asks `may_step` before.
"""

from __future__ import annotations

from enum import Enum
from typing import Dict, FrozenSet, TypeVar

State = TypeVar("State", bound=Enum)


class WrongStepError(RuntimeError):
    """A table has no way from one state to another."""


def may_step(table: Dict[State, FrozenSet[State]], former: State, state: State) -> bool:
    """Whether `table` has a way from the state `former` to `state`."""
    return state in table[former]


def step(table: Dict[State, FrozenSet[State]], former: State, state: State) -> State:
    """Return `state`, which follows `former` according to `table`. Raises `WrongStepError` if there is no such way."""
    if state not in table[former]:
        raise WrongStepError(f"{type(state).__name__} cannot go from {former.name} to {state.name}")
    return state
