"""A package index on loopback with the wheels that the table needs, in each form that an index may have.

Rule: its files hold their own names, so that what is generated of it is the same however it is asked.
"""

from __future__ import annotations

import hashlib
import html
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional, Tuple

from tests.tools.release.libraries import BY_NAME, OLD_PYTHON, PYTHONS, Library, platforms_of

#: Today's release of each library, as newer Pythons get it; any other number would do.
NEWEST = {"aiohttp": "3.14.5", "async-timeout": "5.0.1"}
UPLOADED = "2026-07-01T10:20:30"
MODIFIED = "Wed, 01 Jul 2026 10:20:30 GMT"


def wheels_of(library: Library) -> List[Tuple[str, str, Optional[str], bool]]:
    """Version, file name, what Python it requires, and whether it was withdrawn, of each wheel of a project."""
    found = []
    for python in PYTHONS:
        version = library.pin(python) or NEWEST.get(library.name, "99.1")
        requires = ">=3.8" if python == OLD_PYTHON or version == library.pin(OLD_PYTHON) else ">=3.10"
        for platform in platforms_of(python):
            name = library.asset(python, platform).replace("-*-", f"-{version}-")
            name = name.replace("manylinux*", "manylinux_2_17").replace("macosx_*", "macosx_11_0")
            if (version, name, requires, False) not in found:
                found.append((version, name, requires, False))
    if library.name == "aiohttp":
        names = {"3.15.0rc1": False, "3.14.7": True}
        for version, yanked in names.items():
            found += [
                (version, name.replace("-3.14.5-", f"-{version}-"), requires, yanked)
                for _, name, requires, _ in found
                if "-3.14.5-" in name
            ]
        found.append(("3.14.6", "aiohttp-3.14.6-cp315-cp315-win32.whl", ">=3.10", False))  # for nobody here
    return found


class SmallIndex:
    """Serves from entering to leaving. `form` says what pages it has; `without` names a project that it lacks."""

    def __init__(self, form: str = "json pages", without: str = "") -> None:
        self._form = form
        self._without = without
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = index.answer(self.path, self.headers.get("Accept", ""))
                self.send_response(404 if answer is None else 200)
                kind, content = answer or ("text/plain", b"")
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Last-Modified", MODIFIED)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def do_HEAD(self) -> None:
                self.do_GET()

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> SmallIndex:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, accept: str) -> Optional[Tuple[str, bytes]]:
        """Content type and content of a page or file; None if there is no such thing."""
        parts = path.strip("/").split("/")
        if parts[0] == "files":
            return "application/octet-stream", parts[-1].encode("utf-8")
        library = BY_NAME.get(parts[1]) if len(parts) > 1 else None
        if library is None or library.name == self._without:
            return None
        if parts[0] == "pypi" and self._form == "json pages":
            return "application/json", self._json_page(library)
        if parts[0] == "simple" and self._form == "simple json":
            return "application/vnd.pypi.simple.v1+json", self._simple_json(library)
        if parts[0] == "simple" and self._form.startswith("simple html"):
            return "text/html; charset=utf-8", self._simple_html(library)
        return None

    def _json_page(self, library: Library) -> bytes:
        releases: Dict[str, List[Dict[str, Any]]] = {"0.0.1": []}
        for version, name, requires, yanked in wheels_of(library):
            releases.setdefault(version, []).append(
                {
                    "filename": name,
                    "url": self._url(name),
                    "packagetype": "bdist_wheel",
                    "yanked": yanked,
                    "requires_python": requires,
                    "upload_time": UPLOADED,
                    "digests": {"md5": "0", "sha256": _digest(name)},
                }
            )
        return json.dumps({"info": {}, "releases": releases}).encode("utf-8")

    def _simple_json(self, library: Library) -> bytes:
        files: List[Dict[str, Any]] = [{"filename": "x.tar.gz", "url": "../x.tar.gz", "hashes": {}, "yanked": False}]
        for _version, name, requires, yanked in wheels_of(library):
            reason = "broken" if yanked else False
            files.append(
                {
                    "filename": name,
                    "url": "../../files/" + name,
                    "hashes": {"sha256": _digest(name)},
                    "requires-python": requires,
                    "upload-time": UPLOADED + ".123456Z",
                    "yanked": reason,
                }
            )
        return json.dumps({"meta": {"api-version": "1.1"}, "files": files}).encode("utf-8")

    def _simple_html(self, library: Library) -> bytes:
        lines = ["<!DOCTYPE html><title>Links</title>"]
        for _version, name, requires, yanked in wheels_of(library):
            fragment = "" if "without" in self._form else "#sha256=" + _digest(name)
            lines.append(
                '<a href="../../files/{}{}" data-requires-python="{}"{}>{}</a>'.format(
                    name, fragment, html.escape(requires or ""), ' data-yanked=""' if yanked else "", name
                )
            )
        return "\n".join(lines).encode("utf-8")

    def _url(self, name: str) -> str:
        return f"{self.address}/files/{name}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8")).hexdigest()
