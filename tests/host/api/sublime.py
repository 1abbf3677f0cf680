"""The module `sublime`, put together from the parts beside this file.

Rule kept here: what the build does not have is not here either.
"""

from .. import builds
from ..model.values import Edit, Region  # noqa: F401
from . import _functions, _published, _since_4201
from ._items import QuickPanelItem, Syntax  # noqa: F401
from ._objects import Buffer, Phantom, PhantomSet, Selection, Settings, Sheet, TextSheet  # noqa: F401
from ._view import View  # noqa: F401
from ._window import Window  # noqa: F401

globals().update(_published.NUMBERS)
for _module, _names in ((_functions, _functions.NAMES), (_since_4201, _since_4201.NAMES if builds.MODERN else [])):
    for _name in _names:
        globals()[_name] = getattr(_module, _name)
_published.complete(globals(), "sublime")
del _module, _names, _name, _functions, _published, _since_4201, builds
