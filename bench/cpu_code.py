# Time to compile a Python function to CPU code in a warm process, compared with Numba's parallel loops and Taichi.
import peers
import workloads
from harness import Report, SideError, chosen, measure, parse, start_sides, wall_and_cpu


def main():
    arguments = parse("A Python function to CPU code, warm, beside Numba and Taichi.")
    report = Report("cpu_code", "a Python function to CPU code, warm: its first call, over almost nothing", arguments)
    makers = {**peers.BOTH_OF_OURS, "Numba parallel": peers.numba_prange, "Taichi": peers.taichi}
    sides = start_sides(makers, arguments, report)
    rows, ours = [], {}
    for name in chosen(workloads.ALL, arguments):
        cases = {}
        for label, side in sides.items():
            try:
                case = side.open(name, label, kind="cpu")
                case.turn(0.0, least=2, keep=False)
                cases[label] = case
            except SideError as error:
                report.fail(name, error)
        measure(list(cases.values()), rounds=1 if arguments.tiny else 5, seconds=0.1, rest=0.05)
        rows.append([name, *(wall_and_cpu(cases[label]) if label in cases else "-" for label in makers)])
        if "treadle" in cases:
            ours[name] = cases["treadle"].median
    report.say("\nms of wall time (and of CPU time), medians")
    report.table(["kernel", *makers], rows)
    if ours:
        report.goal("ms for the slowest kernel", 1e3 * max(ours.values()), 12, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
