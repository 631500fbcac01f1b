"""What programs keep of compiled code for those that come later, and in which folder."""

import json
import os
import subprocess
import sys

import processes
import pytest
from cached_programs import KERNEL, MAIN, PLAIN, Folder, hits, twice


@pytest.fixture
def folder(tmp_path, run_python):
    return Folder(tmp_path, run_python)


def test_a_later_process_finds_what_one_has_compiled(folder):
    said = twice(folder)
    assert said.result == [1, 4, 7, 10] and hits(said)


def test_stats_tell_what_was_found(folder):
    program = MAIN + "values(kernels.k)\nprint(kernels.k.stats)\n"
    first, second = folder.run(program), folder.run(program)
    kept = folder.cache / "images"
    assert first == f"CacheStats(cache_path='{kept}', cache_hits={{}}, cache_misses={{(array(float32, 1d, C),): 1}})\n"
    assert second == f"CacheStats(cache_path='{kept}', cache_hits={{(array(float32, 1d, C),): 1}}, cache_misses={{}})\n"


@pytest.mark.parametrize("name", ["TREADLE_CODE_CACHE_LOG", "NUMBA_DEBUG_CACHE"])
def test_the_log_tells_what_is_found(folder, name):
    def logged():
        environment = {**os.environ, **folder.environment(**{name: "1"})}
        return processes.run([sys.executable, "-c", PLAIN], timeout=60, env=environment).stderr

    assert logged() == "treadle: compiled k(array(float32, 1d, C)) -> none\n"
    assert logged() == "treadle: found k(array(float32, 1d, C)) -> none\n"
    folder.edit("i * N", "i * consteval(N)")
    folder.edit("N = 3", "from treadle.cuda.experimental import consteval\nN = 3")
    assert logged() == "treadle: compiled and did not keep k(array(float32, 1d, C)) -> none\n"


# --- what makes none -------------------------------------------------------------------------------------------------


def test_what_follows_the_function_makes_no_difference(folder):
    folder.say()
    with (folder.path / "kernels.py").open("a") as file:
        file.write("\n\ndef other():\n    return N\n")
    assert hits(folder.say())


def test_globals_that_are_not_used_make_no_difference(folder):
    folder.say()
    folder.edit("N = 3", "N = 3; M = 4")
    assert hits(folder.say())


@pytest.mark.parametrize("decorator", ["cuda.jit('void(float32[::1])')", "cuda.jit(cache=True)"])
def test_ways_of_decorating(folder, decorator):
    folder.edit("@cuda.jit\n", f"@{decorator}\n")
    assert hits(twice(folder))


def test_texts_of_exec(folder):
    folder.write("kernels.py", f"exec({KERNEL!r})\n")
    assert hits(twice(folder))
    folder.edit("+ 1", "+ 2")
    assert folder.say().result == [2, 5, 8, 11]


def test_programs_of_the_command_line(folder):
    """`python -c`."""
    program = MAIN.replace("import kernels", "") + KERNEL + "\nsay(values(k), k)\n"
    assert hits(twice(folder, program))


def test_lambdas(folder):
    folder.edit(
        "@cuda.jit(device=True)\ndef helper(i):\n    return i * N\n",
        "helper = cuda.jit(lambda i: i * N, device=True)\n",
    )
    assert hits(twice(folder))
    folder.edit("lambda i: i * N", "lambda i: i * N * 2")
    assert folder.say().result == [1, 7, 13, 19]


def test_dispatchers_that_were_pickled(folder):
    program = MAIN + "import pickle\nk = pickle.loads(pickle.dumps(kernels.k))\nsay(values(k), k)\n"
    assert hits(twice(folder, program))


ARGUMENTS = """
import enum
from collections import namedtuple
from treadle import cuda

Point = namedtuple("Point", "x y")

class Color(enum.IntEnum):
    RED = 1
    BLUE = 5

class Shape(enum.Enum):
    ROUND = 1.5
    FLAT = 2.5

@cuda.jit
def k(out, point, color, pair, maybe):
    i = cuda.grid(1)
    if i < out.size:
        made = Point(point.y, point.x)
        out[i] = made.x * 100 + made.y
        if color == Color.BLUE:
            out[i] += 1000
        out[i] += pair[0] * Shape.FLAT.value
        if maybe is not None:
            out[i] += 0.25
"""


def test_classes_of_arguments(folder):
    folder.write("kernels.py", ARGUMENTS)
    program = MAIN + (
        "k = kernels\n"
        "say([values(k.k, k.Point(1, 2), color, (2, 3.5), maybe)[0] "
        "for color in k.Color for maybe in (None, 1.0)], k.k)\n"
    )
    said = twice(folder, program)
    assert said.result == [206.0, 206.25, 1206.0, 1206.25] and hits(said)
    folder.edit("BLUE = 5", "BLUE = 1; GREEN = 5")
    assert folder.say(program).result[0] == 1206


def test_records_among_the_arguments(folder):
    folder.write(
        "kernels.py",
        "import numpy\n"
        "from treadle import cuda\n"
        "kind = numpy.dtype([('mass', 'f4'), ('place', 'f8', 3)])\n"
        "@cuda.jit\n"
        "def k(out, records):\n"
        "    i = cuda.grid(1)\n"
        "    if i < out.size:\n"
        "        out[i] = records[i].mass + records[i].place[1]\n",
    )
    program = MAIN + (
        "import numpy\n"
        "records = numpy.zeros(4, kernels.kind)\n"
        "records['mass'] = 1\n"
        "records['place'][:, 1] = numpy.arange(4)\n"
        "say(values(kernels.k, records), kernels.k)\n"
    )
    said = twice(folder, program)
    assert said.result == [1, 2, 3, 4] and hits(said)


RAISING = """
from treadle import cuda

def make():
    class Local(ValueError):
        pass
    @cuda.jit(debug=True)
    def k(out, which):
        if which == 1:
            raise Local("local", 1)
        if which == 2:
            raise Own("own")
        raise KeyError(5)
    return k, Local

class Own(Exception):
    pass

k, Local = make()
"""


def test_exceptions_are_of_the_classes_of_the_process(folder):
    folder.write("kernels.py", RAISING)
    program = MAIN + (
        "found = []\n"
        "for which, kind in enumerate((KeyError, kernels.Local, kernels.Own)):\n"
        "    try: values(kernels.k, which)\n"
        "    except kind as error: found.append((type(error) is kind, str(error.args[0])))\n"
        "say(found, kernels.k)\n"
    )
    said = twice(folder, program)
    assert [one for one, _ in said.result] == [True] * 3 and hits(said)


def test_warnings_are_told_each_time(folder):
    folder.edit("@cuda.jit\n", "@cuda.jit(rules='cuda-python')\n")
    folder.edit(
        "        out[i] = helper(i) + 1",
        "        n = 1\n        for _ in range(3):\n            n = n + 1.5\n        out[i] = n",
    )
    program = MAIN + (
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        "    result = values(kernels.k)\n"
        "say([str(one.message) for one in told], kernels.k)\n"
    )
    said = twice(folder, program)
    assert "'n' keeps the type" in said.result[0] and hits(said)


def test_inspection_after_a_hit(folder):
    program = MAIN + (
        "values(kernels.k)\n"
        "counts = _core.compilation_counts(kernels.k)\n"
        "(text,) = kernels.k.inspect_llvm().values()\n"
        "print(json.dumps([text.count('define'), *counts]))\n"
    )
    assert hits(twice(folder, program))


def test_values_that_kernels_ask_for(folder):
    folder.write(
        "kernels.py",
        "from treadle import cuda\n"
        "@cuda.jit\n"
        "def k(out, n):\n"
        "    i = cuda.grid(1)\n"
        "    tile = cuda.local.array(cuda.literally(n), 'f4')\n"
        "    if i < out.size:\n"
        "        out[i] = tile.size\n",
    )
    program = MAIN + "say([values(kernels.k, n)[0] for n in (1, 2, 1)], kernels.k)\n"
    assert twice(folder, program).result == [1, 2, 1]


def test_code_that_python_runs_is_run_each_time(folder):
    folder.edit("N = 3", "from treadle.cuda.experimental import consteval\nsettings = {'n': 3}")
    folder.edit("i * N", "i * consteval(settings['n'])")
    assert folder.say().result == [1, 4, 7, 10]
    folder.edit("'n': 3", "'n': 4")
    assert folder.say().result == [1, 5, 9, 13]


# --- notebooks -------------------------------------------------------------------------------------------------------

# Runs cells as ipykernel does.
CELLS = (
    MAIN
    + """
import ast, linecache, os
def cell(text):
    file = f"/tmp/ipykernel_{os.getpid()}/{sum(map(ord, text))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(ast.parse(text), file, "exec"), globals())
    return file
"""
)
HELPER = """
@cuda.jit(device=True)
def helper(i):
    return i * 3
"""
USER = """
@cuda.jit
def k(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = helper(i) + 1
"""


def test_cells_of_a_notebook_are_found_after_a_restart(folder):
    program = CELLS + f"for text in ({HELPER!r}, {USER!r}): cell(text)\nsay(values(k), k)\n"
    said = twice(folder, program)
    assert said.result == [1, 4, 7, 10] and hits(said)
    said = folder.say(program.replace("i * 3", "i * 5"))
    assert said.result == [1, 6, 11, 16] and not hits(said)


def test_messages_about_cells_name_those_of_the_process(folder):
    """A warning, and the place of a check in a helper of another cell."""
    loop = "        n = 1\n        for _ in range(3):\n            n = n + 1.5\n        out[i] = n"
    lossy = USER.replace("cuda.jit", "cuda.jit(rules='cuda-python')").replace("        out[i] = helper(i) + 1", loop)
    program = CELLS + (
        f"file = cell({lossy!r})\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        "    values(k)\n"
        "found = [file in str(told[0].message)]\n"
        f"file = cell({HELPER.replace('i * 3', '1 // (i - i)')!r})\n"
        f"cell({USER.replace('cuda.jit', 'cuda.jit(debug=True)')!r})\n"
        "try: values(k)\n"
        "except Exception as error: found.append(file in str(error))\n"
        "say(found, k)\n"
    )
    for _ in range(2):
        assert folder.say(program).result == [True, True]


# --- writes in the background ----------------------------------------------------------------------------------------

# Many kernels, each compiled as soon as it is made.
MANY = (
    MAIN
    + """
import os
def make(n):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = i + n
    return k
"""
)


def test_what_was_just_compiled_is_found(folder):
    """By another dispatcher of the same process, which has the same function."""
    program = MANY + (
        "found = []\n"
        "for n in range(20):\n"
        "    k = make(n)\n"
        "    values(k)\n"
        "    again = cuda.jit(k.py_func)\n"
        "    values(again)\n"
        "    found.append(sum(again.stats.cache_hits.values()))\n"
        "say(found, kernels.k)\n"
    )
    assert folder.say(program).result == [1] * 20


@pytest.mark.parametrize("ending", ["", "sys.exit()", "raise KeyboardInterrupt", "os.kill(os.getpid(), 2)"])
def test_nothing_is_lost_when_a_program_ends(folder, ending):
    program = MANY + f"for n in range(30): values(make(n))\nprint('end', flush=True)\n{ending}\n"
    environment = {**os.environ, **folder.environment()}
    done = processes.run([sys.executable, "-c", program], timeout=120, env=environment)
    assert done.stdout == "end\n", done.stderr
    assert len(folder.entries()) == 60


def test_a_forked_child_keeps_its_own_code(folder):
    """While its parent's is being written; each writes its own, once."""
    program = MANY + (
        "import warnings\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"  # of forks while there are threads, in Python 3.12
        "children = []\n"
        "for n in range(12):\n"
        "    values(make(n))\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        before = _core.code_cache_counts()['images']['written']\n"
        "        values(make(100 + n))\n"
        "        os._exit(_core.code_cache_counts()['images']['written'] != before + 1)\n"
        "    children.append(child)\n"
        "ends = [os.waitpid(child, 0)[1] for child in children]\n"
        "say([ends, _core.code_cache_counts()['images']['written']], kernels.k)\n"
    )
    assert folder.say(program).result == [[0] * 12, 12]
    assert len(folder.entries()) == 48


# --- the folder ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["function", "limit"])
def test_switched_off(folder, where):
    if where == "function":
        folder.edit("@cuda.jit\n", "@cuda.jit(cache=False)\n")
    settings = {"TREADLE_CODE_CACHE_LIMIT": "0"} if where == "limit" else {}
    for _ in range(2):
        assert folder.say(**settings) == ([1, 4, 7, 10], 1, 1)
    assert folder.entries() == []


def test_numbas_name_moves_it(folder):
    elsewhere = folder.path / "elsewhere"
    folder.say(TREADLE_CODE_CACHE_DIR="", NUMBA_CACHE_DIR=str(elsewhere))
    assert sorted(one.name for one in elsewhere.iterdir()) == ["images", "programs"] and folder.entries() == []


def test_a_folder_that_others_can_write_to_is_refused(folder):
    folder.say()
    for kind in folder.cache.iterdir():
        kind.chmod(0o777)
    assert not hits(folder.say())
    report = MAIN + "print(json.dumps([[one['trouble'] for one in _core.code_cache_counts().values()], 0, 0]))"
    assert all("can be written by others" in one for one in folder.say(report).result)


def test_a_folder_that_cannot_be_made(folder):
    folder.cache.write_text("a file")
    for _ in range(2):
        assert folder.say() == ([1, 4, 7, 10], 1, 1)


@pytest.mark.parametrize("kind", ["programs", "images"])
@pytest.mark.parametrize("damage", ["cut", "changed", "changed late", "empty", "other"])
def test_damaged_entries(folder, kind, damage):
    folder.say()
    (entry,) = (folder.cache / kind).iterdir()
    good = entry.read_bytes()
    middle = len(good) // 2
    bad = {
        "cut": good[:middle],
        "changed": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :],
        "changed late": good[:-1] + bytes([good[-1] ^ 1]),
        "empty": b"",
        "other": b"treadle1" + os.urandom(len(good)),
    }[damage]
    entry.write_bytes(bad)
    said = folder.say()
    assert said.result == [1, 4, 7, 10] and not hits(said)
    assert entry.read_bytes() == good and hits(folder.say())


def test_damage_that_can_be_read(folder):
    """Some bytes may have any value, such as the facts that a kernel asks for, and only the hash knows them."""
    folder.say()
    (entry,) = (folder.cache / "programs").iterdir()
    good = entry.read_bytes()
    for place in range(len(good) - 49, len(good), 6):
        entry.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert not hits(folder.say())
        assert entry.read_bytes() == good


def test_processes_at_once(folder):
    """32 that find nothing, and write the same entries."""
    environment = {**os.environ, **folder.environment()}
    running = [
        subprocess.Popen([sys.executable, "-c", PLAIN], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(32)
    ]
    assert [json.loads(one.communicate()[0])[0] for one in running] == [[1, 4, 7, 10]] * 32
    assert hits(folder.say()) and len(folder.entries()) == 2
