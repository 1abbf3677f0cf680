"""What Diagnose says of the remotes of a window: the command, the helper, what agents there find, and each folder.

Rule: loop thread; what the disk is asked here is asked on a disk thread.
"""

from __future__ import annotations

import os
from typing import List, Optional, Set

from ..remotes.channel import ChannelError
from ..remotes.remote import Link, Remote
from ..runtime import Runtime
from .checks import Check, failed, noted, passed

ADVICE = "See “If it does not connect” in the page “Agents Elsewhere”."


async def check_remote(runtime: Runtime, remote: Remote) -> List[Check]:
    """Try one remote, both ways."""
    name, command = f"{remote.row.name} is connected", " ".join(remote.row.command)
    if remote.link is not Link.CONNECTED:
        return [failed(name, f"{remote.link.value}: {remote.problem or command}", ADVICE)]
    helper = f"{command}, process {remote.hello['pid']} of user {remote.hello['user']} ({remote.hello['system']})"
    checks = [passed(name, helper), *(noted(f"what agents find on {remote.row.name}", each) for each in remote.found)]
    if remote.problem:
        checks.append(failed(f"every agent can find this window from {remote.row.name}", remote.problem, ADVICE))
    for there, here in remote.row.folders.items():
        checks.append(await _check_folder(runtime, remote, there, here))
    return checks


async def _check_folder(runtime: Runtime, remote: Remote, there: str, here: str) -> Check:
    name = f"{there} on {remote.row.name} is the folder that it should be"
    try:
        names = set(map(str, (await remote.ask("look", folder=there)).fields.get("names", ())))
    except ChannelError as error:
        return failed(name, f"it cannot be looked at there: {error.args[0]}", "Correct “folders” in “remotes”.")
    if not here:
        return passed(name, "the editor does not see it: old texts come from there")
    own = await runtime.in_worker(_names, here)
    if own is None:
        return failed(name, f"there is no folder {here} on this machine", "Mount it, or write null in its place.")
    missing = sorted(names - own)
    if missing:
        return failed(
            name, f"{here} has no “{missing[0]}”, which is there", "Is it the same folder, and is it mounted?"
        )
    return passed(name, f"{here} has what is there")


def _names(folder: str) -> Optional[Set[str]]:
    """Disk thread."""
    try:
        return set(os.listdir(os.path.expanduser(folder)))
    except OSError:
        return None
