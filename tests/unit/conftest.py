"""What all unit tests share: the names of their cases."""

from __future__ import annotations

from typing import Any, Optional

LONGEST = 100


def pytest_make_parametrize_id(val: Any, argname: str) -> Optional[str]:
    """A long text gives a case its length as a name, where older releases of pytest would take all of it."""
    return f"{argname} of {len(val)}" if isinstance(val, (str, bytes)) and len(val) > LONGEST else None
