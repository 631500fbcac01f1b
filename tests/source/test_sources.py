"""Finding a function's source, wherever it is from, and walking its tree."""

# ruff: noqa: B023, C408, E701, E702, E731, F821, F841, PIE790
import functools
import types
import zipfile

import pytest
from printed_syntax import body, line_numbers, refusal
from treadle._core import syntax


def same(function):
    """A decorator that returns the function unchanged."""
    return function


def with_options(*args, **kwargs):
    return same


# --- in a file -------------------------------------------------------------------------------------------------------


def plain(x):
    return x + 1


def test_plain_function():
    assert body(plain) == ["return (x + 1)"]


def test_line_numbers_are_the_files():
    first = plain.__code__.co_firstlineno
    assert line_numbers(plain) == [first, first + 1]


def test_tree_is_kept_with_the_code_object():
    from treadle.source import functions as source

    def local(x):
        return x

    syntax(local)
    code = local.__code__
    assert source.kept(code) is not None
    again = types.FunctionType(code, {})
    assert syntax(again) == syntax(local)
    tree = source.kept(code)
    assert source.kept(code) is tree


def test_tree_goes_with_the_code_object():
    from treadle.source import functions as source

    scope = {}
    exec("def gone(x):\n    return x", scope)
    function = scope.pop("gone")
    syntax(function)
    key = id(function.__code__)
    assert key in source._trees
    del function
    assert key not in source._trees


@same
@with_options(
    1,
    [
        2,
    ],
    name="def",
)
# A comment between decorator and function.
@same
def decorated(x):
    return x + 2


def test_decorated_function():
    assert body(decorated) == ["return (x + 2)"]
    assert line_numbers(decorated)[1] == decorated.__code__.co_firstlineno + 11


# fmt: off
@with_options("""
def decorated_with_code(x):
    return x - 4
""")
def decorated_with_code(x):
    return x + 4
# fmt: on


def test_decorator_with_code_in_a_string():
    assert body(decorated_with_code) == ["return (x + 4)"]
    assert line_numbers(decorated_with_code)[1] == decorated_with_code.__code__.co_firstlineno + 5


def test_nested_function():
    captured = 3

    def inner(x):
        return x + captured

    assert body(inner) == ["return (x + captured)"]


def test_functions_made_in_a_loop_are_one_text():
    made = []
    for factor in range(3):

        def scale(x):
            return x * factor

        made.append(scale)
    assert {syntax(function) for function in made} == {syntax(made[0])}


# fmt: off
def dedented_lines(x):
    """A docstring
whose second line is not indented, like
def this(y):
    return 0
"""
# A comment that is not indented.
    y = (x +
1)

    z = "\
text"
    if y > 2: return y; pass
    return (
y
)

# fmt: on


def after(x):
    return 0


def test_lines_dedented_inside_the_function():
    assert body(dedented_lines) == ["y = (x + 1)", "z = 'text'", "if (y > 2):", "return y", "return y"]
    assert line_numbers(dedented_lines)[-1] == dedented_lines.__code__.co_firstlineno + 13


def test_many_dedented_lines():
    text = "def many(x):\n    '''\n" + "".join(f"line {i}\n" for i in range(100)) + "    '''\n    return x\n"
    scope = {}
    exec(compile(text, "<many>", "exec"), scope)
    assert body(scope["many"]) == ["return x"]


# fmt: off
def one_line(x): return x + 5
# fmt: on


def test_function_on_one_line():
    assert body(one_line) == ["return (x + 5)"]


# fmt: off
if True:
    def indented_deeper(x):
            if x:
             return 1
            return 2
# fmt: on


def test_unusual_indentation():
    assert body(indented_deeper) == ["if x:", "return 1", "return 2"]


# fmt: off
def continued(x, \
              y):
    return x \
        + y
# fmt: on


def test_backslashes():
    assert body(continued) == ["return (x + y)"]


class Outer:
    class Inner:
        def method(self, __hidden):
            self.__field = __hidden
            return f(__key=1).__dunder__

        @staticmethod
        def static(x):
            return x

        def __hidden(self):
            def __local(x):
                return x

            return __local

        def maker(self):
            def made(x):
                return __hidden_global

            return made

    at_class_level = lambda x: x + 6
    in_comprehension = [lambda x: x + __hidden_global for _ in "a"][0]


class __Private:
    def method(self):
        return self.__x


def test_class_bodies():
    assert body(Outer.Inner.static) == ["return x"]
    assert body(Outer.at_class_level) == ["return (x + 6)"]


def test_private_names_are_mangled_as_python_does():
    assert body(Outer.Inner.method) == [
        "self._Inner__field = _Inner__hidden",
        "return f(_Inner__key=1).__dunder__",
    ]
    assert "def method(self, _Inner__hidden):" in syntax(Outer.Inner.method)
    assert "def __hidden(self):" in syntax(Outer.Inner._Inner__hidden)
    assert body(Outer.Inner._Inner__hidden) == ["def _Inner__local(x):", "return x", "return _Inner__local"]
    assert body(Outer.Inner().maker()) == ["return _Inner__hidden_global"]
    assert body(Outer.in_comprehension) == ["return (x + _Outer__hidden_global)"]
    assert body([lambda x: __hidden_global for _ in "a"][0]) == ["return __hidden_global"]
    assert body(globals()["__Private"].method) == ["return self._Private__x"]


def test_wrapped_function_is_the_wrapper():
    @functools.wraps(plain)
    def wrapper(x):
        return x + 7

    assert body(wrapper) == ["return (x + 7)"]


# --- lambdas ---------------------------------------------------------------------------------------------------------

# fmt: off
PAIR = [lambda x: x + 1, lambda x: x + 2]
NESTED = lambda x: (lambda y: x + y)
MULTILINE = with_options(
    lambda x: x
    + 1
)
CALLS = dict(
    first=lambda x: (
        x,
        1,
    ),
    second=lambda x: x - 1,
)
EQUAL = [lambda: 1.0, lambda: 1, lambda: True, lambda: -0.0, lambda: 0.0, lambda: 1.0]
BACKSLASH = lambda x: \
    x * 3
UNICODE = ["äöü 変数", lambda 変: 変 + "é", lambda 変: 変 + "è"]
# fmt: on


@with_options(lambda x: x - 8)
def with_lambda_in_decorator(x, key=lambda x: x - 9):
    return x


def test_lambdas_of_one_line_are_told_apart():
    assert [body(function) for function in PAIR] == [["return (x + 1)"], ["return (x + 2)"]]


def test_lambda_in_lambda():
    assert body(NESTED) == ["return (lambda y: (x + y))"]
    assert body(NESTED(1)) == ["return (x + y)"]


def test_lambda_inside_a_statement_of_several_lines():
    assert body(CALLS["first"]) == ["return (x, 1)"]
    assert body(CALLS["second"]) == ["return (x - 1)"]
    assert body(BACKSLASH) == ["return (x * 3)"]


def test_lambda_continued_at_its_own_indentation():
    kept = []
    with_option = kept.append
    # fmt: off
    with_option(
        lambda x: x
        + 1
    )
    # fmt: on
    assert body(kept[0]) == ["return (x + 1)"]


def test_lambdas_that_differ_in_a_constant():
    assert [body(function)[0] for function in EQUAL] == [
        "return 1.0",
        "return 1",
        "return True",
        "return -0.0",
        "return 0.0",
        "return 1.0",
    ]


def test_lambda_columns_count_bytes():
    assert [body(function) for function in UNICODE[1:]] == [["return (変 + 'é')"], ["return (変 + 'è')"]]


def test_lambda_as_default_and_in_decorator():
    assert body(with_lambda_in_decorator.__defaults__[0]) == ["return (x - 9)"]
    assert body(with_lambda_in_decorator) == ["return x"]


def test_lambdas_without_column_information(run_python, tmp_path):
    """As on Python 3.10: code objects have no columns."""
    file = tmp_path / "columns.py"
    file.write_text(
        "pair = [lambda x: x + 1, lambda x: x + 2, lambda y: (lambda z: y + z)]\n"
        "many = dict(\n    a=lambda x: x * 1,\n    b=lambda x: x * 2)\n"
    )
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
sys.dont_write_bytecode = True
import columns
from treadle._core import syntax
from treadle.source import functions
for function in [*columns.pair, columns.pair[2](1), *columns.many.values()]:
    print(syntax(function).splitlines()[1].strip())
"""
    assert run_python(code, PYTHONNODEBUGRANGES="1").splitlines() == [
        "1    return (x + 1)",
        "1    return (x + 2)",
        "1    return (lambda z: (y + z))",
        "1    return (y + z)",
        "3    return (x * 1)",
        "4    return (x * 2)",
    ]


# --- files in special states -----------------------------------------------------------------------------------------


def load(path, name="loaded"):
    """Runs a file as a module that no cache knows."""
    scope = {"__name__": name, "__file__": str(path)}
    exec(compile(path.read_bytes(), str(path), "exec"), scope)
    return scope


# Of a name that no other text has: all that Python has parsed in this process is searched for it.
def test_file_that_changed(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("x = 1\ndef rarely_named(a, b):\n    return a\n")
    scope = load(path)
    path.write_text("x = 1\n\n\ndef g(a, b):\n    return b\n")
    error = refusal(scope["rarely_named"])
    assert error.message == f"'rarely_named' is not in line 2 of {path} any more"
    assert "restart Python" in error.remedy
    path.write_text("x = 1\ndef rarely_named(a):\n    return b\n")
    assert "any more" in refusal(scope["rarely_named"]).message
    path.write_text("")
    assert "any more" in refusal(scope["rarely_named"]).message
    path.write_text("x = 1\n# rarely_named\ndef rarely_named(a, b):\n    return a\n")
    assert "any more" in refusal(scope["rarely_named"]).message
    path.write_text("x = 1\ndef rarely_named(a, b):\n    return a\n")
    assert body(scope["rarely_named"]) == ["return a"]


@pytest.mark.parametrize(
    ("old", "new"), [("x - v", "v - x"), ("* k", "* K"), ("* k", "* 3"), (" - ", " + "), ("(y)\n", "(x)\n")]
)
def test_text_that_says_something_else_in_the_same_place(tmp_path, old, new):
    path = tmp_path / "edited.py"
    text = "def outer(k):\n    def rare(x, y=2):\n        return (lambda v: x - v * k)(y)\n    return rare\n"
    path.write_text(text)
    f = load(path)["outer"](3)
    path.write_text(text.replace(old, new))
    assert "any more" in refusal(f).message
    path.write_text(text)
    assert body(f) == ["return (lambda v: (x - (v * k)))(y)"]


def test_lambda_that_says_something_else(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("k = 1\nf = [lambda x: x + k][0]\n")
    f = load(path)["f"]
    path.write_text("k = 1\nf = [lambda x: x - k][0]\n")
    assert "any more" in refusal(f).message


def test_decorated_function_has_the_text_that_was_decorated(tmp_path):
    """However the file is edited before the function is compiled."""
    path = tmp_path / "edited_later.py"
    text = "from treadle import cuda\n\n@cuda.jit\ndef kernel(out):\n    out[0] = 1\n"
    path.write_text(text)
    kernel = load(path)["kernel"].py_func
    path.write_text(text.replace("= 1", "= 2"))
    again = load(path)["kernel"].py_func
    path.write_text("x = 1\n" + text)
    moved = load(path)["kernel"].py_func
    path.unlink()
    assert [body(function) for function in (kernel, again, moved)] == [["out[0] = 1"], ["out[0] = 2"], ["out[0] = 1"]]


def test_calls_of_what_a_module_imports(tmp_path):
    """Python compiles them differently from method calls."""
    path = tmp_path / "imports.py"
    path.write_text(
        "import math, os.path as path\nfrom fractions import Fraction as F\nmine = math\n"
        "def f(x):\n    return math.sqrt(x), path.join(x), F.from_float(x), mine.sqrt(x), x.real()\n"
        "def g():\n    import json\n    return lambda x: json.dumps(x), json\n"
    )
    scope = load(path)
    assert body(scope["f"])[0].startswith("return (math.sqrt(x), path.join(x), F.from_float(x)")
    assert body(scope["g"]()[0]) == ["return json.dumps(x)"]


def test_asserts_that_pytest_has_rewritten():
    def with_assert(x):
        assert x > 1, "text"
        return x

    assert any("@" in name for name in with_assert.__code__.co_varnames)
    assert body(with_assert) == ["assert (x > 1), 'text'", "return x"]


def test_lines_of_a_file_are_split_once_for_all_of_its_functions(tmp_path, monkeypatch):
    from treadle.source import texts as source_texts

    path = tmp_path / "many.py"
    path.write_text("".join(f"def function_{n}(x):\n    return x + {n}\n" for n in range(20)))
    scope = load(path)
    texts = []
    split = source_texts._split
    monkeypatch.setattr(source_texts, "_split", lambda text: texts.append(text) or split(text))
    for n in range(20):
        assert body(scope[f"function_{n}"]) == [f"return (x + {n})"]
    assert texts == [path.read_text()]


def test_file_that_is_gone(tmp_path):
    path = tmp_path / "gone.py"
    path.write_text("def rarely_named(x):\n    return x\n")
    scope = load(path)
    path.unlink()
    error = refusal(scope["rarely_named"])
    assert error.message == "the source of 'rarely_named' cannot be found"
    assert str(path) in error.remedy


def test_byte_order_mark_and_line_ends(tmp_path):
    path = tmp_path / "windows.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\ndef f(x):\r\n    y = x\r\n    return y\r\ng = 1\r\n")
    assert syntax(load(path)["f"]).splitlines()[1:] == ["   3    y = x", "   4    return y"]


def test_declared_encoding(tmp_path):
    path = tmp_path / "latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\ndef f(x):\n    assert x, 'é'\n    return x".encode("latin-1"))
    assert body(load(path)["f"]) == ["assert x, 'é'", "return x"]


def test_separators_that_are_no_line_breaks(tmp_path):
    path = tmp_path / "separators.py"
    path.write_text("a = 'x\x0cy\x1cz\u2028w'\n\x0c\ndef f(x):\n    return x\n")
    assert body(load(path)["f"]) == ["return x"]


def test_module_in_an_archive(tmp_path, monkeypatch):
    archive = tmp_path / "modules.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("in_archive.py", "def f(x):\n    return x * 11\n")
    monkeypatch.syspath_prepend(str(archive))
    import in_archive

    assert body(in_archive.f) == ["return (x * 11)"]


def test_program_that_changes_its_folder(run_python, tmp_path):
    (tmp_path / "program.py").write_text(
        "import os\nos.chdir('/')\nfrom treadle._core import syntax\ndef f(x):\n    return x\nprint(syntax(f))\n"
    )
    code = (
        "import subprocess, sys\n"
        "print(subprocess.check_output([sys.executable, 'program.py'], text=True, cwd=sys.argv[1]))"
    )
    assert "return x" in run_python(code, str(tmp_path))
