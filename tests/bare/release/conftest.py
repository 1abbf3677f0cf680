"""Makes the release tools importable, and the package's parts under test."""
from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

for _folder in (ROOT, ROOT / "tests" / "tools"):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
