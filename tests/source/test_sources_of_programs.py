"""Finding sources where Python compiles them in other ways than a module's: names that other files import, cells under
magics, timers and profilers, levels of optimisation."""

# ruff: noqa: B023, C408, E701, E702, E731, F821, F841, PIE790
import ast
import linecache
import subprocess
import sys

import pytest
from printed_syntax import body, refusal
from treadle import cuda
from treadle._core import syntax
from treadle.source import functions as source
from treadle.source import texts as source_texts

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def same(function):
    """A decorator that returns the function unchanged."""
    return function


def held(function):
    """A decorator that keeps the text, as cuda.jit does."""
    source_texts.hold(function)
    return function


def run_file(path, text, **names):
    path.write_text(text)
    scope = {"__name__": path.stem, "__file__": str(path), **names}
    exec(compile(text, str(path), "exec"), scope)
    return scope


# --- modules that the text does not import ---------------------------------------------------------------------------

STAR = """from star_of_modules import *
lone = lambda x: math.sqrt(x) + math.pi
pair = [lambda x: math.sqrt(x), lambda x: math.sqrt(x) + 1]
other = math
assigned = [lambda x: other.sqrt(x), lambda x: 1 - other.sqrt(x)]
import cmath
both = [lambda x: math.sqrt(cmath.exp(x)), lambda x: math.sqrt(cmath.exp(x)) + 1]
def outer(x):
    def inner(y): return cmath.sqrt(y) + math.sqrt(y)
    return inner
class Class:
    method = lambda self, x: math.sqrt(self.__x)
"""


def test_names_of_a_star_import_and_of_assignments(tmp_path, monkeypatch):
    """Python compiles calls of attributes of what a module imports otherwise than those of its other names."""
    (tmp_path / "star_of_modules.py").write_text("import math\nimport os.path as path\n")
    monkeypatch.syspath_prepend(tmp_path)
    scope = run_file(tmp_path / "program.py", STAR)
    assert body(scope["lone"]) == ["return (math.sqrt(x) + math.pi)"]
    assert [body(one) for one in scope["pair"]] == [["return math.sqrt(x)"], ["return (math.sqrt(x) + 1)"]]
    assert [body(one) for one in scope["assigned"]] == [["return other.sqrt(x)"], ["return (1 - other.sqrt(x))"]]
    assert body(scope["both"][1]) == ["return (math.sqrt(cmath.exp(x)) + 1)"]
    assert body(scope["outer"](1)) == ["return (cmath.sqrt(y) + math.sqrt(y))"]
    assert body(scope["Class"].method) == ["return math.sqrt(self._Class__x)"]


def test_lambdas_of_a_star_import_that_say_something_else(tmp_path, monkeypatch):
    (tmp_path / "star_of_modules.py").write_text("import math\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "edited.py"
    text = "from star_of_modules import *\nf = [lambda x: math.sqrt(x), lambda x: math.floor(x)][0]\n"
    f = run_file(path, text)["f"]
    path.write_text(text.replace("sqrt", "ceil"))
    assert "any more" in refusal(f).message
    path.write_text(text)
    assert body(f) == ["return math.sqrt(x)"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 keeps no columns")
def test_equal_lambdas_of_one_line_are_told_apart_by_their_columns():
    # fmt: off
    pair = [lambda x: x + 1, lambda x: x + 1]
    # fmt: on
    columns = [source.locate(function)[0].col_offset for function in pair]
    assert columns[0] < columns[1]


# --- cells of notebooks, as IPython compiles them --------------------------------------------------------------------

CELL = "@keep\ndef kernel(x):\n    x[0] = math.sqrt(x[1])\nsmall = keep(lambda x: math.sqrt(x) + 1)\n"


def check_cell(scope):
    assert body(scope["kernel"]) == ["x[0] = math.sqrt(x[1])"]
    assert body(scope["small"]) == ["return (math.sqrt(x) + 1)"]


@pytest.mark.parametrize("keep", [held, same])
def test_cell_under_time(keep):
    """%%time: the tree is parsed under no name, and compiled under one without a text."""
    import math

    scope = {"keep": keep, "math": math}
    exec(compile(ast.parse(CELL), "<timed exec>", "exec"), scope)
    check_cell(scope)


def test_cell_under_timeit():
    """%%timeit: the statements of the cell are put into a function."""
    import math

    template = ast.parse("def inner(_it, _timer):\n    pass\n    return kernel, small, user\n")
    text = CELL + "def user(x): return small(x)\n"
    template.body[0].body[0:1] = ast.parse(text).body
    scope = {"keep": held, "math": math}
    exec(compile(ast.fix_missing_locations(template), "<magic-timeit>", "exec"), scope)
    kernel, small, user = scope["inner"](None, None)
    check_cell({"kernel": kernel, "small": small})
    assert user.__code__.co_freevars == ("small",) and body(user) == ["return small(x)"]


@pytest.mark.parametrize("before", ["await nothing()\n", "", "async def later():\n    await nothing()\n"])
def test_cell_with_await(before, tmp_path):
    """The text is that of linecache; its statements are compiled one by one, some with `await` outside of functions."""
    import math

    text = before + CELL + "await nothing()\n"
    name = str(tmp_path / "cell.py")
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"keep": held, "math": math}
    for statement in ast.parse(text).body:
        code = compile(ast.Module([statement], []), name, "exec", TOP_LEVEL_AWAIT)
        if not isinstance(statement, ast.Expr):
            exec(code, scope)
    check_cell(scope)
    assert syntax(scope["kernel"]).split()[0] == str(1 + before.count("\n") + 1)


def test_history_of_cells(monkeypatch):
    """An undecorated function of a cell that imports treadle itself: its text is in the history alone."""
    from types import SimpleNamespace

    def never_recorded(*_):
        return []

    shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", f"%%time\n{CELL}", "x = 1", "%%time"]))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(source_texts, "_exec_texts", never_recorded)
    scope = {"keep": same, "math": __import__("math")}
    exec(compile(ast.parse(CELL), "<timed exec>", "exec"), scope)
    check_cell(scope)


# --- programs that run texts, where treadle is imported by the text --------------------------------------------------

TEXT = """from treadle import cuda
import math
@cuda.jit(device=True)
def root(x):
    return math.sqrt(x)
small = cuda.jit(device=True)(lambda x: math.sqrt(x) + 1)
from treadle._core import syntax
print(syntax(root.py_func).split()[-2:], syntax(small.py_func).split()[-2:])
"""
SHOWN = "['return', 'math.sqrt(x)'] ['+', '1)']\n"


def run_program(*arguments):
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)
    return result.stdout, result.stderr


@pytest.mark.parametrize(
    "program",
    [
        "import timeit; timeit.timeit(setup=TEXT, stmt='pass', number=1)",
        "import timeit; timeit.timeit(stmt=TEXT, number=1)",
        "import cProfile; cProfile.run(TEXT)",
        "import pdb; pdb.run(TEXT, {'__name__': 'x'})",
        "exec(TEXT)",
        "def run(text): exec(text, {})\nrun(TEXT.encode())",
        "import code; shell = code.InteractiveInterpreter(); shell.runsource(TEXT, symbol='exec')",
        "import ast; exec(compile(ast.parse(TEXT), 'in no file.py', 'exec'))",
    ],
)
def test_text_that_imports_treadle_itself(program):
    output, errors = run_program("-c", f"import io, sys\nsys.stdin = io.StringIO('c\\n')\nTEXT = {TEXT!r}\n{program}\n")
    assert SHOWN in output, errors


def test_setup_on_the_command_line_of_timeit():
    output, errors = run_program("-m", "timeit", "-n1", "-r1", "-s", TEXT, "pass")
    assert SHOWN in output, errors


def test_text_that_nobody_has_any_more_names_the_cure(tmp_path):
    """exec(open(path).read()), where the text imports treadle itself."""
    path = tmp_path / "program.py"
    path.write_text(TEXT)
    output, errors = run_program("-c", f"exec(open({str(path)!r}).read())")
    assert output == "" and """exec(compile(text, path, "exec"))""" in errors
    output, errors = run_program("-c", f"exec(compile(open({str(path)!r}).read(), {str(path)!r}, 'exec'))")
    assert output == SHOWN, errors


def test_variables_of_callers_may_be_any_objects():
    class Names(dict):
        def values(self):
            raise AssertionError("asked")

    class Odd:
        def __getattr__(self, name):
            raise AssertionError("asked")

    odd = Odd()
    scope = Names(keep=held)
    exec("@keep\ndef f(x):\n    return x\nexec('0')\n", {"odd": odd}, scope)
    assert body(scope["f"]) == ["return x"]


# --- levels of optimisation ------------------------------------------------------------------------------------------

ASSERTS = "def f(x):\n    'text'\n    assert x > 1, 'checked'\n    if __debug__:\n        return 5\n    return 6\n"


@pytest.mark.parametrize("level", [0, 1, 2])
def test_code_has_the_asserts_of_its_own_level(level):
    scope = {}
    exec(compile(ASSERTS, f"<level {level}>", "exec", optimize=level), scope)
    shown = body(scope["f"])
    if level == 0:
        assert shown == ["assert (x > 1), 'checked'", "if True:", "return 5", "return 6"]
    else:
        assert shown == ["if False:", "return 5", "return 6"]


PROGRAM = """
import numpy as np
from treadle import cuda

@cuda.jit(debug=True)
def kernel(a):
    'text'
    assert a[0] > 1, 'checked'
    if __debug__:
        a[0] = 5
    else:
        a[0] = 6

a = np.zeros(1)
try:
    kernel[1, 1](a)
except AssertionError:
    print('raised', end=' ')
print(a[0])
"""


@pytest.mark.parametrize("options, printed", [([], "raised 0.0\n"), (["-O"], "6.0\n"), (["-OO"], "6.0\n")])
def test_asserts_count_unless_python_drops_them(options, printed):
    output, errors = run_program(*options, "-c", PROGRAM)
    assert output == printed, errors


# --- kernels that are lambdas ----------------------------------------------------------------------------------------


def test_what_a_lambda_returns_is_dropped_where_it_is_a_kernel():
    """It can do nothing else with what a call returns."""
    import numpy as np

    counted = np.zeros(1, np.int64)
    cuda.jit(lambda x: cuda.atomic.add(x, 0, cuda.grid(1)))[1, 4](counted)
    assert counted[0] == 6


def test_threads_that_parse_in_turns(monkeypatch):
    """Some Pythons raise SystemError where threads take turns in building syntax trees (CPython's issue 106905)."""
    attempts = []

    def compile_at_the_third(*arguments):
        attempts.append(arguments)
        if len(attempts) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=36, after=45)")
        return compile(*arguments)

    monkeypatch.setattr(source, "compile", compile_at_the_third, raising=False)
    assert compile_at_the_third is source.compile
    assert type(source._parse("x = 1").body[0]).__name__ == "Assign"
    assert len(attempts) == 3

    def fail(*_):
        raise SystemError("another error")

    monkeypatch.setattr(source, "compile", fail)
    with pytest.raises(SystemError, match="another error"):
        source._parse("x = 1")
