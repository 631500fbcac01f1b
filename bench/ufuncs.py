# Functions of elements over whole arrays on two cores: compared with NumPy's ufuncs and Numba's vectorize.
import numpy as np
import peers
from harness import Report, Side, measure, parse, start_sides, wall_and_cpu
from sides.common import LAUNCHES

LARGE = [
    # case, with a result that is there, goals over NumPy and over Numba
    ("add", False, 1.0, 1.0),
    ("add", True, 1.0, 1.0),
    ("Black-Scholes", False, 4.0, None),
    ("Black-Scholes", True, 4.0, None),
]
SMALL = {
    "arrays": "vectorize, two arrays",
    "number": "vectorize, an array and a number",
    "out": "vectorize, two arrays, out=",
    "np.add": "np.add, two arrays",
    "np.add out": "np.add, two arrays, out=",
    "np.sqrt": "np.sqrt",
}


def open_large(sides, name, given, count):
    """The cases of all sides by label, with equal results."""
    cases, expected = {}, None
    for label, side in sides.items():
        maker = "numpy" if label == "NumPy" else ""
        case = side.open(name, label, maker=maker, count=count, given=given)
        case.turn(0.0, least=1, keep=False)
        (found,) = case.outputs()
        if expected is not None and not np.allclose(found, expected, rtol=1e-12, atol=1e-12):
            raise ValueError(f"{label}: wrong result")
        expected = found
        cases[label] = case
    return cases


def compare_large(report, sides, arguments):
    rows, goals = [], []
    count = 1 << 10 if arguments.tiny else 1 << 20
    for name, given, over_numpy, over_numba in LARGE:
        title = f"{name}, {'out=' if given else 'new result'}"
        cases = open_large(sides, name, given, count)
        measure(list(cases.values()), rounds=1 if arguments.tiny else 7, seconds=0.02 if arguments.tiny else 0.1)
        rows.append([title, *(wall_and_cpu(cases[label]) if label in cases else "-" for label in SIDES)])
        for peer, limit in (("NumPy", over_numpy), ("Numba parallel", over_numba)):
            if peer in cases and "treadle" in cases:
                goals.append((f"{title}: times {peer}", cases[peer].median / cases["treadle"].median, limit))
        for case in cases.values():
            case.close()
    report.say(f"\n{count:,} elements of float64, ms of wall time (and of CPU time), medians")
    report.table(["function", *SIDES], rows)
    for text, ratio, limit in goals:
        if limit is None:
            report.say(f"{text}: {ratio:.3g}")
        else:
            report.goal(text, ratio, limit)


def compare_small(report, side, arguments):
    cases = {name: side.open(name, name) for name in SMALL}
    measure(list(cases.values()), rounds=1 if arguments.tiny else 9, seconds=0.05, rest=0.02)
    report.say("\nus of a call with device arrays of 16 elements, the kernel and Python's loop included, medians")
    times = {name: 1e6 * case.median / LAUNCHES for name, case in cases.items()}
    report.table(["call", "us"], [[SMALL[name], f"{time:.2f}"] for name, time in times.items()])
    report.goal("us: the longest of them", max(times.values()), 2.0, at_least=False)


SIDES = ("treadle", "NumPy", "Numba parallel")


def main():
    arguments = parse("Functions of elements beside NumPy's and Numba's.")
    report = Report("ufuncs", "functions of elements over whole arrays on two cores", arguments)
    makers = {
        "treadle": lambda: Side("treadle", "ufunc_loops"),
        "NumPy": lambda: Side("NumPy", "ufunc_loops"),
        "Numba parallel": lambda: Side("Numba parallel", "ufunc_loops", peers.environment("numba"), {"PYTHONPATH": ""}),
    }
    sides = start_sides(makers, arguments, report)
    compare_large(report, sides, arguments)
    if "treadle" in sides:
        compare_small(report, sides["treadle"], arguments)
    report.close()


if __name__ == "__main__":
    main()
