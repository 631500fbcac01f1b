# Measures every candidate routine of the CPU device: maximum error and nanoseconds per element.
"""python tests/math/measure.py [function ...]; `*` marks the routine that the table of vector routines chooses."""

import ctypes
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import points
import references
import routines

SLEEF_LEVELS = {"sse": "sse4", "avx2": "avx2", "avx512": "avx512f"}
MVEC_LEVELS = {"sse": "b", "avx2": "d", "avx512": "e"}
# Typical ranges of arguments, for the timing.
USUAL = {
    "acos": (-1, 1), "asin": (-1, 1), "acosh": (1, 10), "atanh": (-0.99, 0.99), "log": (0.01, 100), "log2": (0.01, 100),
    "log10": (0.01, 100), "log1p": (-0.9, 10), "pow": (0.1, 10), "fmod": (0.5, 20), "erf": (-3, 3), "erfc": (-3, 5),
    "cbrt": (-30, 30),
    "exp": (-10, 10), "sin": (-10, 10), "cos": (-10, 10), "tan": (-10, 10),
}  # fmt: skip


def candidates(function, kind, level):
    """{name: address}: SLEEF's families, libmvec's routine, ours."""
    bytes_per_vector = 16 << routines.LEVELS.index(level)
    lanes = bytes_per_vector // (4 if kind == "f32" else 8)
    operands = 1 if function in points.ONE_OPERAND else 2
    sleef, mvec = ctypes.CDLL("libsleef.so.3"), ctypes.CDLL("libmvec.so.1")
    letter = "f" if kind == "f32" else "d"
    names = []
    for family in ("u05", "u10", "u15", "u35", "u3500"):
        name = ("fast" if family == "u3500" else "") + function
        names.append((sleef, f"Sleef_{name}{letter}{lanes}_{family}{SLEEF_LEVELS[level]}", family))
    suffix = "f" if kind == "f32" else ""
    names.append((mvec, f"_ZGV{MVEC_LEVELS[level]}N{lanes}{'v' * operands}_{function}{suffix}", "libmvec"))
    found = {}
    for library, symbol, name in names:
        if hasattr(library, symbol):
            found[name] = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
    own = routines.library().treadle_test_own(f"treadle_vm_{function}_{kind}_{level}".encode())
    return found | ({"own": own} if own else {})


def usual_operands(function, kind):
    low, high = USUAL.get(function, (-5, 5))
    stream = points._Stream(f"timing {function}", kind)
    return [stream.uniform(low, high, 2048) for _ in range(1 if function in points.ONE_OPERAND else 2)]


def best_times(found, level, operands):
    """All candidates in turn, many times, so that other load on the machine affects all equally."""
    best = dict.fromkeys(found, 1e9)
    for _ in range(10):
        for name, address in found.items():
            best[name] = min(best[name], routines.time_per_element(address, level, *operands))
    return best


def main():
    instructions = "sqrt fabs ceil floor trunc copysign".split()
    functions = sys.argv[1:] or [name for name in points.FUNCTIONS if name not in instructions]
    for function in functions:
        for kind in points.FLOATS:
            operands, expected = points.points(function, kind), references.references(function, kind)
            bound = routines.bounds(function, kind)[0]
            for level in routines.levels():
                found = candidates(function, kind, level)
                chosen = routines.routine(function, kind, level)[0]
                times = best_times(found, level, usual_operands(function, kind))
                cells = []
                for name, address in found.items():
                    steps = references.distance_of(function, routines.call(address, level, *operands), expected).max()
                    mark = "*" if address == chosen else ""
                    error = str(steps) if steps < 2**20 else "wrong"
                    cells.append(f"{name}{mark} {error} {times[name]:.2f}")
                print(f"{function} {kind} {level} bound {bound}: " + ", ".join(cells), flush=True)


if __name__ == "__main__":
    main()
