"""How far a review has come, from its texts on their way into the views to the comparison on the screen.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from enum import Enum
from typing import Dict, FrozenSet


class Phase(Enum):
    """How far a review has come."""

    GATHERING = "gathering"  # the file is being read, or the texts are being put into the views
    COMPARING = "comparing"  # on a computing thread
    DRAWING = "drawing"  # the comparison, or the lack of one
    SHOWN = "shown"  # what is drawn is the comparison of what was in the views
    FAILED = "failed"  # the comparison has
    RETIRED = "retired"  # the review has ended; nothing happens any more

    def to(self, phase: Phase) -> Phase:
        """The next phase. Raises `ValueError` if there is no way to it."""
        if phase not in TRANSITIONS[self]:
            raise ValueError(f"a review that is {self.value} cannot become {phase.value}")
        return phase


_ALWAYS = frozenset({Phase.GATHERING, Phase.COMPARING, Phase.DRAWING, Phase.RETIRED})
TRANSITIONS: Dict[Phase, FrozenSet[Phase]] = {
    Phase.GATHERING: _ALWAYS,
    Phase.COMPARING: _ALWAYS | {Phase.FAILED},
    Phase.DRAWING: _ALWAYS | {Phase.SHOWN},
    Phase.SHOWN: _ALWAYS,
    Phase.FAILED: _ALWAYS,
    Phase.RETIRED: frozenset(),
}
