"""Starts an agent in a terminal, and types into one that runs. Main thread only.

Rule: a request either succeeds in a terminal or is answered by a sentence. The editor does not say whether a command of
another package exists or has failed, so the launcher looks whether a terminal has appeared.
"""

from __future__ import annotations

import itertools
import logging
import os
import sys
import time
from functools import partial
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

import sublime
import sublime_plugin

from ..agents.agent import ConnectionDetails, RunnableAgent
from ..agents.dialect import Mention
from ..agents.hooks import TERMINAL_VARIABLE
from ..common.display_names import file_name, has_control_characters, shown
from ..editor.edits import some_selections
from ..editor.marks import TERMINAL_ARGUMENTS, is_terminal
from ..editor.quick_panel import PanelEntry, choose
from ..editor.status_bar import say
from ..runtime import Runtime
from ..settings import Settings
from ..system.platform import WINDOWS, Platform
from ..system.processes import EDITOR_PID
from ..system.programs import find_program
from . import command_lines
from .command_lines import Launch, client_variables, for_programs, selected_lines, shell_of
from .processes import ClientCommand, find_client, start_terminal

logger = logging.getLogger("gemini_companion.terminals")

# Terminus opens a terminal on the editor's worker thread; if it lacks a library, never.
TERMINUS_MILLISECONDS, LOOK_MILLISECONDS = 2000, 50
MOST_PLACES = 20
"""Of so many selections each is mentioned; of more, all from the first to the last."""
PASTE = "\x1b[200~{}\x1b[201~"
RETURN_MILLISECONDS = 400  # after a paste: some programs take both for one if they come together
INSTALL_PANEL = "gemini_companion_install"
# A terminal is ours only while the editor runs that started it: Terminus brings others back with their tags.
TAG = "gemini_companion."
RUN = f"{EDITOR_PID}-{os.getpid()}"
NOT_HERE = {"NoDefaultCurrentDirectoryInExePath": "1"}
"""On Windows: nothing is looked for in the current folder, which is a repository. npm's programs start `node`."""
Tell = Callable[[Mention, str], Optional[str]]
"""Sends a mention to an agent, to the one with this key if there is one. Returns its name, or None if none listens."""
CONTROL_CHARACTERS = "a folder's name holds control characters, which the terminal would obey: rename it first"
# Of tags: from the clock on, because terminals outlive the package, and Terminus ends the one that has a tag already.
_numbers = itertools.count(int(time.time()))


def inherited(platform: Platform) -> Mapping[str, str]:
    """The environment that agents inherit. Any thread."""
    certificates = getattr(sys.modules.get("certifi"), "where", lambda: "")
    folders = [os.path.dirname(sublime.executable_path()), os.path.dirname(sublime.packages_path())]
    return for_programs(platform.environment, [*folders, certificates()], platform)


class Launcher:
    """Starts agents, for all windows."""

    def __init__(self, runtime: Runtime, platform: Optional[Platform] = None) -> None:
        self._runtime = runtime
        self._platform = platform if platform is not None else Platform.current()

    def run(
        self, window: sublime.Window, agent: RunnableAgent, connection: ConnectionDetails, settings: Settings
    ) -> None:
        """Start an agent in a terminal, in the workspace folder; the user picks one if there are several."""
        folders = connection.folders
        run_in = partial(self._run_in, window, agent, connection, settings)
        if len(folders) < 2:
            run_in(folders[0] if folders else "")
            return
        entries = [PanelEntry(file_name(each), partial(run_in, each), each, agent.title) for each in folders]
        choose(window, entries, f"Folder to run {agent.title} in")

    def copy_environment(self, window: sublime.Window, connection: ConnectionDetails) -> None:
        """Copy lines with which an agent in any terminal finds this window."""
        if any(has_control_characters(folder) for folder in connection.folders):
            say(window, CONTROL_CHARACTERS)
            return
        sublime.set_clipboard(command_lines.environment_lines(client_variables(connection), self._platform.name))
        say(window, "copied; paste it into a terminal and start the agent there")

    def send(
        self, window: sublime.Window, places: Sequence[Mention], folders: Sequence[str], tell: Tell
    ) -> Optional[str]:
        """Bring mentions of these places into the agent's prompt. Returns a sentence if that cannot be done.

        `tell` sends one to an agent that listens. Where it says that none does, it is typed into the terminal.
        """
        if not places:
            return "this view has no file that an agent could read"
        spoiled = next((place.path for place in places if has_control_characters(place.path)), None)
        if spoiled is not None:
            name = file_name(spoiled)
            return f"{name} is not typed: its path holds control characters, which the terminal would obey"
        terminal = terminal_of(window)
        key = key_in(terminal) if terminal is not None else ""
        left = [place for place in places if tell(place, key) is None]
        if terminal is not None:
            window.focus_view(terminal)  # the user goes on typing
        elif left:
            return "no agent runs in a terminal of this window, and none that is connected takes this; run one first"
        if left and terminal is not None:
            own = _folder_of(terminal)
            typed = command_lines.mentions(left, [own] if own else folders, self._platform)
            window.run_command("terminus_send_string", {"string": typed, "tag": tag_of(terminal)})
        return None

    def paste(self, tag: str, text: str) -> bool:
        """Paste a text into the terminal of this tag, and press Return there a moment later. False if no agent runs in
        it. `text` holds nothing that a terminal obeys."""
        window = window_of(tag)
        if window is None:
            return False
        window.run_command("terminus_send_string", {"string": PASTE.format(text), "tag": tag})
        self._runtime.later_on_main(RETURN_MILLISECONDS, self._press_return, tag)
        return True

    def _press_return(self, tag: str) -> None:
        window = window_of(tag)
        if window is not None:  # else it has ended meanwhile
            window.run_command("terminus_send_string", {"string": "\r", "tag": tag})

    # -- starting -----------------------------------------------------------------------------------------------------

    def _run_in(
        self,
        window: sublime.Window,
        agent: RunnableAgent,
        connection: ConnectionDetails,
        settings: Settings,
        folder: str,
    ) -> None:
        say(window, f"looking for {agent.title}")
        command = agent.command(settings)

        def found(client: ClientCommand) -> None:
            if not window.is_valid():
                return
            if not client.words:
                say_not_found(window, agent, command[0], client.why)
                return
            variables = {**client_variables(connection), **agent.run_variables(connection)}
            if self._platform.name == WINDOWS:
                variables.update(NOT_HERE)
            launch = Launch(agent.title, client.words, folder or os.path.expanduser("~"), variables)
            configured = settings.terminal_commands.get(self._platform.name)
            in_system = partial(self._open_system_terminal, window, launch, configured, connection.folders)
            if terminus_is_there():
                tag = f"{TAG}{agent.key}.{window.id()}.{RUN}.{next(_numbers)}"
                own = launch._replace(variables={**variables, TERMINAL_VARIABLE: tag})
                shell = shell_of(self._platform)
                without = sorted(set(self._platform.environment) - set(inherited(self._platform)))
                arguments = command_lines.terminus_arguments(own, self._platform.name, shell, tag, without)
                window.run_command("terminus_open", arguments)
                self._await_terminus(window, tag, in_system, TERMINUS_MILLISECONDS)
            else:
                in_system()

        self._runtime.use_disk(find_client, command, self._platform, connection.folders, then=found)

    def _await_terminus(self, window: sublime.Window, tag: str, otherwise: Callable[[], None], left: int) -> None:
        """Wait until Terminus has opened its terminal. `left`: milliseconds."""
        if any(tag_of(view) == tag for each in sublime.windows() for view in _tagged(each)):
            return
        if left > 0:
            left -= LOOK_MILLISECONDS
            self._runtime.later_on_main(LOOK_MILLISECONDS, self._await_terminus, window, tag, otherwise, left)
        elif window.is_valid():
            logger.warning("Terminus opened no terminal: it may be half installed")
            otherwise()

    def _open_system_terminal(
        self, window: sublime.Window, launch: Launch, configured: Optional[Sequence[str]], folders: Sequence[str]
    ) -> None:
        if any(map(has_control_characters, [launch.folder, *launch.variables.values()])):
            say(window, CONTROL_CHARACTERS)  # on macOS the command line is typed
            return

        def found(words: Optional[List[str]]) -> None:
            if words is None:
                say(window, 'no terminal found; install the package Terminus, or set "terminal_commands"')
            else:
                self._start_terminal(window, launch, words, folders)

        self._runtime.use_disk(_terminal_words, launch, self._platform, configured, folders, then=found)

    def _start_terminal(self, window: sublime.Window, launch: Launch, words: List[str], folders: Sequence[str]) -> None:
        def failed(error: Exception) -> None:
            logger.error("could not start %s", words[0], exc_info=error)
            say(window, f"{os.path.basename(words[0])} could not be started: {error}")

        def started(_: None) -> None:
            say(window, f"{launch.title} runs in {words[0]}")

        platform = self._platform._replace(environment=inherited(self._platform))
        self._runtime.use_disk(
            start_terminal, words, launch.folder, launch.variables, platform, folders, then=started, failed=failed
        )


def say_not_found(window: sublime.Window, agent: RunnableAgent, word: str, why: str = "") -> None:
    """Tell the user that an agent was not found by `word`, which starts it, and how to install it. `why` is what else
    is known, as a sentence without its end."""
    own = shown(word) if agent.is_own or word != agent.program else ""  # the user knows the usual word
    panel = window.create_output_panel(INSTALL_PANEL)
    why = shown(why)
    more = f"\n{why}.\n" if why else ""
    panel.run_command("append", {"characters": agent.how_to_install(own) + more})
    window.run_command("show_panel", {"panel": "output." + INSTALL_PANEL})
    missing = f"was not found: there is no “{own}”" if own else "is not installed"
    missing = f"was not found: {why}" if why else missing
    say(window, f"{agent.title} {missing}")


def _terminal_words(
    launch: Launch,
    platform: Platform,
    configured: Optional[Sequence[str]],
    folders: Sequence[str],
    cancelled: Callable[[], bool],
) -> Optional[List[str]]:
    """The words that open the system's terminal. Disk thread: they are those of the first one that is installed."""

    def is_installed(name: str) -> bool:
        return bool(find_program(name, platform, folders).place)

    return command_lines.system_terminal(launch, platform.name, shell_of(platform), configured, is_installed)


# -- Terminus ---------------------------------------------------------------------------------------------------------


def terminus_is_there() -> bool:
    """Whether Terminus has registered its commands. If it lacks a library, its files are there but it cannot run."""
    commands: Sequence[type] = getattr(sublime_plugin, "window_command_classes", ())  # undocumented
    return any(kind.__name__ == "TerminusOpenCommand" for kind in commands)


def key_in(terminal: sublime.View) -> str:
    """The key of the agent that we have started in this terminal; "" for a terminal of somebody else's, or of an
    earlier run."""
    return key_of(tag_of(terminal))


def key_of(tag: str) -> str:
    """The key of the agent that we have started in the terminal of this tag, as `key_in`. Any thread."""
    parts = tag.split(".")
    return parts[1] if len(parts) == 5 and parts[3] == RUN and parts[4].isdecimal() else ""


def _runs_ours(terminal: sublime.View) -> bool:
    return bool(key_in(terminal)) and not terminal.settings().get("terminus_view.finished")


def window_of(tag: str) -> Optional[sublime.Window]:
    """The window with the terminal of this tag, in which an agent runs that we have started. None: there is none."""
    found = ((each, view) for each in sublime.windows() for view in _tagged(each))
    return next((window for window, view in found if tag_of(view) == tag and _runs_ours(view)), None)


def terminal_of(window: sublime.Window) -> Optional[sublime.View]:
    """The window's terminal for an agent: the last one that we started and that runs. Nobody else's is typed into."""
    ours = [view for view in _tagged(window) if _runs_ours(view)]
    return max(ours, key=lambda view: int(tag_of(view).rsplit(".", 1)[1])) if ours else None


def tag_of(terminal: sublime.View) -> str:
    """By which Terminus knows a terminal; "" if it has no tag."""
    return str(terminal.settings().get("terminus_view.tag") or "")


def _tagged(window: sublime.Window) -> List[sublime.View]:
    """The terminals of Terminus in a window, in tabs and in panels."""
    panels = [panel[len("output.") :] for panel in window.panels() if panel.startswith("output.")]
    views = [*window.views(), *map(window.find_output_panel, panels)]
    return [view for view in views if view is not None and tag_of(view) and is_terminal(view)]


def _folder_of(terminal: sublime.View) -> Optional[str]:
    arguments = terminal.settings().get(TERMINAL_ARGUMENTS)
    folder = arguments.get("cwd") if isinstance(arguments, dict) else None
    return folder if isinstance(folder, str) else None


def selected_places(view: sublime.View) -> List[Mention]:
    """The view's file with the lines of each selection, those of neighbours together; none if it has no file."""
    path = view.file_name()
    if path is None:
        return []
    last_line = selected_lines(0, *view.rowcol(view.size()))[1] - 1
    ranges = [
        selected_lines(view.rowcol(region.begin())[0], *view.rowcol(region.end()))
        for region in some_selections(view)
        if not region.empty()
    ]
    if len(ranges) > MOST_PLACES:
        ranges = [(ranges[0][0], ranges[-1][1])]
    lines: List[Tuple[int, int]] = []
    for first, last in ranges:
        if lines and first - 1 <= lines[-1][1] + 1:
            lines[-1] = lines[-1][0], last - 1
        else:
            lines.append((first - 1, last - 1))
    return [Mention(path, each, last_line) for each in lines] or [Mention(path, None, last_line)]
