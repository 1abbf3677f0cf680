"""The commands that users can choose: their names, their captions, and where the menus have them.

Rule: this table is all that the palette, the menus and `plugin.py` know of a command; what it does stands under its
name in `actions.py`. After a change run `python3 tests/tools/generate.py`, which writes palette and menus. Pure, and
imported before everything else: it imports nothing of the package.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, NamedTuple, Sequence, Tuple

BETWEEN = " / "


class Command(NamedTuple):
    """A command of windows."""

    name: str
    """Without the prefix that all commands of the package have."""
    caption: str
    second: str = ""
    """The caption that fits at times instead of the first one: `Action.second` says when. A menu shows the one that
    fits. The palette cannot: it has both in one entry or, of a toggle, an entry for each, of which it hides one."""
    toggles: bool = False
    """It switches a mode on, by its first caption, or off, by the second one."""
    always: bool = False
    """It can be chosen while the package starts, and is run once it has; all others are disabled until then."""

    about: str = ""
    """The text of the documentation, in Markdown."""

    def captions(self) -> Iterator[Tuple[str, Mapping[str, Any]]]:
        """The captions of its entries in the palette, each with the arguments of the entry."""
        if self.toggles:
            yield self.caption, {"on": True}
            yield self.second, {"on": False}
        else:
            yield BETWEEN.join(filter(None, [self.caption, self.second])), {}


Groups = Sequence[Sequence[Command]]

MENUS: Mapping[str, Groups] = {
    "Review": (
        (
            Command("accept", "Accept", "Keep", about="Accept the proposal in front, or keep the change in front."),
            Command("reject", "Reject", "Undo", about="Reject the proposal in front, or undo the change in front."),
            Command(
                "reject_with_reason",
                "Reject With Reason…",
                about="Reject the review in front, and tell the agent why, where it "
                "[can be told](programs.md#every-write-before-it-happens).",
            ),
            Command(
                "undo_accept",
                "Undo Accept",
                about="Put back what a file held before you accepted a proposal for it: for ten minutes, as long as it "
                "holds exactly what you accepted. Otherwise the status bar says why not.",
            ),
        ),
        (
            Command(
                "comment",
                "Comment on Line…",
                about="Write a comment on the selected lines of a review or, while an agent is there, of any file; one "
                "that begins with `??` is a question. On a line with a draft, edit it: without a text it is deleted.",
            ),
            Command(
                "send_review",
                "Send Review",
                "Take Back Review",
                about="Send your comments, and what you undid, to the agent as one text; take back one that has not "
                "arrived yet.",
            ),
        ),
        (
            Command(
                "next_change",
                "Next Change",
                about="Go to the next change in the review, or on the page of **Review Changes**.",
            ),
            Command("previous_change", "Previous Change", about="Go to the change before."),
        ),
        (
            Command(
                "revert_hunk",
                "Revert Hunk",
                "Undo Hunk",
                about="Take back the change at the cursor, or all selected ones. In a proposal the editor's own undo "
                "brings them back.",
            ),
            Command(
                "accept_hunk",
                "Accept This Hunk Only",
                "Keep Hunk",
                about="In a proposal: accept the change at the cursor, or the selected ones, and take back all others, "
                "hidden ones included. In a change that was made already: keep them.",
            ),
        ),
        (
            Command(
                "toggle_whitespace_changes",
                "Toggle Whitespace Changes",
                about="Hide the changes of whitespace in this review, or show them again.",
            ),
            Command(
                "fold_unchanged_lines",
                "Fold Unchanged Lines",
                "Show Unchanged Lines",
                about="Fold the unchanged lines of this review, or show those that are folded.",
            ),
            Command(
                "review_changes",
                "Review Changes",
                "Review Last Turn",
                about="Review all that waits in the window on [one page](reviewing.md#all-on-one-page): proposals, "
                "writes that are held, and unreviewed changes. On that page: only what the last turn has changed, and "
                'then all again. With `{"last_turn": true}` a key begins with the last turn.',
            ),
            Command(
                "show_pending_diffs",
                "Show Pending Diffs",
                about="Choose among the pending reviews of all windows, and those whose tab was closed in the last "
                "minute.",
            ),
        ),
        (
            Command(
                "review_every_write",
                "Review Every Write",
                "Review as the Agent Asks",
                toggles=True,
                about="See each write of a hooked agent before it happens, in this window; see only what the agent "
                "asks about.",
            ),
        ),
    ),
    "Changes": (
        (
            Command(
                "show_unreviewed_changes",
                "Show Unreviewed Changes",
                about="Choose among the files that were changed outside the editor.",
            ),
        ),
        (
            Command("keep_all_changes", "Keep All Changes", about="Keep all changes that agents have made."),
            Command("undo_all_changes", "Undo All Changes", about="Undo them all."),
            Command("restore_undone_changes", "Restore Undone Changes", about="Bring back what you undid last."),
        ),
    ),
    "Agents": (
        (
            Command(
                "run_agent",
                "Run Agent…",
                always=True,
                about="Choose an agent and start it, connected to this window: in "
                "[Terminus](https://packagecontrol.io/packages/Terminus) if it is installed and works, otherwise in "
                "the system's terminal. Your last choice stands first, then the other agents that were found, then how "
                "to install the rest, and at the end how to connect an agent in any other terminal.",
            ),
        ),
        (
            Command(
                "connect_remote",
                "Connect Remote…",
                "Disconnect Remote…",
                about="Choose one of your [remotes](remote.md): agents that run there find this window as those here "
                "do, until you disconnect it or close the window.",
            ),
        ),
        (
            Command(
                "install_hooks",
                "Install Agent Hooks…",
                always=True,
                about="[Let an agent tell the editor what it does](programs.md#hooks): shows the change "
                "of its settings file as a diff, and writes it if you accept.",
            ),
            Command(
                "remove_hooks",
                "Remove Agent Hooks…",
                always=True,
                about="Take our hooks out of an agent's settings file again, in the same way.",
            ),
        ),
        (
            Command(
                "go_to_waiting_agent",
                "Go to Waiting Agent",
                about="Go to the window, and to the terminal, of an agent that waits for you. The status bar of every "
                "window names it.",
            ),
            Command(
                "send_selection",
                "Send Selection to Agent",
                about="Mention all selected lines, or else the whole file, to Claude Code or opencode; type `@file` "
                "and the lines into another agent that you started here in Terminus. *Send to Agent* in the menus of "
                "the side bar and of tabs sends the files and folders that you click.",
            ),
        ),
    ),
    "Sharing": (
        (
            Command(
                "pause_sharing",
                "Pause Sharing",
                "Resume Sharing",
                toggles=True,
                about="Hide all files of this window from agents until you resume, even after a restart; show them "
                "again.",
            ),
        ),
    ),
    "Help": (
        (
            Command(
                "diagnose",
                "Diagnose",
                always=True,
                about="Test the connection and write a report: what is wrong, and what to do about it. Its links show "
                "the log, restart the window's server and disconnect its agents.",
            ),
        ),
    ),
}
"""By the caption of a submenu: its groups, between which lines are drawn. The palette has the same order."""

LINKED: Sequence[Command] = (
    Command("open_page", "Open Page", always=True),
    Command("send_files", "Send File to Agent"),
    Command("copy_environment", "Copy Connection Environment", always=True),
    Command("act_on_page", "Act on Page"),
    Command("show_log", "Show Log", always=True),
    Command("toggle_log_details", "Toggle Log Details", always=True),
    Command("restart_server", "Restart Server", always=True),
    Command("disconnect_agents", "Disconnect Agents", always=True),
)
"""Commands that only links, menus of pages and keys run."""

OFFERED: Sequence[Command] = [command for groups in MENUS.values() for group in groups for command in group]
COMMANDS: Dict[str, Command] = {command.name: command for command in (*OFFERED, *LINKED)}
