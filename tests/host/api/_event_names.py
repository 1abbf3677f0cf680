"""The names of the events that the editor has for listeners, by what they are about.

Rule kept here: names only; how an event is told is the registry's affair.
"""

from __future__ import annotations

from collections.abc import Mapping

VIEW_EVENTS = (
    "on_load on_reload on_revert on_pre_move on_post_move on_pre_close on_pre_save on_post_save on_modified "
    "on_selection_modified on_activated on_deactivated"
).split()
LISTENER_ONLY_VIEW_EVENTS = "on_new on_clone".split()
WINDOW_EVENTS = (
    "on_new_project on_load_project on_pre_save_project on_post_save_project on_pre_close_project on_new_window "
    "on_pre_close_window"
).split()
BUFFER_EVENTS = "on_new_buffer on_associate_buffer on_close_buffer".split()
#: Those whose listeners are called each in a way of its own.
FURTHER_EVENTS = (
    "on_init on_exit on_close on_hover on_query_context on_query_completions "
    "on_text_command on_window_command on_post_text_command on_post_window_command"
).split()


class Callbacks(Mapping):
    """Every event's name, with the listeners that want to hear of it, as `listeners` finds them."""

    def __init__(self, names, listeners):
        self._names = sorted(names)
        self._listeners = listeners

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        return self._listeners(name)

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)
