# What memory, copies and streams of the CPU device cost, beside NumPy and memcpy.
from harness import Report, Side, measure, parse, start_sides

LOOPS = 1000  # sides/memory_loops.py
ROWS = [
    # what, our case, theirs, nanoseconds of the goal, steps in a run
    ("device_array(100, float32) and its release", "DeviceArray", "NumpyEmpty", 100, LOOPS),
    ("slice of a device array", "DeviceSlice", "NumpySlice", 150, LOOPS),
    ("launch without arrays, inline", "LaunchNone", None, 300, LOOPS),
    ("launch with 4 device arrays, inline", "LaunchFour", None, 400, LOOPS),
    ("launch on a stream, its thread awake", "EnqueueAwake", None, 500, LOOPS),
    ("launch on a stream, its thread asleep", "EnqueueAsleep", None, 5000, 1),
    ("the same and its completion", "EnqueueAndWait", None, None, 1),
]
COPIES = [("copy_to_host(ary), 4 MiB", "CopyToHost"), ("to_device(x, to=d), 4 MiB", "CopyToDevice")]
LEAST_OF_MEMCPY = 0.95


def main():
    arguments = parse("Allocation, slicing, copies, launches on streams.")
    report = Report("memory", "memory, copies and streams of the CPU device", arguments)
    side = start_sides({"treadle": lambda: Side("treadle", "memory_loops")}, arguments, report)["treadle"]
    names = [name for row in ROWS for name in row[1:3] if name] + [name for _, name in COPIES] + ["Memcpy"]
    cases = {name: side.open(name) for name in names}
    measure(list(cases.values()), rounds=1 if arguments.tiny else 9, seconds=0.05, rest=0.02)
    nanoseconds = {name: 1e9 * case.median for name, case in cases.items()}
    table, goals = [], []
    for what, ours, theirs, goal, steps in ROWS:
        numpy = f"{nanoseconds[theirs] / steps:.0f}" if theirs else ""
        table.append([what, f"{nanoseconds[ours] / steps:.0f}", numpy])
        if goal:
            goals.append((f"ns: {what}", nanoseconds[ours] / steps, goal, False))
    report.say("\nns each, medians")
    report.table(["", "treadle", "NumPy"], table)
    report.say(f"\n4 MiB by memcpy: {nanoseconds['Memcpy'] / 1000:.0f} us; ours over it, medians")
    rows = []
    for what, name in COPIES:
        ratio = nanoseconds["Memcpy"] / nanoseconds[name]
        rows.append([what, f"{nanoseconds[name] / 1000:.0f} us", f"{ratio:.2f}"])
        goals.append((f"of memcpy: {what}", ratio, LEAST_OF_MEMCPY, True))
    report.table(["", "treadle", "of memcpy"], rows)
    for text, value, limit, at_least in goals:
        report.goal(text, value, limit, at_least=at_least)
    report.close()


if __name__ == "__main__":
    main()
