"""float16 on the stand-in, whose machine runs the PTX, for the oldest compute capability and for a newer one."""

import pytest
import runs

KERNELS = "arithmetic conversions math memory atomics".split()


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("capability", ["75", "90"])
def test_kernels(name, capability):
    program = f"import sys; sys.path.insert(0, {str(runs.HERE.parent)!r})\nimport kernels.float16_{name} as k; k.run()"
    assert runs.run(program, timeout=60, FAKE_CUDA_CAPABILITY=capability) == ""


def test_device_arrays():
    runs.run("""
x = cuda.device_array(5, np.float16)
x[:] = 0.1
x[1:3] = np.array([np.inf, -1e-7])
x[4] = np.float16(3)
assert x.copy_to_host().tolist() == np.array([0.1, np.inf, -1e-7, 0.1, 3], np.float16).tolist()
assert x[4] == 3 and x[::2].copy_to_host().tolist() == x.copy_to_host()[::2].tolist()
add[1, 32](x[3:], np.float16(0.25))
assert x[3] == np.float16(0.1) + np.float16(0.25)
assert x.__cuda_array_interface__["typestr"] == "<f2"
add[1, 32](cuda.as_cuda_array(x), 1)
assert x[4] == 4.25
""")
