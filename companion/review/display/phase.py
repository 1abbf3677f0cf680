"""How far a review on the screen has come.

    phase      meaning                                                            may become
    ---------  -----------------------------------------------------------------  --------------------------------------
    GATHERING  the file is being read, or the texts are being put into the views   COMPARING, DRAWING
    COMPARING  a computing thread compares the texts                               DRAWING, STALE, FAILED, and anew
    DRAWING    the comparison, or the lack of one, is being drawn                  SHOWN, STALE, COMPARING, and anew
    SHOWN      what is drawn is the comparison of what the views hold              STALE, COMPARING, DRAWING
    STALE      the proposal was edited; compared as soon as the user pauses        COMPARING, DRAWING, SHOWN, FAILED
    FAILED     the comparison failed                                               COMPARING, DRAWING, STALE
    RETIRED    the review has ended; nothing happens any more

All but the last may go back to GATHERING, when the file is read again or a newer proposal comes, and become RETIRED.
"""

from __future__ import annotations

from enum import Enum
from typing import Dict, FrozenSet


class Phase(Enum):
    """See the table above."""

    GATHERING = "gathering"
    COMPARING = "comparing"
    DRAWING = "drawing"
    SHOWN = "shown"
    STALE = "stale"
    FAILED = "failed"
    RETIRED = "retired"


_ALWAYS = frozenset({Phase.GATHERING, Phase.RETIRED})

TRANSITIONS: Dict[Phase, FrozenSet[Phase]] = {
    Phase.GATHERING: _ALWAYS | {Phase.COMPARING, Phase.DRAWING},
    Phase.COMPARING: _ALWAYS | {Phase.COMPARING, Phase.DRAWING, Phase.STALE, Phase.FAILED},
    Phase.DRAWING: _ALWAYS | {Phase.DRAWING, Phase.SHOWN, Phase.STALE, Phase.COMPARING},
    Phase.SHOWN: _ALWAYS | {Phase.STALE, Phase.COMPARING, Phase.DRAWING},
    Phase.STALE: _ALWAYS | {Phase.STALE, Phase.COMPARING, Phase.DRAWING, Phase.SHOWN, Phase.FAILED},
    Phase.FAILED: _ALWAYS | {Phase.COMPARING, Phase.DRAWING, Phase.STALE},
    Phase.RETIRED: frozenset(),
}


def following(phase: Phase, wanted: Phase) -> Phase:
    """`wanted`, if `phase` may become that. Raises `ValueError` otherwise."""
    if wanted not in TRANSITIONS[phase]:
        raise ValueError(f"a review that is {phase.value} cannot become {wanted.value}")
    return wanted
