"""Builds `dist/Gemini Companion.sublime-package` from the packing list.

    python3 tests/tools/release/build.py [--output FILE]

Rule: the same files give the same bytes, whoever builds, when, where and with which Python. So entries are sorted,
permissions are fixed, line ends are what git stores, and nothing is compressed: deflate's output depends on the zlib at
hand, and Package Control packs the files anew anyway. A file's time says what is in it: the editor keeps bytecode, and
takes it for fresh as long as time and size of the source are the same. With one time for all, a release in which
"1.0.1" has become "1.0.2" would run the old code.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import io
import sys
import zipfile
from pathlib import Path
from typing import Optional, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release.packing import PackingError, packed

ROOT = Path(__file__).resolve().parents[3]
FILE_NAME = "Gemini Companion.sublime-package"

#: The oldest time that a zip can state, and how many years after it the times of files lie in.
_FIRST = datetime.datetime(1980, 1, 1)  # noqa: DTZ001
_YEARS = 40
_UNIX = 3
BINARY = ".png"  # as .gitattributes has it
_REGULAR_FILE_0644 = 0o100644 << 16


def package(root: Path = ROOT) -> bytes:
    """The package's bytes. Raises `PackingError`, OSError."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression=zipfile.ZIP_STORED) as archive:
        for name in packed(root):
            content = (root / name).read_bytes()
            if not name.endswith(BINARY):
                content = content.replace(b"\r\n", b"\n")
            entry = zipfile.ZipInfo(name, date_time=time_of(content))
            entry.create_system = _UNIX
            entry.external_attr = _REGULAR_FILE_0644
            archive.writestr(entry, content)
    return buffer.getvalue()


def time_of(content: bytes) -> Tuple[int, int, int, int, int, int]:
    """A time that another content would not have. A zip states every other second."""
    moments = _YEARS * 365 * 24 * 3600 // 2
    number = int.from_bytes(hashlib.sha256(content).digest()[:8], "big") % moments
    time = _FIRST + datetime.timedelta(seconds=2 * number)
    return (time.year, time.month, time.day, time.hour, time.minute, time.second)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command: write the package, print its files, size and digest. Exit status 1: the packing list is wrong."""
    parser = argparse.ArgumentParser(description="Build the package reproducibly from its packing list.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist" / FILE_NAME, help="file to write")
    output = parser.parse_args(arguments).output
    try:
        content = package()
    except PackingError as error:
        print(error, file=sys.stderr)
        return 1
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            print(f"{entry.file_size:>9,}  {entry.filename}")
    print(f"{len(content):>9,}  {output}")
    print(f"sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
