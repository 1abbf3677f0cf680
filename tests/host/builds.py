"""The build of the editor that each Python stands for: 4200 has 3.8, 4202 has 3.13, 4215 has 3.14.

What the editor's own Python layer does otherwise since build 4201 asks for `MODERN`. The evidence is public: the layer
of 4200 and the type stubs of 4213 (SublimeText/sublime-text-stubs), and the issues that are named where it is built.
Rule: standard library only; both of the editor's processes import this.
"""

from __future__ import annotations

import sys

MODERN = sys.version_info >= (3, 9)
BUILD = 4200 if not MODERN else 4202 if sys.version_info < (3, 14) else 4215
# Its plugin host strips `assert` statements: cached files are named `….opt-1.pyc` (sublime_text 6878).
INTERPRETER_OPTIONS = ("-O",) if MODERN else ()
