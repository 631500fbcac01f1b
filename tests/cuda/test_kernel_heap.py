# Arrays of shapes that kernels compute, on a CUDA device: the driver's malloc and free.

import re

import runs

KERNELS = """
@cuda.jit
def sums(n, out):
    i = cuda.grid(1)
    for k in range(3):
        t = np.zeros(n + k)
        for j in range(t.size):
            t[j] = i
        out[i] += t.sum()
    if i % 3 == 0:
        return
    out[i] += np.ones(n).sum()


def run(n, threads=70):
    out = np.zeros(threads)
    sums[1, threads](n, out)
    cuda.synchronize()
    i = np.arange(threads)
    assert out.tolist() == (i * (3 * n + 3) + n * (i % 3 != 0)).tolist()
"""


def test_what_threads_make_is_freed_when_they_end():
    program = (
        KERNELS
        + """
for n in (1, 5, 20):
    run(n)
    assert fake.live("heap") == [], fake.live("heap")
print("freed")
"""
    )
    assert runs.run(program) == "freed\n"


def test_what_does_not_fit_the_heap_is_an_error_that_the_next_launch_forgets():
    program = (
        KERNELS
        + """
try:
    run(1 << 21, 1)
except MemoryError as error:
    print(str(error).split(": ", 1)[1].split(" tid")[0])
run(5)
"""
    )
    said = r"there is no memory for an array that a thread makes in line \d+, column 22, in thread\n"
    assert re.fullmatch(said, runs.run(program))


def test_a_larger_heap_is_asked_for_once_and_before_the_first_kernel():
    program = (
        KERNELS
        + """
@cuda.jit
def large(n, out):
    out[0] = np.empty(n).size

out = np.zeros(1)
with fake.trace() as traced:
    large[1, 1](1 << 21, out)  # 16 MiB, twice what the driver gives on its own
    run(3)
print(out[0], [(call.arguments["limit"], call.arguments["value"]) for call in traced.of("cuCtxSetLimit")])
"""
    )
    assert runs.run(program, TREADLE_KERNEL_HEAP=str(1 << 28)) == f"{float(1 << 21)} [(2, {1 << 28})]\n"


def test_a_heap_of_another_size_after_the_first_kernel_is_an_error():
    program = (
        KERNELS
        + """
import os
run(3)
fake.set_rule("invalid-argument", False)
os.environ["TREADLE_KERNEL_HEAP"] = "100000000"
try:
    cuda.jit(sums.py_func)[1, 1](np.int8(3), np.zeros(1))
except Exception as error:
    print(type(error).__name__, str(error)[:130])
"""
    )
    said = runs.run(program)
    assert "set aside 100000000 bytes for arrays that kernels make (TREADLE_KERNEL_HEAP: before the first such" in said
