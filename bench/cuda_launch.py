# What a launch, an allocation and the first kernel cost the host on a CUDA device, whatever the GPU: all sides run on a
# driver that does nothing (nulldriver/).
import sys

import peers
import processes
from harness import BUILD, Report, SideError, measure, ms, parse, start_sides
from sides.common import LAUNCHES

ROWS = [
    # description, case, its options, the case that is subtracted, goal in nanoseconds
    ("launch without arrays", "Launch", {"arrays": 0}, "driver", 30),
    ("launch with 1 device array", "Launch", {"arrays": 1}, "driver", 40),
    ("launch with 4", "Launch", {"arrays": 4}, "driver", 60),
    ("launch with 16", "Launch", {"arrays": 16}, "driver", 120),
    ("bound launch with 4", "Bound", {"exchanges": False}, "driver", None),
    ("bound launch with 4, one exchanged", "Bound", {"exchanges": True}, "driver", None),
    ("launch with 16 numbers", "Scalars", {"count": 16}, "driver", 120),
    ("launch with another library's array", "Foreign", {}, "driver", None),
    ("kernel[grid, block]", "Configure", {}, "Tuple", 25),
    ("device_array(100) and its release", "Allocation", {}, None, 100),
]
MOST_MILLISECONDS = 60
MOST_BOUND = 15  # nanoseconds over the driver's call and an empty call of Python
MOST_KEPT = 40  # milliseconds to the first launch where the driver's code is kept

PROGRAM = """
import time
import numpy as np
start = time.perf_counter()
from {package} import cuda
{before}
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]
x, y, out = (cuda.device_array(1 << 16, np.float32) for _ in range(3))
saxpy[256, 256](np.float32(2.0), x, y, out)
print(1e3 * (time.perf_counter() - start))
"""
KEEP_NOTHING = 'import os; os.environ["TREADLE_CODE_CACHE_LIMIT"] = "0"'
KEEP_CODE = (
    'import os; os.environ["TREADLE_CODE_CACHE_LIMIT"] = str(1 << 30); '
    f'os.environ["TREADLE_CODE_CACHE_DIR"] = {str(BUILD / "code")!r}'
)
# numba-cuda makes machine code itself; given PTX in place of it, the driver would.
GIVE_PTX = """
from cuda.core import ObjectCode
from numba.cuda import codegen
codegen.CUDACodeLibrary.get_cubin = lambda library, cc=None: ObjectCode.from_ptx(library.get_asm_str(cc=cc).encode())
"""


def open_row(side, row):
    """The row's case, and what is subtracted from it, of a side; None where the side has no such case."""
    _, case, options, subtracted, _ = row
    try:
        opened = side.open(case, **options)
        return opened, side.open(subtracted) if subtracted not in (None, "driver") else None
    except SideError as error:
        print(error, file=sys.stderr)
        return None


def nanoseconds(pair, driver, row):
    """Of a row, without what is subtracted."""
    case, other = pair
    less = driver.median if row[3] == "driver" else other.median if other else 0
    return 1e9 * (case.median - less) / LAUNCHES


def measure_rows(sides, report, tiny):
    driver = sides.pop("C loop").open("launches")
    loop, call = (sides["treadle"].open(case) for case in ("Loop", "EmptyCall"))
    opened = {label: [open_row(side, row) for row in ROWS] for label, side in sides.items()}
    cases = [case for pairs in opened.values() for pair in pairs if pair for case in pair if case]
    measure([driver, loop, call, *cases], rounds=1 if tiny else 15, seconds=0.04, rest=0.01)
    report.say(f"\nthe driver's part of a launch: {1e9 * driver.median / LAUNCHES:.1f} ns; Python's loop around each "
               f"step: {1e9 * loop.median / LAUNCHES:.1f} ns, a call of a function of C that does nothing with it: "
               f"{1e9 * call.median / LAUNCHES:.1f} ns, which the figures contain")  # fmt: skip
    return driver, call, opened


def say_rows(report, measured):
    driver, call, opened = measured
    others = [label for label in opened if label != "treadle"]
    table, goals = [], []
    for place, row in enumerate(ROWS):
        found = {label: nanoseconds(pairs[place], driver, row) for label, pairs in opened.items() if pairs[place]}
        theirs = [found.get(label) for label in others]
        ratio = [f"{value / found['treadle']:.0f}" if value else "" for value in theirs]
        own = f"{found['treadle'] - 1e9 * call.median / LAUNCHES:.0f}" if row[3] == "driver" else ""
        theirs = [f"{value:.0f}" if value else "" for value in theirs]
        table.append([row[0], f"{found['treadle']:.0f}", own, *theirs, *ratio, row[4] or ""])
        if row[4] is not None:
            goals.append((row[0], found["treadle"], row[4]))
    report.say("\nns each over the driver's call, or over building the tuple; medians")
    report.table(
        ["", "treadle", "over an empty call", *others, *(f"{label} over ours" for label in others), "goal"], table
    )
    (bound,) = (row[2] for row in table if row[0] == "bound launch with 4")
    goals.append(("bound launch with 4, over an empty call", float(bound), MOST_BOUND))
    for what, value, limit in goals:
        report.goal(f"ns: {what}", value, limit, at_least=False)


# label, the side that it belongs to, the package, what is put before the kernel
FIRST_KERNELS = [
    ("treadle", "treadle", "treadle", KEEP_NOTHING),
    ("treadle, code kept", "treadle", "treadle", KEEP_CODE),
    ("numba-cuda", "numba-cuda", "numba", ""),
    ("numba-cuda, PTX to the driver", "numba-cuda", "numba", GIVE_PTX),
    ("numba-cuda-mlir", "numba-cuda-mlir", "numba_cuda_mlir", ""),
]


def say_first_kernel(report, sides, tiny):
    """Milliseconds from before the import to the return of the first launch, with NumPy imported."""
    commands = {}
    for place, (label, side, package, before) in enumerate(FIRST_KERNELS):
        if side not in sides:
            continue
        path = BUILD / f"cuda_first_kernel_{place}.py"
        path.write_text(PROGRAM.format(package=package, before=before).lstrip())
        commands[label] = [peers.python_of(side), path]
    variables = peers.on_driver(peers.NULL_DRIVER)
    found = processes.medians(commands, 1 if tiny else 9, printed=True, environment=variables)
    report.say("\nthe first kernel of a fresh process, from before the import to the return of its launch")
    report.table(
        ["", "ms", "over ours"],
        [[label, ms(value / 1e3), f"{value / found['treadle']:.1f}"] for label, value in found.items()],
    )
    report.goal("ms to the first launch", found["treadle"], MOST_MILLISECONDS, at_least=False)
    report.goal("ms to the first launch, code kept", found["treadle, code kept"], MOST_KEPT, at_least=False)


def makers_on(folder):
    """The sides on the CUDA driver in that folder; None: the system's."""
    modules = {"treadle": "treadle.cuda", "numba-cuda": "numba.cuda", "numba-cuda-mlir": "numba_cuda_mlir.cuda"}
    makers = {"C loop": lambda: peers.launch_loop(folder)}
    for label, module in modules.items():
        makers[label] = lambda label=label, module=module: peers.cuda_costs(label, module, folder)
    return makers


def main():
    arguments = parse("Launches, allocations and the first kernel on a CUDA driver that does nothing.")
    report = Report("cuda_launch", "what CUDA costs the host, on a driver that does nothing", arguments)
    makers = makers_on(peers.NULL_DRIVER)
    sides = start_sides(makers, arguments, report)
    say_rows(report, measure_rows(sides, report, arguments.tiny))
    say_first_kernel(report, sides, arguments.tiny)
    report.close()


if __name__ == "__main__":
    main()
