"""An image in a group is a sheet without a view: it does not tell how wide the group is."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from companion.review.window.split import SplitLayout

TWO = {"cols": [0.0, 0.25, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}


@pytest.mark.parametrize(("width", "letter", "columns"), [(200, 10, 60), (0, 10, None), (200, 0, None)])
def test_how_wide_its_group_is_another_one_tells_if_it_was_drawn(width, letter, columns):
    view, window = Mock(), Mock()
    view.em_width.return_value, view.viewport_extent.return_value = letter, (width, 600)
    window.layout.return_value, window.num_groups.return_value = TWO, 2
    window.active_view_in_group = lambda group: view if group == 0 else None
    assert SplitLayout(window).columns(1) == columns
