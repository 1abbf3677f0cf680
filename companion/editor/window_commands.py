"""The editor's commands that give a window another project, or other folders: for neither is there an event."""

from __future__ import annotations

# With these another project takes the window at once. Of those that ask first, `on_pre_close_project` tells.
PROJECT_COMMANDS = frozenset(["open_project_or_workspace", "close_workspace", "close_project"])
FOLDER_COMMANDS = PROJECT_COMMANDS | {
    "prompt_add_folder",
    "remove_folder",
    "close_folder_list",
    "prompt_open_project_or_workspace",
    "prompt_select_workspace",
}
