"""Which changes of a program make a difference to its cached code."""

import os

import pytest
from cached_programs import MAIN, PLAIN, Folder, hits, twice


@pytest.fixture
def folder(tmp_path, run_python):
    return Folder(tmp_path, run_python)


def test_an_edited_kernel(folder):
    folder.say()
    folder.edit("+ 1", "+ 2")
    said = folder.say()
    assert said.result == [2, 5, 8, 11] and not hits(said)


def test_an_edited_helper_in_another_module(folder):
    folder.write("helpers.py", "from treadle import cuda\n@cuda.jit(device=True)\ndef helper(i):\n    return i * 3\n")
    folder.edit("@cuda.jit(device=True)\ndef helper(i):\n    return i * N\n", "from helpers import helper\n")
    assert twice(folder).result == [1, 4, 7, 10]
    folder.edit("i * 3", "i * 5", "helpers.py")
    said = folder.say()
    assert said.result == [1, 6, 11, 16] and not hits(said)


def test_a_changed_global(folder):
    folder.say()
    folder.edit("N = 3", "N = 4")
    assert folder.say().result == [1, 5, 9, 13]
    folder.edit("N = 4", "N = 3")
    said = folder.say()
    assert said.result == [1, 4, 7, 10] and hits(said), "both are kept"


def test_a_global_of_another_type(folder):
    folder.say()
    folder.edit("N = 3", "N = 3.5")
    assert folder.say().result == [1, 4.5, 8, 11.5]


def test_a_changed_constant_of_a_module(folder):
    folder.write("constants.py", "SIZE = 3\n")
    folder.edit("N = 3", "import constants")
    folder.edit("i * N", "i * constants.SIZE")
    assert hits(twice(folder))
    folder.edit("3", "7", "constants.py")
    assert folder.say().result == [1, 8, 15, 22]


def test_a_name_that_has_become_a_function(folder):
    folder.say()
    folder.edit("N = 3", "@cuda.jit(device=True)\ndef N():\n    return 6\n")
    folder.edit("i * N", "i * N()")
    assert folder.say().result == [1, 7, 13, 19]


CLOSURES = """
from treadle import cuda

def make(n):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = n + i
    return k
"""


def test_closures_are_found_by_what_they_hold(folder):
    """Any number of them, though all have one source."""
    folder.write("kernels.py", CLOSURES)
    program = MAIN + (
        "made = [kernels.make(n) for n in range(40)]\n"
        "results = [values(k)[0] for k in made]\n"
        "counts = [_core.compilation_counts(k) for k in made]\n"
        "print(json.dumps([results, sum(one for one, _ in counts), sum(one for _, one in counts)]))\n"
    )
    assert folder.say(program).generated == 40
    said = folder.say(program)
    assert said.result == list(range(40)) and hits(said)


@pytest.mark.parametrize("kind", ["array('f', [1, 2, 3, 4])", "numpy.arange(1, 5, dtype=numpy.float32)"])
def test_contents_of_a_captured_array(folder, kind):
    folder.edit("N = 3", f"import numpy\nfrom array import array\nTABLE = {kind}")
    folder.edit("i * N", "TABLE[i]")
    assert twice(folder).result == [2, 3, 4, 5]
    folder.edit("helper(i) + 1", "helper(i)")
    assert folder.say().result == [1, 2, 3, 4]
    folder.edit(kind, kind.replace("'f'", "'d'").replace("float32", "float64"))
    assert not hits(folder.say()), "other elements"
    folder.edit("TABLE =", "TABLE = 2 *" if "numpy" in kind else "TABLE = array('f', [5, 5, 5, 5]) or")
    assert folder.say().result == ([2, 4, 6, 8] if "numpy" in kind else [5, 5, 5, 5])


DEVICE_ARRAYS = """
import sys
from array import array
from treadle import cuda

# Memory at other addresses in each process.
held = [cuda.device_array(4096 * int(size), "u1") for size in sys.argv[1:2]]
left = cuda.to_device(array("f", [1, 2, 3, 4]))
right = left[:] if "same" in sys.argv else cuda.to_device(array("f", [10, 20, 30, 40]))

@cuda.jit
def k(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = left[i]
        right[i] += 1
        out[i] += left[i]
"""


def test_captured_device_arrays_are_those_of_the_process(folder):
    folder.write("kernels.py", DEVICE_ARRAYS)
    folder.say()
    program = PLAIN.replace("import sys\n", "import sys\nsys.argv[1:] = ['3']\n", 1)
    said = folder.say(program)
    assert said.result == [2, 4, 6, 8] and hits(said)
    said = folder.say(program.replace("['3']", "['1', 'same']"))
    assert said.result == [3, 5, 7, 9], "one memory under two names"


def test_captured_device_arrays_that_shared_memory(folder):
    folder.write("kernels.py", DEVICE_ARRAYS)
    program = PLAIN.replace("import sys\n", "import sys\nsys.argv[1:] = ['1', 'same']\n", 1)
    assert folder.say(program).result == [3, 5, 7, 9]
    assert folder.say(program.replace("'same'", "'apart'")).result == [2, 4, 6, 8]


def test_defaults_of_helpers(folder):
    folder.edit("def helper(i):\n    return i * N", "def helper(i, factor=3):\n    return i * factor")
    assert hits(twice(folder))
    folder.edit("factor=3", "factor=N + 1")
    assert folder.say().result == [1, 5, 9, 13]


@pytest.mark.parametrize("option", ["fastmath=True", "debug=True", "lineinfo=True", "opt=0", "max_registers=32"])
def test_options(folder, option):
    """Which the function's text need not show."""
    folder.edit("N = 3", "N = 3; OPTIONS = dict()")
    folder.edit("@cuda.jit\n", "@cuda.jit(**OPTIONS)\n")
    folder.say()
    folder.edit("dict()", f"dict({option})")
    said = folder.say()
    assert said.result == [1, 4, 7, 10] and said.generated == 1


def test_number_rules(folder):
    folder.edit("helper(i) + 1", "N / 2 if cuda.grid(1) == 0 else helper(i)")
    folder.edit("N = 3", "N = 2**40; RULES = 'numba'")
    folder.edit("@cuda.jit\n", "@cuda.jit(rules=RULES)\n")
    folder.say()
    folder.edit("'numba'", "'cuda-python'")
    assert folder.say().inferred == 1


# Warps are not made of threads of several blocks, so that the shape of a block is a fact.
BARRIER = ("    if i < out.size:", "    cuda.syncthreads()\n    if i < out.size:")


def test_facts_of_launches(folder):
    folder.edit(*BARRIER)
    program = MAIN + (
        "out = array('f', [0] * 4)\n"
        "for threads in (4, 32, 5): launch(kernels.k, out, threads=threads)\n"
        "say(out.tolist(), kernels.k)\n"
    )
    assert folder.say(program).generated > 1
    assert hits(folder.say(program))


def test_another_variant_after_a_hit_is_inferred_from_what_names_meant_then(folder):
    """As it is where nothing is kept: globals are constants from a signature's first launch on."""
    folder.edit(*BARRIER)
    folder.say()
    program = MAIN + (
        "out = array('f', [0] * 40)\n"
        "launch(kernels.k, out)\n"
        "counts = _core.compilation_counts(kernels.k)\n"
        "kernels.N = 100\n"
        "launch(kernels.k, out, threads=32)\n"
        "print(json.dumps([out.tolist()[:6], *counts]))\n"
    )
    assert folder.say(program) == ([1, 4, 7, 10, 13, 16], 0, 0)


def test_another_variant_after_a_hit_is_that_of_the_text_that_was_found(folder):
    folder.edit(*BARRIER)
    folder.say()
    program = MAIN + (
        "out = array('f', [0] * 40)\n"
        "launch(kernels.k, out)\n"
        "text = open(kernels.__file__).read()\n"
        "open(kernels.__file__, 'w').write(text.replace('+ 1', '+ 1000'))\n"
        "launch(kernels.k, out, threads=32)\n"
        "say(out.tolist()[:6], kernels.k)\n"
    )
    said = folder.say(program)
    assert said.result == [1, 4, 7, 10, 13, 16] and said.generated == 1


def test_recompiling_after_a_hit_takes_new_values(folder):
    folder.say()
    program = MAIN + "values(kernels.k)\nkernels.N = 5\nkernels.k.recompile()\nsay(values(kernels.k), kernels.k)\n"
    assert folder.say(program).result == [1, 6, 11, 16]


def test_processors(folder):
    folder.say(TREADLE_CPU_FEATURES="+sse4.2")
    said = folder.say()
    assert said.result == [1, 4, 7, 10] and said.generated == 1


@pytest.mark.parametrize("settings", [{"TREADLE_CPU_LANES": "16"}, {"TREADLE_CPU": "x86-64-v2"}])
def test_settings_that_change_code(folder, settings):
    folder.say()
    assert folder.say(**settings).generated == 1


def test_another_python(folder):
    folder.say()
    program = PLAIN.replace("import sys\n", "import sys\nsys.hexversion += 1 << 16\n", 1)
    assert folder.say(program).inferred == 1


def test_a_clock_that_was_set_back(folder):
    folder.say()
    folder.edit("+ 1", "+ 2")
    os.utime(folder.path / "kernels.py", (1, 1))
    assert folder.say().result == [2, 5, 8, 11]


def test_two_files_of_one_name(folder):
    """Also of one text: messages name the right one."""
    folder.edit("@cuda.jit\n", "@cuda.jit(debug=True)\n")
    folder.edit("out[i] = helper(i) + 1", "out[i + 4] = 1")
    program = MAIN + ("try: values(kernels.k)\nexcept IndexError as error: print(json.dumps([str(error), 0, 0]))\n")
    first = folder.say(program).result
    folder.path = folder.path / "other"
    folder.write("kernels.py", (folder.path.parent / "kernels.py").read_text())
    second = folder.say(program).result
    assert str(folder.path / "kernels.py") in second and str(folder.path) not in first
    assert folder.say(program).result == second


def test_a_kernel_that_has_moved_in_its_file(folder):
    """Messages name the line where it is now."""
    folder.edit("@cuda.jit\n", "@cuda.jit(debug=True)\n")
    folder.edit("out[i] = helper(i) + 1", "out[i + 4] = 1")
    program = MAIN + ("try: values(kernels.k)\nexcept IndexError as error: print(json.dumps([str(error), 0, 0]))\n")
    first = folder.say(program).result
    folder.edit("from treadle import cuda\n", "from treadle import cuda\n\n\n")
    second = folder.say(program).result
    line = next(n for n, text in enumerate((folder.path / "kernels.py").read_text().splitlines(), 1) if "i + 4" in text)
    assert f"in line {line}," in second and f"in line {line - 2}," in first


def test_two_functions_of_one_line(folder):
    folder.write(
        "kernels.py",
        "from treadle import cuda\n"
        "one, k = [cuda.jit(f) for f in (lambda out: out.__setitem__(0, 1) if False else None, None) if f], None\n"
        "def make(): return cuda.jit(store(1)), cuda.jit(store(2))\n"
        "def store(n):\n"
        "    def f(out): out[0] = n\n"
        "    return f\n",
    )
    program = MAIN + "k = kernels.make()\nsay([values(one)[0] for one in k], k[1])\n"
    assert folder.say(program).result == [1, 2]
    said = folder.say(program)
    assert said.result == [1, 2] and hits(said)


def test_annotations_of_variables_count(folder):
    """They leave nothing in a function's instructions."""
    folder.edit("        out[i] = helper(i) + 1", "        x: float = 1\n        out[i] = helper(i) + x")
    assert hits(twice(folder))
    folder.edit("x: float = 1", "x: int   = 1")
    assert not hits(folder.say())
