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

    def script(self) -> List[str]:
        """What makes it, with the arguments."""
        return [_MADE, "sh", *self._folders]

    def __enter__(self) -> Elsewhere:
        words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c"]
        self._holder = subprocess.Popen([*words, *self.script()], stdout=subprocess.PIPE)
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


# -- behind a real OpenSSH server -------------------------------------------------------------------------------------

SERVER, PORT = "sshd", 2022
USERS = {"dev": 12345, "other": 12346}
_SERVED = f"""
set -e
mount --make-rprivate /
for each in passwd group shadow; do mount --bind "$1/$each" /etc/$each; done
mount -t tmpfs none /srv
mount -t tmpfs none /home
mkdir -p {FOLDER} /srv/keys {HOME}/.ssh /home/other /run/sshd
mount --bind "$2" {FOLDER}
cp "$1/key.pub" {HOME}/.ssh/authorized_keys
echo 'echo welcome' > {HOME}/.bashrc
cp "$1/host" /srv/keys
chmod 600 /srv/keys/host
chown -R {USERS["dev"]} {HOME} {FOLDER}
chown {USERS["other"]} /home/other
chmod 700 /home/*
mount -t tmpfs -o mode=1777 none {TEMPORARY}
echo ready
exec "$3" -f /dev/null -D -p {PORT} -h /srv/keys/host -o ListenAddress=127.0.0.1 -o UsePAM=no -o PidFile=none
"""


class SshServer(Elsewhere):
    """The same behind ssh, as another user whose login shell prints something, beside a third user."""

    def __init__(self, project: str, folder: str) -> None:
        """`folder` is for the keys of both sides."""
        super().__init__(project, folder)
        self._keys = folder
        for name in ("host", "key"):
            path = os.path.join(folder, name)
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        lines = {
            "passwd": [f"{name}:x:{number}:{number}::/home/{name}:/bin/bash" for name, number in USERS.items()],
            "group": [f"{name}:x:{number}:" for name, number in USERS.items()],
            "shadow": ["dev:*:19000:0:99999:7:::"],
        }
        lines["passwd"].append("sshd:x:12300:65534::/run/sshd:/usr/sbin/nologin")
        for name, added in lines.items():
            with open(f"/etc/{name}") as file, open(os.path.join(folder, name), "w") as own:
                own.write(file.read() + "\n".join(added) + "\n")

    def script(self) -> List[str]:
        return [_SERVED, "sh", self._keys, self._folders[0], server()]

    @property
    def command(self) -> List[str]:
        """What programs are started behind."""
        options = [f"-oUserKnownHostsFile={self._keys}/known", "-oStrictHostKeyChecking=no", "-oLogLevel=ERROR"]
        return ["ssh", "-T", "-i", os.path.join(self._keys, "key"), "-p", str(PORT), *options, "dev@127.0.0.1"]

    def as_user(self, name: str, *words: str) -> str:
        """What a program there prints that runs as this user."""
        number = str(USERS[name])
        enter = ["nsenter", f"--target={self._inside}", "--mount", "--pid", "--setuid", number, "--setgid", number]
        return subprocess.run([*enter, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()


def server() -> str:
    """The path of OpenSSH's server, "" if this machine has none."""
    found = os.environ.get("COMPANION_SSHD", "") or shutil.which(SERVER, path=os.environ["PATH"] + ":/usr/sbin")
    return found or ""
