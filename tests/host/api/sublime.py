"""The module `sublime`, put together from the parts beside this file.

Rule kept here: what the build does not have is not here either.
"""

from .. import builds
from ..model.values import Edit, HistoricPosition, Region, TextChange  # noqa: F401
from . import _enums, _functions, _since_4201
from ._items import (  # noqa: F401
    CompletionItem,
    CompletionList,
    ContextStackFrame,
    Html,
    ListInputItem,
    QuickPanelItem,
    SymbolLocation,
    SymbolRegion,
    Syntax,
)
from ._objects import (  # noqa: F401
    Buffer,
    HtmlSheet,
    ImageSheet,
    Phantom,
    PhantomSet,
    Selection,
    Settings,
    Sheet,
    TextSheet,
    make_sheet,
)
from ._view import View  # noqa: F401
from ._window import Window  # noqa: F401

for _module, _names in (
    (_enums, [name for name in vars(_enums) if name[0].isupper()]),
    (_functions, _functions.NAMES),
    (_since_4201, _since_4201.NAMES if builds.MODERN else []),
):
    for _name in _names:
        globals()[_name] = getattr(_module, _name)
del _module, _names, _name, _enums, _functions, _since_4201, builds
