# Everything that the other benchmarks measure of ours, in this build and in an earlier one, in turns.
#
# ./dev bench before --before=FOLDER, where FOLDER is another checkout with its build/release. Without it this build is
# compared with itself, which shows what the method cannot tell apart.
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

import first_kernel
import import_time
import processes
import workloads
from compile_ptx import KERNELS
from cooperation_cases import CASES as COOPERATION
from harness import ROOT, Report, Side, SideError, commit_of, measure, parse, us

from launch import GOALS as ARRAYS

MEMORY = [
    "DeviceArray", "DeviceSlice", "CopyToHost", "CopyToDevice", "LaunchNone", "LaunchFour", "EnqueueAwake",
    "EnqueueAsleep", "EnqueueAndWait",
]  # fmt: skip
SHAPES = [(16, 16), (8, 8), (33, 1)]
WORST = 1.03
# Where memory lies, and with it the time, differs from process to process: cases that come out slower are measured
# again in fresh ones, and the median of their ratios counts.
ATTEMPTS = 5


@dataclass
class Compared:
    """One case: how it is opened in the module of a side, and this build's time over the earlier one's, each time."""

    label: str
    module: str
    name: str
    options: dict = field(default_factory=dict)
    seconds: float = 0.0
    ratios: list = field(default_factory=list)

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    def turns(self, sides, tiny):
        """Measures the case once on both sides."""
        cases = [side.open(self.name, **self.options) for side in sides]
        for case in cases:
            case.turn(0.0, least=2, keep=False)
        measure(cases, rounds=1 if tiny else 8, seconds=0.01 if tiny else 0.08, rest=0.0 if tiny else 0.05)
        before, now = (case.median for case in cases)
        self.seconds = now
        self.ratios.append(now / before)
        for case in cases:
            case.close()


def compared_cases(tiny):
    found = [Compared(f"PTX, {name}", "ours", name, {"kind": "ptx"}) for name in KERNELS]
    found += [Compared(f"CPU code, {name}", "ours", name, {"kind": "cpu"}) for name in workloads.ALL]
    for shape in ("sequence", "chain"):
        for target in ("ptx", "cpu"):
            options = {"kind": "composed", "count": 16 if tiny else 128, "target": target, "inline": "never"}
            found.append(Compared(f"{shape} of functions, {target}", "ours", shape, options))
    found += [Compared(f"run, {name}", "ours", name, {"tiny": tiny}) for name in workloads.ALL]
    for case in COOPERATION:
        size = {} if tiny else {"size": case.size}
        found.append(Compared(f"run, {case.label}", "ours", case.name, {"tiny": tiny, **size}))
    for name in ("mandelbrot", "stencil"):
        found += [Compared(f"run, {name} in {block}", "ours", name, {"tiny": tiny, "block": block}) for block in SHAPES]
    for arrays in ARRAYS:
        for configured in (False, True):
            options = {"kind": "launch", "arrays": arrays, "configured": configured}
            label = f"launch with {arrays} arrays{', configured' if configured else ''}"
            found.append(Compared(label, "ours", "warp", options))
    return found + [Compared(f"memory, {name}", "memory_loops", name) for name in MEMORY]


def packages(folder):
    return {"PYTHONPATH": str(folder / "build" / "release")}


def attempt(report, cases, folders, tiny):
    """Measures all of the cases once, in fresh processes."""
    for module in dict.fromkeys(case.module for case in cases):
        sides = [Side(str(folder), module, environment=packages(folder)) for folder in folders]
        for case in [case for case in cases if case.module == module]:
            try:
                case.turns(sides, tiny)
            except SideError as error:
                report.fail(case.label, error)
        for side in sides:
            side.close()


def fresh_processes(folders, tiny):
    """The lines of the import and of the first kernel."""
    lines = {
        "first kernel": [sys.executable, str(first_kernel.program("treadle", first_kernel.TREADLE))],
        "import after NumPy": [sys.executable, "-c", import_time.AFTER_NUMPY.format(import_time.OURS)],
    }
    found = []
    for label, command in lines.items():
        commands = {
            number: ["env", f"PYTHONPATH={packages(folder)['PYTHONPATH']}", *command]
            for number, folder in enumerate(folders)
        }
        before, now = (1e-3 * ms for ms in processes.medians(commands, 2 if tiny else 31, printed=True).values())
        found.append(Compared(label, "", "", seconds=now, ratios=[now / before]))
    return found


def main():
    arguments = parse("This build beside an earlier one.", before="another checkout, built")
    folders = [Path(arguments.before).resolve() if arguments.before else ROOT, ROOT]
    if arguments.before and not any(Path(packages(folders[0])["PYTHONPATH"]).glob("treadle/_core.*.so")):
        sys.exit(f"{folders[0]} has no build/release: run ./dev bench there, or cmake --preset release and ninja")
    report = Report("before", "this build beside an earlier one", arguments)
    report.say(f"the earlier commit: {commit_of(folders[0])}")
    cases = compared_cases(arguments.tiny)
    slower = cases
    for _ in range(1 if arguments.tiny else ATTEMPTS):
        attempt(report, slower, folders, arguments.tiny)
        slower = [case for case in cases if case.ratios and case.ratio > WORST]
    measured = [case for case in cases if case.ratios] + fresh_processes(folders, arguments.tiny)
    report.say("\nus, medians, and this build's time over the earlier's")
    report.table(["", "us", "ratio"], [[case.label, us(case.seconds), f"{case.ratio:.3f}"] for case in measured])
    worst = max(measured, key=lambda case: case.ratio)
    if not arguments.tiny:
        report.goal(f"the worst ratio, {worst.label}", worst.ratio, WORST, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
