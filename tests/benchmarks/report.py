"""What a run found, as tables: two states side by side, and the table in CONTRIBUTING.md.

Rule: what stands between the two marks of a document is written here and nowhere else.
"""

from __future__ import annotations

from statistics import median
from typing import Dict, List, Mapping, Optional, Sequence

from ratio import Measurement

BEGIN = "<!-- Written by tests/benchmarks/run.py --write-table -->"
END = "<!-- End of what is written -->"


def side_by_side(turns: Mapping[str, Sequence[Measurement]]) -> str:
    """For every measure the median of each state's turns and how far they lie apart, and the first in units of the
    second. `turns`: by the state's name, with a measure as often as it was taken."""
    first, second = turns
    values = {state: _by_name(measured) for state, measured in turns.items()}
    rows = [["measured", first, "spread", second, "spread", "ratio", "unit"]]
    units = {one.name: one.unit for measured in turns.values() for one in measured}
    for name, unit in units.items():
        row = [name]
        for state in (first, second):
            found = values[state].get(name)
            row += ["%.3g" % median(found), "%.2g" % (max(found) - min(found))] if found else ["-", "-"]
        row += [_ratio(values[first].get(name), values[second].get(name)), unit]
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _by_name(measured: Sequence[Measurement]) -> Dict[str, List[float]]:
    values: Dict[str, List[float]] = {}
    for one in measured:
        values.setdefault(one.name, []).append(one.value)
    return values


def _ratio(first: Optional[List[float]], second: Optional[List[float]]) -> str:
    if not first or not second or not median(second):
        return "-"
    return f"{median(first) / median(second):.2f}"


def markdown(tables: Mapping[str, Sequence[Measurement]]) -> str:
    """What has a target, by Python version, as a table in Markdown."""
    pythons = list(tables)
    lines = [
        "| Measured | Target | " + " | ".join(f"Python {name}" for name in pythons) + " |",
        "| --- | --- |" + " --- |" * len(pythons),
    ]
    found = {name: {one.name: one for one in measured} for name, measured in tables.items()}
    with_target = {one.name: one for measured in tables.values() for one in measured if one.target is not None}
    for name, one in with_target.items():
        bound = f"{'≥' if one.at_least else '≤'} {one.target:.3g} {one.unit}"
        cells = [_cell(found[python].get(name)) for python in pythons]
        lines.append(f"| {name[:1].upper()}{name[1:]} | {bound} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(one: Optional[Measurement]) -> str:
    if one is None:
        return "not measured"
    return f"{one.value:.3g} ± {one.noise:.2g}" if one.noise else f"{one.value:.3g}"


def replaced(text: str, content: str) -> str:
    """The document with other content between its marks. Raises ValueError if it has none."""
    before, begin, rest = text.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    if not begin or not end:
        raise ValueError("the document has no marks for the table")
    return f"{before}{begin}\n{content}\n\n{end}{after}"


def write_table(path: str, tables: Mapping[str, Sequence[Measurement]]) -> None:
    """Put the table into the document. Raises ValueError if it has no marks for it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(replaced(text, markdown(tables)))
