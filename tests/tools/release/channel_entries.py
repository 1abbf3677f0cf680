"""Writes what is proposed to the default channel: the nine libraries' entries, and the package's.

    python3 tests/tools/release/channel_entries.py --index https://INDEX --package https://HOST/OWNER/NAME

The files are in the form that the two repositories of the channel have, tabs and all, so that entries can be pasted
at their place by the alphabet. Rule: they go to `dist/channel/` and are never committed; no address is written here.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, Dict, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release.pages import is_acceptable
from tests.tools.release.repository import LABELS, NAME, OLDEST_BUILD, ROOT, SCHEMA_VERSION
from tests.tools.release.templates import channel_releases, library_entry, own_libraries

#: How editors know what kind of file it is; the first key of every file of the channel.
SCHEMA = "sublime://packagecontrol.io/schemas/repository"


def libraries(index: str) -> Dict[str, Any]:
    """The entries for the channel of libraries, as a file of their own."""
    return {
        "$schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "libraries": [library_entry(library, channel_releases(library, index)) for library in own_libraries()],
    }


def packages(package: str) -> Dict[str, Any]:
    """The entry for the channel of packages: its tags are the releases, and the rest is read from `details`."""
    return {
        "$schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "packages": [
            {
                "name": NAME,
                "details": package.rstrip("/"),
                "labels": LABELS,
                "releases": [{"sublime_text": f">={OLDEST_BUILD}", "tags": True}],
            }
        ],
    }


def text(data: Dict[str, Any]) -> str:
    """The file as the channel writes it: tabs, and lists of strings on one line."""
    return (
        re.sub(
            r"\[\s+(\"[^\[\]{}]*\")\s+\]",
            lambda found: "[" + re.sub(r",\s+", ", ", found.group(1)) + "]",
            json.dumps(data, indent="\t", ensure_ascii=False),
        )
        + "\n"
    )


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command. Exit status 0; 2: wrong arguments."""
    parser = argparse.ArgumentParser(description="Write the entries that are proposed to the default channel.")
    parser.add_argument("--index", required=True, type=str.strip, help="address of the package index")
    parser.add_argument("--package", required=True, type=str.strip, help="address of the package's own repository")
    parser.add_argument("--output", type=Path, default=ROOT / "dist" / "channel", help="folder to write to")
    options = parser.parse_args(arguments)
    for address in (options.index, options.package):
        if not is_acceptable(address):
            parser.error(f"{address!r} is not an https:// address")
    options.output.mkdir(parents=True, exist_ok=True)
    for name, data in (("libraries.json", libraries(options.index)), ("packages.json", packages(options.package))):
        (options.output / name).write_bytes(text(data).encode("utf-8"))
        print(options.output / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
