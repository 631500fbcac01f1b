# Images outlive their process: equal programs give equal bytes wherever memory is, and other processes can run them.
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests" / "kernels"
NO_KERNELS = {"__init__", "harness", "simulate", "test_kernels", "test_cpu_code", "halves"}

# Kernels with state of a process: addresses of captured arrays, classes, records, symbols of helper functions.
SAMPLE = [
    "captured_constants",
    "captured_device_arrays",
    "kernel_print",
    "math_functions",
    "raise_in_debug",
    "records",
    "recursion",
    "shared_transpose",
    "streamed_stores",
    "tuple_unpacking",
    "waiting_loops",
]
ALL = sorted({path.stem for path in KERNELS.glob("*.py")} - NO_KERNELS)

CHILD_SECONDS = 300  # a child needs 5 s of processor time at most
CHILD = """
import faulthandler, importlib, json, mmap, sys
role, tests, folder, seconds, *names = sys.argv[1:]
faulthandler.dump_traceback_later(int(seconds), exit=True)  # where it hangs
sys.path.insert(0, tests)
elsewhere = [mmap.mmap(-1, 1 << 26) for _ in range(5)] if role == "elsewhere" else []
from treadle import _hooks, cuda
(_hooks.replay_images if role == "replay" else _hooks.record_images)(folder)
for name in names:
    module = importlib.import_module("kernels." + name)
    if hasattr(module, "large"):
        module.large = lambda: 4096  # the code for arrays larger than the caches is in the image anyway
    module.run()
    for kernel, signature, *facts in module.PTX:
        cuda.compile_ptx(kernel, signature, cc=(9, 0), facts=dict(*facts))
print(json.dumps(_hooks.images_seen()))
"""


@pytest.fixture
def child(run_python, tmp_path):
    """child(role, folder, names) -> (images, how many of them were generated, why some could not be written)"""

    def run(role, folder, names):
        (tmp_path / folder).mkdir(exist_ok=True)
        arguments = (role, str(ROOT / "tests"), str(tmp_path / folder), str(CHILD_SECONDS), *names)
        seed = str(1 + ["here", "elsewhere", "replay"].index(role))
        output = run_python(CHILD, *arguments, timeout=2 * CHILD_SECONDS, PYTHONHASHSEED=seed)
        return json.loads(output.splitlines()[-1])

    return run


def images_of(folder):
    """The bytes of its images, and the file of each. Files are numbered as they were generated."""
    return {path.read_bytes(): path.name for path in folder.iterdir()}


def check(names, child, tmp_path):
    count, generated, refused = child("here", "here", names)
    assert count == generated > 0
    # Nor does it matter what was compiled before.
    count_elsewhere, generated_elsewhere, refused_elsewhere = child("elsewhere", "elsewhere", names[::-1])
    assert (count_elsewhere, generated_elsewhere) == (count, generated)
    assert sorted(refused_elsewhere) == sorted(refused)
    here, elsewhere = images_of(tmp_path / "here"), images_of(tmp_path / "elsewhere")
    assert len(list((tmp_path / "here").iterdir())) == count - len(refused)
    assert [here[image] for image in here.keys() - elsewhere.keys()] == []
    assert [elsewhere[image] for image in elsewhere.keys() - here.keys()] == []
    # The kernels' own assertions hold with the code of another process.
    assert child("replay", "here", names) == [count, len(refused), []]


def test_images_are_equal_and_run_in_other_processes(child, tmp_path):
    check(SAMPLE, child, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(4))
def test_images_of_all_kernels(part, child, tmp_path):
    check(ALL[part::4], child, tmp_path)


LOCAL = """
from treadle import _hooks, cuda
_hooks.record_images({folder!r})
def make():
    class Local(Exception):
        pass
    @cuda.jit(debug=True)
    def kernel(x):
        if x[0] == 0:
            raise Local()
    return kernel
import numpy as np
make()[1, 1](np.ones(1))
print(_hooks.images_seen()[2])
"""


def test_images_that_raise_classes_of_functions_cannot_be_written(run_python, tmp_path):
    found = run_python(LOCAL.format(folder=str(tmp_path)))
    assert found == (
        "['the kernel raises Local, a class that is local to a function: another process could not find it; define it "
        "at the top level of a module']\n"
    )


INNER = """
from treadle import _hooks, cuda
import numpy as np
import sys, types
class Errors:
    class Inner(Exception):
        pass
if sys.argv[1] == "other":
    del Errors.Inner
def make(Inner):
    @cuda.jit(debug=True)
    def kernel(x):
        if x[0] == 0:
            raise Inner("zero")
    return kernel
kernel = make(getattr(Errors, "Inner", ValueError))
(_hooks.record_images if sys.argv[1] == "first" else _hooks.replay_images)({folder!r})
try:
    kernel[1, 1](np.zeros(1))
except Exception as error:
    print(type(error).__qualname__, error)
"""


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("first", "Errors.Inner tid=[0, 0, 0] ctaid=[0, 0, 0]: zero\n"),
        ("second", "Errors.Inner tid=[0, 0, 0] ctaid=[0, 0, 0]: zero\n"),
        ("other", "RuntimeError tid=[0, 0, 0] ctaid=[0, 0, 0] Inner: zero\n"),
    ],
)
def test_raised_classes_are_found_by_their_names(role, expected, run_python, tmp_path):
    code = INNER.format(folder=str(tmp_path))
    assert run_python(code, "first").startswith("Errors.Inner")
    assert run_python(code, role) == expected


APART = """
import ctypes
import numpy as np
from treadle import cuda

@cuda.jit
def scale(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * 3.7 + 0.1

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
scale[1, 32](np.zeros(32, np.float32))  # the compiler is loaded
NOTHING, PRIVATE, ANONYMOUS, NORESERVE = 0, 2, 0x20, 0x4000
begin = libc.mmap(None, 64 << 30, NOTHING, PRIVATE | ANONYMOUS | NORESERVE, -1, 0)
assert begin != ctypes.c_void_p(-1).value
for size in (1 << 30, 1 << 20, 4096):  # nothing stays free among the libraries above
    while (found := libc.mmap(None, size, NOTHING, PRIVATE | ANONYMOUS | NORESERVE, -1, 0)) > begin:
        pass
    libc.munmap(found, size)
assert libc.munmap(begin + (64 << 30) - 2 * 4096, 4096) == 0  # room for the code or the constants, not for both
a = np.zeros(32)
scale[1, 32](a)
assert (a == 0.1).all()
print("done")
"""


def test_code_and_constants_of_a_kernel_are_near_each_other_wherever_others_reserve_addresses(run_python):
    assert run_python(APART) == "done\n"


def test_code_before_optimisation_is_equal_as_well(run_python, tmp_path):
    """LLVM hides most differences, and takes another time for each."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); from kernels import series_loops; series_loops.run()"
    texts = []
    for turn in range(4):
        folder = tmp_path / str(turn)
        run_python(code, str(ROOT / "tests"), TREADLE_DEVICE="cpu", TREADLE_DUMP=str(folder))
        texts.append({path.name: path.read_text() for path in folder.glob("*.llvm.txt")})
    assert len(texts[0]) > 4
    assert all(text == texts[0] for text in texts)
