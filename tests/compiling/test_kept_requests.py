# What is compiled can be kept and compiled again, for benchmarks of the compiler.
PROGRAM = """
import numpy as np
from treadle import _hooks, cuda

@cuda.jit
def scale(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * 3

scale[1, 32](np.ones(32))
_hooks.keep_requests()
for dtype in (np.float32, np.int64):
    scale[1, 32](np.ones(32, dtype))
    scale[1, 32](np.ones(32, dtype))
cuda.compile_ptx(scale.py_func, "void(float32[::1])", cc=(9, 0))
kept = _hooks.kept_requests()
print([(function, line) for _, function, line, _ in kept], all(path == "<string>" for path, *_ in kept))
again = [_hooks.generate_kept(number) for number in (0, 1, 0)]
print([len(code) > 50 and 0 < seconds < 60 for seconds, code in again])
print(again[0][1] == again[2][1], again[0][1] == again[1][1])
try:
    _hooks.generate_kept(2)
except IndexError:
    print("no more")
"""


def test_each_specialisation_for_the_cpu_is_kept_and_compiled_again(run_python):
    found = run_python(PROGRAM).splitlines()
    assert found == ["[('scale', 5), ('scale', 5)] True", "[True, True, True]", "True False", "no more"]
