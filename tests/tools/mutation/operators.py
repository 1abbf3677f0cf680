"""Faults that rules make of a module: a condition turned round, a bound off by one, a step left out.

Rule: a fault changes one place, what results is Python, and it is nothing that only a type checker, a reader or the
log could notice: annotations, docstrings, messages and calls of a logger are left alone.
"""

from __future__ import annotations

import ast
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Type


class Fault(NamedTuple):
    """One fault: the file, the line, what is changed, and the file's whole text with it."""

    path: str
    line: int
    change: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.change}"


_COMPARISONS: Dict[Type[ast.cmpop], Tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_LOGS = {"logger", "logging"}


def faults_of(path: str, text: str) -> List[Fault]:
    """All faults that the rules make of a module's text, in the order of their lines."""
    source = _Source(text)
    tree = ast.parse(text)
    faults = []
    for node in _nodes(tree):
        for start, end, new in _changes(node, source):
            result = source.replaced(start, end, new)
            try:
                compile(result, path, "exec")
            except SyntaxError:
                continue  # a step without which the block is none, for example
            old = " ".join(source.between(start, end).split())
            faults.append(Fault(path, source.line_of(start), f"{old[:70]}  ->  {new}", result))
    return sorted(dict.fromkeys(faults), key=lambda fault: fault.line)


class _Source:
    """A text in which places are counted in bytes, as the syntax tree counts them."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode("utf-8")
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.AST) -> Tuple[int, int]:
        place = vars(node)  # which every expression and statement has
        start = self._starts[place["lineno"] - 1] + place["col_offset"]
        return start, self._starts[place["end_lineno"] - 1] + place["end_col_offset"]

    def between(self, start: int, end: int) -> str:
        return self._bytes[start:end].decode("utf-8")

    def replaced(self, start: int, end: int, new: str) -> str:
        return (self._bytes[:start] + new.encode("utf-8") + self._bytes[end:]).decode("utf-8")

    def line_of(self, place: int) -> int:
        return self._bytes.count(b"\n", 0, place) + 1


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What is run of a tree."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _only_says(child):
                yield from _nodes(child)


def _only_says(node: ast.AST) -> bool:
    """Whether a node is for type checkers, readers or the log."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if not isinstance(node, ast.Expr):
        return isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom, ast.Assert))
    called = node.value.func if isinstance(node.value, ast.Call) else node.value
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Constant) or (isinstance(called, ast.Name) and called.id in _LOGS)


Change = Tuple[int, int, str]


def _changes(node: ast.AST, source: _Source) -> Iterator[Change]:
    for kind, rule in _RULES:
        if isinstance(node, kind):
            change = rule(node, source)
            if change is not None:
                yield change


def _condition(node: ast.AST, source: _Source) -> Optional[Change]:
    assert isinstance(node, (ast.If, ast.While, ast.IfExp))
    if isinstance(node.test, (ast.Compare, ast.Constant)):
        return None  # which other rules turn round
    start, end = source.span(node.test)
    return start, end, f"not ({source.between(start, end)})"


def _filter(node: ast.AST, source: _Source) -> Optional[Change]:
    assert isinstance(node, ast.comprehension)
    if not node.ifs:
        return None
    start, end = source.span(node.ifs[0])
    return start, end, "True"


def _junction(node: ast.AST, source: _Source) -> Optional[Change]:
    """One of two conditions is left out."""
    assert isinstance(node, ast.BoolOp)
    start, _ = source.span(node)
    last = source.span(node.values[-1])
    return start, last[1], source.between(*last)


def _comparison(node: ast.AST, source: _Source) -> Optional[Change]:
    assert isinstance(node, ast.Compare)
    start, end = source.span(node.left)[1], source.span(node.comparators[0])[0]
    old, new = _COMPARISONS[type(node.ops[0])]
    between = source.between(start, end)
    return (start, end, between.replace(old, new, 1)) if old in between else None


def _constant(node: ast.AST, source: _Source) -> Optional[Change]:
    assert isinstance(node, ast.Constant)
    if isinstance(node.value, bool):
        return (*source.span(node), str(not node.value))
    if isinstance(node.value, int):
        return (*source.span(node), str(node.value + 1))
    if isinstance(node.value, float):
        return (*source.span(node), str(node.value * 2 + 1))
    return None


def _step(node: ast.AST, source: _Source) -> Optional[Change]:
    """A call whose result nobody wants, or a state that is noted, is left out."""
    if isinstance(node, ast.Assign) and not isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
        return None
    return (*source.span(node), "pass")


def _result(node: ast.AST, source: _Source) -> Optional[Change]:
    assert isinstance(node, ast.Return)
    if node.value is None or (isinstance(node.value, ast.Constant) and not node.value.value):
        return None  # or what counts as much
    return (*source.span(node), "return None")


def _sum(node: ast.AST, source: _Source) -> Optional[Change]:
    assert isinstance(node, ast.BinOp)
    new = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}.get(type(node.op))
    if new is None:
        return None
    start, end = source.span(node.left)[1], source.span(node.right)[0]
    return start, end, source.between(start, end).replace(*new)


_RULES: List[Tuple[Tuple[Type[ast.AST], ...], Callable[[ast.AST, _Source], Optional[Change]]]] = [
    ((ast.If, ast.While, ast.IfExp), _condition),
    ((ast.comprehension,), _filter),
    ((ast.BoolOp,), _junction),
    ((ast.Compare,), _comparison),
    ((ast.Constant,), _constant),
    ((ast.Expr, ast.Assign, ast.AugAssign, ast.Delete), _step),
    ((ast.Return,), _result),
    ((ast.BinOp,), _sum),
]
