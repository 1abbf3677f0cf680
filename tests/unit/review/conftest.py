"""The room's logic stands beside what draws it, so its modules are imported here without an editor."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class NoEditor(ModuleType):
    """Modules may name what the editor has when they are imported. Nothing of it works."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[:1].isupper() and not name.isupper() else 0


for needed in ("sublime", "sublime_plugin"):
    sys.modules.setdefault(needed, NoEditor(needed))
