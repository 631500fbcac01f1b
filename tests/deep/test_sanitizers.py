"""The C++ unit tests under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = {
    # What the process-wide Runtime holds is leaked on purpose; LeakSanitizer knows it is still reachable.
    "asan": {"ASAN_OPTIONS": "detect_stack_use_after_return=1", "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"},
}


@pytest.mark.xdist_group("build")
@pytest.mark.parametrize("preset", OPTIONS)
def test_unit_tests_are_clean(preset):
    build = subprocess.run(["./dev", "build", preset, "unit_tests"], cwd=ROOT, capture_output=True, text=True)
    assert build.returncode == 0, build.stdout[-4000:] + build.stderr[-4000:]
    program = ROOT / "build" / preset / "treadle/unit_tests"
    result = subprocess.run(
        [program, "--gtest_brief=1"],
        env={**os.environ, **OPTIONS[preset]},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-8000:]
    assert "PASSED" in result.stdout
