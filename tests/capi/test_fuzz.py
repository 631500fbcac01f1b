"""Calls with mutated arguments, from several threads: each returns a status and a text."""

import os
import re
import subprocess

import processes
import pytest
from c_programs import PROGRAMS, ROOT, build, environment

QUICK = 20_000
# The stand-in looks at all streams that there ever were.
DEEP = {"cpu": 1_000_000, "cuda": 100_000}
THREADS = 4


def fuzz(program, calls, own, folder):
    """How many calls ended with which status. That rules of the driver are broken is the program's own fault: streams
    use the same memory at once, and all blocks of a grid write the same elements."""
    own = {**own, "FAKE_CUDA_ABORT": "0", "FAKE_CUDA_KERNEL_RACES": "0"}
    seed = os.environ.get("TREADLE_FUZZ_SEED", "1")
    result = processes.run([program, str(calls), str(THREADS), seed, str(folder)], timeout=1500, env=own)
    assert result.returncode == 0, result.stderr[-4000:]
    return {name: int(count) for count, name in re.findall(r"^(\d+) (\w+)$", result.stdout, re.M)}


def check(counts, calls):
    assert sum(counts.values()) == calls
    # All of these are reached, so that the calls are neither all right nor all wrong.
    for name in ("OK", *(f"ERROR_{kind}" for kind in ("ARGUMENT", "HANDLE", "STRUCT_SIZE", "TYPE", "BUFFER", "IMAGE"))):
        assert counts[f"TREADLE_{name}"] > calls // 2000, counts
    assert counts["TREADLE_ERROR_INTERNAL"] == counts["TREADLE_ERROR_DEVICE_LOST"] == 0


def test_mutated_calls(device, images, tmp_path):
    program = build([PROGRAMS / "fuzz_calls.c"], tmp_path / "fuzz_calls")
    check(fuzz(program, QUICK, environment(device), images), QUICK)


@pytest.mark.deep
@pytest.mark.share
def test_mutated_calls_under_address_sanitizer(device, images, tmp_path):
    """Without kernels on the CPU device, whose images need the compiler's library as well. What the program has not
    freed is reachable from the Runtime and from the table of handles."""
    result = subprocess.run(["./dev", "build", "asan", "treadle"], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    find = ["clang-19", "-print-file-name=libclang_rt.asan-x86_64.so"]
    runtime = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
    options = ["-fsanitize=address", "-shared-libsan", f"-Wl,-rpath,{os.path.dirname(runtime)}"]
    package = ROOT / "build/asan/treadle"
    program = build([PROGRAMS / "fuzz_calls.c"], tmp_path / "fuzz_calls", "clang-19", options=options, package=package)
    own = {
        **environment(device),
        "ASAN_OPTIONS": "detect_stack_use_after_return=0:allow_user_poisoning=0",
        "UBSAN_OPTIONS": "halt_on_error=1",
    }
    counts = fuzz(program, DEEP[device], own, images if device == "cuda" else "-")
    assert sum(counts.values()) == DEEP[device]
    assert counts["TREADLE_ERROR_INTERNAL"] == 0
    assert counts["TREADLE_OK"] > DEEP[device] // 10
