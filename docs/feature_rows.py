"""What of numba.cuda works, row by row: reads feature_rows.txt, and prints the section of migrating.md."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).with_name("feature_rows.txt")
STATES = ("works", "partly", "missing", "gpu")


class Row(NamedTuple):
    """A line of the file. `lacks` is empty for what works; `tests` are pytest's names, below tests/."""

    name: str
    state: str
    what: str
    lacks: str
    tests: list[str]


def sections() -> dict[str, list[Row]]:
    """The rows by the heading of their section, in the order of the file."""
    found: dict[str, list[Row]] = {}
    for line in DATA.read_text().splitlines():
        if line.startswith("## "):
            rows = found.setdefault(line.removeprefix("## "), [])
        elif not line.startswith("#"):
            name, state, what, lacks, tests = (part.strip() for part in line.split("|"))
            rows.append(Row(name, state, what, lacks, [test.strip() for test in tests.split(", ") if test]))
    return found


def totals() -> str:
    """A line for each section, and one for all."""
    lines = ["| section | " + " | ".join(STATES) + " | all |", "|---|" + "---|" * (len(STATES) + 1)]
    together: Counter[str] = Counter()
    for heading, rows in sections().items():
        counts = Counter(row.state for row in rows)
        together += counts
        lines.append(_numbers(heading, counts))
    return "\n".join([*lines, _numbers("**all**", together)]) + "\n"


def _numbers(heading: str, counts: Counter[str]) -> str:
    return f"| {heading} | " + " | ".join(str(counts[state]) for state in STATES) + f" | {counts.total()} |"


def table() -> str:
    """The rows of each section, below its heading."""
    parts = []
    for heading, rows in sections().items():
        lines = [f"| {row.name} | {row.what} | {row.state} | {row.lacks} |" for row in rows]
        parts.append(
            "\n".join([f"### {heading}", "", "| row | what | state | what is missing |", "|---|---|---|---|", *lines])
        )
    return "\n\n".join(parts) + "\n"
