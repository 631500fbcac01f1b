"""C++ and Python tests under AddressSanitizer with UndefinedBehaviorSanitizer, and C++ ones under ThreadSanitizer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import remote

# By turns, as each sanitizer takes another build of everything.
pytestmark = [pytest.mark.deep, pytest.mark.share]
ROOT = Path(__file__).resolve().parents[2]
OPTIONS = {
    # The process-wide Runtime is leaked on purpose; LeakSanitizer sees that its objects are still reachable. LLVM's
    # allocator poisons memory in our code, as its headers are compiled with the sanitizer, and LLVM's own does not end
    # that before it hands it out.
    "asan": {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1:allow_user_poisoning=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    },
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"},
}
# Python's own leaks are not ours; tests/memory/test_leaks.py counts ours. Fibers that a Python thread runs leave the
# fake stack on which the sanitizer puts frames whose addresses are taken, so fake stacks are off.
PYTHON_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:allow_user_poisoning=0:log_path=",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
# One crashes on purpose; one gives a thread less stack than the sanitizer's frames need. The file that counts
# allocations preloads its counter in place of the sanitizer.
LEFT_OUT = "not faults_that_are_not_ours_still_kill and not nested_too_deep_in_a_thread_with_a_small_stack"


def build(preset, *targets):
    result = subprocess.run(["./dev", "build", preset, *targets], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


@pytest.mark.parametrize("preset", OPTIONS)
def test_unit_tests_are_clean(preset):
    build(preset, "unit_tests")
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


def test_a_million_mutated_files():
    """Of images, and of the code cache, in three tests."""
    build("asan", "unit_tests")
    done = subprocess.run(
        [ROOT / "build/asan/treadle/unit_tests", "--gtest_brief=1", "--gtest_filter=*Mutated*"],
        env={**os.environ, **OPTIONS["asan"], "TREADLE_FUZZ_ROUNDS": "350000"},
        capture_output=True, text=True, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]
    assert "PASSED" in done.stdout


def test_python_tests_are_clean(tmp_path):
    build("asan", "_core", "_hooks", "treadle-compiler", "treadle_python_links")
    runtime = subprocess.run(
        ["clang++-19", "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    options = {**PYTHON_OPTIONS, "ASAN_OPTIONS": PYTHON_OPTIONS["ASAN_OPTIONS"] + str(tmp_path / "report")}
    # pytest's fault handler would hide the location of a fault.
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:faulthandler", "-p", "no:cacheprovider"]
    result = subprocess.run(
        [*command, "-k", LEFT_OUT, "--ignore=tests/launches/test_launch_costs.py", *remote.FOLDERS, "tests/device"],
        cwd=ROOT,
        env={**os.environ, **options, "LD_PRELOAD": runtime, "PYTHONPATH": str(ROOT / "build/asan")},
        capture_output=True,
        text=True,
        timeout=2400,
    )
    reports = "\n".join(path.read_text()[:3000] for path in tmp_path.glob("report*"))
    assert not reports, reports
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
