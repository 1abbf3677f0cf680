"""Tells a Package Control that is not installed yet where the package's libraries are defined.

    python3 tests/tools/release/user_settings.py --repository FILE

Writes Package Control's user settings into the data folder that the editor will use on this system, where UnitTesting's
set-up finds and keeps them. For throw-away machines of a CI: rule: an existing file is never replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, Optional, Sequence

#: Where UnitTesting's set-up puts the editor's packages.
PACKAGES: Dict[str, str] = {
    "linux": "~/.config/sublime-text/Packages",
    "darwin": "~/Library/Application Support/Sublime Text/Packages",
    "win32": "C:/st/Data/Packages",
}


def settings(repository: Path) -> Dict[str, Any]:
    """Package Control's user settings: the same as UnitTesting writes, and the repository file."""
    return {
        "auto_upgrade": False,
        "ignore_vcs_packages": True,
        "remove_orphaned": False,
        "repositories": [repository.resolve().as_uri()],
        "submit_usage": False,
    }


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command. Exit status 1: there are settings already."""
    parser = argparse.ArgumentParser(description="Make a repository file known to Package Control, before it is there.")
    parser.add_argument("--repository", type=Path, required=True, help="the generated repository file")
    parser.add_argument("--packages", type=Path, default=Path(os.path.expanduser(PACKAGES[sys.platform])))
    options = parser.parse_args(arguments)
    target = options.packages / "User" / "Package Control.sublime-settings"
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("x", encoding="utf-8") as file:
            json.dump(settings(options.repository), file, indent=4)
    except FileExistsError:
        print(f"{target} is there already; nothing was changed.", file=sys.stderr)
        return 1
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
