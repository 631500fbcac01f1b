"""Pickled kernels and device functions (AB3): in this process, and in others that do not have their file."""

import copy
import io
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda, float32, int32, types, void
from treadle.kernels import travel

sys.path.insert(0, str(Path(__file__).resolve().parent))
import travelling  # noqa: E402

HERE = 10


@cuda.jit
def add_here(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += b + HERE


def launch_in_child(kernel, a, *rest):
    """For processes of multiprocessing."""
    kernel[1, 32](a, *rest)
    return a


@pytest.fixture
def elsewhere(tmp_path):
    """elsewhere(objects, program) -> what the program prints, in a process that cannot import this file or
    travelling.py; its `things` are the objects."""

    def run(things, program, dump=pickle.dumps):
        (tmp_path / "things").write_bytes(dump(things))
        head = (
            "import pickle, sys\nimport numpy as np\nimport treadle.source.texts\n"
            # As on a machine without the files.
            "treadle.source.texts._read = treadle.source.texts._cached_lines = lambda *given: None\n"
            "things = pickle.load(open('things', 'rb'))\n"
        )
        tail = "\nassert not {'travelling', 'test_travel'} & set(sys.modules)\n"
        command = [sys.executable, "-c", head + program + tail]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


def numbers(count, dtype=np.float32):
    return np.ones(count, dtype)


class TestAnotherProcess:
    def test_globals_constants_and_helpers(self, elsewhere):
        expected = numbers(6)
        travelling.globals_and_helpers[2, 4](expected)
        program = """
a = np.ones(6, np.float32)
things[0][2, 4](a)
print(a.tolist())
things[0][2, 4](a, 5.5)
print(things[0], things[0].__module__, things[0].__doc__, things[0].signatures)
print(len(pickle.dumps(things[0])) > 0)
"""
        assert elsewhere([travelling.globals_and_helpers], program) == [
            str(expected.tolist()),
            "<kernel globals_and_helpers> travelling None "
            "[(array(float32, 1d, C), int64), (array(float32, 1d, C), float64)]",
            "True",
        ]

    def test_after_compilation(self, elsewhere):
        """The text travels, though it is not held any more; compiled code does not."""
        a = numbers(1)
        with_options = travelling.with_options
        with_options[1, 1](a)
        program = """
print(things[0].signatures, things[0].options.rules, things[0].options.fastmath, things[0].options.max_threads)
a = np.ones(1, np.float32)
things[0][1, 1](a)
print(a[0])
"""
        assert elsewhere([with_options], program) == ["[] cuda-python True 64", "2.0"]

    def test_signatures_are_compiled_on_arrival(self, elsewhere):
        program = """
print(things[0].signatures)
a = np.ones(1, np.float32)
things[0][1, 1](a)
print(a[0])
try:
    things[0][1, 1](np.ones(1, np.int64))
except TypeError as error:
    print(str(error).partition(";")[0])
"""
        assert elsewhere([travelling.with_signature], program) == [
            "[(array(float32, 1d, A),)]",
            "24.0",
            "No matching definition of with_signature for argument types (array(int64, 1d, C))",
        ]

    def test_specialized(self, elsewhere):
        special = cuda.jit(travelling.globals_and_helpers.py_func).specialize(numbers(4), 1)
        program = """
print(things[0].specialized, things[0].signatures)
a = np.ones(4, np.float32)
things[0][1, 4](a, 1)
print(a.tolist())
"""
        assert elsewhere([special], program) == [
            "True [(array(float32, 1d, C), int64)]",
            "[4.0, 5.0, 6.0, 7.0]",
        ]

    def test_no_further_signatures(self, elsewhere):
        kernel = cuda.jit(travelling.with_options.py_func)
        kernel.compile((float32[:],))
        kernel.disable_compile()
        program = """
print(things[0].signatures)
try:
    things[0][1, 1](np.ones(1, np.int64))
except TypeError:
    print("refused")
"""
        assert elsewhere([kernel], program) == ["[(array(float32, 1d, A),)]", "refused"]

    def test_lambdas(self, elsewhere):
        program = """
for kernel in things:
    a = np.ones(1, np.float32)
    kernel[1, 1](a)
    print(kernel, a[0])
"""
        things = [travelling.one_line, travelling.several_lines]
        assert elsewhere(things, program) == ["<kernel <lambda>> 1.0"] * 2

    def test_configured_launches(self, elsewhere):
        program = """
a = np.ones(4, np.float32)
things[0](a, 1)
print(a.tolist(), things[0])
"""
        launch = cuda.jit(add_here.py_func)[2, (2, 1, 1), 0, 16]
        assert elsewhere([launch], program) == ["[12.0, 12.0, 12.0, 12.0] <add_here[(2, 1, 1), (2, 1, 1), 0, 16]>"]

    def test_errors_show_the_text(self, elsewhere):
        program = """
from treadle.errors import CompileError
try:
    things[0][1, 1](np.ones(1, np.float32))
except CompileError as error:
    print(error.file, error.line, str(error).splitlines()[1].strip())
"""

        @cuda.jit
        def wrong(a):
            a[0] = never_defined  # noqa: F821

        line = wrong.py_func.__code__.co_firstlineno + 2
        assert elsewhere([wrong], program) == [
            f"{__file__} {line} {line} |             a[0] = never_defined  # noqa: F821"
        ]

    def test_it_is_compiled_once(self, elsewhere):
        """A second load of the same kernel gives the same object, as long as it is among the latest."""
        program = """
data = open("things", "rb").read()
a = np.ones(1, np.float32)
things[0][1, 1](a, 1)
del things
import gc; gc.collect()
again = pickle.loads(data)[0]
print(again.signatures, pickle.loads(pickle.dumps(again)) is again)
things = [again]
"""
        assert elsewhere([add_here], program) == ["[(array(float32, 1d, C), int64)] True"]


class TestHere:
    def test_the_same_object(self):
        for kernel in (add_here, travelling.root, travelling.with_signature):
            assert pickle.loads(pickle.dumps(kernel)) is kernel
            assert copy.copy(kernel) is copy.deepcopy(kernel) is kernel

    def test_rebound_globals_make_another(self, monkeypatch):
        """Where one was restored before, it may not stand for the kernel with other values."""
        kernel = cuda.jit(add_here.py_func)
        keys = []
        for value in (20, 20, 30):
            monkeypatch.setitem(globals(), "HERE", value)
            keys.append(kernel.__reduce__()[1][0])
        assert keys[0] == keys[1] != keys[2]
        kernel.recompile()
        assert kernel.__reduce__()[1][0] != keys[2]

    def test_what_changes_in_place_makes_another(self):
        """Of the kernel, and of the functions that it calls: arrays, items of containers, defaults."""

        def made(table, limits, factor):
            @cuda.jit(device=True)
            def entry(i, by=factor):
                return table[i] * by + limits[0][1]

            @cuda.jit
            def look_up(out):
                out[0] = entry(1)

            return look_up, entry

        table, limits = np.arange(3.0), ([0, 1],)
        kernel, entry = made(table, limits, 1)

        def keys():
            return kernel.__reduce__()[1][0], entry.__reduce__()[1][0]

        first = keys()
        assert keys() == first
        old = pickle.dumps(entry)

        def change_table():
            table[1] = 50

        def change_limits():
            limits[0][1] = 5

        def change_default():
            entry.py_func.__defaults__ = (2,)

        known = [first]
        for change in (change_table, change_limits, change_default):
            change()
            known.append(keys())
            assert keys() == known[-1]
        for of_one in zip(*known):
            assert len(set(of_one)) == len(known)
        assert pickle.loads(pickle.dumps(kernel)) is kernel
        assert pickle.loads(old) is not entry, "it has the table of before"

    def test_functions_that_call_each_other_and_values_that_stay(self):
        class Unpicklable:
            def __reduce__(self):
                raise TypeError("stays here")

        names = {"cuda": cuda, "held": Unpicklable(), "table": np.arange(3.0)}
        text = (
            "@cuda.jit(device=True)\ndef even(n):\n    return odd(n - 1) if n else table[0]\n"
            "@cuda.jit(device=True)\ndef odd(n):\n    return even(n - 1) if n else held\n"
        )
        exec(text, names)
        key = travel._key(names["even"])
        assert travel._key(names["even"]) == key
        names["table"][0] = 7
        assert travel._key(names["even"]) != key
        key = travel._key(names["odd"])
        names["held"] = Unpicklable()
        assert travel._key(names["odd"]) != key

    def test_streams_stay(self):
        with pytest.raises(TypeError, match="cannot pickle a launch of add_here on a stream"):
            pickle.dumps(add_here[1, 1, cuda.stream()])

    def test_what_pickle_cannot_take_is_named_by_it(self):
        kernel = travelling.closure_of(2, lambda x: x)
        with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
            pickle.dumps(kernel)

    def test_without_source(self):
        names = {"cuda": cuda}
        code = compile("def f(a):\n    a[0] = 1\n", "<nowhere>", "exec", dont_inherit=True)
        exec(code, names)
        import treadle.source.texts

        kernel = cuda.jit(names["f"])
        treadle.source.texts.release(names["f"].__code__)
        try:
            data = pickle.dumps(kernel)
        except pickle.PicklingError as error:
            assert "cannot pickle f: the source of 'f' cannot be found" in str(error)
        else:
            assert b"a[0] = 1" in data  # the extension has seen the text

    def test_another_python_says_so(self, monkeypatch):
        import treadle.kernels.travel

        with monkeypatch.context() as context:
            context.setattr(treadle.kernels.travel, "_python", lambda: "cpython 2.7")
            data = pickle.dumps(cuda.jit(add_here.py_func))
        treadle.kernels.travel._known.clear()
        with pytest.raises(RuntimeError, match="a kernel that cpython 2.7 has pickled cannot be restored by cpython 3"):
            pickle.loads(data)

    def test_intrinsics_and_types(self):
        for thing in (cuda.shared, cuda.atomic, cuda.cg, cuda.local, cuda.const, cuda.grid, cuda.threadIdx, float32):
            assert pickle.loads(pickle.dumps(thing)) is thing
        assert pickle.loads(pickle.dumps(void(int32, float32[:]))) == void(int32, float32[:])
        assert pickle.loads(pickle.dumps(types.UniTuple(int32, 2))) is types.UniTuple(int32, 2)


def test_a_worker_computes_with_what_it_is_sent():
    kernel, table = travelling.looking_up()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(launch_in_child, (kernel, numbers(1))).tolist() == [1]
        table[1] = 50
        assert pool.apply(launch_in_child, (kernel, numbers(1))).tolist() == [50]
        kernel.recompile()
        assert pool.apply(launch_in_child, (kernel, numbers(1))).tolist() == [50]
        assert launch_in_child(kernel, numbers(1)).tolist() == [50]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_multiprocessing(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        a = pool.apply(launch_in_child, (add_here, numbers(3), 4))
        assert a.tolist() == [15, 15, 15]
        assert pool.apply(launch_in_child, (travelling.globals_and_helpers, numbers(3))).tolist() == [5, 6, 7]


class TestCloudpickle:
    @pytest.fixture(autouse=True)
    def cloudpickle(self):
        self.dumps = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed").dumps

    def test_closures_over_lambdas_and_local_functions(self, elsewhere):
        device = cuda.jit(device=True)(lambda x: 2 * x + 1)

        def local(x):
            return x + 0.5

        things = [travelling.closure_of(3, device), travelling.closure_of(4, cuda.jit(device=True)(local))]
        program = """
for kernel in things:
    a = np.ones(1, np.float32)
    kernel[1, 1](a)
    print(a[0])
"""
        assert elsewhere(things, program, self.dumps) == ["7.0", "4.5"]

    def test_within_functions_of_main(self, tmp_path):
        """As task libraries send them: a function of __main__ that launches a kernel of __main__."""
        (tmp_path / "main.py").write_text("""
import cloudpickle, numpy as np, sys
from treadle import cuda

FACTOR = 4

@cuda.jit
def scale(a):
    a[cuda.grid(1)] *= FACTOR

def task(n):
    a = np.arange(n)
    scale[1, n](a)
    return a

open("task", "wb").write(cloudpickle.dumps(task))
""")
        subprocess.run([sys.executable, "main.py"], cwd=tmp_path, check=True, timeout=60)
        (tmp_path / "main.py").unlink()
        program = "import pickle; print(pickle.load(open('task', 'rb'))(4).tolist())"
        result = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert result.stdout == "[0, 4, 8, 12]\n", result.stderr

    def test_pickler_objects(self):
        import cloudpickle

        stream = io.BytesIO()
        cloudpickle.CloudPickler(stream).dump({"kernel": add_here})
        assert pickle.loads(stream.getvalue())["kernel"] is add_here
