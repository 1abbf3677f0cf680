"""Numbers proposals and changes of files in the order in which they come to be reviewed. Any thread."""

from __future__ import annotations

import itertools
from typing import Iterator

numbers: Iterator[int] = itertools.count(1)
