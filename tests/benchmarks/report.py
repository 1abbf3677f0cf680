"""What a run found, as tables: two states side by side, and the table in README.md beside it.

Rule: what stands between the two marks of a document is written here and nowhere else.
"""

from __future__ import annotations

import re
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


_OF_ANOTHER = re.compile(r"  (?P<who>[A-Z].+ SDK): (?P<what>.+)")
"""The name of what a server of an official SDK was measured at."""


def markdown(tables: Mapping[str, Sequence[Measurement]], minutes: float = 0) -> str:
    """What has a target, by Python version, and below it what the servers of the official SDKs take, in Markdown."""
    rows = [["Measured", "Target", *(f"Python {name}" for name in tables)], ["---"] * (2 + len(tables))]
    found = {name: {one.name: one for one in measured} for name, measured in tables.items()}
    with_target = {one.name: one for measured in tables.values() for one in measured if one.target is not None}
    for name, one in with_target.items():
        bound = f"{'≥' if one.at_least else '≤'} {one.target:.3g} {'µs' if one.unit == 'us' else one.unit}"
        rows.append([name[:1].upper() + name[1:], bound, *(_cell(found[python].get(name)) for python in tables)])
    parts = ["\n".join("| " + " | ".join(row) + " |" for row in rows)]
    if minutes:
        parts.append(f"Medians, with half of what the middle half spreads; the run took {minutes:.0f} minutes.")
    return "\n\n".join([*parts, *_others(tables)])


def _cell(one: Optional[Measurement]) -> str:
    if one is None:
        return "not measured"
    text = f"{one.value:.3g} ± {float(f'{one.noise:.1g}'):g}" if one.noise else f"{one.value:.3g}"
    return f"**{text}**" if one.missed else text


def _others(tables: Mapping[str, Sequence[Measurement]]) -> List[str]:
    """The table of the official SDKs' servers, if there were any."""
    values: Dict[str, Dict[str, List[float]]] = {}
    sdks: List[str] = []
    for measured in tables.values():
        for one in measured:
            match = _OF_ANOTHER.match(one.name)
            if match is not None:
                values.setdefault(match["what"], {}).setdefault(match["who"], []).append(one.value)
                sdks += [match["who"]] if match["who"] not in sdks else []
    if not sdks:
        return []
    rows = [["In units of bare aiohttp", *sdks], ["---"] * (1 + len(sdks))]
    for what, by_sdk in values.items():
        rows.append([what[:1].upper() + what[1:], *(_range(by_sdk.get(sdk)) for sdk in sdks)])
    return ["\n".join("| " + " | ".join(row) + " |" for row in rows)]


def _range(values: Optional[List[float]]) -> str:
    if not values:
        return "not measured"
    low, high = f"{min(values):.2g}", f"{max(values):.2g}"
    return low if low == high else f"{low} to {high}"


def replaced(text: str, content: str) -> str:
    """The document with other content between its marks. Raises ValueError if it has none."""
    before, begin, rest = text.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    if not begin or not end:
        raise ValueError("the document has no marks for the table")
    return f"{before}{begin}\n{content}\n\n{end}{after}"


def write_table(path: str, tables: Mapping[str, Sequence[Measurement]], minutes: float = 0) -> None:
    """Put the table into the document, with how long the run took. Raises ValueError if it has no marks for it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(replaced(text, markdown(tables, minutes)))
