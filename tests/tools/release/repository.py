"""Writes the Package Control repository file (schema 4.0.0) of a release.

    python3 tests/tools/release/repository.py --index https://INDEX --package https://HOST/OWNER/NAME [--output FILE]

A user adds that file once ("Package Control: Add Repository") and finds the package in it, with every library that the
default channel lacks. Rule: both addresses are parameters; the file is generated, and never committed.
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release.libraries import LIBRARIES, PLATFORMS, PYTHONS, Library

SCHEMA_VERSION = "4.0.0"
NAME = "Gemini Companion"
OLDEST_BUILD = 4200


def project_page(index: str, name: str, version: Optional[str]) -> str:
    """The page of a library on the index, of one release of it if there is a version."""
    page = "{}/project/{}".format(index.rstrip("/"), name)
    return page if version is None else "{}/{}".format(page, version)


def library_releases(library: Library, index: str, pythons: Sequence[str]) -> List[Dict[str, Any]]:
    """One release for each Python, and for a compiled library for each platform too, newest Python first."""
    releases: List[Dict[str, Any]] = []
    for python in reversed(pythons):
        base = project_page(index, library.name, library.pin(python))
        for platform in PLATFORMS if library.compiled else ("*",):
            releases.append({
                "base": base,
                "asset": library.asset(python, platform),
                "platforms": [platform],
                "python_versions": [python],
            })
    return releases


def repository(index: str, package: str, pythons: Sequence[str] = PYTHONS) -> Dict[str, Any]:
    """The whole file as JSON data.

    `index`: the address of the package index, without `/project`. `package`: the address of the package's own
    repository, whose semantic version tags are the releases. `pythons`: those to define libraries for.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "packages": [
            {
                "name": NAME,
                "details": package,
                "labels": ["ai", "diff/merge", "mcp", "gemini cli", "qwen code"],
                "releases": [{"sublime_text": ">={}".format(OLDEST_BUILD), "tags": True}],
            },
        ],
        "libraries": [
            {
                "name": library.name,
                "description": library.description,
                "author": library.author,
                "issues": library.issues,
                "releases": library_releases(library, index, pythons),
            }
            for library in LIBRARIES
            if not library.in_default_channel
        ],
    }


def text(data: Dict[str, Any]) -> str:
    """The file's text: the same bytes for the same data, on every Python."""
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command. Exit status 0; 2 for wrong arguments."""
    parser = argparse.ArgumentParser(description="Write the Package Control repository file of a release.")
    parser.add_argument("--index", required=True, help="address of the package index, without /project or /simple")
    parser.add_argument("--package", required=True, help="address of the package's own source repository")
    parser.add_argument("--output", type=Path, help="file to write; standard output if absent")
    options = parser.parse_args(arguments)
    for address in (options.index, options.package):
        if not address.startswith("https://"):
            parser.error("{!r} is not an https:// address".format(address))
    content = text(repository(options.index, options.package))
    if options.output is None:
        sys.stdout.write(content)
    else:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_bytes(content.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
