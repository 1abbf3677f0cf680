"""The module `sublime`, put together from the parts beside this file.

Rule kept here: what the build does not have is not here either.
"""

from ..model.values import Edit, Region  # noqa: F401
from . import _functions, _published
from ._items import QuickPanelItem, Syntax  # noqa: F401
from ._objects import ImageSheet, Phantom, PhantomSet, Selection, Settings, Sheet, TextSheet  # noqa: F401
from ._view import View  # noqa: F401
from ._window import Window  # noqa: F401

globals().update(_published.NUMBERS)
globals().update((name, getattr(_functions, name)) for name in _functions.NAMES)
_published.complete(globals(), "sublime")
del _functions, _published
