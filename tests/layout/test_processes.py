"""The helper that runs programs for tests."""

import subprocess
import sys
from pathlib import Path

import processes
import pytest

# A child of a child in a session of its own, which nobody waits for.
PROGRAM = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
    time.sleep(600)
time.sleep(600)
"""


def is_running(process):
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def test_a_time_limit_ends_all_that_was_started(tmp_path):
    file = tmp_path / "process"
    with pytest.raises(subprocess.TimeoutExpired):
        processes.run([sys.executable, "-c", PROGRAM, str(file)], 4)
    assert not is_running(int(file.read_text()))
