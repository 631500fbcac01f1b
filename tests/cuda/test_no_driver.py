"""Where there is no CUDA driver, none that works, or no GPU: what users are told, and that the CPU serves them."""

import shutil
import struct
import subprocess
import sys

import processes
import pytest
import runs

# The text of the error, and that the questions about support answer without one.
ASKED = """
import sys
from treadle import cuda, errors
assert cuda.is_available() is False
try:
    cuda.current_context()
except errors.CudaSupportError as error:
    print(error)
else:
    raise AssertionError("there is a device")
told = cuda.cuda_error()
assert told and isinstance(str(told), str)
assert cuda.is_available() is False
for use in (lambda: cuda.device_array(3), cuda.stream, cuda.synchronize, lambda: len(cuda.gpus)):
    try:
        use()
    except errors.CudaSupportError:
        pass
cuda.is_supported_version()
"""


def told(folder=None, program=ASKED, **settings):
    """What a program without `fake` prints; `folder`: where it looks for the library."""
    place = {} if folder is None else {"LD_LIBRARY_PATH": str(folder)}
    result = processes.run([sys.executable, "-c", program], 30, runs.environment(**place, **settings))
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


@pytest.fixture
def compiled(tmp_path):
    """compiled(source): a folder with a libcuda.so.1 of that C text."""
    compiler = shutil.which("cc") or shutil.which("clang-19")
    if not compiler:
        pytest.skip("there is no C compiler")

    def build(text):
        source = tmp_path / "library.c"
        source.write_text(text)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "libcuda.so.1", source], check=True)
        return tmp_path

    return build


def test_there_is_no_driver(tmp_path):
    text = told(tmp_path)
    assert text.startswith("no CUDA driver was found (libcuda.so.1: cannot open shared object file")
    assert text.endswith("install NVIDIA's driver, or run on the CPU by TREADLE_DEVICE=cpu\n")


def test_without_a_wish_the_cpu_serves(tmp_path):
    program = "from treadle import cuda\nprint(cuda.is_available(), cuda.get_current_device().WARP_SIZE)"
    assert told(tmp_path, program, TREADLE_DEVICE=None).startswith("True ")
    (tmp_path / "libcuda.so.1").write_text("no library")
    assert told(tmp_path, program, TREADLE_DEVICE=None).startswith("True ")


def test_a_text_of_that_name(tmp_path):
    (tmp_path / "libcuda.so.1").write_text("INPUT(-lcuda)\n" * 100)
    text = told(tmp_path)
    assert text.startswith("the CUDA driver's library cannot be opened (")
    assert "invalid ELF header" in text and text.endswith("reinstall NVIDIA's driver\n")


def test_an_elf_header_alone(tmp_path):
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0)
    (tmp_path / "libcuda.so.1").write_bytes(header)
    text = told(tmp_path)
    assert text.startswith("the CUDA driver's library cannot be opened (") and "reinstall" in text


def test_a_library_that_is_something_else(compiled):
    text = told(compiled("int something(void) { return 0; }\n"))
    assert text.startswith("libcuda.so.1 lacks cuDriverGetVersion, which drivers have since CUDA 2.2")
    assert text.endswith("Treadle needs driver 525 or later (CUDA 12.0)\n")


def test_a_library_that_lacks_a_function(compiled):
    text = told(
        compiled("int cuDriverGetVersion(int *v) { *v = 12040; return 0; }\nint cuInit(unsigned f) { return 0; }")
    )
    assert text.startswith("libcuda.so.1 lacks cu") and "Treadle needs driver 525 or later" in text


def test_a_driver_that_is_too_old():
    text = told(FAKE_CUDA_VERSION="11080")
    assert text == (
        "the CUDA driver is too old: it supports CUDA 11.8, and Treadle needs driver 525 or later (CUDA 12.0)\n"
    )


def test_the_oldest_driver_that_will_do():
    assert runs.run("x = zeros()\nadd[4, 32](x, 1)\nprint(x[3])", FAKE_CUDA_VERSION="12000") == "1.0\n"


INITIALISING = """
import fake
for _ in range(2):
    fake.inject("cuInit", {result})
from treadle import cuda, errors
for turn in range(3):
    try:
        cuda.device_array(3)
    except errors.CudaSupportError as error:
        assert turn < 2
        print(error)
    else:
        assert turn == 2
"""


@pytest.mark.parametrize(("result", "text"), [
    (100, "the CUDA driver cannot be initialised: the CUDA driver finds no device: is one hidden by "
          "CUDA_VISIBLE_DEVICES?"),
    (34, "the CUDA driver cannot be initialised: libcuda.so.1 is the toolkit's stub for linking, not the driver: take "
         "it from LD_LIBRARY_PATH, or install the driver"),
    (802, "the CUDA driver cannot be initialised: CUDA_ERROR_SYSTEM_NOT_READY: system not ready"),
    (999, "the CUDA driver cannot be initialised: CUDA_ERROR_UNKNOWN: unknown"),
])  # fmt: skip
def test_a_driver_that_cannot_be_initialised(result, text):
    """Each attempt is a new one: what is repaired meanwhile works."""
    assert told(program=INITIALISING.replace("{result}", str(result))) == f"{text}\n" * 2


def test_there_is_no_gpu():
    text = told(FAKE_CUDA_DEVICES="0")
    assert "finds no device" in text and "no error" not in text, text
    assert "CUDA_VISIBLE_DEVICES" in text, text


def test_a_gpu_that_is_too_old():
    text = told(program="""
from treadle import cuda, errors
@cuda.jit
def nothing():
    pass
try:
    nothing[1, 1]()
except errors.CudaSupportError as error:
    print(error)
""", FAKE_CUDA_CAPABILITY="70")  # fmt: skip
    assert "has compute capability 7.0, and Treadle's code needs 7.5 or later" in text


def test_a_driver_that_does_not_know_the_ptx():
    """The code is for a version of PTX that is newer than the driver: the error says what to do."""
    text = told(program="""
import fake, numpy as np
from treadle import cuda, errors
@cuda.jit
def nothing():
    pass
fake.inject("cuModuleLoadDataEx", 222)
try:
    nothing[1, 1]()
except errors.CudaAPIError as error:
    print(error.code, error)
nothing[1, 1]()
""")  # fmt: skip
    assert text.startswith("222 [222] load ") and "the driver is older than the code: install a newer one" in text
