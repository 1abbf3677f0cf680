"""What a run found, as the table in README.md beside this file.

Rule: what stands between the two marks of the document is written here and nowhere else.
"""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

from ratio import Measurement

BEGIN = "<!-- Written by tests/benchmarks/run.py --write-table -->"
END = "<!-- End of what is written -->"


def markdown(tables: Mapping[str, Sequence[Measurement]]) -> str:
    """What was measured, by Python version, in Markdown. What stands there for scale has no target."""
    rows = [["Measured", "Target", *(f"Python {name}" for name in tables)], ["---"] * (2 + len(tables))]
    found = {name: {one.name: one for one in measured} for name, measured in tables.items()}
    for name, one in {one.name: one for measured in tables.values() for one in measured}.items():
        unit = "µs" if one.unit == "us" else one.unit
        bound = unit if one.target is None else f"{'≥' if one.at_least else '≤'} {one.target:.3g} {unit}"
        cells = (_cell(found[python].get(name)) for python in tables)
        rows.append([name.strip()[:1].upper() + name.strip()[1:], bound, *cells])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(one: Optional[Measurement]) -> str:
    if one is None:
        return "not measured"
    text = f"{one.value:.3g} ± {float(f'{one.noise:.1g}'):g}" if one.noise else f"{one.value:.3g}"
    return f"**{text}**" if one.missed else text


def write_table(path: str, tables: Mapping[str, Sequence[Measurement]], minutes: float) -> None:
    """Put the table into the document, with how long the run took. Raises ValueError if it has no marks for it."""
    with open(path, encoding="utf-8") as file:
        before, begin, rest = file.read().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the document has no marks for the table")
    told = f"Medians, with half of what the middle half spreads; the run took {minutes:.0f} minutes."
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(f"{before}{begin}\n\n{markdown(tables)}\n\n{told}\n\n{end}{after}")
