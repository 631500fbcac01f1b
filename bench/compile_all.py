# Processor time to compile every kernel of the examples, the benchmarks and the tests to CPU code.
import json
import os
import statistics
import subprocess
import sys

from harness import BENCH, ENVIRONMENT, Report, ms, parse

FOLDERS = ("examples", "bench/kernels", "tests/algorithms", "tests/kernels")
# What the goals are for: kernels as programs have them. Those of tests/kernels have whatever a compiler may get wrong.
OF_PROGRAMS = FOLDERS[:3]
LISTED = 20
# Median and slowest, in ms, by the vectors that the code has.
GOALS = {"AVX2": (20, 80), "AVX-512": (12, 50)}


def vectors(features):
    """The vectors of code for these features of LLVM's."""
    has = features.split(",")
    return "AVX-512" if "+avx512bw" in has else "AVX2" if "+avx2" in has else "SSE"


def kernels_of(report, folder, tiny):
    """The features of the target, and of each kernel [name, specialisations, seconds, bytes, instructions]."""
    program = str(BENCH / "compile_all_kernels.py")
    command = [sys.executable, program, folder, "1" if tiny else "3", str(int(tiny)), str(LISTED)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, check=False)
    if done.returncode != 0:
        report.fail(folder, (done.stderr.strip().splitlines() or ["it failed"])[-1])
        return [], []
    features, *rows = map(json.loads, done.stdout.splitlines())
    return features, rows


def summary(folder, rows):
    times = [seconds for _, _, seconds, _, _ in rows]
    over = [sum(seconds > limit for seconds in times) for limit in (0.03, 0.1)]
    slowest = f"{ms(times[0])} ({rows[0][0]})"
    return [folder, len(rows), sum(row[1] for row in rows), ms(statistics.median(times)), *over, slowest]


def main():
    arguments = parse("Processor time to compile every kernel of the examples, benchmarks and tests to CPU code.")
    report = Report("compile_all", "processor time from a typed tree to CPU code, every kernel", arguments)
    found, target = {}, ""
    for folder in FOLDERS:
        features, rows = kernels_of(report, folder, arguments.tiny)
        target = features[0] if features else target
        if rows:
            found[folder] = rows
    level = vectors(target)
    report.say(f"code with {level} (TREADLE_CPU {os.environ.get('TREADLE_CPU') or 'not set'})")
    report.say("\nms of processor time, medians of three compilations; the slowest specialisation of a kernel counts")
    heads = ["folder", "kernels", "specialisations", "median", "over 30", "over 100", "slowest"]
    report.table(heads, [summary(folder, rows) for folder, rows in found.items()])
    slowest = sorted(((*row, folder) for folder, rows in found.items() for row in rows), key=lambda row: -row[2])
    report.say(f"\nthe {LISTED} slowest")
    table = [[name, folder, ms(seconds), size, count or "-"] for name, _, seconds, size, count, folder in slowest]
    report.table(["kernel", "folder", "ms", "bytes of code", "instructions"], table[:LISTED])
    times = [row[2] for folder in OF_PROGRAMS for row in found.get(folder, [])]
    if times:
        goals(report, level, 1e3 * statistics.median(times), 1e3 * max(times))
    report.close()


def goals(report, level, median, slowest):
    where = f"examples, bench/kernels and tests/algorithms, {level}"
    if level not in GOALS:
        report.say(f"\n{where}: median {median:.3g} ms, slowest {slowest:.3g} ms")
        return
    report.say()
    for text, value, limit in zip(("median", "slowest"), (median, slowest), GOALS[level], strict=True):
        report.goal(f"ms, {text} of {where}", value, limit, at_least=False)


if __name__ == "__main__":
    main()
