# How compile time grows with the number of composed device functions, to PTX and to CPU code, inlined and not.
import math

import peers
from harness import Report, SideError, measure, ms, parse, start_sides

COUNTS = [16, 32, 64, 128, 256, 512, 1024]
# In a chain each function calls the one before it; the deepest chain that must compile has 200.
DEEPEST_CHAIN = 256


def exponent(counts, seconds):
    """The slope of log(increment) over log(count): taking increments eliminates the fixed cost of a compilation.

    NaN if noise leaves fewer than two increments above 0.
    """
    points = []
    for k in range(1, len(counts)):
        if seconds[k] > seconds[k - 1]:
            points.append((math.log(counts[k]), math.log(seconds[k] - seconds[k - 1])))
    if len(points) < 2:
        return math.nan
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return above / sum((x - mean_x) ** 2 for x, _ in points)


def series(report, side, shape, counts, target, inline, tiny):
    """Median seconds by count; stops when a compilation fails."""
    cases = []
    for count in counts:
        try:
            case = side.open(shape, kind="composed", count=count, target=target, inline=inline)
            case.turn(0.0, least=1, keep=False)
            cases.append(case)
        except SideError as error:
            report.fail(f"{shape} of {count}, {target}, inline={inline}", str(error).splitlines()[0])
            break
    measure(cases, rounds=1 if tiny else 3, seconds=0.05, least=2, rest=0.0)
    return [case.median for case in cases]


def main():
    arguments = parse("Compile time over the number of composed device functions.")
    report = Report("scaling", "compile time over 16 to 1024 composed device functions", arguments)
    sides = start_sides({"treadle": peers.ours, "numba-cuda": peers.numba_cuda}, arguments, report)
    all_counts = COUNTS[:3] if arguments.tiny else COUNTS
    rows, worst = [], -math.inf
    for shape in ("sequence", "chain"):
        counts = [count for count in all_counts if shape == "sequence" or count <= DEEPEST_CHAIN]
        for target in ("ptx", "cpu"):
            for inline in ("always", "never"):
                if "treadle" not in sides:
                    continue
                seconds = series(report, sides["treadle"], shape, counts, target, inline, arguments.tiny)
                slope = exponent(counts, seconds) if len(seconds) > 2 else math.nan
                worst = max(worst, slope) if len(seconds) == len(counts) else math.inf
                cells = [ms(value) for value in seconds] + ["-"] * (len(COUNTS) - len(seconds))
                rows.append([f"{shape}, {target}, inline={inline}", *cells, f"{slope:.2f}"])
        if "numba-cuda" in sides:
            few = [count for count in counts if count <= (16 if arguments.tiny else 64)]
            seconds = series(report, sides["numba-cuda"], shape, few, "ptx", "never", True)
            cells = [ms(value) for value in seconds] + ["-"] * (len(COUNTS) - len(seconds))
            rows.append([f"{shape}, numba-cuda's PTX", *cells, "-"])
    report.say("\nms, medians, and the exponent of N in the increments")
    report.table(["composed as", *map(str, COUNTS), "exponent"], rows)
    if "treadle" in sides:
        report.goal("exponent", worst, 1.05, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
