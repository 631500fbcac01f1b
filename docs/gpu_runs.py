"""The last run on a real GPU, of the reports that ./dev gpu writes into bench/results."""

import re
from pathlib import Path

NEVER = "There was no run on a real GPU yet: launches on CUDA devices are tested on a stand-in for the driver."
REPORT = re.compile(r"gpu-(\d{4}-\d{2}-\d{2})-.+\.md")


def last_run(results: Path) -> str:
    """A line for README.md. A report's first line says when, on which GPU, and with which versions it was."""
    reports = [path for path in results.glob("gpu-*.md") if REPORT.fullmatch(path.name)]
    if not reports:
        return NEVER
    latest = max(reports, key=lambda path: (path.name[4:14], path.stat().st_mtime))
    summary = latest.read_text().splitlines()[0].removeprefix("# ")
    return f"The last run on a real GPU: {summary}; [its figures](bench/results/{latest.name})."
