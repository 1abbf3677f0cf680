"""The module `sublime_plugin`: the classes that plugins derive from, and the lists of what is loaded."""

from . import _published
from ._plugin_classes import ApplicationCommand, Command, EventListener, TextCommand, WindowCommand  # noqa: F401

_published.complete(globals(), "sublime_plugin")
del _published


def __getattr__(name):
    # Not published, but packages look into them: whether a command is there, for instance.
    if name not in ("application_command_classes", "text_command_classes", "window_command_classes"):
        raise AttributeError("module 'sublime_plugin' has no attribute %r" % name)
    from . import registry

    return getattr(registry, name)
