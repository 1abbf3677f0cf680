"""The first file that runs in each of the editor's processes: makes `tests.host` importable, nothing else.

The project's root never gets on `sys.path`: the package must be found as the editor finds it, not
as a module that happens to lie there. So `tests` is registered by hand.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from typing import Any


def main() -> Any:
    part, settings = sys.argv[1], json.loads(sys.argv[2])
    here = os.path.dirname(os.path.abspath(__file__))
    if settings.get("bytecode"):
        sys.pycache_prefix = settings["bytecode"]
    # The script's own folder would make the host's modules importable by their bare names.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != here]
    tests = types.ModuleType("tests")
    tests.__path__ = [os.path.dirname(here)]  # type: ignore[attr-defined]
    sys.modules["tests"] = tests
    return importlib.import_module("tests.host." + part).run(settings)


if __name__ == "__main__":
    sys.exit(main())
