"""Finding the source of functions that are in no file: exec, the command line, prompts, notebooks, doctests."""

# ruff: noqa: B023, C408, E701, E702, E731, F821, F841, PIE790
import doctest
import linecache
import os
import pty
import select
import subprocess
import sys

import pytest
from printed_syntax import body, refusal
from treadle import cuda
from treadle._core import syntax


def same(function):
    """A decorator that returns the function unchanged."""
    return function


def test_exec_of_text():
    scope = {}
    exec("y = 1\ndef f(x):\n    return x + y\ng = lambda x: x - y", scope)
    assert syntax(scope["f"]).splitlines() == ["   2  def f(x):", "   3    return (x + y)"]
    assert body(scope["g"]) == ["return (x - y)"]


def test_exec_of_bytes_and_of_code():
    scope = {}
    exec(b"def f(x):\n    return x + 1", scope)
    exec(compile("def g(x):\n    return x + 2", "<made here>", "exec"), scope)
    assert body(scope["f"]) == ["return (x + 1)"]
    assert body(scope["g"]) == ["return (x + 2)"]


def test_exec_texts_are_told_apart():
    """All of them are called <string>; names and lines are equal too."""
    made = []
    for operator in "+-*/":
        scope = {}
        exec(f"def f(x):\n    return x {operator} 2", scope)
        made.append(scope["f"])
    assert [body(function) for function in made] == [[f"return (x {operator} 2)"] for operator in "+-*/"]


def test_exec_in_a_function_and_in_a_class():
    scope = {}
    exec("def outer(k):\n    def inner(x):\n        return x + k\n    return inner", scope)
    exec("class C:\n    def m(self): return 1", scope)
    assert body(scope["outer"](1)) == ["return (x + k)"]
    assert body(scope["C"].m) == ["return 1"]


def test_exec_with_future_import():
    scope = {}
    exec("from __future__ import annotations\ndef f(x: nothing) -> nothing:\n    return x", scope)
    assert body(scope["f"]) == ["return x"]


def test_eval_of_lambda():
    assert body(eval("  lambda x: x + 12")) == ["return (x + 12)"]


def test_exec_after_which_coverage_or_a_debugger_instruments():
    scope = {}
    exec("def f(x):\n    y = x\n    return y", scope)
    seen = []

    def tracer(frame, event, argument):
        seen.append(event)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        scope["f"](1)
        found = body(scope["f"])
    finally:
        sys.settrace(before)
    assert found == ["y = x", "return y"] and seen


def test_warm_code_still_matches():
    """The interpreter specialises instructions of code that runs often."""
    scope = {}
    exec("def f(x):\n    y = x + 1\n    return y * 2", scope)
    for i in range(1000):
        scope["f"](i)
    assert body(scope["f"]) == ["y = (x + 1)", "return (y * 2)"]


def push_out():
    """Fills the memory of compiled texts with others."""
    filler = "#" * (1 << 20)
    for i in range(5):
        exec(f"{filler}{i}\n")


def test_text_that_was_pushed_out_of_the_ring():
    scope = {}
    exec("def pushed_out(x):\n    return x", scope)
    push_out()
    error = refusal(scope["pushed_out"])
    assert error.message == "the source of 'pushed_out' cannot be found"
    assert "put the function into a file" in error.remedy


def test_text_of_a_decorated_function_is_not_pushed_out():
    scope = {"jit": cuda.jit}
    exec("@jit\ndef kept(x):\n    x[0] = 1\nanonymous = jit(device=True)(lambda x: x + 1)", scope)
    push_out()
    assert body(scope["kept"].py_func) == ["x[0] = 1"]
    assert body(scope["anonymous"].py_func) == ["return (x + 1)"]


def test_texts_are_held_until_they_are_parsed_or_the_function_goes():
    from treadle.source import texts as source_texts

    scope = {"jit": cuda.jit}
    exec("@jit\ndef parsed(x):\n    x[0] = 1\n@jit\ndef dropped(x):\n    x[0] = 1", scope)
    parsed, dropped = scope["parsed"].py_func.__code__, id(scope["dropped"].py_func.__code__)
    assert id(parsed) in source_texts._held and dropped in source_texts._held
    syntax(scope["parsed"].py_func)
    del scope["dropped"]
    assert id(parsed) not in source_texts._held and dropped not in source_texts._held


def test_text_of_more_than_the_ring_is_not_kept():
    scope = {}
    exec("def too_large(x):\n    return x\n" + "#" * (5 << 20), scope)
    assert "cannot be found" in refusal(scope["too_large"]).message


def test_code_made_from_a_syntax_tree():
    import ast

    scope = {}
    exec(compile(ast.parse("def f(x):\n    return x"), "<tree>", "exec"), scope)
    assert body(scope["f"]) == ["return x"]
    changed = ast.parse("def f(x):\n    return x")
    changed.body[0].name = "renamed"
    exec(compile(changed, "<tree>", "exec"), scope)
    error = refusal(scope["renamed"])
    assert error.remedy.startswith("put the function into a file")
    assert str(error) == ("<tree>:1: error: the source of 'renamed' cannot be found\n  help:     " + error.remedy)


def test_notebook_cell():
    """IPython compiles a syntax tree and enters the text into linecache."""
    import ast

    text = "z = 1\n@decorate\ndef cell(x):\n    return x + z\n"
    name = "/tmp/ipykernel_1/123456.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"decorate": same}
    exec(compile(ast.parse(text), name, "exec"), scope)
    assert syntax(scope["cell"]).splitlines() == ["   3  def cell(x):", "   4    return (x + z)"]


def documented():
    """
    >>> def in_doctest(x):
    ...     return x + 14
    >>> from treadle._core import syntax
    >>> print(syntax(in_doctest).splitlines()[1].strip())
    2    return (x + 14)
    >>> square = lambda x: x * x
    >>> print(syntax(square).splitlines()[1].strip())
    1    return (x * x)
    """


def test_doctest():
    results = doctest.DocTestRunner(verbose=False).run(doctest.DocTestFinder().find(documented, "documented")[0])
    assert results == (0, 5)


def run_command(*arguments, stdin=""):

    return subprocess.run([sys.executable, *arguments], input=stdin, capture_output=True, text=True, timeout=60)


PROGRAM = "from treadle._core import syntax\ndef f(x):\n    return x + 15\nprint(syntax(f), syntax(lambda x: x))\n"


@pytest.mark.parametrize("options", [["-c", PROGRAM], ["-W", "ignore", "-c", PROGRAM], ["-Bc", PROGRAM]])
def test_text_of_the_command_line(options):
    result = run_command(*options)
    assert "return (x + 15)" in result.stdout and "return x" in result.stdout, result.stderr


def test_standard_input_from_a_pipe():
    result = run_command("-", stdin=PROGRAM)
    assert "SourceError" in result.stderr
    assert 'save the program as a file and run that, or run it as python -c "$(cat program.py)"' in result.stderr


@pytest.mark.parametrize("options", [[], ["-"]])
def test_standard_input_from_a_file(options, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with path.open() as stream:
        result = subprocess.run(
            [sys.executable, *options], stdin=stream, capture_output=True, text=True, timeout=60, check=False
        )
    assert "return (x + 15)" in result.stdout and "return x" in result.stdout, result.stderr


TYPED = """from treadle._core import syntax
k = 3
def f(x):
    if x:
        return x + k
    return x + 15

def f(x):
    return x + 16

g = lambda x: x - k; print(syntax(g))
print(syntax(f))
quit()
"""


def test_prompt_with_readline(tmp_path):
    """A pseudo-terminal, as only there Python reads lines through readline."""
    pytest.importorskip("readline")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "HOME": str(tmp_path), "PYTHON_BASIC_REPL": "1"}
    with subprocess.Popen([sys.executable, "-q"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        os.write(ours, TYPED.encode())
        output = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                output += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
        else:
            child.kill()
    os.close(ours)
    assert b"return (x - k)" in output and b"2    return (x + 16)" in output, output.decode()


@pytest.mark.skipif(sys.version_info < (3, 13), reason="older prompts keep no text")
def test_interactive_prompt():
    result = run_command("-i", "-q", stdin=PROGRAM.replace("print", "\nprint"))
    assert "return (x + 15)" in result.stdout, result.stderr


def test_treadle_imports_nothing_large_for_it(run_python, tmp_path):
    (tmp_path / "kernels.py").write_text("def f(x):\n    return x\ng = [lambda x: x + 1, lambda x: x + 2]\n")
    code = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
from treadle._core import syntax
import kernels
for function in (kernels.f, *kernels.g):
    syntax(function)
exec("def f(x): return x", scope := {})
syntax(scope["f"])
large = {"inspect", "ast", "re", "tokenize", "linecache", "dis", "numpy", "collections"}
print(*sorted(large & (set(sys.modules) - before)))
"""
    assert run_python(code, str(tmp_path)).strip() == ""


def test_only_plain_functions_have_a_tree():
    with pytest.raises(TypeError, match="a Python function is needed, found builtin_function_or_method"):
        syntax(print)
