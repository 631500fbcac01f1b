# How compile time grows with the size of a kernel, to CPU code and to PTX, for the shapes in which sources grow.
import json
import os
import subprocess
import sys

import growing_kernels
from harness import BENCH, ENVIRONMENT, Report, ms, parse
from scaling import exponent

STOP = 20.0
"""Seconds of processor time after which larger sizes of a shape are left out."""


JUDGED = 0.03
"""Seconds that the largest size takes at least; of less, the exponent would be that of the noise."""


def series(report, shape, target, tiny):
    """Sizes, and the least processor time of three compilations in seconds, of one process."""
    command = [
        sys.executable,
        str(BENCH / "growing_kernels.py"),
        shape.__name__,
        target,
        "2" if tiny else "0",
        str(STOP),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, check=False)
    if done.returncode != 0:
        report.fail(f"{shape.__name__}, {target}", (done.stderr.strip().splitlines() or ["it failed"])[-1])
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    arguments = parse("Compile time over the size of kernels in many shapes.")
    report = Report("compile_growth", "processor time to compile kernels of growing size", arguments)
    worst = {}
    for target in ("cpu", "ptx"):
        rows = []
        for shape in growing_kernels.SHAPES:
            found = series(report, shape, target, arguments.tiny)
            is_judged = len(found) > 2 and found[-1][1] >= JUDGED
            slope = exponent(*zip(*found, strict=True)) if is_judged else float("nan")
            cells = [f"{n}: {ms(seconds)}" for n, seconds in found] + ["-"] * (4 - len(found))
            rows.append([shape.__name__.replace("_", " "), *cells, f"{slope:.2f}"])
            worst[target] = max(worst.get(target, 0.0), slope)
        report.say(
            f"\nms to {'CPU code' if target == 'cpu' else 'PTX'} by size, and the exponent of N in the increments"
        )
        report.table(["shape", "", "", "", "", "exponent"], rows)
    for target, slope in worst.items():
        report.goal(f"exponent, {target}", slope, 1.2, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
