# Kernels with large frames: on the stacks of fibers, on threads with small stacks, and in recursions.

import pytest

# f0 calls f1, and so on; each has `variables` live values, and keeps all of them in its frame when not optimised.
MAKER = """
import threading
import linecache
import numpy as np
from treadle import cuda

def compiled(text, **options):
    name = f"<frames {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"cuda": cuda, "options": options}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]

def function(name, variables, value):
    text = f"@cuda.jit(device=True, inline='never')\\ndef {name}(a, i):\\n    x0 = {value}\\n"
    for k in range(1, variables):
        text += f"    x{k} = (x{k - 1} * {k % 7 + 1} + (a[(i + {k}) % a.size] if x{k - 1} % 3 else 1)) & 0xffff\\n"
    return text + "    return " + " + ".join(f"x{k}" for k in range(variables)) + "\\n"

FIRST = "    if i % 2 == 0:\\n        cuda.syncthreads()\\n"

def chain(functions, variables, first="", **options):
    text = function("f0", variables, "a[i]")
    for k in range(1, functions):
        text += function(f"f{k}", variables, f"f{k - 1}(a, i)")
    text += "@cuda.jit(**options)\\ndef kernel(out, a):\\n    i = cuda.threadIdx.x\\n" + first
    return compiled(text + f"    out[i] = f{functions - 1}(a, i)\\n", **options)

def recursion(variables, first="", **options):
    text = function("f", variables, "f(a, i - 64) if i >= 64 else a[i]")
    text += "@cuda.jit(**options)\\ndef kernel(out, a, depth):\\n    i = cuda.threadIdx.x\\n" + first
    return compiled(text + "    out[i] = f(a, i + depth * 64)\\n", **options)

def expected(levels, variables, i):
    x = int(a[i])
    for _ in range(levels):
        values = [x]
        for k in range(1, variables):
            values.append((values[-1] * (k % 7 + 1) + (int(a[(i + k) % 64]) if values[-1] % 3 else 1)) & 0xffff)
        x = sum(values)
    return x

a, out = np.arange(64), np.zeros(64, np.int64)
"""


def test_chain_of_calls_on_fibers(run_python):
    code = """
chain(1, 2, FIRST, opt=False)[1, 64](out, a)  # its fibers' stacks are kept
chain(30, 20, FIRST, debug=True, opt=False)[1, 64](out, a)
print(all(out[i] == expected(30, 20, i) for i in range(64)))
"""
    assert run_python(MAKER + code) == "True\n"


def test_chain_of_calls_on_a_thread_with_a_small_stack(run_python):
    code = """
kernel = chain(4, 40, debug=True, opt=False)
kernel.compile("void(int64[::1], int64[::1])")
threading.stack_size(128 << 10)
thread = threading.Thread(target=lambda: kernel[1, 64](out, a))
thread.start()
thread.join()
print(all(out[i] == expected(4, 40, i) for i in range(64)))
"""
    assert run_python(MAKER + code) == "True\n"


def test_no_memory_for_a_larger_stack(run_python, is_sanitized):
    if is_sanitized:
        pytest.skip("the sanitizer needs addresses of its own")
    code = """
import resource
kernel = chain(4, 40, debug=True, opt=False)
kernel.compile("void(int64[::1], int64[::1])")
threading.stack_size(128 << 10)

def launch():
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (16 << 20), before[1]))
    try:
        kernel[1, 64](out, a)
    except MemoryError:
        print("refused", not out.any())
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    kernel[1, 64](out, a)

thread = threading.Thread(target=launch)
thread.start()
thread.join()
print(all(out[i] == expected(4, 40, i) for i in range(64)))
"""
    assert run_python(MAKER + code) == "refused True\nTrue\n"


def test_blocks_of_a_grid_share_the_memory_for_stacks(run_python):
    code = """
TOGETHER = "    cuda.cg.this_grid().sync()\\n"
kernels = [chain(1, 2, TOGETHER), chain(20, 20, TOGETHER, opt=False)]
for kernel in kernels:
    kernel[1, 64](out, a)
small, large = (kernel.overloads[kernel.signatures[0]].max_cooperative_grid_blocks(64) for kernel in kernels)
print(small, 0 < large <= (256 << 20) // (20 * 20 * 32 * 8))  # each variable of a warp is in a frame
"""
    assert run_python(MAKER + code) == "8192 True\n"


@pytest.mark.parametrize("first", ["''", "FIRST"])
@pytest.mark.parametrize("variables", [20, 60, 100, 140])
def test_recursion_with_large_frames(run_python, variables, first):
    code = f"""
kernel = recursion({variables}, {first}, debug=True, opt=False)
kernel[1, 64](out, a, 3)
print(all(out[i] == expected(4, {variables}, i) for i in range(64)))
try:
    kernel[1, 64](out, a, 10_000)
except RecursionError:
    kernel[1, 64](out, a, 4)
    print(all(out[i] == expected(5, {variables}, i) for i in range(64)))
"""
    assert run_python(MAKER + code) == "True\nTrue\n"
