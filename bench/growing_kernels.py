# Kernels whose size is a parameter, in the shapes in which sources grow: long conditions, chains of branches, long
# straight code, large tuples and captured arrays. Run as a program it compiles one of them at an eighth, a quarter and
# half of its largest size, and at that.
import json
import linecache
import sys
import time

import numpy as np
from treadle import cuda, literal_unroll


def and_of(n):
    return "    if " + " and ".join(f"v != {j + 100}" for j in range(n)) + ":\n        o[i] = 1\n"


def comparisons(n):
    return "    if " + " < ".join(f"v + {j}" for j in range(n)) + ":\n        o[i] = 1\n"


def elif_chain(n):
    arms = "".join(f"    elif v == {j}:\n        o[i] = {j}\n" for j in range(n))
    return "    if v == -1:\n        o[i] = 0\n" + arms


def assigning_chain(n):
    arms = "".join(f"    elif v == {j}:\n        r = {j}\n" for j in range(n))
    return "    if v == -1:\n        r = 0\n" + arms + "    else:\n        r = v\n    o[i] = r + x[i]\n"


def loops_in_loops(n):
    heads = "".join("    " * (j + 1) + f"for k{j} in range(x[{j}]):\n" for j in range(n))
    return heads + "    " * (n + 1) + "o[i] += v\n"


def closures_that_call_twice(n):
    steps = "".join(f"    f{j + 1} = lambda q: f{j}(q) + f{j}(q + 1)\n" for j in range(n))
    return "    f0 = lambda q: q * x[i]\n" + steps + f"    o[i] = f{n}(v)\n"


def conditional_chain(n):
    return "    o[i] = " + " ".join(f"{j} if v == {j} else" for j in range(n)) + " v\n"


def both_arms(n):
    each = "    if v > {0}:\n        v = v * {1} + 1\n    else:\n        v = v - {1}\n"
    return "".join(each.format(j, j % 7 + 2) for j in range(n)) + "    o[i] = v\n"


def stores_under_conditions(n):
    return "".join(f"    if v > {j}:\n        o[i] = v + {j}\n" for j in range(n))


def straight(n):
    steps = "".join(f"    a = a * {j % 5 + 2} + v\n    v = v ^ a\n" for j in range(n // 2))
    return "    a = v\n" + steps + "    o[i] = a\n"


def gathers(n):
    return "    o[i] += x[x[i]]\n" * n


def tuple_by_index(n):
    return "    t = (" + ", ".join(f"i + {j}" for j in range(n)) + f")\n    o[i] = t[v % {n}]\n"


def tuple_loop(n):
    return "    t = (" + ", ".join(f"i + {j}" for j in range(n)) + ")\n    for y in t:\n        o[i] += y\n"


def mixed_tuple_loop(n):
    items = ", ".join(f"i + {j}" if j % 2 else f"v * {j}.5" for j in range(n))
    return f"    t = ({items})\n    for y in literal_unroll(t):\n        o[i] += int(y)\n"


def captured_tuple(n):
    return f"    o[i] = CONSTANTS[v % {n}]\n"


def divisions(n):
    return "".join(f"    v = v // (x[{j}] + 3) + {j}\n" for j in range(n)) + "    o[i] = v\n"


def powers(n):
    return "".join(f"    v = v + (v & {j}) ** 3\n" for j in range(n)) + "    o[i] = v\n"


def shuffles(n):
    return "    v = cuda.shfl_xor_sync(0xffffffff, v, 1) + 1\n" * n + "    o[i] = v\n"


def atomics(n):
    return "".join(f"    cuda.atomic.add(o, (v + {j}) & 15, 1)\n" for j in range(n))


def values_across_a_barrier(n):
    values = "".join(f"    v{j} = x[i + {j}]\n" for j in range(n))
    total = " + ".join(f"v{j}" for j in range(n))
    return values + "    cuda.syncthreads()\n" + f"    o[i] = {total}\n"


def captured_array(n):
    return f"    o[i] = DATA[v % {n}]\n"


# Each with the largest size at which it is compiled, to CPU code and to PTX; half of it, a quarter and an eighth are
# the others.
SHAPES = {
    and_of: (800, 1600),
    comparisons: (800, 1600),
    elif_chain: (800, 800),
    assigning_chain: (800, 800),
    loops_in_loops: (19, 19),
    closures_that_call_twice: (64, 64),
    conditional_chain: (800, 800),
    both_arms: (800, 4000),
    stores_under_conditions: (1600, 1600),
    straight: (10000, 10000),
    gathers: (400, 800),
    tuple_by_index: (1000, 4000),
    tuple_loop: (1000, 4000),
    mixed_tuple_loop: (300, 300),
    captured_tuple: (4000, 4000),
    divisions: (500, 1000),
    powers: (400, 800),
    shuffles: (1200, 1200),
    atomics: (1200, 1200),
    values_across_a_barrier: (1000, 1000),
    captured_array: (1 << 22, 1 << 22),
}


def kernel_of(shape, n):
    """The function, of two arrays of int64; its text is in linecache, where compilers look for it."""
    names = {"cuda": cuda, "literal_unroll": literal_unroll}
    names["CONSTANTS"] = tuple(range(n)) if shape is captured_tuple else ()
    names["DATA"] = np.arange(n) if shape is captured_array else np.zeros(1)
    text = "def kernel(x, o):\n    i = cuda.grid(1)\n    v = x[i]\n" + shape(n)
    file = f"<{shape.__name__} {n}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["kernel"]


def seconds_of(shape, n, target):
    """Processor time from the Python function to code."""
    kernel = kernel_of(shape, n)
    start = time.process_time()
    if target == "ptx":
        cuda.compile_ptx(kernel, "void(int64[::1], int64[::1])", cc=(9, 0))
    else:
        cuda.jit("void(int64[::1], int64[::1])")(kernel)
    return time.process_time() - start


def main():
    name, target, least, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    shape = next(shape for shape in SHAPES if shape.__name__ == name)
    seconds_of(shape, 3, target)
    largest = SHAPES[shape][target == "ptx"]
    sizes = [largest // 8, largest // 4, largest // 2, largest]
    for n in sizes[:least] if least else sizes:
        seconds = min(seconds_of(shape, n, target) for _ in range(3))
        print(json.dumps([n, seconds]), flush=True)
        if seconds > limit:
            return


if __name__ == "__main__":
    main()
