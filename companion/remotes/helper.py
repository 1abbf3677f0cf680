"""What runs on the other side: listens there for the agents, and carries their connections to the editor.

The editor sends this file, behind that of the frames, through the remote's command. Nothing is installed: sockets and
discovery files are made when the editor asks for them, and removed when the input ends, when nothing has come for
`SILENT_SECONDS`, or on a signal.

Rules: Python 3.6 and newer, the standard library alone. No secret stands in this text. Who connects must be this user:
a socket is 0600 in a folder of 0700; on a port the system tells whose the connection is, or the port is not opened.
One thread reads frames; a connection that takes nothing for `STALLED_SECONDS` is ended, so that it holds up no other.
"""

import base64
import errno
import hashlib
import json
import os
import select
import shutil
import signal
import socket
import stat
import sys
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence

from .frames import ANSWER, ASK, CLOSE, DATA, MARK, MOST_BYTES, OPEN, PING, PONG, QUESTIONS, Frames, pack

SILENT_SECONDS = 45.0
STALLED_SECONDS = 15.0
FULL_SECONDS = 0.1
ESTABLISHED = "01"
PREFIX = "companion-"


class Helper:
    """One run. `source` and `sink` are the descriptors of its input and its output."""

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._writing = threading.Lock()
        self._streams = {}  # type: Dict[int, socket.socket]
        self._numbers = threading.Lock()
        self._sent = {}  # type: Dict[int, bytearray]
        self._last = 0
        self._folder = ""
        self._made = []  # type: List[str]
        self._folders = []  # type: List[str]

    # -- frames -------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until the input ends."""
        self._write(MARK)
        frames = Frames()
        try:
            while select.select([self._source], [], [], SILENT_SECONDS)[0]:
                data = os.read(self._source, MOST_BYTES)
                if not data:
                    return
                for kind, stream, body in frames.feed(data):
                    self._received(kind, stream, body)
        finally:
            self.clean()

    def _received(self, kind: int, stream: int, body: bytes) -> None:
        if kind == PING:
            self._write(pack(PONG, stream, body))
        elif kind == ASK:
            question = json.loads(body.decode("utf-8"))
            if question["do"] in ("read", "write", "look"):  # a dead network drive holds up no connection
                threading.Thread(target=self._answer, args=(stream, question), daemon=True).start()
            else:
                self._answer(stream, question)
        elif kind == DATA and stream >= QUESTIONS:
            self._sent.setdefault(stream, bytearray()).extend(body)
        elif kind == DATA:
            self._pass_on(stream, body)
        elif kind == CLOSE:
            self._end(stream)

    def _write(self, data: bytes) -> None:
        with self._writing:
            while data:
                data = data[os.write(self._sink, data) :]

    # -- questions ----------------------------------------------------------------------------------------------------

    def _answer(self, number: int, question: Dict[str, Any]) -> None:
        try:
            answer = getattr(self, "do_" + question.pop("do"))(number, **question)
        except OSError as error:
            answer = {"error": os.strerror(error.errno) if error.errno else str(error), "number": error.errno}
        except (AttributeError, TypeError, ValueError) as error:
            answer = {"error": str(error), "number": 0}
        self._write(pack(ANSWER, number, json.dumps(answer).encode("ascii")))

    def do_hello(self, number: int, variables: List[str], folders: List[str], former: str = "") -> Dict[str, Any]:
        """Who this is, and what agents here find in their environment. `former` is the folder of the sockets of an
        earlier run: agents come back to the same path."""
        if os.path.basename(former).startswith(PREFIX):
            _quietly(self._take, former)
        environment = {name: os.environ[name] for name in variables if name in os.environ}
        return {
            "pid": os.getpid(),
            "user": os.getuid(),
            "home": os.path.expanduser("~"),
            "system": sys.platform,
            "python": sys.executable or shutil.which("python3") or "python3",
            "environment": environment,
            "knows_users": os.access("/proc/net/tcp", os.R_OK),
            "real": [os.path.realpath(folder) for folder in folders],
        }

    def do_listen(
        self, number: int, name: str, port: Optional[int] = None, any_user: bool = False, file: str = "", **place: Any
    ) -> Dict[str, Any]:
        """Listen on a port, 0 for any, or on a socket, which may be a `file` at a checked place. What connects is
        opened as a stream of this name."""
        if port is not None:
            listening = socket.socket()
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", port))
            address = {"port": listening.getsockname()[1]}  # type: Dict[str, Any]
        else:
            listening = socket.socket(socket.AF_UNIX)
            path = os.path.join(self._checked_folder(**place) if file else self._own_folder(), file or name)
            if file and os.path.lexists(path):
                _remove_dead_socket(path)
            listening.bind(path)
            os.chmod(path, 0o600)
            if file:
                self._made.append(path)
            address = {"socket": path}
        listening.listen(64)
        checks = port is not None and not any_user
        threading.Thread(target=self._accept, args=(listening, name.encode("ascii"), checks), daemon=True).start()
        return address

    def _take(self, folder: str) -> None:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            found = os.lstat(folder)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
                return
        self._folder = folder

    def _own_folder(self) -> str:
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix=PREFIX)
        return self._folder

    def _checked_folder(self, root: str, is_shared: bool, below: Sequence[str]) -> str:
        """Make a folder, where it is missing, and check that no other user controls it. Returns its path."""
        if is_shared and os.stat(root).st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH:
            raise OSError(0, "other users can replace what stands in " + root)
        folders = [os.path.join(root, *below[:count]) for count in range(is_shared, len(below) + 1)]
        for folder in folders:
            try:
                os.mkdir(folder, 0o700)
                self._folders.append(folder)
            except FileExistsError:
                pass
            found = os.stat(folder) if folder == root else os.lstat(folder)
            others = stat.S_IWOTH if _is_private(found.st_gid) else stat.S_IWOTH | stat.S_IWGRP
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & others:
                raise OSError(0, "another user may control " + folder)
        return os.path.join(root, *below)

    def do_put(self, number: int, name: str, text: str, **place: Any) -> Dict[str, Any]:
        """Make a file that only the user can read, in a checked folder. It goes with the helper."""
        path = os.path.join(self._checked_folder(**place), name)
        beside = "%s.%d" % (path, os.getpid())
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, text.encode("utf-8", "surrogateescape"))
        finally:
            os.close(descriptor)
        os.rename(beside, path)
        if path not in self._made:
            self._made.append(path)
        return {"path": path}

    def do_own(self, number: int, name: str, text: str) -> Dict[str, Any]:
        """Make a file beside the sockets. It goes with them."""
        answer = self.do_put(number, name, text, root=self._own_folder(), is_shared=False, below=[])
        self._made.remove(answer["path"])
        return answer

    def do_remove(self, number: int, left: Sequence[str] = ()) -> Dict[str, Any]:
        """Remove the discovery files, and what `left` names of an earlier run that was killed."""
        self._made.extend(left)
        while self._made:
            path = self._made.pop()
            _quietly(os.unlink, path)
            if os.path.dirname(path) != self._folder and os.path.basename(os.path.dirname(path)).startswith(PREFIX):
                _quietly(os.rmdir, os.path.dirname(path))
        return {}

    def do_read(self, number: int, path: str, bound: int) -> Dict[str, Any]:
        """Send what a regular file holds, if that is at most so much."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            found = os.fstat(descriptor)
            if stat.S_ISDIR(found.st_mode):
                raise OSError(errno.EISDIR, "")
            if not stat.S_ISREG(found.st_mode):
                raise OSError(0, "it is not a regular file")
            digest, size = hashlib.sha256(), 0
            while size <= bound and found.st_size <= bound:
                data = os.read(descriptor, MOST_BYTES)
                if not data:
                    return {"size": size, "digest": digest.hexdigest(), "real": os.path.realpath(path)}
                size += len(data)
                digest.update(data)
                self._write(pack(DATA, number, data))
            raise OSError(errno.EFBIG, "")
        finally:
            os.close(descriptor)

    def do_write(self, number: int, path: str, digest: str) -> Dict[str, Any]:
        """Write what was sent into a file that still holds what has this digest; "": that is not there yet."""
        data = bytes(self._sent.pop(number, b""))
        flags = os.O_RDWR if digest else os.O_RDWR | os.O_CREAT | os.O_EXCL
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o666)
        with open(descriptor, "r+b") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(0, "it is not a regular file")
            if digest and hashlib.sha256(file.read()).hexdigest() != digest:
                raise OSError(0, "it has changed meanwhile")
            file.seek(0)
            file.write(data)
            file.truncate()
        return {}

    def do_look(self, number: int, folder: str) -> Dict[str, Any]:
        """The names in a folder."""
        return {"names": sorted(os.listdir(folder))[:20]}

    # -- streams ------------------------------------------------------------------------------------------------------

    def _accept(self, listening: socket.socket, name: bytes, checks: bool) -> None:
        while True:
            try:
                connection, peer = listening.accept()
            except OSError:  # too many are open
                select.select([], [], [], FULL_SECONDS)
                continue
            if checks and user_of(peer, connection.getsockname()) != os.getuid():
                connection.close()
                continue
            connection.settimeout(STALLED_SECONDS)
            with self._numbers:
                self._last += 1
                number = self._last
                self._streams[number] = connection
            self._write(pack(OPEN, number, name))
            threading.Thread(target=self._carry, args=(number, connection), daemon=True).start()

    def _carry(self, number: int, connection: socket.socket) -> None:
        """What a program sends."""
        try:
            while select.select([connection], [], [])[0]:
                data = connection.recv(MOST_BYTES)
                if not data:
                    break
                self._write(pack(DATA, number, data))
        except (OSError, ValueError):
            pass
        if self._end(number):
            self._write(pack(CLOSE, number))

    def _pass_on(self, number: int, data: bytes) -> None:
        connection = self._streams.get(number)
        try:
            if connection is not None:
                connection.sendall(data)
        except OSError:
            if self._end(number):
                self._write(pack(CLOSE, number))

    def _end(self, number: int) -> bool:
        """End a connection; False if it has ended before."""
        connection = self._streams.pop(number, None)
        if connection is None:
            return False
        _quietly(connection.shutdown, socket.SHUT_RDWR)
        connection.close()
        return True

    def clean(self) -> None:
        """Remove everything that was made here; a folder only if nothing else stands in it."""
        self.do_remove(0)
        for folder in reversed(self._folders):
            _quietly(os.rmdir, folder)
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _remove_dead_socket(path: str) -> None:
    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise OSError(0, path + " is no socket of this user")
    with socket.socket(socket.AF_UNIX) as trial:
        trial.settimeout(FULL_SECONDS)
        if trial.connect_ex(path) == 0:
            raise OSError(0, "another editor answers at " + path)
    os.unlink(path)


def _is_private(group: int) -> bool:
    """Whether it is the group of this user alone."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return bool(user.pw_uid) and found.gr_name == user.pw_name and found.gr_mem in ([], [user.pw_name])


def _quietly(act: Callable[..., None], *args: Any) -> None:
    try:
        act(*args)
    except OSError:
        pass


def user_of(peer: Any, own: Any) -> Optional[int]:
    """The user whose program has connected from `peer`; None if the system does not tell."""
    wanted = [_hexadecimal(peer), _hexadecimal(own), ESTABLISHED]
    try:
        for name in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(name) as table:
                for line in table:
                    words = line.split()
                    if [word[-13:] for word in words[1:4]] == wanted:
                        return int(words[7])
    except (OSError, ValueError, IndexError):
        pass
    return None


def _hexadecimal(address: Any) -> str:
    number = socket.inet_aton(address[0])
    return "%s:%04X" % (base64.b16encode(number[::-1] if sys.byteorder == "little" else number).decode(), address[1])


def main() -> None:
    """Serve the editor at the other end of the input and the output."""
    helper = Helper(0, os.dup(1))
    os.dup2(2, 1)  # nothing else is to write between the frames

    def ended(*told: Any) -> None:
        helper.clean()
        os._exit(0)

    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        signal.signal(getattr(signal, name), ended)
    try:
        helper.run()
    except (OSError, ValueError):
        pass
    os._exit(0)
