"""Reads what a package index offers from its own pages, as Package Control and pip do.

The JSON pages (`/pypi/NAME/json`) are read where there are any, else the simple pages (PEP 503 and PEP 691). Rule: the
index's address is a parameter, and what a page does not say of a file is taken from the file itself.
"""

from __future__ import annotations

import hashlib
import json
import urllib.error
import urllib.parse
import urllib.request
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from tests.tools.release.index import UnreachableIndexError, Wheel

SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
ACCEPTED = SIMPLE_JSON + ", text/html;q=0.5"
SECONDS = 60

#: What Package Control itself says of a release whose date is not known.
UNKNOWN_DATE = "1970-01-01 00:00:00"


class Page(NamedTuple):
    """What an address answered; `url` is where it was found in the end."""

    url: str
    headers: Dict[str, str]
    content: bytes


class Pages:
    """The pages of the index at `address` (without `/simple`). Blocking; answers are kept for the object's life."""

    def __init__(self, address: str) -> None:
        self._address = address.strip().rstrip("/")
        self._wheels: Dict[str, List[Wheel]] = {}

    def wheels(self, name: str) -> List[Wheel]:
        """Every wheel of a project that was not withdrawn. Raises `UnreachableIndexError`."""
        if name not in self._wheels:
            found = self._from_json_page(name)
            if found is None:
                found = parse_simple(get(f"{self._address}/simple/{name}/", ACCEPTED))
            self._wheels[name] = [wheel for wheel in found if not wheel.yanked]
        if not self._wheels[name]:
            raise UnreachableIndexError(f"The index lists no wheel of {name}.")
        return self._wheels[name]

    def _from_json_page(self, name: str) -> Optional[List[Wheel]]:
        """The wheels that the JSON page lists; None if there is no such page."""
        try:
            page = get(f"{self._address}/pypi/{name}/json", "application/json")
            releases = json.loads(page.content.decode("utf-8"))["releases"]
        except (UnreachableIndexError, ValueError, KeyError, TypeError):
            return None
        files = [file for release in releases.values() for file in release]
        return _wheels(
            page.url,
            (
                {
                    **file,
                    "hashes": file.get("digests"),
                    "requires-python": file.get("requires_python"),
                    "upload-time": file.get("upload_time"),
                }
                for file in files
            ),
        )


def completed(wheel: Wheel) -> Wheel:
    """The wheel with its digest and date, looked up in the file where the index names none. Blocking.

    Raises `UnreachableIndexError`.
    """
    if wheel.sha256 is None:
        page = get(wheel.url, "*/*")
        wheel = wheel._replace(sha256=hashlib.sha256(page.content).hexdigest(), date=wheel.date or _modified(page))
    if wheel.date is None:
        wheel = wheel._replace(date=_modified(get(wheel.url, "*/*", "HEAD")))
    return wheel


def parse_simple(page: Page) -> List[Wheel]:
    """The wheels that a simple page lists, in whichever of its two forms. Raises `UnreachableIndexError`."""
    if "json" in page.headers.get("content-type", ""):
        try:
            return _wheels(page.url, json.loads(page.content.decode("utf-8"))["files"])
        except (ValueError, KeyError, TypeError) as error:
            raise UnreachableIndexError(f"{page.url} is no page of an index: {error}") from None
    links = _Links()
    links.feed(page.content.decode("utf-8", "replace"))
    return _wheels(page.url, links.files)


def get(url: str, accept: str, method: str = "GET") -> Page:
    """Ask for one address. Blocking. Raises `UnreachableIndexError`."""
    if not is_acceptable(url):
        raise UnreachableIndexError(f"{url!r} is not an https:// address.")
    request = urllib.request.Request(url, headers={"Accept": accept, "User-Agent": "gemini-companion"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            headers = {key.lower(): value for key, value in answer.headers.items()}
            return Page(answer.geturl(), headers, answer.read())
    except (OSError, ValueError) as error:
        raise UnreachableIndexError(f"{url} did not answer: {error}") from None


def is_acceptable(url: str) -> bool:
    """Whether files may be taken from an address: over https, or from this machine."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1"))


class _Links(HTMLParser):
    """Collects a simple page's links as the JSON form would have them."""

    def __init__(self) -> None:
        super().__init__()
        self.files: List[Dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        attributes = dict(attrs)
        href = attributes.get("href")
        if tag != "a" or not href:
            return
        url, _, fragment = href.partition("#")
        algorithm, _, digest = fragment.partition("=")
        self.files.append(
            {
                "filename": urllib.parse.unquote(url.rstrip("/").rsplit("/", 1)[-1]),
                "url": url,
                "hashes": {algorithm: digest},
                "requires-python": attributes.get("data-requires-python"),
                "yanked": "data-yanked" in attributes,
            }
        )


def _wheels(page: str, files: Iterable[Dict[str, Any]]) -> List[Wheel]:
    return [
        Wheel(
            filename=file["filename"],
            url=urllib.parse.urljoin(page, file["url"]).partition("#")[0],
            requires_python=file.get("requires-python") or None,
            sha256=(file.get("hashes") or {}).get("sha256"),
            date=file["upload-time"][:19].replace("T", " ") if file.get("upload-time") else None,
            yanked=file.get("yanked", False) is not False,
        )
        for file in files
        if file["filename"].endswith(".whl")
    ]


def _modified(page: Page) -> str:
    try:
        return parsedate_to_datetime(page.headers["last-modified"]).strftime("%Y-%m-%d %H:%M:%S")
    except (KeyError, TypeError, ValueError):
        return UNKNOWN_DATE
