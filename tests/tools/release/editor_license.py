"""Gives an editor that is not installed yet the licence that its dev builds ask for before they run any plugin.

    LICENSE="..." python3 tests/tools/release/editor_license.py

For throw-away machines of a CI. Rule: the licence comes from the environment, goes into the editor's data folder, and
is never printed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release.user_settings import PACKAGES


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command. Exit status 1: the environment has no licence."""
    parser = argparse.ArgumentParser(description="Give an editor its licence, before it is there.")
    parser.add_argument("--packages", type=Path, default=Path(os.path.expanduser(PACKAGES[sys.platform])))
    options = parser.parse_args(arguments)
    license_text = os.environ.get("LICENSE", "").replace("\r\n", "\n").strip()
    if not license_text:
        print("The variable LICENSE is empty.", file=sys.stderr)
        return 1
    target = options.packages.parent / "Local" / "License.sublime_license"
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(str(target), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(license_text.encode("utf-8") + b"\n")
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
