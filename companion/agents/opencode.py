"""opencode: how it chooses among the lock files of Claude Code, by which it finds the editor unasked.

Rule: all that is special to it stands here. It listens to the context and to mentions, calls no tool, and writes files
by its own rules. Measured with release 1.18.33. A fork that looks for the same files is one more object of this class;
it may introduce itself as opencode, and is then called so.
"""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from ..system.paths import is_below
from .agent import DiscoveryFile, LookupContext, Profile, folders_of
from .claude_code import PORT, ClaudeLockFiles


class OpenCode(ClaudeLockFiles):
    """Takes the innermost folder, of equal ones the newest file; comes back by itself."""

    node = 18
    can_be_told_which = False
    needs_lines = True

    def __init__(self, key: str, title: str, npm_package: str, client_names: Tuple[str, ...], profile: Profile) -> None:
        self.key, self.title, self.program, self.npm_package = key, title, key, npm_package
        self.client_names, self.profile = client_names, profile

    def choose(self, entries: Sequence[DiscoveryFile], lookup: LookupContext) -> Optional[DiscoveryFile]:
        """The file with the innermost folder that holds its own, of several the newest.

        The variables that name a port are left out: with them it shows no token and is refused.
        """
        fitting = [entry for entry in entries if PORT.match(entry.name) and _depth(entry, lookup)]
        fitting.sort(key=lambda entry: (_depth(entry, lookup), entry.written), reverse=True)
        return fitting[0] if fitting else None


def _depth(entry: DiscoveryFile, lookup: LookupContext) -> int:
    """How long the longest of its folders is that hold the agent's, as text; 0 if none does."""
    if entry.content is None or entry.content.get("transport", "ws") != "ws":
        return 0
    here, folders = lookup.real(lookup.folder), folders_of(entry.content)
    holding = [each for each in folders if is_below(each, here, lookup.platform, exact=True)]
    return max(map(len, holding), default=0)


OPENCODE = OpenCode(
    "opencode",
    "opencode",
    "opencode-ai",
    ("opencode",),
    Profile(
        "",
        works="context, mentions; it connects by itself",
        cannot="show diffs: by default it [writes without asking](unreviewed-changes.md)",
        link="https://github.com/sst/opencode",
    ),
)
KILO_CLI = OpenCode(
    "kilo",
    "Kilo CLI",
    "@kilocode/cli",
    (),
    Profile(
        "",
        works="as opencode; the status bar calls it so, too",
        cannot="show diffs: it asks in the terminal",
    ),
)
