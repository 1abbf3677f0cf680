"""The ways of a review: what is shown was drawn, what has failed was compared, and nothing follows its end."""

from __future__ import annotations

from itertools import product

import pytest

from companion.review.display.pacing import Phase

ANY_TIME = {Phase.GATHERING, Phase.COMPARING, Phase.DRAWING, Phase.RETIRED}
ONLY_AFTER = {Phase.SHOWN: Phase.DRAWING, Phase.FAILED: Phase.COMPARING}


@pytest.mark.parametrize(("before", "after"), list(product(Phase, Phase)))
def test_a_review_goes_no_other_way(before, after):
    if before is not Phase.RETIRED and (after in ANY_TIME or ONLY_AFTER[after] is before):
        assert before.to(after) is after
    else:
        with pytest.raises(ValueError, match=f"{before.value} cannot become {after.value}"):
            before.to(after)
