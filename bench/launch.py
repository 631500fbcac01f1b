# The cost of a launch: a kernel of one warp with 1, 4 and 16 NumPy arrays, compared with a call of a Numba function.
import peers
from harness import Report, measure, parse, start_sides, us
from sides.common import LAUNCHES

GOALS = {1: 0.5, 4: 0.8, 16: 1.6}


def main():
    arguments = parse("A launch with 1, 4 and 16 arrays on the CPU device.")
    report = Report("launch", "one warp over arrays of 32 float32, per launch, all in", arguments)
    sides = start_sides({**peers.BOTH_OF_OURS, "Numba njit": peers.numba_prange}, arguments, report)
    rows, ours = [], {}
    for arrays in GOALS:
        cases = {
            label: sides[side].open("warp", label, kind="launch", arrays=arrays, configured=configured)
            for label, side, configured in (
                ("kernel[1, 32](...)", "treadle", False),
                ("configured(...)", "treadle", True),
                ("kernel[1, 32](...), cache off", peers.NOT_KEEPING, False),
                ("Numba njit", "Numba njit", True),
            )
            if side in sides
        }
        measure(list(cases.values()), rounds=1 if arguments.tiny else 9, seconds=0.05, rest=0.02)
        rows.append([arrays, *(us(case.median / LAUNCHES) for case in cases.values())])
        if "treadle" in sides:
            ours[arrays] = 1e6 * cases["kernel[1, 32](...)"].median / LAUNCHES
    report.say("\nus per launch, medians")
    report.table(["arrays", *cases], rows)
    for arrays, microseconds in ours.items():
        report.goal(f"us with {arrays} arrays", microseconds, GOALS[arrays], at_least=False)
    report.close()


if __name__ == "__main__":
    main()
