"""What a window shows over or below its tabs: output panels, the input panel, the quick panel.

Rule kept here: each has a view of its own with an `element()` name, and gets the activation events that go with focus.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from .buffer import BufferModel
from .view import ViewModel

BUILT_IN = {
    "console": "console:input",
    "find": "find:input",
    "incremental_find": "incremental_find:input",
    "replace": "replace:input:find",
    "find_in_files": "find_in_files:input:find",
}


class InputPanel:
    """A line of input; `view` is the widget."""

    def __init__(self, caption: str, view: ViewModel, on_done: Any, on_change: Any, on_cancel: Any):
        self.caption = caption
        self.view = view
        self.on_done = on_done
        self.on_change = on_change
        self.on_cancel = on_cancel


class QuickPanel:
    """A list to choose from; `view` is the widget of its filter."""

    def __init__(
        self,
        items: List[Dict[str, Any]],
        view: ViewModel,
        on_select: Callable,
        flags: int,
        selected: int,
        on_highlight: Any,
        placeholder: str,
    ):
        self.items = items
        self.view = view
        self.on_select = on_select
        self.flags = int(flags)
        self.selected = selected
        self.on_highlight = on_highlight
        self.placeholder = placeholder


class Panels:
    """The panels of one window. `active` is the name of the one that shows, or None."""

    def __init__(self, window: Any):
        self.window = window
        self.output: Dict[str, ViewModel] = {}
        self.unlisted: set = set()
        self.active: Optional[str] = None
        self.input: Optional[InputPanel] = None
        self.quick: Optional[QuickPanel] = None
        self._widgets: Dict[str, ViewModel] = {}
        self._focus: Optional[ViewModel] = None

    # -- focus -----------------------------------------------------------------------------------
    def focused_view(self) -> Optional[ViewModel]:
        return self._focus

    def focus(self, view: Optional[ViewModel]) -> bool:
        if view is None or (
            view not in self.output.values()
            and view not in self._widgets.values()
            and view not in [p.view for p in (self.input, self.quick) if p]
        ):
            return False
        self._focus = view
        return True

    def blur(self, same_group: bool = False) -> None:
        """The focus goes to a tab: panels lose it, and a quick panel ends unless it wants to stay open.

        It stays, with the focus, over a tab that comes to the front in the `same_group` (sublimehq/sublime_text 1041,
        1320, 5936).
        """
        if self.quick is not None and same_group:
            return
        self._focus = None
        if self.quick is not None and not self.quick.flags & 2:
            self.finish_quick(-1)

    # -- output panels ---------------------------------------------------------------------------
    def create(self, name: str, unlisted: bool) -> ViewModel:
        if name not in self.output:
            self.output[name] = self._widget("exec:output" if name == "exec" else "output:output")
            self.output[name].buffer.scratch = True
            if unlisted:
                self.unlisted.add(name)
        return self.output[name]

    def destroy(self, name: str) -> None:
        view = self.output.pop(name, None)
        if view is not None:
            self.unlisted.discard(name)
            if self.active == "output." + name:
                self.hide()
            self._discard(view)

    def names(self) -> List[str]:
        return sorted(BUILT_IN) + ["output." + name for name in self.output if name not in self.unlisted]

    def show(self, name: str, toggle: bool = False) -> bool:
        """Show a panel by its full name. Only input panels take the focus."""
        if toggle and self.active == name:
            self.hide()
            return True
        if name.startswith("output."):
            if name[len("output.") :] not in self.output:
                return False
        elif name in BUILT_IN:
            if name not in self._widgets:
                self._widgets[name] = self._widget(BUILT_IN[name])
            self._focus = self._widgets[name]
        else:
            return False
        self._cancel_input()
        self.active = name
        self.window.host.focus.update()
        return True

    def hide(self) -> None:
        if self.active == "input":
            self._cancel_input()
        self.active = None
        if self.quick is None:
            self._focus = None
        self.window.host.focus.update()

    # -- the input panel -------------------------------------------------------------------------
    def show_input(self, caption: str, text: str, on_done: Any, on_change: Any, on_cancel: Any) -> ViewModel:
        self._cancel_input()
        view = self._widget("input:input")
        view.buffer.load(text)
        view.set_selection([(len(text), len(text))])  # NeoVintageous types on behind its ":"
        self.input = InputPanel(caption, view, on_done, on_change, on_cancel)
        self.active, self._focus = "input", view
        self.window.host.focus.update()
        return view

    def input_changed(self) -> None:
        if self.input is not None and self.input.on_change is not None:
            self.window.host.scheduler.call(self.input.on_change, self.input.view.buffer.text)

    def finish_input(self, accept: bool) -> None:
        panel, self.input = self.input, None
        if panel is None:
            return
        self.active, self._focus = None, None
        text = panel.view.buffer.text
        self.window.host.focus.update()
        self._discard(panel.view)
        if accept and panel.on_done is not None:
            self.window.host.scheduler.call(panel.on_done, text)
        elif not accept and panel.on_cancel is not None:
            self.window.host.scheduler.call(panel.on_cancel)

    def _cancel_input(self) -> None:
        if self.input is not None:
            self.finish_input(False)

    # -- the quick panel -------------------------------------------------------------------------
    def show_quick(
        self,
        items: List[Dict[str, Any]],
        on_select: Callable,
        flags: int,
        selected: int,
        on_highlight: Any,
        placeholder: str,
    ) -> None:
        if self.quick is not None:
            self.finish_quick(-1)
        view = self._widget("command_palette:input")
        self.quick = QuickPanel(items, view, on_select, flags, selected, on_highlight, placeholder)
        self._focus = view
        self.window.host.focus.update()
        if on_highlight is not None and items:
            self.highlight(max(0, selected))

    def highlight(self, index: int) -> None:
        if self.quick is not None:
            self.quick.selected = index
            if self.quick.on_highlight is not None:
                self.window.host.scheduler.call(self.quick.on_highlight, index)

    def finish_quick(self, index: int) -> None:
        """Close the list; the callback runs in the next turn of the main loop, after the focus has gone back."""
        if index >= 0 and "late_highlights" in self.window.host.quirks:
            self.highlight(index)
        panel, self.quick = self.quick, None
        if panel is None:
            return
        self._focus = self.input.view if self.input is not None else None
        self.window.host.focus.update()
        self._discard(panel.view)
        self.window.host.scheduler.set_timeout(lambda: panel.on_select(index))

    # -- widgets ---------------------------------------------------------------------------------
    def _widget(self, element: str) -> ViewModel:
        host = self.window.host
        buffer = BufferModel(host.next_id("buffer"), host.lock)
        host.buffers[buffer.id] = buffer
        view = ViewModel(host, buffer, self.window, element)
        host.views[view.id] = view
        return view

    def _discard(self, view: ViewModel) -> None:
        self.window.host.forget_view(view)

    def views(self) -> List[ViewModel]:
        extra = [panel.view for panel in (self.input, self.quick) if panel is not None]
        return list(self.output.values()) + list(self._widgets.values()) + extra
