"""Builds `dist/Gemini Companion.sublime-package` from the packing list.

    python3 tests/tools/release/build.py [--output FILE]

Rule: the same files give the same bytes, whoever builds, when, where and with which Python. So entries are sorted,
times and permissions are fixed, line ends are what git stores, and nothing is compressed: deflate's output depends on
the zlib at hand, and Package Control packs the files anew anyway.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import zipfile
from pathlib import Path
from typing import Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release.packing import PackingError, packed

ROOT = Path(__file__).resolve().parents[3]
FILE_NAME = "Gemini Companion.sublime-package"

#: The oldest time that a zip can state.
_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_REGULAR_FILE_0644 = 0o100644 << 16


def package(root: Path = ROOT) -> bytes:
    """The package's bytes. Raises `PackingError`, OSError."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression=zipfile.ZIP_STORED) as archive:
        for name in packed(root):
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            entry.create_system = _UNIX
            entry.external_attr = _REGULAR_FILE_0644
            archive.writestr(entry, (root / name).read_bytes().replace(b"\r\n", b"\n"))
    return buffer.getvalue()


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
