"""Warnings of the CUDA device: small grids (B13), and arrays of the host that a launch copies (B14)."""

import runs

HEAD = """
import warnings
from treadle import config
import treadle.errors as errors

x = np.ones(256, np.float32)
d = cuda.to_device(x)

def told(work):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    assert all(w.category is errors.NumbaPerformanceWarning for w in found)
    return [str(w.message) for w in found]

def fresh(**options):
    return cuda.jit(add.py_func, **options)
"""
SETTINGS = {"TREADLE_DISABLE_PERFORMANCE_WARNINGS": None}
COPIED = "Host array used in CUDA kernel will incur copy overhead to/from device."


def small(blocks):
    return f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy."


def lists(program, **settings):
    return runs.run(HEAD + program, **{**SETTINGS, **settings}).splitlines()


def test_grids_of_fewer_than_128_blocks():
    assert lists("""
print(told(lambda: fresh()[127, 2]))
print(told(lambda: fresh()[128, 2]))
print(told(lambda: fresh()[(8, 4, 3), 1]))
print(told(lambda: fresh()[(8, 4, 4), 1]))
print(told(lambda: fresh().forall(256)(d, 1)))
""") == [str([small(127)]), "[]", str([small(96)]), "[]", str([small(1)])]  # fmt: skip


def test_once_for_each_configuration():
    assert lists("""
k = fresh()
print(told(lambda: [k[2, 2](d, 1) for _ in range(3)]))
print(told(lambda: k[2, 4](d, 1)))
""") == [str([small(2)]), str([small(2)])]  # fmt: skip


def test_the_warning_about_grids_can_be_switched_off():
    off = "print(told(lambda: fresh()[1, 32]))"
    assert lists(f"config.CUDA_LOW_OCCUPANCY_WARNINGS = 0\n{off}\nconfig.CUDA_LOW_OCCUPANCY_WARNINGS = 1\n{off}") == [
        "[]", str([small(1)]),
    ]  # fmt: skip
    assert lists(off, NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS="0") == ["[]"]
    assert lists(off, NUMBA_DISABLE_PERFORMANCE_WARNINGS="1") == ["[]"]
    assert lists("config.DISABLE_PERFORMANCE_WARNINGS = 1\n" + off) == ["[]"]


def test_arrays_of_the_host():
    assert lists("""
launcher = fresh()[128, 2]
print(told(lambda: launcher(x, 1)), x[0])
print(told(lambda: launcher(x, 1)), x[0])
print(told(lambda: launcher(d, 1)))
print(told(lambda: launcher(cuda.InOut(x), 1)))
print(told(lambda: launcher(cuda.mapped_array(4, np.float32), 1)))
print(told(lambda: launcher(cuda.managed_array(4, np.float32), 1)))
""") == [f"{[COPIED]} 2.0", f"{[COPIED]} 3.0", "[]", str([COPIED]), "[]", "[]"]  # fmt: skip


def test_the_warning_about_copies_can_be_switched_off():
    off = "print(told(lambda: fresh()[128, 2](x, 1)), x[0])"
    assert lists(f"config.CUDA_WARN_ON_IMPLICIT_COPY = 0\n{off}\nconfig.CUDA_WARN_ON_IMPLICIT_COPY = 1\n{off}") == [
        "[] 2.0", f"{[COPIED]} 3.0",
    ]  # fmt: skip
    assert lists(off, NUMBA_CUDA_WARN_ON_IMPLICIT_COPY="0") == ["[] 2.0"]
    assert lists(off, NUMBA_DISABLE_PERFORMANCE_WARNINGS="1") == ["[] 2.0"]


def test_as_errors_nothing_is_launched():
    assert lists("""
warnings.simplefilter("error", errors.NumbaPerformanceWarning)
k = fresh()
for grid in (1, 128):
    try:
        k[grid, 2](x, 1)
    except errors.NumbaPerformanceWarning as error:
        print(error)
print(x[0])
""") == [small(1), COPIED, "1.0"]  # fmt: skip


def test_disabled_cuda_leaves_the_driver_alone():
    program = """
try:
    cuda.current_context()
except errors.CudaSupportError as error:
    print(fake.call_count(), str(error).partition(":")[0])
"""
    assert runs.run(program, NUMBA_DISABLE_CUDA="1") == (
        "0 CUDA is disabled by NUMBA_DISABLE_CUDA or TREADLE_DISABLE_CUDA\n"
    )


def test_the_driver_by_its_path():
    path = str(runs.LIBRARIES / "libcuda.so.1")
    assert runs.run("print(len(cuda.gpus))", NUMBA_CUDA_DRIVER=path) == "1\n"
    program = """
try:
    cuda.current_context()
except errors.CudaSupportError as error:
    print(error)
"""
    assert "NUMBA_CUDA_DRIVER or TREADLE_CUDA_DRIVER names cannot be opened (/nowhere" in runs.run(
        program, NUMBA_CUDA_DRIVER="/nowhere/libcuda.so.1"
    )


def test_forced_capability():
    program = """
add[128, 2](cuda.to_device(np.zeros(4, np.float32)), 1)
print(add.inspect_ptx()[add.signatures[0]].split(".target ")[1].split()[0])
"""
    assert runs.run(program, FAKE_CUDA_CAPABILITY="90") == "sm_90\n"
    assert runs.run(program, FAKE_CUDA_CAPABILITY="90", NUMBA_FORCE_CUDA_CC="8.0") == "sm_80\n"
