"""Which syntaxes exist, which one a file gets, and a simple answer to questions about scopes.

Text is hardly parsed: a point has the base scope of its view's syntax, and a line is cut into words of a few kinds that
look alike in most languages, for colours.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

PLAIN = "Packages/Text/Plain text.tmLanguage"


class SyntaxFacts(NamedTuple):
    """One syntax definition."""

    path: str
    name: str
    hidden: bool
    scope: str
    extensions: List[str]


STOCK = [
    SyntaxFacts(PLAIN, "Plain Text", False, "text.plain", ["txt"]),
    SyntaxFacts("Packages/Python/Python.sublime-syntax", "Python", False, "source.python", ["py", "pyw"]),
    SyntaxFacts("Packages/JavaScript/JavaScript.sublime-syntax", "JavaScript", False, "source.js", ["js", "mjs"]),
    SyntaxFacts("Packages/JavaScript/TypeScript.sublime-syntax", "TypeScript", False, "source.ts", ["ts"]),
    SyntaxFacts("Packages/JSON/JSON.sublime-syntax", "JSON", False, "source.json", ["json"]),
    SyntaxFacts(
        "Packages/Markdown/Markdown.sublime-syntax", "Markdown", False, "text.html.markdown", ["md", "markdown"]
    ),
    SyntaxFacts("Packages/HTML/HTML.sublime-syntax", "HTML", False, "text.html.basic", ["html", "htm"]),
    SyntaxFacts("Packages/CSS/CSS.sublime-syntax", "CSS", False, "source.css", ["css"]),
    SyntaxFacts("Packages/C++/C++.sublime-syntax", "C++", False, "source.c++", ["cpp", "cc", "hpp"]),
    SyntaxFacts("Packages/Rust/Rust.sublime-syntax", "Rust", False, "source.rust", ["rs"]),
    SyntaxFacts("Packages/Go/Go.sublime-syntax", "Go", False, "source.go", ["go"]),
    SyntaxFacts("Packages/ShellScript/Bash.sublime-syntax", "Bash", False, "source.shell.bash", ["sh", "bash"]),
    SyntaxFacts("Packages/Diff/Diff.sublime-syntax", "Diff", False, "source.diff", ["diff", "patch"]),
    SyntaxFacts("Packages/YAML/YAML.sublime-syntax", "YAML", False, "source.yaml", ["yaml", "yml"]),
]

_STOCK_BY_PATH = {facts.path: facts for facts in STOCK}

_TOKENS = re.compile(
    r"(?P<comment>#.*|//.*)|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|(?P<constant>\b\d[\w.]*\b|\bNone\b|\bTrue\b"
    r"|\bFalse\b|\bnull\b|\btrue\b|\bfalse\b)|(?P<keyword>\b(?:def|class|return|if|elif|else|for|while|in|import|from|as|"
    r"not|and|or|is|with|try|except|finally|raise|yield|lambda|pass|break|continue|async|await|const|let|var|function|"
    r"export|new|typeof|fn|pub|struct|impl|use|match|func|package)\b)|(?P<entity>\b\w+(?=\())"
)


def tokens(line: str) -> Iterator[Tuple[int, int, str]]:
    """Cuts a line: start, end, and the kind of each piece, which is empty between words of a kind."""
    position = 0
    for token in _TOKENS.finditer(line):
        if token.start() > position:
            yield position, token.start(), ""
        yield token.start(), token.end(), token.lastgroup or ""
        position = token.end()
    if position < len(line):
        yield position, len(line), ""


class Syntaxes:
    """The stock ones, and those that packages bring as `.sublime-syntax`."""

    def __init__(self, host: Any):
        self._host = host

    def all(self) -> List[SyntaxFacts]:
        known = {facts.path: facts for facts in STOCK}
        for path in self._host.resources.find_resources("*.sublime-syntax"):
            head = self._head(path)
            name = head.get("name") or path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            known[path] = SyntaxFacts(path, name, head.get("hidden") == "true", head.get("scope", ""), [])
        return list(known.values())

    def _head(self, path: str) -> Dict[str, str]:
        text = self._host.resources.load_resource(path)
        return {key: value.strip("'\" ") for key, value in re.findall(r"^(name|scope|hidden):\s*(.+)$", text, re.M)}

    def by_path(self, path: str) -> Optional[SyntaxFacts]:
        return _STOCK_BY_PATH.get(path) or next((facts for facts in self.all() if facts.path == path), None)

    def for_file(self, path: str) -> str:
        extension = path.rsplit(".", 1)[-1].lower()
        return next((facts.path for facts in STOCK if extension in facts.extensions), PLAIN)

    def resolve(self, syntax: str) -> str:
        """The path that `assign_syntax` means: a path, or `scope:` and a scope."""
        if syntax.startswith("scope:"):
            wanted = syntax[len("scope:") :]
            return next((facts.path for facts in self.all() if facts.scope == wanted), PLAIN)
        return syntax

    def scope(self, view: Any) -> str:
        facts = self.by_path(str(view.settings.get("syntax", PLAIN)))
        return (facts.scope if facts is not None and facts.scope else "text.plain") + " "
