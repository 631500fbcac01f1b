# Kernels whose threads cooperate, on two cores, compared with OpenMP C, PoCL, Numba, Taichi, Warp and Numba's
# simulator.
import math

import peers
from cooperation_cases import CASES, UNSUPPORTED, Case, Peak, make, stream, threads
from harness import Report, SideError, geomean, is_wanted, measure, ms, parse, start_sides
from throughput import C_VARIANTS

OURS = "treadle"
OTHERS = ["PoCL", "Numba prange", "Taichi", "Warp"]
MAKERS = {
    OURS: peers.ours,
    "OpenMP C": peers.openmp,
    "PoCL": peers.pocl,
    "Numba prange": peers.numba_prange,
    "Taichi": peers.taichi,
    "Warp": peers.warp,
}
ALONE = {"scan": "std::inclusive_scan", "radix_sort": "std::sort"}


class Row:
    """The state of one case during measurement: its open cases by label, and why others are missing."""

    def __init__(self, case, arguments):
        self.case = case
        self.arguments = arguments
        self.workload = make(case, arguments.tiny)
        self.cases, self.streams, self.missing = {}, [], {}

    def open(self, sides, label, side, **options):
        """Opens one side's version, runs it once and checks its result."""
        if side not in sides:
            return
        if (side, self.case.name) in UNSUPPORTED:
            self.missing[label] = UNSUPPORTED[side, self.case.name]
            return
        try:
            size = {} if self.arguments.tiny else {"size": self.case.size}
            case = sides[side].open(self.case.name, label, kind="run", tiny=self.arguments.tiny, **size, **options)
            case.turn(0.0, least=1, keep=False)
            self.workload.check(case.outputs(), label, slack=100 if "fast" in label else 1)
            self.cases[label] = case
        except (SideError, ValueError) as error:
            self.missing[label] = str(error).splitlines()[0]

    def open_all(self, sides):
        self.open(sides, OURS, OURS)
        for variant in C_VARIANTS:
            self.open(sides, f"C {variant}", "OpenMP C", variant=variant)
        for label in OTHERS:
            self.open(sides, label, label)
        if "OpenMP C" in sides:
            name, size = stream(self.workload)
            for variant in ("wide", "nontemporal"):
                options = {"tiny": True} if self.arguments.tiny else {"size": size}
                self.streams.append(sides["OpenMP C"].open(name, f"stream {variant}", variant=variant, **options))

    def measure(self):
        rounds, seconds = (1, 0.01) if self.arguments.tiny else (5, 0.12)
        measure([*self.cases.values(), *self.streams], rounds=rounds, seconds=seconds)
        for case in [*self.cases.values(), *self.streams]:
            case.close()

    @property
    def best(self):
        """The label of the fastest C version."""
        variants = [label for label in self.cases if label.startswith("C ")]
        return min(variants, key=lambda label: self.cases[label].median, default="C natural")

    def limit(self, peak):
        """The least time permitted by memory and arithmetic, in seconds."""
        if not self.streams:
            return math.nan
        return max(min(min(case.wall) for case in self.streams), peak.seconds(self.case, self.workload))

    def cell(self, label):
        if label == OURS and label in self.missing:
            return "FAILED"
        return ms(self.cases[label].median) if label in self.cases else "-"

    def over_ours(self, label):
        """Its time relative to ours, or None."""
        both = label in self.cases and OURS in self.cases
        return self.cases[label].median / self.cases[OURS].median if both else None


def run_all(report, arguments, sides, peak):
    chosen = [case for case in CASES if not arguments.only or case.name in arguments.only.split(",")]
    rows = []
    for case in chosen:
        row = Row(case, arguments)
        row.open_all(sides)
        row.measure()
        rows.append(row)
        if peak:
            peak.turn()
        if OURS in row.missing:
            report.fail(case.label, row.missing[OURS])
    return rows


def say_tables(report, rows, peak):
    heads = ["case", "ours", "natural C", "best C", "which", *OTHERS, "limit"]
    ratios = {"natural C": [], "best C": [], "PoCL": []}
    table = []
    for row in rows:
        labels = [OURS, "C natural", row.best]
        limit = row.limit(peak) if peak else math.nan
        cells = [
            row.case.label,
            *map(row.cell, labels),
            row.best[2:] if row.best in row.cases else "-",
            *map(row.cell, OTHERS),
        ]
        cells.append("-" if math.isnan(limit) else ms(limit))
        for found, label in zip(ratios.values(), ("C natural", row.best, "PoCL")):
            found.append(row.over_ours(label))
            cells.append(f"{found[-1]:.2f}" if found[-1] else "-")
        table.append(cells)
    ratios = {label: [value for value in found if value] for label, found in ratios.items()}
    table.append(["geomean", *[""] * 9, *(f"{geomean(found):.2f}" if found else "-" for found in ratios.values())])
    report.say("\nms of wall time, medians, and how many times as long as ours")
    report.table([*heads, *(f"{label} / ours" for label in ratios)], table)
    for row in rows:
        for label, reason in row.missing.items():
            report.say(f"{row.case.label}, {label}: -, {reason}")
    report.say("The limit is from below: the bytes at the bandwidth of a stream as large, the arithmetic at the peak.")
    report.say("C, Numba, Taichi and Warp have one reduction for both of ours.")
    return ratios


def goals(report, ratios):
    if ratios["natural C"]:
        report.goal("geomean over natural C", geomean(ratios["natural C"]), 2.5)
        report.goal("least over natural C", min(ratios["natural C"]), 0.7)
        report.goal("geomean over the best C", geomean(ratios["best C"]), 1.2)
    if ratios["PoCL"]:
        report.goal("geomean over PoCL", geomean(ratios["PoCL"]), 6)


def simulated(report, arguments, rows):
    """A thread of the simulator compared with one of ours."""
    sides = start_sides({"simulator": peers.cudasim}, arguments, report)
    table, times = [], []
    for row in [row for row in rows if row.case.simulated and OURS in row.cases and sides]:
        case = Case(row.case.label, row.case.name, row.case.simulated, row.case.units, row.case.slots)
        small = make(case, tiny=False)
        if ("simulator", case.name) in UNSUPPORTED:
            table.append([case.label, "-", "-", f"({UNSUPPORTED['simulator', case.name]})"])
            continue
        try:
            there = sides["simulator"].open(case.name, size=case.size)
            there.turn(0.0, least=1, keep=False)
            small.check(there.outputs(), "the simulator")
            there.turn(0.3, least=2)
        except (SideError, ValueError) as error:
            report.fail(f"{case.label}, simulator", str(error).splitlines()[0])
            continue
        ours = row.cases[OURS].median
        times.append(there.median / case.units(small) / (ours / case.units(row.workload)))
        each = [there.median / threads(small), ours / threads(row.workload)]
        table.append([case.label, f"{1e6 * each[0]:.0f}", f"{1e9 * each[1]:.3g}", f"{times[-1]:.2g}"])
    if table:
        report.say("\na thread of Numba's simulator, a thread of ours, and the ratio for the same work")
        report.table(["case", "us", "ours, ns", "times"], table)
        if times:
            report.goal("geomean over the simulator", geomean(times), 3e5)


def alone(report, arguments):
    """Scan and sort, of several kernels each, compared with the standard library: one thread each, no goal."""
    makers = {OURS: lambda: peers.ours(TREADLE_CPU_THREADS="1"), "C++ library": peers.standard}
    sides = start_sides(makers, arguments, report)
    rows = []
    for name, function in ALONE.items():
        if arguments.only and name not in arguments.only.split(","):
            continue
        row = Row(Case(name, name, {"n": 1 << 22}, len, 0), arguments)
        cases = {}
        for label, side in sides.items():
            try:
                kind = "program" if label == OURS else "run"
                size = {} if arguments.tiny else {"size": row.case.size}
                cases[label] = side.open(name, label, kind=kind, tiny=arguments.tiny, **size)
                cases[label].turn(0.0, least=1, keep=False)
                row.workload.check(cases[label].outputs(), label)
            except (SideError, ValueError) as error:
                report.fail(f"{name}, {label}", str(error).splitlines()[0])
                cases.pop(label, None)
        measure(list(cases.values()), rounds=1 if arguments.tiny else 3, seconds=0.2)
        rows.append([name, function, *(ms(cases[label].median) if label in cases else "-" for label in makers)])
    if rows:
        report.say("\nms on one thread, 4 Mi numbers")
        report.table(["program", "beside", *makers], rows)


def main():
    arguments = parse("Kernels whose threads work together, beside OpenMP C, PoCL, Numba, Taichi and Warp.")
    report = Report("cooperation", "kernels whose threads work together, on two cores, launch included", arguments)
    sides = start_sides(MAKERS, arguments, report)
    peak = None
    if "OpenMP C" in sides:
        peak = Peak(sides["OpenMP C"], arguments.tiny)
    rows = run_all(report, arguments, sides, peak)
    if peak:
        report.say(f"multiply-adds: {peak}")
    ratios = say_tables(report, rows, peak) if rows else {}
    if rows:
        goals(report, ratios)
    if is_wanted("simulator", arguments):
        simulated(report, arguments, rows)
    alone(report, arguments)
    report.close()


if __name__ == "__main__":
    main()
