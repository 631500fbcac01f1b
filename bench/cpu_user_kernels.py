# Kernels as users write them, on one thread of the CPU device, compared with the same computations in OpenMP C.
import os
import subprocess

import peers
import users
from harness import Report, Side, SideError, chosen, geomean, measure, ms, parse, start_sides
from throughput import C_VARIANTS

OURS, C = "treadle", "OpenMP C"
ONE_THREAD = {"TREADLE_CPU_THREADS": "1", "OMP_NUM_THREADS": "1"}
# (over natural C, number under 0.7 of it, over the best C)
GOALS = {"AVX-512": (2.3, 8, 1.6), "AVX2": (1.8, 8, 1.3)}
# Of the family of first programs: geomean and least over natural C.
FIRST, FIRST_GOALS = "first", (0.9, 0.7)


def ours():
    return Side(OURS, "user_kernels", environment=ONE_THREAD)


def openmp():
    peers.debian("clang-19", "libomp-19-dev")
    return Side(C, "user_kernels_c", environment=ONE_THREAD)


def vectors():
    """The vector instructions that both sides may use, by clang's macros."""
    from sides.user_kernels_c import processor

    command = ["clang-19", f"-march={processor()}", "-dM", "-E", "-xc", os.devnull]
    macros = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return "AVX-512" if "__AVX512F__" in macros else "AVX2" if "__AVX2__" in macros else "less than AVX2"


class Row:
    """The state of one kernel: its open cases by label."""

    def __init__(self, name, sides, arguments, variants):
        self.name, self.arguments = name, arguments
        self.cases, self.compiling = {}, None
        kernel = users.make(name, arguments.tiny)
        if OURS in sides:
            self.open(kernel, sides[OURS], OURS)
            self.compiling = sides[OURS].open(name, kind="compile")
        for variant in variants if C in sides else ():
            self.open(kernel, sides[C], f"C {variant}", variant=variant)

    def open(self, kernel, side, label, **options):
        """Opens one version, runs it once and checks its result."""
        case = side.open(self.name, label, tiny=self.arguments.tiny, **options)
        case.turn(0.0, least=1, keep=False)
        kernel.check(case.outputs(), label, slack=100 if "fast" in label else 1)
        self.cases[label] = case

    def measure(self):
        """Measures ours, natural C, and the two other versions of C that are the fastest in a short turn."""
        others = [label for label in self.cases if label not in (OURS, "C natural")]
        rounds, seconds = (1, 0.0) if self.arguments.tiny else (5, 0.06)
        for _ in range(rounds):
            for label in others:
                self.cases[label].turn(seconds / 6, least=1)
        others.sort(key=self.cpu)
        for label in others[:2]:
            self.cases[label].wall, self.cases[label].cpu = [], []
        for label in others[2:]:
            self.cases.pop(label).close()
        # Threads that wait there are none, on either side.
        measure(list(self.cases.values()), rounds=rounds, seconds=seconds, least=2, rest=0)
        if self.compiling:
            self.compiling.turn(0.0, least=1 if self.arguments.tiny else 3)
        for case in self.cases.values():
            case.close()

    def cpu(self, label):
        return self.cases[label].cpu_median

    @property
    def best(self):
        """The label of the fastest version of C."""
        return min((label for label in self.cases if label != OURS), key=self.cpu, default=None)

    def over_ours(self, label):
        return self.cpu(label) / self.cpu(OURS) if label in self.cases and OURS in self.cases else None

    def cells(self):
        times = [ms(self.cpu(label)) if label in self.cases else "-" for label in (OURS, "C natural", self.best)]
        ratios = [self.over_ours("C natural"), self.over_ours(self.best)]
        compiled = ms(self.compiling.median) if self.compiling else "-"
        which = self.best[2:] if self.best else "-"
        return [self.name, *times, which, *(f"{ratio:.2f}" if ratio else "-" for ratio in ratios), compiled]


def summary(report, rows, level):
    natural = {row.name: row.over_ours("C natural") for row in rows if row.over_ours("C natural")}
    best = [row.over_ours(row.best) for row in rows if row.over_ours(row.best)]
    if not natural:
        return
    slow = sorted((name for name, ratio in natural.items() if ratio < 0.7), key=natural.get)
    over_natural, under, over_best = GOALS.get(level, GOALS["AVX2"])
    report.say(f"\n{len(natural)} kernels; under 0.7 of natural C: {', '.join(slow) or 'none'}")
    report.goal("geomean over natural C", geomean(natural.values()), over_natural)
    report.goal("under 0.7 of natural C", len(slow), under, at_least=False)
    report.goal("geomean over the best C", geomean(best), over_best)
    families = users.families()
    if first := [ratio for name, ratio in natural.items() if families[name] == FIRST]:
        report.goal(f"{len(first)} first programs: geomean over natural C", geomean(first), FIRST_GOALS[0])
        report.goal("first programs: least over natural C", min(first), FIRST_GOALS[1])


def main():
    arguments = parse("Kernels as users write them, on one thread, beside OpenMP C.")
    report = Report("cpu_user_kernels", "kernels as users write them, on one thread, launch included", arguments)
    sides = start_sides({OURS: ours, C: openmp}, arguments, report)
    level = vectors() if C in sides else ""
    if level:
        report.say(f"code of both sides is for {os.environ.get('TREADLE_CPU') or 'this processor'}: {level}")
    variants = [name for name in C_VARIANTS if "wide" not in name or level == "AVX-512"]
    rows = []
    for name in chosen(users.families(), arguments):
        try:
            row = Row(name, sides, arguments, variants)
            row.measure()
            rows.append(row)
        except (SideError, ValueError) as error:
            report.fail(name, error)
    report.say("\nms of CPU time, medians; how many times as long as ours; ms to compile ours")
    heads = ["kernel", "ours", "natural C", "best C", "which", "natural / ours", "best / ours", "compile"]
    report.table(heads, [row.cells() for row in rows])
    summary(report, rows, level)
    report.close()


if __name__ == "__main__":
    main()
