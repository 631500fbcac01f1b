"""Runs clang-tidy on the sources whose object is newer than their last clean result; `all` runs it on every source."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/dev"
STAMPS = ROOT / "build/tidy"


def sources() -> dict[Path, Path]:
    """Each of our sources in the compile commands, with its object: ninja rebuilds it when a header changes."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    found = {}
    for command in commands:
        path = Path(command["file"])
        if path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "tests"):
            found[path] = BUILD / re.search(r" -o (\S+)", command["command"])[1]
    return found


def stamp(source: Path) -> Path:
    return STAMPS / str(source.relative_to(ROOT)).replace("/", "-")


def is_clean(source: Path, made: Path) -> bool:
    mark = stamp(source)
    newest = max(path.stat().st_mtime for path in (made, source, ROOT / ".clang-tidy"))
    return mark.exists() and mark.stat().st_mtime >= newest


def check(source: Path) -> bool:
    """Prints clang-tidy's diagnostics for one source; leaves a stamp if there are none."""
    command = ["clang-tidy-19", "--quiet", "-p", str(BUILD), str(source)]
    result = subprocess.run(command, capture_output=True, text=True)
    print(f"clang-tidy {source.relative_to(ROOT)}", flush=True)
    if result.returncode:
        print(result.stdout + result.stderr, flush=True)
        return False
    stamp(source).touch()
    return True


def main() -> int:
    STAMPS.mkdir(parents=True, exist_ok=True)
    everything = "all" in sys.argv[1:]
    wanted = [source for source, made in sources().items() if everything or not is_clean(source, made)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, wanted))
    failed = results.count(False)
    print(f"clang-tidy: {len(wanted)} of {len(sources())} files checked, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
