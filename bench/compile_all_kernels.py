# One folder's kernels for compile_all: launches them as its tests do, then compiles each again and takes the time.
"""Usage: compile_all_kernels.py FOLDER REPETITIONS TINY LISTED. Prints JSON lines: the features that the code is made
for, then of each kernel its name, the specialisations that were compiled, and of the slowest one the median of its
processor time in seconds and the object's bytes; of the LISTED slowest the instructions of machine code as well.

A kernel is a function in a file; a specialisation is one signature under the facts of one kind of launch. Kernels of
other folders that the same launches compile (of the standard library, for instance) are left out.
"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from treadle import _hooks

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
TESTS = ROOT / "tests"
# What these run is in children, or compiles to PTX.
NO_LAUNCHES = {"test_spinning", "test_ptx"}


def run_tests(*arguments):
    """In this process; their own assertions hold, so what is compiled is right."""
    import pytest

    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml")]
    status = pytest.main([*options, *map(str, arguments)])
    if status != pytest.ExitCode.OK:
        raise SystemExit(f"the tests ended with status {status}")


def run_examples(tiny):
    run_tests(TESTS / "pages" / "test_examples.py", *(["-k", "saxpy"] if tiny else []))


def run_benchmarks(tiny):
    import cooperation_workloads
    import workloads
    from sides import common

    sys.path.insert(0, str(BENCH / "kernels" / "cuda_python"))
    for name in ["saxpy"] if tiny else [*workloads.ALL, *cooperation_workloads.KERNELS]:
        workload = workloads.make(name, tiny=True)
        kernel = getattr(__import__(name), name)
        if hasattr(kernel, "py_func"):
            kernel = kernel[common.grid_of(workload), workload.block]
        kernel(*workload.arguments)
        workload.check([workload.arguments[position] for position in workload.outputs], name)


def run_algorithms(tiny):
    files = sorted((TESTS / "algorithms").glob("test_*.py"))
    run_tests(*files[:1] if tiny else (file for file in files if file.stem not in NO_LAUNCHES))
    if not tiny:
        from algorithms.spinning import RUNS

        for run in RUNS.values():
            run()


def run_kernels(tiny):
    only = "test_result and array_iteration" if tiny else "test_result"
    run_tests(TESTS / "kernels" / "test_kernels.py", "-k", only)


RUNS = {
    "examples": run_examples,
    "bench/kernels": run_benchmarks,
    "tests/algorithms": run_algorithms,
    "tests/kernels": run_kernels,
}


def kernels_in(folder):
    """The numbers of the requests that are kept, by kernel, of what was defined in the folder or in a text."""
    found = {}
    for number, (file, function, line, _) in enumerate(_hooks.kept_requests()):
        path = Path(file)
        if path.is_relative_to(ROOT / folder) or not path.exists():
            found.setdefault((f"{path.stem}.{function}", line), []).append(number)
    return found


def instructions(code):
    """The number of instructions in machine code; None where there is no disassembler (LLVM's reads objects only)."""
    if not shutil.which("objdump"):
        return None
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        command = ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file.name]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sum(1 for line in text.splitlines() if line.startswith(" ") and "\t" in line)


def timed(number, repetitions):
    """(median of seconds, machine code) of one request."""
    again = [_hooks.generate_kept(number) for _ in range(repetitions)]
    return statistics.median(seconds for seconds, _ in again), again[0][1]


def main():
    folder, repetitions, tiny, listed = sys.argv[1], *map(int, sys.argv[2:])
    sys.path.insert(0, str(TESTS))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _hooks.keep_requests()
    with contextlib.redirect_stdout(sys.stderr):
        RUNS[folder](tiny)
    requests = _hooks.kept_requests()
    print(json.dumps(sorted({features for *_, features in requests})), file=answers)
    rows = []
    for (name, _), numbers in kernels_in(folder).items():
        seconds, code = max((timed(number, repetitions) for number in numbers), key=lambda one: one[0])
        rows.append((seconds, name, len(numbers), code))
    rows.sort(key=lambda row: row[:2], reverse=True)
    for place, (seconds, name, count, code) in enumerate(rows):
        counted = instructions(code) if place < listed else None
        print(json.dumps([name, count, seconds, len(code), counted]), file=answers)


if __name__ == "__main__":
    main()
