"""Images for the CPU run in processes that never open the compiler library."""

import json
import re

import pytest

# What kernels compute with; each fills `out`, 256 elements of float64, on 2 blocks of 128 threads.
HEAD = """
import json, math, sys
import numpy as np

x = np.linspace(-2, 3, 256)
halves = x.astype(np.float16)
longs = np.arange(256, dtype=np.int64)
"""
COMPILE = """
from treadle import cuda, _hooks
folder, name = sys.argv[1:]
_hooks.record_images(folder)
kernel, arrays, captured = kernels(cuda)
out = np.zeros(256)
kernel[2, 128](*arrays, out)
print(json.dumps([out.tolist(), [address(one) for one in captured]]))
"""
RUN = """
import treadle
from treadle import _hooks
folder, wanted = sys.argv[1], json.loads(sys.argv[2])
table = np.arange(100, 200, dtype=np.float64)
arrays = {"x": x, "halves": halves, "longs": longs}
out = np.zeros(256)
given = [arrays[name] for name in wanted["arrays"]] + [out]
captured = [table.ctypes.data] * wanted["captured"]
described = [(one.ctypes.data, one.itemsize, one.size) for one in given]
printed = _hooks.run_image(folder + "/0.image", (2, 128), described, captured)
libraries = open("/proc/self/maps").read()
opened = [name for name in ("libtreadle-compiler", "libtreadle.so", "libsleef", "libmvec") if name in libraries]
expected = np.asarray(eval(wanted["expected"]), np.float64)
assert np.allclose(out, expected, 1e-9, 1e-12), (out, expected)
print(json.dumps([out.tolist(), printed, opened]))
"""

# Of each kernel: its arrays, its text, and what `out` is to be.
KERNELS = {
    "vector math": (
        ["x"],
        """
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = math.exp(x[i]) + math.erf(x[i]) + cuda.cbrt(x[i]) * math.lgamma(x[i] + 3) + x[i] % 0.75
""",
        "[math.exp(v) + math.erf(v) + np.cbrt(v) * math.lgamma(v + 3) + v % 0.75 for v in x]",
    ),
    "float16": (
        ["halves"],
        """
    @cuda.jit
    def kernel(halves, out):
        i = cuda.grid(1)
        out[i] = float(np.float16(halves[i] + np.float16(0.1)))
""",
        "halves + np.float16(0.1)",
    ),
    "barriers": (
        ["x"],
        """
    @cuda.jit
    def kernel(x, out):
        shared = cuda.shared.array(128, np.float64)
        t = cuda.threadIdx.x
        shared[t] = x[cuda.grid(1)]
        if t < 64:
            cuda.syncthreads()
            out[cuda.grid(1)] = shared[127 - t]
        else:
            cuda.syncthreads()
            out[cuda.grid(1)] = shared[t - 64]
""",
        "np.hstack([x.reshape(2, 128)[:, :63:-1], x.reshape(2, 128)[:, :64]]).ravel()",
    ),
    "prints": (
        ["longs"],
        """
    @cuda.jit
    def kernel(longs, out):
        i = cuda.grid(1)
        if i % 100 == 7:
            print("number", longs[i], "of", 0.5)
        out[i] = longs[i]
""",
        "longs",
    ),
    "heap arrays": (
        ["longs"],
        """
    @cuda.jit
    def kernel(longs, out):
        i = cuda.grid(1)
        own = np.zeros(longs[i] % 7 + 1, np.float64)
        for k in range(own.shape[0]):
            own[k] = k + i
        out[i] = own.sum()
""",
        "(longs % 7 + 1) * (longs + longs % 7 / 2)",
    ),
    "captured device arrays": (
        ["longs"],
        """
    table = cuda.to_device(np.arange(100, 200, dtype=np.float64))
    @cuda.jit
    def kernel(longs, out):
        i = cuda.grid(1)
        out[i] = table[longs[i] % 100]
    captured = [table]
""",
        "table[longs % 100]",
    ),
    "recursion": (
        ["longs"],
        """
    @cuda.jit(device=True)
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    @cuda.jit
    def kernel(longs, out):
        i = cuda.grid(1)
        out[i] = fibonacci(longs[i] % 12)
""",
        "[[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89][n % 12] for n in longs]",
    ),
    "large constants": (
        ["longs"],
        """
    constants = np.arange(200_000) ** 2 % 1013
    @cuda.jit
    def kernel(longs, out):
        i = cuda.grid(1)
        out[i] = constants[(longs[i] * 7919) % 200_000]
""",
        "(longs * 7919 % 200_000) ** 2 % 1013",
    ),
}


def program(arrays, text):
    code = HEAD + "def address(array):\n    return array.__cuda_array_interface__['data'][0]\n"
    return (
        f"{code}def kernels(cuda):\n    captured = []{text}    return kernel, [{', '.join(arrays)}], captured\n"
        + COMPILE
    )


@pytest.fixture
def images(run_python, tmp_path):
    """images(name, **environment) -> (what the kernel's launch gave, what its image gives without the compiler)"""

    def run(name, **environment):
        arrays, text, expected = KERNELS[name]
        environment = {"TREADLE_DEVICE": "cpu", **environment}
        printed = run_python(program(arrays, text), str(tmp_path), name, **environment)
        launched, captured = json.loads(printed.splitlines()[-1])
        wanted = json.dumps({"arrays": arrays, "captured": len(captured), "expected": expected})
        out, text, opened = json.loads(run_python(HEAD + RUN, str(tmp_path), wanted, **environment))
        assert out == launched
        assert "".join(line + "\n" for line in printed.splitlines()[:-1]) == text
        return opened

    return run


@pytest.mark.parametrize("name", KERNELS)
def test_images_run_without_the_compiler(images, name):
    opened = images(name)
    assert "libtreadle.so" in opened and "libtreadle-compiler" not in opened
    assert ("libsleef" in opened) == (name == "vector math"), "a library of vector math that nothing asked for"


@pytest.mark.parametrize("name", ["float16", "vector math"])
def test_code_for_older_processors_runs_without_the_compiler(images, name):
    """Without F16C, halves are converted by functions of the runtime."""
    assert "libtreadle-compiler" not in images(name, TREADLE_CPU="x86-64")


ONE_KERNEL = """
import math
import numpy as np
from treadle import cuda

@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    out[i] = math.floor(x[i] * 1.5) + 0.25

x, out = np.arange(64, dtype=np.float64), np.zeros(64)
try:
    kernel[2, 32](x, out)
    print((out == np.floor(x * 1.5) + 0.25).all())
except Exception as error:
    print(error)
"""
# Instructions that some processors lack, though code would not use them.
RARE = ["xop", "tbm", "cmpccxadd", "avxvnniint16", "avx512vp2intersect"]


@pytest.fixture
def missing(run_python):
    """Features that this processor lacks."""
    code = "from treadle import _core; print(_core.build_facts()['features'])"
    here = run_python(code).strip().split(",")
    found = [name for name in RARE if f"+{name}" not in here]
    assert len(found) >= 2 and "+sse2" in here
    return found


def test_code_for_other_processors_is_refused(run_python, missing):
    first, second = sorted(missing[:2])
    refused = run_python(ONE_KERNEL, TREADLE_DEVICE="cpu", TREADLE_CPU_FEATURES=f"+sse4.2,+{first},+{second}")
    assert re.search(rf"needs (\S+, )*{first}\b.* and \S+, which this processor has not", refused) and second in refused


def test_what_code_does_without_is_no_need(run_python, missing):
    features = f"+sse4.2,-{missing[0]},+slow-3ops-lea,+sgx,+lwp,+wbnoinvd"
    assert run_python(ONE_KERNEL, TREADLE_DEVICE="cpu", TREADLE_CPU_FEATURES=features) == "True\n"


def test_code_can_be_run_and_constants_read(run_python):
    code = f"""{ONE_KERNEL}
mapped = []
for line in open("/proc/self/maps"):
    place, rights, _, _, _, *name = line.split()
    mapped.append((*(int(end, 16) for end in place.split("-")), rights, bool(name)))
made = [(begin, end) for begin, end, rights, is_named in mapped if "x" in rights and not is_named]
print([rights for begin, _, rights, _ in mapped for _, end in made if begin == end][:1], len(made))
print([rights for _, _, rights, _ in mapped if "w" in rights and "x" in rights])
"""
    assert run_python(code, TREADLE_DEVICE="cpu") == "True\n['r--p'] 1\n[]\n"


def test_systems_that_forbid_new_code_are_named(run_python):
    forbid = "import ctypes\nassert ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0\n"  # PR_SET_MDWE, of Linux 6.3
    try:
        run_python(forbid)
    except AssertionError:
        pytest.skip("this kernel has no PR_SET_MDWE")
    assert run_python(forbid + ONE_KERNEL, TREADLE_DEVICE="cpu") == (
        "this system does not let the process run machine code that it has made (Permission denied), which the CPU "
        "device needs: systemd's MemoryDenyWriteExecute or a rule of SELinux forbids it\n"
    )
