# The report of a run on a real GPU: counts of the tests, kernels, launches, copies. ./dev gpu runs it after tests/gpu.
import ctypes
import os
import re
import subprocess
import sys
import time
import traceback
import xml.etree.ElementTree
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import RESULTS, Report, commit_of, parse  # noqa: E402, I001
from harness import ROOT  # noqa: E402
from gpu.first_kernel import say_first_kernel  # noqa: E402
from gpu.kernels import KernelTable  # noqa: E402
from gpu.c_programs import say_c_launches  # noqa: E402
from gpu.transfers import say_copies, say_launches  # noqa: E402

ASK = """
from treadle import cuda, __version__
device = cuda.get_current_device()
print(device.name, *device.compute_capability, __version__, sep="|")
"""


@dataclass
class Gpu:
    name: str
    capability: tuple
    treadle: str
    cuda: str  # that the driver supports
    driver: str
    is_stand_in: bool

    @property
    def architecture(self):
        return f"sm_{self.capability[0]}{self.capability[1]}"


def driver_version():
    """Of the kernel's module; "unknown" where the system does not tell."""
    try:
        return re.search(r"\b(\d+\.\d+(\.\d+)?)\b", Path("/proc/driver/nvidia/version").read_text()).group(1)
    except (OSError, AttributeError):
        return "unknown"


def find_gpu():
    """The first GPU; OSError with what the driver says where there is none, or only a stand-in for it."""
    environment = {**os.environ, "TREADLE_DEVICE": "cuda"}
    asked = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, env=environment, check=False)
    if asked.returncode != 0:
        raise OSError("no CUDA device: " + asked.stderr.strip().splitlines()[-1])
    name, major, minor, treadle = asked.stdout.strip().split("|")
    library, version = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    library.cuDriverGetVersion(ctypes.byref(version))
    is_stand_in = hasattr(library, "fakeCudaDefaults") or hasattr(library, "nullCudaMark")
    if is_stand_in and os.environ.get("TREADLE_GPU_TESTS_ON_STAND_IN") != "1":
        raise OSError(f"no CUDA device: the driver of '{name}' is a stand-in")
    cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
    return Gpu(name, (int(major), int(minor)), treadle, cuda, driver_version(), is_stand_in)


def counted(path):
    """How many tests passed, failed, and were skipped, from a JUnit file."""
    if not path:
        return "the tests were not run"
    suites = list(xml.etree.ElementTree.parse(path).getroot().iter("testsuite"))
    total, failed, skipped = (
        sum(int(suite.get(key, 0)) for suite in suites for key in keys)
        for keys in (("tests",), ("failures", "errors"), ("skipped",))
    )
    return f"{total - failed - skipped} tests passed, {failed} failed, {skipped} skipped"


class Markdown(Report):
    """Also kept as Markdown; nothing is written for a stand-in."""

    def __init__(self, gpu, arguments):
        self.text = []
        self.gpu = gpu
        super().__init__("gpu", "kernels, launches and copies on a GPU", arguments)

    def say(self, line=""):
        super().say(line)
        self.text.append(line)

    def section(self, title):
        print(f"\n{title}")
        self.text.append(f"\n## {title}\n")

    def table(self, heads, rows):
        kept = list(self.text)
        super().table(heads, rows)
        lines = [heads, ["---"] * len(heads), *rows]
        self.text = [*kept, *(f"| {' | '.join(map(str, cells))} |" for cells in lines)]

    def summary(self, tests):
        gpu = self.gpu
        return (
            f"{time.strftime('%Y-%m-%d')}, {gpu.name}, driver {gpu.driver} (CUDA {gpu.cuda}), treadle {gpu.treadle} "
            f"at {commit_of(ROOT)}, {tests}"
        )

    def write(self, tests):
        name = re.sub(r"[^A-Za-z0-9]+", "-", self.gpu.name).strip("-")
        folder = Path(os.environ.get("TMPDIR", "/tmp")) if self.gpu.is_stand_in else RESULTS
        path = folder / f"gpu-{time.strftime('%Y-%m-%d')}-{name}.md"
        path.write_text("\n".join([f"# {self.summary(tests)}", "", *self.text]) + "\n")
        print(f"\nwritten: {path}")


def main():
    arguments = parse("Kernels, launches and copies on a GPU.", tests="the JUnit file of tests/gpu")
    try:
        gpu = find_gpu()
    except OSError as error:
        return f"bench/gpu: {error}"
    report = Markdown(gpu, arguments)
    tests = counted(arguments.tests)
    report.say(tests)
    sections = {
        "kernels": lambda: KernelTable(report, arguments, gpu).say(),
        "launches": lambda: say_launches(report, arguments),
        "a C program": lambda: say_c_launches(report, arguments, gpu),
        "copies": lambda: say_copies(report, arguments),
        "first kernel": lambda: say_first_kernel(report, arguments.tiny),
    }
    for name, say in sections.items():
        try:
            say()
        except Exception as error:  # what else was measured is not lost
            traceback.print_exc()
            report.fail(name, f"{type(error).__name__}: {error}")
    report.write(tests)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
