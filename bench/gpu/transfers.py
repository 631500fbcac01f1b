# Launches and copies on a GPU, beside C and the driver alone.
import cuda_launch
from harness import SideError, measure, start_sides
from sides.common import LAUNCHES

from gpu.kernels import OURS, driver_side, python_side

BYTES = (64 << 10, 4 << 20, 256 << 20)


def say_launches(report, arguments):
    """Nanoseconds a launch, where the GPU keeps up; if it does not, all sides wait for it."""
    sides = start_sides(cuda_launch.makers_on(None), arguments, report)
    cases = {"C loop": sides["C loop"].open("launches")} if "C loop" in sides else {}
    rows = []
    for arrays in (0, 4, 16):
        for label, side in sides.items():
            if label == "C loop":
                continue
            try:
                case = side.open("Launch", arrays=arrays)
                case.turn(0, least=1, keep=False)
                cases[label, arrays] = case
            except SideError as error:
                report.fail(f"launches, {label}", str(error).splitlines()[0])
    measure(list(cases.values()), rounds=1 if arguments.tiny else 9, seconds=0.05, rest=0.01)
    labels = [label for label in sides if label != "C loop"]
    for arrays in (0, 4, 16):
        times = [cases[label, arrays].median if (label, arrays) in cases else None for label in labels]
        loop = [cases["C loop"].median if "C loop" in cases else None]
        rows.append([f"{arrays} arrays", *(f"{1e9 * one / LAUNCHES:.0f}" if one else "-" for one in loop + times)])
    report.section("Launches: ns each, back to back, medians")
    report.table(["", "C loop, no parameters", *labels], rows)
    for side in sides.values():
        side.close()


def say_copies(report, arguments):
    makers = {OURS: lambda: python_side(OURS, "treadle.cuda"), "driver": driver_side}
    sides = start_sides(makers, arguments, report)
    rows = []
    for size in BYTES[:1] if arguments.tiny else BYTES:
        for direction in ("to the device", "to the host"):
            for pinned in (True, False):
                options = {"kind": "copy", "size": size, "pinned": pinned}
                cases = [side.open(direction, label, **options) for label, side in sides.items()]
                measure(cases, rounds=1 if arguments.tiny else 7, seconds=0.05, rest=0.01)
                rates = [size / case.median / 1e9 for case in cases]
                kind = "pinned" if pinned else "pageable"
                row = [f"{size >> 10} KiB {direction}, {kind}", *(f"{rate:.2f}" for rate in rates)]
                rows.append([*row, f"{rates[0] / rates[1]:.2f}" if len(rates) == 2 else "-"])
                for case in cases:
                    case.close()
    report.section("Copies: GB/s, one at a time, medians; ours over the driver's own")
    report.table(["", *sides, "ratio"], rows)
    for side in sides.values():
        side.close()
