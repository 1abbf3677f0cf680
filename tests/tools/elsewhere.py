"""Another machine, as far as this one can be one: processes, folders, a home and a temporary folder of its own.

    with Elsewhere(project, home) as there:
        subprocess.run([*there.command, "ls", there.folder])

It is entered as `docker exec` enters a container, by `nsenter`. Only the project and the home are seen from both sides,
as `there.folder` and `HOME` there, and under other names here. The programs of this machine are there, too. Linux, the
superuser.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import Any, List

FOLDER, HOME, TEMPORARY = "/srv/app", "/home/dev", "/tmp"
_MADE = f"""
set -e
mount --make-rprivate /
mount -t tmpfs none /srv
mount -t tmpfs none /home
mkdir -p {FOLDER} {HOME}
mount --bind "$1" {FOLDER}
mount --bind "$2" {HOME}
mount -t tmpfs -o mode=1777 none {TEMPORARY}
cd {FOLDER}
echo ready
exec sleep infinity
"""


class Elsewhere:
    """One machine, with these folders."""

    folder = FOLDER

    def __init__(self, project: str, home: str) -> None:
        self._folders = project, home

    def __enter__(self) -> Elsewhere:
        words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", _MADE, "sh"]
        self._holder = subprocess.Popen([*words, *self._folders], stdout=subprocess.PIPE)
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != b"ready\n":
            raise OSError("this machine forbids namespaces")
        with open(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children") as children:
            self._inside = int(children.read().split()[0])
        return self

    def __exit__(self, *exception: Any) -> None:
        self._holder.send_signal(signal.SIGKILL)
        self._holder.wait()

    @property
    def command(self) -> List[str]:
        """What programs are started behind."""
        variables = [f"HOME={HOME}", f"TMPDIR={TEMPORARY}"]
        enter = ["nsenter", f"--target={self._inside}", "--mount", "--pid"]
        return [*enter, "env", f"--chdir={FOLDER}", "-u", "TMP", "-u", "TEMP", "-u", "SSH_CONNECTION", *variables]

    def run(self, *words: str) -> str:
        """What a program there prints."""
        return subprocess.run(
            [*self.command, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ).stdout.decode()

    def files(self) -> List[str]:
        """Everything in its home and its temporary folder."""
        return sorted(self.run("find", HOME, TEMPORARY, "-mindepth", "1").split())


def problem() -> str:
    """Why there is no other machine, "" if there is one."""
    if sys.platform != "linux" or os.getuid() != 0:
        return "namespaces are for the superuser of Linux"
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        return "there is no unshare or no nsenter"
    tried = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], stderr=subprocess.PIPE)
    return "" if tried.returncode == 0 else "this machine forbids namespaces"
