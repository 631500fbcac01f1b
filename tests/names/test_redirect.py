"""`python -m treadle.redirect`, `install` and `uninstall`, with a small package in place of Numba."""

import os
import subprocess
import sys
from pathlib import Path

import processes
import pytest
import treadle

FAKE = {
    "numba/__init__.py": "from numba.core.types import float32, void\nREAL = True\ndef njit(f): return f\n",
    "numba/cuda/__init__.py": "raise RuntimeError('Numba\\'s own numba.cuda was imported')\n",
    "numba/cuda/cudadrv.py": "raise RuntimeError('Numba\\'s own numba.cuda.cudadrv was imported')\n",
    "numba/core/__init__.py": "",
    "numba/core/config.py": "CUDA_LOW_OCCUPANCY_WARNINGS = 1\nTHREADING_LAYER = 'default'\n",
    "numba/core/errors.py": """
class NumbaError(Exception):
    def __init__(self, text, loc=None):
        super().__init__("numba: " + text)
class TypingError(NumbaError): pass
class NumbaTypeError(TypingError): pass
class IRError(NumbaError): pass
class NotDefinedError(IRError): pass
class NumbaWarning(Warning): pass
class NumbaPerformanceWarning(NumbaWarning): pass
""",
    "numba/core/typing/__init__.py": "",
    "numba/core/typing/templates.py": """
class Signature:
    def __init__(self, return_type, *args):
        self.return_type, self.args = return_type, args
""",
    "numba/core/types.py": """
from numba.core.typing.templates import Signature

class Type:
    def __init__(self, name, **parts):
        self.name = name
        vars(self).update(parts)
    def __call__(self, *args):
        return Signature(self, *args)
    def __getitem__(self, key):
        return Array("array", dtype=self, ndim=1, layout="A", mutable=True)

class Array(Type): pass
class UniTuple(Type): pass
class Optional(Type): pass
float32, int64, void, unicode_type = Type("float32"), Type("int64"), Type("none"), Type("unicode_type")
""",
}

# At the start of a program: hides Numba even where it is installed.
HIDDEN = """
from importlib.machinery import PathFinder
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] == "numba" else found(name, *rest)
"""

KERNEL = """
import array
@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2
x = array.array("f", [1, 2, 3])
scale[1, 32](x)
print(list(x))
"""

INSTALL = "import treadle.redirect; treadle.redirect.install()\n"


@pytest.fixture
def program(tmp_path):
    """program(text, name) -> path of a file in a folder without Numba; the fake one is in `site`."""
    for name, text in FAKE.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write(text: str, name: str = "work/program.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def python(tmp_path):
    """python(*arguments) -> the finished process, in which the fake Numba can be imported."""

    def run(*arguments: object, folder: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": processes.python_path(tmp_path / "site")}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)

    return run


@pytest.fixture
def redirected(python):
    """redirected(*arguments) -> what the program prints; asserts exit code 0 and an empty stderr."""

    def run(*arguments: object, **options: Path) -> str:
        result = python("-m", "treadle.redirect", *arguments, **options)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout

    return run


FORMS = {
    "from numba import cuda": "cuda.jit",
    "import numba.cuda": "numba.cuda.jit",
    "import numba.cuda as cuda": "cuda.jit",
    "import numba; from numba import cuda": "numba.cuda.jit",
    "from numba.cuda import jit": "jit",
    "from numba.cuda import jit as compiled": "compiled",
    "from numba import cuda as gpu, njit": "gpu.jit",
    "import importlib; c = importlib.import_module('numba.cuda')": "c.jit",
    "from numba import *; from numba import cuda": "cuda.jit",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_import(program, redirected, form):
    text = f"{form}\nimport numba, treadle.cuda\nassert numba.REAL\nprint({FORMS[form]} is treadle.cuda.jit)"
    assert redirected(program(text)) == "True\n"


def test_kernels_run(program, redirected):
    assert redirected(program("from numba import cuda\n" + KERNEL)) == "[2.0, 4.0, 6.0]\n"


def test_the_module_keeps_its_name(program, redirected):
    text = "import numba.cuda, treadle.cuda, sys\nm = numba.cuda\nprint(m is treadle.cuda, m.__name__, m.__spec__.name)"
    assert redirected(program(text)) == "True treadle.cuda treadle.cuda\n"


def test_modules_below(program, redirected):
    text = """
from numba.cuda.cudadrv.devicearray import DeviceNDArray
from numba.cuda.cudadrv import driver
import numba.cuda.cudadrv.driver
import treadle.cuda.cudadrv.driver as ours
import treadle
print(driver is numba.cuda.cudadrv.driver is ours, DeviceNDArray is treadle.cuda.DeviceNDArray)
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32 as uniform
print(create_xoroshiro128p_states(3, seed=1).shape, uniform is numba.cuda.random.xoroshiro128p_uniform_float32)
try:
    import numba.cuda.nothing
except ModuleNotFoundError as error:
    print(error)
"""
    assert redirected(program(text)) == "True True\n(3,) True\nTreadle has no module 'numba.cuda.nothing'\n"


@pytest.mark.parametrize("first", ["import numba\n" + INSTALL, INSTALL + "import numba\n", INSTALL + INSTALL])
def test_install(program, python, first):
    result = python(program(first + "from numba import cuda\nimport numba\nprint(cuda.__name__, numba.REAL)"))
    assert (result.stdout, result.stderr) == ("treadle.cuda True\n", "")


def test_install_is_too_late_after_numba_cuda(program, python):
    program("", "site/numba/cuda/__init__.py")
    result = python(program("import numba.cuda\n" + INSTALL))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        "RuntimeError: numba.cuda is already imported: call treadle.redirect.install() before anything imports "
        "numba.cuda, or run the program by `python -m treadle.redirect`"
    )


def test_uninstall(program, python):
    text = """
import multiprocessing.spawn, sys
import treadle.redirect
before = list(sys.meta_path), multiprocessing.spawn.get_preparation_data
treadle.redirect.uninstall()  # without an install: nothing
for _ in range(2):
    treadle.redirect.install()
    import numba.cuda
    treadle.redirect.uninstall()
    assert (sys.meta_path, multiprocessing.spawn.get_preparation_data) == before
    assert "numba.cuda" not in sys.modules and "numba" in sys.modules
    assert not hasattr(sys.modules["numba"], "cuda")
    assert not hasattr(numba.float32, "__treadle_type__")
    try:
        import numba.cuda
    except RuntimeError as error:
        print(error)
"""
    result = python(program(text))
    assert (result.stdout, result.stderr) == ("Numba's own numba.cuda was imported\n" * 2, "")


def test_types_of_numba_in_signatures_and_kernels(program, redirected):
    text = """
import array
import treadle
from numba import cuda, float32, void
from numba.core import types

@cuda.jit(void(float32[:], types.int64))
def fill(x, n):
    x[0] = float32(n)

x = array.array("f", [0])
fill[1, 1](x, 7)
print(x[0], fill.signatures)
given = types.UniTuple("", types=(types.int64, types.Optional("", type=float32)))
print(cuda.jit([void(given), (float32,)])(lambda t: None).signatures)
print(cuda.jit(float32(float32), device=True)(lambda x: x + 1))
try:
    cuda.jit(void(types.unicode_type))(lambda t: None)
except TypeError as error:
    print(str(error).startswith("a signature is made of types, found"))
"""
    assert redirected(program(text)).splitlines() == [
        "7.0 [(array(float32, 1d, A), int64)]",
        "[(Tuple(int64, Optional(float32)),), (float32,)]",
        "<device function <lambda>>",
        "True",
    ]


def test_processes_of_multiprocessing_are_redirected(program, redirected):
    text = """
import multiprocessing
from numba import cuda

def name(_):
    return cuda.__name__

if __name__ == "__main__":
    for method in ("spawn", "forkserver", "fork"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(name, [0]))
"""
    expected = [f"{method} ['treadle.cuda']" for method in ("spawn", "forkserver", "fork")]
    assert redirected(program(text)).splitlines() == expected


def test_processes_find_treadle_where_their_parent_did(program, python):
    folder = Path(treadle.__file__).parent.parent
    text = f"""
import sys
sys.path.append({str(folder)!r})
import multiprocessing, treadle.redirect

def name(_):
    import numba.cuda
    return numba.cuda.__name__

if __name__ == "__main__":
    treadle.redirect.install()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map_async(name, [0]).get(20))
"""
    # Without -S, Python finds it by itself. Child processes get the option, too.
    result = python("-S", program(text))
    assert (result.stdout, result.stderr) == ("['treadle.cuda']\n", "")


# --- Numba's errors and settings --------------------------------------------------------------------------------------


def test_errors_are_numbas_too(program, redirected):
    text = """
import warnings
import numba.core.errors as theirs
from numba import cuda
import treadle.errors as ours, treadle.redirect

@cuda.jit
def kernel(x):
    x[0] = never_defined

for kind in (theirs.NotDefinedError, theirs.NumbaError, NameError, ours.CompileError):
    try:
        kernel[1, 1](bytearray(4))
    except kind as error:
        print(type(error) is ours.NotDefinedError, error.message, str(error).startswith("numba:"))
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", theirs.NumbaWarning)
    warnings.warn("slow", ours.NumbaPerformanceWarning)
print(found, issubclass(ours.NumbaTypeError, theirs.NumbaTypeError), issubclass(ours.NumbaTypeError, TypeError))
treadle.redirect.uninstall()
print(issubclass(ours.NumbaTypeError, theirs.NumbaTypeError), issubclass(ours.TypingError, theirs.NumbaError))
"""
    assert redirected(program(text)).splitlines() == [
        *["True the name 'never_defined' is not defined False"] * 4,
        "[] True True",
        "False False",
    ]


def test_numbas_settings_count(program, redirected):
    text = """
import numba.core.config as theirs
theirs.CUDA_LOW_OCCUPANCY_WARNINGS = 0
from numba import cuda
import treadle.config as ours, treadle.redirect
print(ours.CUDA_LOW_OCCUPANCY_WARNINGS)
theirs.CUDA_LOW_OCCUPANCY_WARNINGS = 1
theirs.CUDA_WARN_ON_IMPLICIT_COPY = 0
theirs.THREADING_LAYER = "omp"
print(ours.CUDA_LOW_OCCUPANCY_WARNINGS, ours.CUDA_WARN_ON_IMPLICIT_COPY, ours.THREADING_LAYER, theirs.THREADING_LAYER)
treadle.redirect.uninstall()
theirs.CUDA_LOW_OCCUPANCY_WARNINGS = 0
print(ours.CUDA_LOW_OCCUPANCY_WARNINGS)
"""
    assert redirected(program(text)).splitlines() == ["0", "1 0 default omp", "1"]


# --- without Numba ---------------------------------------------------------------------------------------------------


def test_stand_in_where_numba_is_not_installed(program, redirected):
    text = """
import numba, numba.types, treadle
from numba import cuda, float32, void, types
from numba.core import types as core_types
from numba.core.errors import NumbaPerformanceWarning
import numba.cuda
assert cuda is numba.cuda is treadle.cuda
assert types is core_types is numba.types is treadle.types and float32 is treadle.types.float32
assert NumbaPerformanceWarning is treadle.errors.NumbaPerformanceWarning is numba.NumbaPerformanceWarning
from numba import NumbaWarning
print(cuda.jit(void(float32[:]))(lambda x: None).signatures)
from numba import *
print(int32)
assert TypingError is numba.TypingError is treadle.errors.TypingError
"""
    assert redirected(program(HIDDEN + text)) == "[(array(float32, 1d, A),)]\nint32\n"


def test_stand_in_says_what_it_has(program, redirected):
    text = """
import numba
for line in ("from numba import njit", "import numba.typed", "from numba.core import ir", "numba.njit", "numba.cuda"):
    try:
        exec(line)
        print(line, "works")
    except (ImportError, AttributeError) as error:
        print(type(error).__name__, str(error).rpartition(": ")[2])
"""

    def reason(name):
        return (
            f"Numba is not installed, and treadle.redirect has no '{name}', only numba.cuda, numba.types, "
            "numba.core.errors and the types"
        )

    assert redirected(program(HIDDEN + text)).splitlines() == [
        "ModuleNotFoundError " + reason("numba.njit"),
        "ModuleNotFoundError " + reason("numba.typed"),
        "ModuleNotFoundError " + reason("numba.core.ir"),
        "AttributeError " + reason("numba.njit"),
        "numba.cuda works",
    ]


def test_stand_in_has_vectorize(program, redirected):
    text = """
import numba, numpy as np
from numba import float64, guvectorize, vectorize
from numba.cuda.vectorizers import CUDAUFuncDispatcher

@vectorize([float64(float64)], target="parallel")
def twice(x):
    return 2 * x

@guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")
def total(x, out):
    out[0] = 0
    for value in x:
        out[0] += value

print(isinstance(twice, CUDAUFuncDispatcher), numba.vectorize is numba.cuda.vectorize, total(twice(np.arange(4.0))))
"""
    assert redirected(program(HIDDEN + text)) == "True True 12.0\n"


def test_uninstall_takes_the_stand_in_away(program, python):
    text = """
import sys, numba.cuda, numba.core.errors
treadle.redirect.uninstall()
print([name for name in sys.modules if name.startswith("numba")], treadle.cuda.__name__)
import numba
"""
    result = python(program(HIDDEN + INSTALL + text))
    assert result.stdout == "[] treadle.cuda\n"
    assert result.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'numba'"


# --- the command -----------------------------------------------------------------------------------------------------


def test_program_sees_itself(program, redirected, tmp_path):
    path = program("import sys, beside\nprint(__name__, __file__, sys.argv, *sys.path[:2], beside.there)")
    program("there = True", "work/beside.py")
    given = "work/program.py"
    expected = f"__main__ {given} ['{given}', '-m', '--flag', 'x y'] {path.parent} {tmp_path / 'site'} True\n"
    assert redirected(given, "-m", "--flag", "x y") == expected


def test_module(program, redirected):
    program("", "package/__init__.py")
    path = program(
        "import sys\nfrom numba import cuda\nprint(__name__, __spec__.name, sys.argv, cuda.__name__)",
        "package/tool.py",
    )
    expected = f"__main__ package.tool ['{path}', '-v', 'x'] treadle.cuda\n"
    assert redirected("-m", "package.tool", "-v", "x") == expected


@pytest.mark.parametrize("arguments", [["package"], ["-m", "package"]])
def test_folder_with_a_main(program, redirected, arguments):
    path = program("import sys\nprint(sys.argv[1:], *sys.path[:2])", "package/__main__.py")
    program("", "package/__init__.py")
    root = path.parent.parent
    first = "package" if arguments == ["package"] else str(root)
    assert redirected(*arguments, 1) == f"['1'] {first} {root / 'site'}\n"


@pytest.mark.parametrize(
    "text, code, last",
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("raise SystemExit", 0, ""),
        ("import sys; sys.exit('stopped')", 1, "stopped"),
        ("def f():\n    1 / 0\nf()", 1, "ZeroDivisionError: division by zero"),
        ("import os; os.kill(os.getpid(), 9)", -9, ""),
        ("1 +", 1, "SyntaxError: invalid syntax"),
    ],
)
def test_exit_codes(program, python, text, code, last):
    result = python("-m", "treadle.redirect", program(text))
    assert result.returncode == code
    assert ([""] + result.stderr.splitlines())[-1] == last


def test_traceback_names_the_line(program, python):
    path = program("def f():\n    1 / 0\nf()")
    result = python("-m", "treadle.redirect", path)
    assert f'File "{path}", line 2, in f\n    1 / 0\n' in result.stderr


@pytest.mark.parametrize("text", ["def f():\n    1 / 0\nf()", "1 +", "try:\n    1 / 0\nexcept Exception:\n    [][1]"])
def test_traceback_is_the_programs_own(program, python, text):
    path = program(text)
    assert python("-m", "treadle.redirect", path).stderr == python(path).stderr


def test_a_hook_of_the_program_sees_the_exception(program, python):
    path = program("import sys\nsys.excepthook = lambda kind, error, trace: print(kind, trace.tb_lineno)\n1 / 0")
    result = python("-m", "treadle.redirect", path)
    assert (result.returncode, result.stdout, result.stderr) == (1, "<class 'ZeroDivisionError'> 3\n", "")


def test_the_state_is_one(program, redirected):
    text = """
import sys, treadle.redirect
treadle.redirect.install()
print([type(finder).__name__ for finder in sys.meta_path].count("_CudaFinder"))
"""
    assert redirected(program(text)) == "1\n"


BAD = {
    (): "no program was given",
    ("missing.py",): "cannot open missing.py: No such file or directory",
    ("site",): "cannot run site: there is no __main__.py in it",
    ("-m", "numba.core"): "numba.core has no module __main__",
    ("-m",): "-m takes the name of a module",
    ("-m", "missing_module"): "there is no module named missing_module",
    ("-m", "missing.module"): "cannot find module missing.module: No module named 'missing'",
    ("-x", "program.py"): "there is no option -x",
}


@pytest.mark.parametrize("arguments", BAD)
def test_nothing_to_run(program, python, arguments):
    program("")
    result = python("-m", "treadle.redirect", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == f"treadle.redirect: {BAD[arguments]}"


def test_help(redirected):
    assert redirected("--help").startswith("usage: python -m treadle.redirect program.py [argument ...]\n")
