# Tests and benchmarks on a GPU with the installed treadle, pytest, nvcc and peers, where nothing can be built:
# `python bench/gpu/installed.py [FOLDER for reports [SECONDS for all of it]]`. Built elsewhere may be the loop in
# C that launches are compared with, build/dev/bench/nulldriver, and the images that C programs load, build/gpu/images.
# FOLDER/failed.txt has each failure as soon as it has happened. numba-cuda 0.30 needs a NumPy before 2.5.
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import stand_in  # noqa: E402

WORKERS = min(12, os.cpu_count())


def run(title, command, seconds, **environment):
    print(f"\n==> {title}", flush=True)
    try:
        return subprocess.run(command, cwd=ROOT, timeout=seconds, env={**os.environ, **environment}).returncode
    except subprocess.TimeoutExpired:
        print(f"not over after {seconds} s", flush=True)
        return 1


def tested(report, seconds, *arguments):
    options = ["-q", "-rf", "--tb=short", "-p", "no:cacheprovider", f"--junitxml={report}", "-o", "junit_logging=no"]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    own = {"TREADLE_DEVICE": "cuda", "TREADLE_FAILURES": str(report.parent / "failed.txt")}
    return run(f"pytest {' '.join(arguments)}", command, seconds, **own)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/gpu").resolve()
    end = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 3600)
    folder.mkdir(parents=True, exist_ok=True)
    own = folder / "tests.xml"
    workers = ["-p", "tests.lost_context", f"-n{WORKERS}", "--dist=worksteal", "--timeout=60"]
    status = tested(own, 180, *workers, "tests/gpu")
    measure = [sys.executable, "bench/gpu/run.py", *([f"--tests={own}"] if own.exists() else [])]
    status |= run("Kernels, launches and copies on the GPU", measure, 200, BENCH_INSTALLED="1")
    left = int(end - time.monotonic())
    status |= tested(folder / "all.xml", left, *workers, f"--session-timeout={left - 20}", *stand_in.ALL)
    return status


if __name__ == "__main__":
    sys.exit(main())
