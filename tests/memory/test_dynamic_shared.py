"""Dynamic shared memory, in the two programs of numba-cuda-mlir's page on memory management."""

ALIASING = """
from treadle import cuda
import numpy as np

@cuda.jit
def f():
   f32_arr = cuda.shared.array(0, dtype=np.float32)
   i32_arr = cuda.shared.array(0, dtype=np.int32)
   f32_arr[0] = 3.14
   print(f32_arr[0])
   print(i32_arr[0])

f[1, 1, 0, 4]()
cuda.synchronize()
"""

DISJOINT = """
from treadle import cuda
import numpy as np

@cuda.jit
def f_with_view():
   f32_arr = cuda.shared.array(0, dtype=np.float32)
   i32_arr = cuda.shared.array(0, dtype=np.int32)[1:] # 1 int32 = 4 bytes
   f32_arr[0] = 3.14
   i32_arr[0] = 1
   print(f32_arr[0])
   print(i32_arr[0])

f_with_view[1, 1, 0, 8]()
cuda.synchronize()
"""


def test_arrays_begin_at_the_same_byte(run_python, tmp_path):
    assert run(run_python, tmp_path, ALIASING) == "3.140000\n1078523331\n"


def test_slices_part_the_memory(run_python, tmp_path):
    assert run(run_python, tmp_path, DISJOINT) == "3.140000\n1\n"


def run(run_python, tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(text)
    return run_python("import runpy, sys; runpy.run_path(sys.argv[1])", str(program))
