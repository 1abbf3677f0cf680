"""Brings to an end what a run left in the midst of a write: the file has its old text again, and nothing lies about.

Rule: what was changed since then is not touched, and its old text is kept. Only a file that is made up of old and new
bytes, each at its place, is what such a run left behind. Its number says that it is the same file; the number of the
device does not, because many systems give devices other ones when they start.

The editor is not known here. These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from itertools import zip_longest
from typing import Callable, List

from . import file_replacement, journal
from .journal import Entry
from .raw_files import NotRegularError, opened, read_all

logger = logging.getLogger("gemini_companion.review")

PATIENCE_SECONDS = 30 * 24 * 3600.0  # how long a drive that is away is waited for
_BLOCK = 1 << 12


class _ChangedError(Exception):
    """The file, which may have been left half written, is another since."""


def recover(storage: str, cancelled: Callable[[], bool]) -> List[str]:
    """Bring all that nobody works on to an end; sentences for the user. Never raises.

    What does not work now is left to the next start, for `PATIENCE_SECONDS`; then the note is set aside.
    """
    said: List[str] = []
    for note in journal.left_over(storage):
        try:
            entry = journal.read(note)
            sentence = _end(entry)
        except ValueError:
            sentence = f"a note on a file that was being written cannot be read: it is now {note.set_aside()}"
        except _ChangedError:
            name, aside = os.path.basename(entry.path), note.set_aside()
            changed = f"{name} was being written when the editor ended, and has been changed since"
            sentence = f"{changed}: its former text is in {aside}"
        except OSError as error:
            logger.error("what a write left behind could not be brought to an end: %s", error.strerror)
            if note.age() < PATIENCE_SECONDS:
                note.release()
                continue
            cannot = "a file that was being written when the editor ended cannot be reached"
            sentence = f"{cannot}: the note on it is now {note.set_aside()}"
        else:
            note.remove()
        if sentence:
            logger.warning("%s", sentence)
            said.append(sentence)
    return said


def _end(entry: Entry) -> str:
    """A sentence if the file was half written. Raises `OSError` if it still is, or cannot be looked at."""
    os.stat(os.path.dirname(entry.folders[0] if entry.folders else entry.path))  # its drive may be elsewhere today
    put_back = entry.old != entry.new and _put_back(entry)
    if entry.holds_place:
        with suppress(FileNotFoundError):
            if not os.lstat(entry.path).st_size:
                os.unlink(entry.path)
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(entry.beside)
    for folder in reversed(entry.folders):
        with suppress(OSError):  # it is in use by now
            os.rmdir(folder)
    name = os.path.basename(entry.path)
    return f"{name} was being written when the editor ended: it has its former text again" if put_back else ""


def _put_back(entry: Entry) -> bool:
    """Whether the file was half written. It has its old bytes then. Raises `_ChangedError`, `OSError`."""
    try:
        with opened(entry.path, os.O_RDWR) as (descriptor, found):
            now = read_all(descriptor, max(len(entry.old), len(entry.new)))
            if now in (entry.old, entry.new):
                return False
            if found.st_ino != entry.identity[1] or not _is_mixed(now, entry.old, entry.new):
                raise _ChangedError
            file_replacement.put_back(descriptor, entry, entry.beside)
            return True
    except (FileNotFoundError, NotADirectoryError, NotRegularError):
        return False


def _is_mixed(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether each byte is the old or the new one. Behind the old text a disk may hold zeros that nobody wrote."""
    shorter, longer = sorted((len(old), len(new)))
    if not shorter <= len(now) <= longer:
        return False
    old = old.ljust(longer, b"\0")
    for start in range(0, len(now), _BLOCK):
        part, before, after = (text[start : min(start + _BLOCK, len(now))] for text in (now, old, new))
        if part not in (before, after) and not all(one in pair for one, *pair in zip_longest(part, before, after)):
            return False
    return True
