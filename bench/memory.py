# The cost of memory, copies and streams of the CPU device, compared with NumPy, memcpy and numba-cuda on the stand-in
# driver.
import peers
from harness import Report, Side, measure, parse, start_sides
from sides.common import LAUNCHES

ROWS = [
    # description, our case, NumPy's, numba-cuda's, the stand-in's share of that, goal in nanoseconds, steps per run
    ("device_array(100) and its release", "DeviceArray", "NumpyEmpty", "DeviceArray", "DriverMemory", 100, LAUNCHES),
    ("slice of a device array", "DeviceSlice", "NumpySlice", "DeviceSlice", None, 150, LAUNCHES),
    ("launch without arrays, inline", "LaunchNone", None, "LaunchNone", "DriverLaunch", 300, LAUNCHES),
    ("launch with 4 device arrays, inline", "LaunchFour", None, "LaunchFour", "DriverLaunch", 400, LAUNCHES),
    ("the same on a stream, its thread awake", "EnqueueAwake", None, "LaunchFour", "DriverLaunch", 500, LAUNCHES),
    ("the same on a stream, its thread asleep", "EnqueueAsleep", None, None, None, 5000, 1),
    ("the same and its completion", "EnqueueAndWait", None, None, None, None, 1),
]
COPIES = [("copy_to_host(ary), 4 MiB", "CopyToHost"), ("to_device(x, to=d), 4 MiB", "CopyToDevice")]
LEAST_OF_MEMCPY = 0.95


def open_cases(side, names):
    return {name: side.open(name) for name in dict.fromkeys(names) if name}


def main():
    arguments = parse("Allocation, slicing, copies, launches on streams.")
    report = Report("memory", "memory, copies and streams of the CPU device", arguments)
    makers = {"treadle": lambda: Side("treadle", "memory_loops"), "numba-cuda": peers.numba_on_stand_in}
    sides = start_sides(makers, arguments, report)
    copies = ["Memcpy", *(name for _, name in COPIES)]
    ours = open_cases(sides["treadle"], [name for row in ROWS for name in row[1:3]] + copies)
    peer = sides.get("numba-cuda")
    numba = open_cases(peer, [name for row in ROWS for name in row[3:5]]) if peer else {}
    measure([*ours.values(), *numba.values()], rounds=1 if arguments.tiny else 9, seconds=0.05, rest=0.02)
    goals = say_steps(report, ours, numba) + say_copies(report, ours)
    for text, value, limit, at_least in goals:
        report.goal(text, value, limit, at_least=at_least)
    report.close()


def say_steps(report, ours, numba):
    table, goals = [], []
    for what, case, numpy, peer, driver, goal, steps in ROWS:
        nanoseconds = 1e9 * ours[case].median / steps
        row = [what, f"{nanoseconds:.0f}", f"{1e9 * ours[numpy].median / steps:.0f}" if numpy else ""]
        if peer in numba:
            theirs = 1e9 * numba[peer].median / steps
            own = f"{1e9 * numba[driver].median / steps:.0f}" if driver else ""
            row += [f"{theirs:.0f}", own, f"{theirs / nanoseconds:.0f}"]
        elif numba:
            row += [""] * 3
        table.append(row)
        if goal:
            goals.append((f"ns: {what}", nanoseconds, goal, False))
    report.say("\nns each, medians; what the stand-in takes is called by ctypes; ratio: numba-cuda over treadle")
    report.table(["", "treadle", "NumPy", *(["numba-cuda", "of it the stand-in", "ratio"] if numba else [])], table)
    return goals


def say_copies(report, ours):
    report.say(f"\n4 MiB by memcpy: {1e6 * ours['Memcpy'].median:.0f} us; ours over it, medians")
    table, goals = [], []
    for what, name in COPIES:
        ratio = ours["Memcpy"].median / ours[name].median
        table.append([what, f"{1e6 * ours[name].median:.0f} us", f"{ratio:.2f}"])
        goals.append((f"of memcpy: {what}", ratio, LEAST_OF_MEMCPY, True))
    report.table(["", "treadle", "of memcpy"], table)
    return goals


if __name__ == "__main__":
    main()
