"""`python -m tests.host`: starts an editor that is driven by JSON lines on standard input.

See `editor.py` for the lines. Try: {"id": 1, "call": "host.evaluate", "arguments": {"expression": "sublime.version()"}}
"""

from __future__ import annotations

import sys

from tests.host import editor

if __name__ == "__main__":
    sys.exit(editor.main(sys.argv[1:]))
