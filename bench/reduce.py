# cuda.reduce on the CPU device: beside NumPy on one and two threads, and numba-cuda's design of the reduction.
from harness import THREADS, Report, Side, measure, ms, parse, start_sides

ROWS = [("sum", "float64"), ("sum", "float32"), ("max", "float64")]
OURS = {"device": "device array", "host": "NumPy array", "strided": "numba-cuda's design"}
PEERS = {"NumPy": f"NumPy, {THREADS} threads", "NumPy one": "NumPy, one"}
GOAL = 0.8


def check(report, what, case):
    """The result, beside NumPy's in float64."""
    found, right = (float(output[0]) for output in case.outputs())
    if not abs(found - right) <= 1e-4 * abs(right):
        report.fail(f"{what}, {case.label}", f"{found} in place of {right}")


def main():
    arguments = parse("Reductions on two cores.")
    report = Report("reduce", "cuda.reduce on the CPU device, 4 Mi elements", arguments)
    makers = {
        "treadle": lambda: Side("treadle", "reduce_loops"),
        "NumPy": lambda: Side("NumPy", "reduce_loops"),
    }
    sides = start_sides(makers, arguments, report)
    count = 1 << 16 if arguments.tiny else 1 << 22
    table, ratios = [], {}
    for function, dtype in ROWS:
        what = f"{function} of {dtype}"
        cases = {
            name: sides[side].open(name, label, function=function, dtype=dtype, count=count)
            for side, names in (("treadle", OURS), ("NumPy", PEERS))
            if side in sides
            for name, label in names.items()
        }
        for case in cases.values():
            check(report, what, case)
        measure(list(cases.values()), **({"rounds": 1, "seconds": 0.01} if arguments.tiny else {"rounds": 9}))
        table.append([what, *(ms(cases[name].median) if name in cases else "" for name in (OURS | PEERS))])
        if "NumPy" in cases:
            ratios[what] = cases["NumPy"].median / cases["device"].median
            table[-1].append(f"{ratios[what]:.2f}")
        for case in cases.values():
            case.close()
    report.say(f"\nms, medians; ratio: NumPy on {THREADS} threads over cuda.reduce of a device array")
    report.table(["", *(OURS | PEERS).values(), *(["ratio"] if ratios else [])], table)
    if ratios:
        report.goal(f"times np.sum on {THREADS} threads, float64", ratios["sum of float64"], GOAL)
    report.close()


if __name__ == "__main__":
    main()
