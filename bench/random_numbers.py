# Random numbers of the CPU device, beside NumPy's on as many threads; the creation of states, beside numba-cuda's.
import numpy as np
import peers
from harness import THREADS, Report, Side, measure, ms, parse, start_sides

KINDS = ["uniform_float32", "uniform_float64", "normal_float32", "normal_float64"]
GOAL = "uniform_float32"
STATES = [1000, 65536]


def expected(states, rows, dtype):
    """What uniform_... draws: so many numbers of each state."""
    s0, s1 = states["s0"], states["s1"]
    found = []
    for _ in range(rows):
        found.append(((s0 + s1) >> np.uint64(11)).astype(np.float64) * 2.0**-53)
        mixed = s0 ^ s1
        s0 = (s0 << np.uint64(55) | s0 >> np.uint64(9)) ^ mixed ^ mixed << np.uint64(14)
        s1 = mixed << np.uint64(36) | mixed >> np.uint64(28)
    return np.concatenate(found).astype(dtype)


def check(report, kind, case):
    """Uniform numbers bit by bit, normal ones by their moments."""
    states, drawn = case.outputs()
    if kind.startswith("uniform"):
        right = (drawn == expected(states, drawn.size // states.size, drawn.dtype)).all()
    else:
        right = abs(drawn.mean()) < 5 / drawn.size**0.5 and abs(drawn.std() - 1) < 5 / drawn.size**0.5
    if not right:
        report.fail(kind, "wrong numbers")


def main():
    arguments = parse("Random numbers on two cores.")
    report = Report("random_numbers", "xoroshiro128p on the CPU device, 16 Mi numbers from 16,384 states", arguments)
    makers = {
        "treadle": lambda: Side("treadle", "random_loops"),
        "NumPy": lambda: Side("NumPy", "random_loops"),
        "numba-cuda": lambda: Side("numba-cuda", "random_states", peers.environment("numba")),
    }
    sides = start_sides(makers, arguments, report)
    rounds, seconds = (1, 0.01) if arguments.tiny else (7, 0.2)
    say_numbers(report, sides, arguments, {"rounds": rounds, "seconds": seconds})
    say_states(report, sides, {"rounds": rounds, "seconds": seconds})
    report.close()


def say_numbers(report, sides, arguments, how):
    table, ratios = [], {}
    for kind in KINDS:
        ours = sides["treadle"].open(f"ours {kind}", tiny=arguments.tiny)
        check(report, kind, ours)
        cases = {"treadle": ours}
        if "NumPy" in sides:
            cases["NumPy"] = sides["NumPy"].open(f"NumPy {kind}", tiny=arguments.tiny)
        measure(list(cases.values()), **how)
        row = [kind, ms(ours.median), "", ""]
        if "NumPy" in cases:
            ratios[kind] = cases["NumPy"].median / ours.median
            row[2:] = [ms(cases["NumPy"].median), f"{ratios[kind]:.2f}"]
        table.append(row)
        for case in cases.values():
            case.close()
    report.say(f"\nms for all numbers, {THREADS} threads on both sides; ratio: NumPy (PCG64) over treadle")
    report.table(["", "treadle", "NumPy", "ratio"], table)
    if GOAL in ratios:
        report.goal(f"times NumPy: {GOAL}", ratios[GOAL], 1.0)


def say_states(report, sides, how):
    table = []
    for count in STATES:
        ours = sides["treadle"].open(f"create {count}")
        peer = sides["numba-cuda"].open(str(count)) if "numba-cuda" in sides else None
        measure([case for case in (ours, peer) if case], **how)
        row = [f"{count:,} states", ms(ours.median)]
        table.append(row + ([ms(peer.median), f"{peer.median / ours.median:.1f}"] if peer else ["", ""]))
    report.say("\nms to create states; numba-cuda's without its copy to the GPU; ratio: numba-cuda over treadle")
    report.table(["", "treadle", "numba-cuda", "ratio"], table)


if __name__ == "__main__":
    main()
