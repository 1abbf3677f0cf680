"""The module `sublime_plugin`: the classes that plugins derive from. The registry of plugins is beside it, in `registry.py`."""
from ._plugin_classes import (  # noqa: F401
    ApplicationCommand, BackInputHandler, Command, CommandInputHandler, EventListener, ListInputHandler, TextChangeListener,
    TextCommand, TextInputHandler, ViewEventListener, WindowCommand,
)
