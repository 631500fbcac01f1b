# Shared by all benchmarks: sides in separate processes, measured in turns; medians; tables; recorded results.
import argparse
import contextlib
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILD = ROOT / "build" / "bench"
RESULTS = BENCH / "results"
THREADS = 2

ENVIRONMENT = {
    "OMP_NUM_THREADS": str(THREADS),
    "NUMBA_NUM_THREADS": str(THREADS),
    "POCL_MAX_PTHREAD_COUNT": str(THREADS),
    # Nothing compiled earlier may be reused: Treadle, NVRTC, PoCL and Taichi have disk caches by default.
    "TREADLE_CODE_CACHE_LIMIT": "0",
    "CUDA_CACHE_DISABLE": "1",
    "POCL_KERNEL_CACHE": "0",
    "TI_OFFLINE_CACHE": "0",
    "PYTHONHASHSEED": "0",
    "TREADLE_DEVICE": "cpu",
    # Imports read bytecode, as programs' do; empty is as good as not set.
    "PYTHONDONTWRITEBYTECODE": "",
}


class SideError(Exception):
    """A side could not be started or a command to it failed."""


class Side:
    """A worker process; `label` heads its column."""

    def __init__(self, label, module, python=sys.executable, environment=None):
        self.label = label
        self.opened = 0
        self.process = subprocess.Popen(
            [str(python), str(BENCH / "worker.py"), module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ENVIRONMENT, **(environment or {})},
            cwd=ROOT,
        )

    def ask(self, do, **arguments):
        try:
            print(json.dumps({"do": do, **arguments}), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise SideError(f"{self.label}: the process ended") from None
        line = self.process.stdout.readline()
        if not line:
            raise SideError(f"{self.label}: the process ended with status {self.process.wait()} in '{do}'")
        answer = json.loads(line)
        if "error" in answer:
            if os.environ.get("BENCH_TRACEBACKS"):
                print(answer["traceback"], file=sys.stderr)
            raise SideError(f"{self.label}: {answer['error']}")
        return answer

    def open(self, name, label=None, **options):
        """A case to measure: open_case(name, **options) of the side's module."""
        self.opened += 1
        seconds = self.ask("open", case=self.opened, name=name, options=options)["seconds"]
        return Case(self, self.opened, label or self.label, seconds)

    def versions(self):
        return self.ask("versions")["versions"]

    def close(self):
        with contextlib.suppress(BrokenPipeError):  # it may have ended itself
            self.process.stdin.close()
        self.process.wait(timeout=30)


class Case:
    """One thing to measure, and the measurements so far."""

    def __init__(self, side, number, label, open_seconds):
        self.side, self.number, self.label, self.open_seconds = side, number, label, open_seconds
        self.wall, self.cpu = [], []

    def turn(self, seconds, least=3, batch=1, keep=True):
        answer = self.side.ask("time", case=self.number, seconds=seconds, least=least, batch=batch)
        if keep:
            self.wall += answer["wall"]
            self.cpu += answer["cpu"]

    def outputs(self):
        import numpy as np

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "outputs.npz")
            self.side.ask("save", case=self.number, path=path)
            with np.load(path) as saved:
                return [saved[name] for name in sorted(saved.files, key=lambda name: int(name.split("_")[1]))]

    def close(self):
        """Releases what the side holds for the case; the measurements are kept."""
        self.side.ask("close", case=self.number)

    @property
    def median(self):
        """Seconds of wall time per run."""
        return statistics.median(self.wall)

    @property
    def cpu_median(self):
        return statistics.median(self.cpu)


def measure(cases, rounds=7, seconds=0.15, least=3, batch=1, rest=0.25):
    """Takes turns, so that disturbances affect all cases alike; rests until the idle threads of others sleep."""
    for case in cases:
        case.turn(seconds / 3, least=min(least, 2), batch=batch, keep=False)
    for number in range(rounds):
        for case in cases if number % 2 == 0 else reversed(cases):
            time.sleep(rest)
            case.turn(seconds, least=least, batch=batch)


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


class Report:
    """Prints lines, and with --record keeps them in bench/results/NAME.txt; where TREADLE_CPU is set, in
    NAME-PROCESSOR.txt.
    """

    def __init__(self, name, question, arguments):
        self.name, self.arguments = name, arguments
        self.lines, self.failed = [], False
        self.say(f"# {name}: {question}")
        self.say(machine())
        if arguments.tiny:
            self.say("TINY SIZES: this run shows that everything works; its times mean nothing")

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def table(self, heads, rows):
        widths = [max(len(str(row[column])) for row in [heads, *rows]) for column in range(len(heads))]
        for row in [heads, *rows]:
            first, *others = (str(cell) for cell in row)
            aligned = [first.ljust(widths[0])] + [
                cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)
            ]
            self.say("  ".join(aligned).rstrip())

    def goal(self, text, value, limit, at_least=True):
        """A goal: `value` must be at least, or at most, `limit`."""
        reached = value >= limit if at_least else value <= limit
        sign = ">=" if at_least else "<="
        self.say(f"goal: {text} {sign} {limit:g}: {value:.3g} {'reached' if reached else 'MISSED'}")
        return reached

    def fail(self, what, error):
        """Something could not be measured, or its result was wrong: the run continues and ends with status 1."""
        self.failed = True
        self.say(f"{what}: FAILED, {error}")

    def close(self):
        if self.arguments.record:
            RESULTS.mkdir(exist_ok=True)
            name = "-".join(filter(None, [self.name, os.environ.get("TREADLE_CPU")]))
            (RESULTS / f"{name}.txt").write_text("\n".join(self.lines) + "\n")
        sys.exit(1 if self.failed else 0)


def machine():
    try:
        with open("/proc/cpuinfo") as file:
            text = file.read()
        model = next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
        vectors = "AVX-512" if " avx512f" in text else "AVX2" if " avx2" in text else "SSE2"
    except (OSError, StopIteration):
        model, vectors = platform.processor() or platform.machine(), "unknown vectors"
    load = os.getloadavg()[0]
    today = time.strftime("%Y-%m-%d")
    return (
        f"{today}, {model}, {vectors}, {len(os.sched_getaffinity(0))} cores, load before {load:.1f}; "
        f"Python {platform.python_version()}, commit {commit_of(ROOT)}"
    )


def commit_of(folder):
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def parse(description, **extra):
    """The arguments common to all benchmarks; `extra` adds further options, each with its help."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--record", action="store_true", help="keep the report in bench/results")
    parser.add_argument("--tiny", action="store_true", help="small sizes and few repetitions: only see that it works")
    parser.add_argument("--only", help="kernels to measure, separated by commas")
    parser.add_argument("--without", default="", help="sides to leave out, separated by commas")
    for name, text in extra.items():
        parser.add_argument(f"--{name}", default="", help=text)
    arguments = parser.parse_args()
    pin_to_two_cores()
    return arguments


def pin_to_two_cores():
    """All sides use the same cores; children inherit this."""
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:THREADS]))


def chosen(names, arguments):
    return [name for name in names if not arguments.only or name in arguments.only.split(",")]


def is_wanted(label, arguments):
    return label not in arguments.without.split(",")


def start_sides(makers, arguments, report):
    """Starts the sides of {label: function that makes a Side} that are available, and reports why others are not."""
    sides = {}
    for label, make in makers.items():
        if not is_wanted(label, arguments):
            continue
        try:
            sides[label] = make()
            report.say(f"{label}: {sides[label].versions()}")
        except (SideError, OSError, subprocess.CalledProcessError) as error:
            report.say(f"{label}: left out, {error}")
            sides.pop(label, None)
    return sides


def wall_and_cpu(case):
    """Milliseconds of wall time, and of CPU time in brackets."""
    return f"{ms(case.median)} ({ms(case.cpu_median)})"


def ms(seconds):
    return f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:.0f}"


def us(seconds):
    return f"{1e6 * seconds:.3g}"
