"""The last run on a real GPU, of the reports that ./dev gpu writes into bench/results."""

import re
from pathlib import Path

NEVER = "There was no run on a real GPU yet: launches on CUDA devices are tested on a stand-in for the driver."
REPORT = re.compile(r"gpu-(\d{4}-\d{2}-\d{2})-.+\.md")
# What a report says below its first line where the run did not come to its end: its counts are those of a part.
BROKEN_OFF = "The run was broken off"


def link(report: Path) -> str:
    return f"bench/results/{report.name}"


def last_run(results: Path) -> str:
    """A line for README.md. A report's first line says when, on which GPU, and with which versions it was."""
    reports = [path for path in results.glob("gpu-*.md") if REPORT.fullmatch(path.name)]
    reports.sort(key=lambda path: (path.name[4:14], path.stat().st_mtime))
    whole = [path for path in reports if BROKEN_OFF not in path.read_text()]
    if not whole:
        return NEVER
    summary = whole[-1].read_text().splitlines()[0].removeprefix("# ")
    later = [f"[{path.name[4:14]}]({link(path)})" for path in reports[reports.index(whole[-1]) + 1 :]]
    return f"The last whole run on a real GPU: {summary}; [its figures]({link(whole[-1])})." + "".join(
        f" A run of {one} was broken off; it says what it found." for one in later
    )
