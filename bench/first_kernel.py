# The first kernel of a fresh process: from before importing treadle, with NumPy already imported, to the result; also
# with what an earlier process has kept.
import sys

import peers
import processes
from harness import BUILD, Report, is_wanted, parse

CLOCK = """
import os, time
{prelude}
os.environ.update({settings})
import numpy as np
x = np.ones(1 << 16, np.float32)
y = np.ones(1 << 16, np.float32)
out = np.zeros(1 << 16, np.float32)
start = time.perf_counter()
{program}
assert out[0] == 3.0
print(1e3 * (time.perf_counter() - start))
"""
TREADLE = """
from treadle import cuda
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]
saxpy[256, 256](np.float32(2.0), x, y, out)
"""
NJIT = """
from numba import njit
@njit
def saxpy(a, x, y, out):
    for i in range(out.size):
        out[i] = a * x[i] + y[i]
saxpy(np.float32(2.0), x, y, out)
"""
KEPT = NJIT.replace("@njit", "@njit(cache=True)")
PARALLEL = NJIT.replace("import njit", "import njit, prange").replace("@njit", "@njit(parallel=True)")
PARALLEL = PARALLEL.replace("range(out", "prange(out").replace("pprange", "prange")


OFF = "treadle, cache off"


def emptied(settings):
    return f"import shutil; shutil.rmtree({settings['TREADLE_CODE_CACHE_DIR']!r}, ignore_errors=True)"


def program(name, text, settings=(), prelude=""):
    path = BUILD / f"first_kernel_{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CLOCK.format(program=text.strip(), settings=dict(settings), prelude=prelude))
    return path


def main():
    arguments = parse("The first kernel of a fresh process on the CPU device.")
    report = Report("first_kernel", "saxpy as the first kernel of a fresh process, the import included", arguments)
    kept, cold = peers.keeping(BUILD / "code"), peers.keeping(BUILD / "cold_code")
    commands = {
        "treadle": [sys.executable, program("treadle_cold", TREADLE, cold, emptied(cold))],
        OFF: [sys.executable, program("treadle", TREADLE)],
        "treadle, code kept": [sys.executable, program("treadle_kept", TREADLE, kept)],
    }
    if is_wanted("Numba njit", arguments):
        try:
            numba = peers.environment("numba")
            commands["Numba njit"] = [numba, program("njit", NJIT)]
            commands["Numba njit, cache=True"] = [numba, program("njit_kept", KEPT)]
            commands["Numba parallel"] = [numba, program("parallel", PARALLEL)]
        except OSError as error:
            report.say(f"Numba: left out, {error}")
    found = processes.medians(commands, 2 if arguments.tiny else 15, printed=True)
    report.table(["side", "ms"], [[label, f"{value:.1f}"] for label, value in found.items()])
    if "treadle" in found:
        report.goal("ms to the first result", found["treadle"], 60, at_least=False)
        report.goal("ms to the first result, with code that was kept", found["treadle, code kept"], 12, at_least=False)
    report.close()


if __name__ == "__main__":
    main()
