# Time to compile a Python function to PTX in a warm process, compared with numba-cuda and NVRTC.
import peers
from harness import Report, SideError, chosen, geomean, measure, parse, start_sides, wall_and_cpu

KERNELS = ["saxpy", "black_scholes_f64", "mandelbrot", "stencil", "matmul", "nbody"]
SIDES = [*peers.BOTH_OF_OURS, "numba-cuda", "NVRTC"]


def main():
    arguments = parse("A Python function to PTX, warm, beside numba-cuda and NVRTC.")
    report = Report("compile_ptx", "a Python function to PTX for 9.0, warm; NVRTC compiles CUDA C", arguments)
    makers = {**peers.BOTH_OF_OURS, "numba-cuda": peers.numba_cuda, "NVRTC": peers.nvrtc}
    sides = start_sides(makers, arguments, report)
    rows, slower = [], {"numba-cuda": {}, "NVRTC": {}}
    for name in chosen(KERNELS, arguments):
        cases = {}
        for label, side in sides.items():
            try:
                case = side.open(name, kind="ptx")
                case.turn(0.0, least=2, keep=False)
                cases[label] = case
            except SideError as error:
                report.fail(name, error)
        measure(list(cases.values()), rounds=1 if arguments.tiny else 7, seconds=0.1, rest=0.02)
        for label, ratios in slower.items():
            if label in cases and "treadle" in cases:
                ratios[name] = cases[label].median / cases["treadle"].median
        rows.append(row_of(name, cases, slower))
    report.say("\nms of wall time (and of CPU time), medians, and how many times as long as treadle")
    report.table(["kernel", *SIDES, "numba-cuda / ours", "NVRTC / ours"], rows)
    goals(report, slower)
    report.close()


def row_of(name, cases, slower):
    times = [wall_and_cpu(cases[label]) if label in cases else "-" for label in SIDES]
    ratios = [f"{slower[label][name]:.1f}" if name in slower[label] else "-" for label in ("numba-cuda", "NVRTC")]
    return [name, *times, *ratios]


def goals(report, slower):
    for label, mean, least in (("numba-cuda", 20, 12), ("NVRTC", 5, 3)):
        if slower[label]:
            report.goal(f"geomean over {label}", geomean(slower[label].values()), mean)
            report.goal(f"least over {label}", min(slower[label].values()), least)


if __name__ == "__main__":
    main()
