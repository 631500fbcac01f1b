"""g++ accepts every source that clang compiles, except the vector routines, which are written for clang."""

import json
import os
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parents[2]
# Warnings are left to clang: it has the same ones with fewer false positives.
FLAGS = ["-std=c++20", "-fsyntax-only", "-fvisibility=hidden", "-w"]


def sources() -> list[str]:
    commands = json.loads((ROOT / "build/dev/compile_commands.json").read_text())
    ours = {Path(command["file"]) for command in commands if Path(command["file"]).is_relative_to(ROOT / "src")}
    vectors = ROOT / "src/math"
    return sorted(str(path) for path in ours if path.suffix == ".cpp" and not path.is_relative_to(vectors))


def preprocessor_flags() -> list[str]:
    """The include folders and the definitions of all our targets, from their commands."""
    flags = {}
    for command in json.loads((ROOT / "build/dev/compile_commands.json").read_text()):
        words = shlex.split(command["command"])
        flags |= {word: None for word in words if word.startswith(("-I", "-DTREADLE"))}
        flags |= {f"-isystem{after}": None for word, after in zip(words, words[1:]) if word == "-isystem"}
    return list(flags)


# By turns: it takes as long as a build.
@pytest.mark.share
def test_gcc_accepts_the_sources():
    compiler = shutil.which("g++")
    assert compiler, "g++ is missing: ./dev installs it"
    flags = [*FLAGS, *preprocessor_flags()]

    def check(source: str) -> str:
        command = [compiler, *flags, source]
        result = subprocess.run(command, capture_output=True, text=True, timeout=600)
        return f"{source}:\n{result.stderr[:3000]}" if result.returncode else ""

    assert len(sources()) > 50
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        messages = list(pool.map(check, sources()))
    assert not any(messages), "\n".join(filter(None, messages))
