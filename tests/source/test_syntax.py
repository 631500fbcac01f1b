"""From Python's ast to the syntax tree: every construct that kernels support, and every one that they do not."""

import subprocess
import sys
import textwrap

import pytest
from treadle import errors
from treadle._core import syntax


def tree(statements, parameters="x, y"):
    """The printed body of a function with these statements, keeping its own indentation."""
    scope = {}
    exec(f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(statements).strip("\n"), "    "), scope)
    return "\n".join(line[8:] for line in syntax(scope["f"]).splitlines()[1:])


def unsupported(statements, parameters="x, y"):
    with pytest.raises(errors.UnsupportedError) as caught:
        tree(statements, parameters)
    return caught.value


EXPRESSIONS = {
    "x": "x",
    "None": "None",
    "True + False": "(True + False)",
    "1 - 2 * 3 / 4 // 5 % 6 ** 7": "(1 - ((((2 * 3) / 4) // 5) % (6 ** 7)))",
    "x << 1 >> 2 & 3 | 4 ^ 5": "((((x << 1) >> 2) & 3) | (4 ^ 5))",
    "x @ y": "(x @ y)",
    "-x + +x - ~x": "(((-x) + (+x)) - (~x))",
    "not x": "(not x)",
    "-1": "-1",
    "-1.5": "-1.5",
    "-0.0": "-0.0",
    "-1 ** 2": "(-(1 ** 2))",
    "--1": "(--1)",
    "-True": "(-True)",
    "-2j": "(-2.0j)",
    "9223372036854775807": "9223372036854775807",
    "9223372036854775808": "9223372036854775808",
    "18446744073709551615": "18446744073709551615",
    "18446744073709551616": "<integer beyond 64 bits>",
    "-9223372036854775808": "-9223372036854775808",
    "-9223372036854775809": "<integer beyond 64 bits>",
    "0x_ff + 0b1 + 1_000": "((255 + 1) + 1000)",
    "1e400": "1e999",
    "1e22": "1e+22",
    "0.1": "0.1",
    "3.0": "3.0",
    "'text' 'joined'": "'textjoined'",
    r"'it\'s\n\x01é'": r"'it\'s\n\x01é'",
    "b'bytes' + b''": "(b'bytes' + b'')",
    "f'a {x!r}{y:{1}d}'": "f('a ', {x!r}, {y:f({1}, 'd')})",
    "x and y and 1 or 2": "((x and y and 1) or 2)",
    "x < y <= 1 != 2": "(x < y <= 1 != 2)",
    "x is None": "(x is None)",
    "x is not None": "(x is not None)",
    "x in (1, 2)": "(x in (1, 2))",
    "x not in y": "(x not in y)",
    "1 if x else 2 if y else 3": "(1 if x else (2 if y else 3))",
    "f()": "f()",
    "f(x, *y, a=1, **z)": "f(x, *y, a=1, **z)",
    "cuda.shared.array((16, 16), dtype=f4)": "cuda.shared.array((16, 16), dtype=f4)",
    "x[0]": "x[0]",
    "x[0, -1]": "x[(0, -1)]",
    "x[1:]": "x[1:]",
    "x[:, ::2, ..., None, a:b:c]": "x[(:, ::2, ..., None, a:b:c)]",
    "x[:]": "x[:]",
    "x[()]": "x[()]",
    "()": "()",
    "(1,)": "(1,)",
    "[1, 2]": "[1, 2]",
    "(z := x + 1)": "(z := (x + 1))",
    "lambda a, b=1, /, c=2, *d, e, g=3, **h: a": "(lambda a, b=1, c=2, *d, e, g=3, **h: a)",
    "lambda *, a: a": "(lambda *, a: a)",
    "lambda: 0": "(lambda: 0)",
    "x.real.imag": "x.real.imag",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions(text):
    assert tree(f"return {text}") == f"return {EXPRESSIONS[text]}"


STATEMENTS = {
    "pass": "",
    "'docstring'\nreturn x": "return x",
    "x\n...\n1\nreturn": "x\nreturn",
    "a = b = x": "a = b = x",
    "a, (b, [c, x[0]]) = y": "(a, (b, [c, x[0]])) = y",
    "x.a = x[1] = 2": "x.a = x[1] = 2",
    "a: int = x": "a = x",
    "a: torch.Tensor": "",
    "x += 1; x -= 1; x *= 1; x /= 1": "x += 1\nx -= 1\nx *= 1\nx /= 1",
    "x //= 1; x %= 1; x **= 1; x <<= 1": "x //= 1\nx %= 1\nx **= 1\nx <<= 1",
    "x >>= 1; x &= 1; x |= 1; x ^= 1": "x >>= 1\nx &= 1\nx |= 1\nx ^= 1",
    "x[0] += y": "x[0] += y",
    "if x:\n    y = 1\nelif y:\n    y = 2\nelse:\n    y = 3": (
        "if x:\n  y = 1\nelse:\n  if y:\n    y = 2\n  else:\n    y = 3"
    ),
    "while x:\n    break\nelse:\n    y = 1": "while x:\n  break\nelse:\n  y = 1",
    "for i, (a, b) in x:\n    continue\nelse:\n    y = 1": "for (i, (a, b)) in x:\n  continue\nelse:\n  y = 1",
    "del x, y": "",
    "return": "return",
    "return x, y": "return (x, y)",
    "raise": "raise",
    "raise ValueError('a', 1)": "raise ValueError('a', 1)",
    "raise ValueError from None": "raise ValueError",
    "assert x": "assert x",
    "assert x, 'text'": "assert x, 'text'",
    "def g(a, b=x):\n    return a\nreturn g": "def g(a, b=x):\n  return a\nreturn g",
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text):
    assert tree(text) == STATEMENTS[text]


def test_parameters():
    scope = {}
    exec("def f(a, /, b: int, c=1, *d, e, g=2, **h) -> int: return a", scope)
    assert syntax(scope["f"]).splitlines()[0] == "   1  def f(a, b, c=..., *d, e, g=..., **h):"


UNSUPPORTED = {
    "try:\n    x = 1\nexcept ValueError:\n    pass": ("a try statement", 1, 1, "^~~~"),
    "try:\n    x = 1\nfinally:\n    pass": ("a try statement", 1, 1, "^~~~"),
    "with x:\n    pass": ("a with statement", 1, 1, "^~~~~~~"),
    "return [i for i in x]": ("a list comprehension", 1, 8, "^~~~~~~~~~~~~~"),
    "return {i for i in x}": ("a set comprehension", 1, 8, "^~~~~~~~~~~~~~"),
    "return {i: i for i in x}": ("a dict comprehension", 1, 8, "^~~~~~~~~~~~~~~~~"),
    "return sum(i for i in x)": ("a generator expression", 1, 11, "^~~~~~~~~~~~~~"),
    "yield x": ("yield", 1, 1, "^~~~~~~"),
    "yield from x": ("yield from", 1, 1, "^~~~~~~~~~~~"),
    "return {1: 2}": ("a dict", 1, 8, "^~~~~~"),
    "return {1, 2}": ("a set", 1, 8, "^~~~~~"),
    "class C:\n    pass": ("a class definition", 1, 1, "^~~~~~~~"),
    "import math": ("an import", 1, 1, "^~~~~~~~~~~"),
    "from math import sin": ("an import", 1, 1, "^~~~~~~~~~~~~~~~~~~~"),
    "global z": ("a global statement", 1, 1, "^~~~~~~~"),
    "def g():\n    nonlocal x": ("a nonlocal statement", 2, 5, "^~~~~~~~~~"),
    "match x:\n    case 1:\n        pass": ("a match statement", 1, 1, "^~~~~~~~"),
    "del x[0]": ("del of anything but a name", 1, 5, "^~~~"),
    "a, *b = x": ("a starred target", 1, 4, "^~"),
    "for a, *b in x:\n    pass": ("a starred target", 1, 8, "^~"),
    "x @= y": ("the operator @", 1, 1, "^~~~~~"),
    "@x\ndef g():\n    pass": ("a decorator on an inner function", 1, 2, "^"),
    "raise x from y": ("raise ... from", 1, 14, "^"),
    "async def g():\n    pass": ("an async function", 1, 1, "^~~~~~~~~~~~~~"),
}


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_unsupported_constructs_are_named_where_they_stand(text):
    name, line, column, underline = UNSUPPORTED[text]
    error = unsupported(text)
    assert error.message == f"{name} cannot be used in a kernel"
    # The function's own line and its indentation precede the text.
    assert (error.line, error.column) == (line + 1, column + 4)
    shown = str(error).splitlines()
    assert shown[0] == f"<string>:{line + 1}:{column + 4}: error: {error.message}"
    assert shown[1] == f"  {line + 1} |     {text.splitlines()[line - 1]}"
    assert shown[2] == "    | " + " " * (column + 3) + underline
    assert error.remedy and shown[3] == f"  help:     {error.remedy}"


def test_async_function():
    scope = {}
    exec("async def f(x):\n    return x", scope)
    with pytest.raises(errors.UnsupportedError, match="an async function cannot be used in a kernel"):
        syntax(scope["f"])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is Python 3.12's")
def test_type_parameters():
    scope = {}
    exec("def f[T](x: T):\n    return x", scope)
    with pytest.raises(errors.UnsupportedError, match="type parameters cannot be used in a kernel"):
        syntax(scope["f"])
    assert "a type statement" in unsupported("type A = int").message


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the syntax is Python 3.11's")
def test_exception_groups():
    assert "a try statement" in unsupported("try:\n    pass\nexcept* ValueError:\n    pass").message


def test_half_of_a_surrogate_pair():
    assert "surrogate" in unsupported(r"return '\ud800'").message


def test_error_has_no_context_and_no_frames_of_ours():
    try:
        try:
            raise KeyError("before")
        except KeyError:
            unsupported_kernel = {}
            exec("def f(x):\n    yield x", unsupported_kernel)
            syntax(unsupported_kernel["f"])
    except errors.CompileError as error:
        assert error.__suppress_context__ and error.__cause__ is None
        frames = []
        traceback = error.__traceback__
        while traceback:
            frames.append(traceback.tb_frame.f_code.co_filename)
            traceback = traceback.tb_next
        assert frames == [__file__]


def test_error_classes_are_what_numba_and_python_call_them():
    assert issubclass(errors.NotDefinedError, NameError)
    assert issubclass(errors.NumbaTypeError, TypeError)
    assert issubclass(errors.NumbaValueError, ValueError)
    assert issubclass(errors.NumbaIndexError, IndexError)
    assert errors.NumbaError is errors.CompileError
    kinds = "Typing Unsupported NotDefined ConstantInference Lowering Source CompileLimit"
    assert all(issubclass(getattr(errors, f"{kind}Error"), errors.CompileError) for kind in kinds.split())
    assert issubclass(errors.NumbaPerformanceWarning, errors.TreadleWarning)
    assert issubclass(errors.TreadleWarning, UserWarning)


# --- depth -----------------------------------------------------------------------------------------------------------

DEEP = {
    "sum": lambda n: "return " + " + ".join(["x"] * n),
    "signs": lambda n: "return " + "-" * n + "x",
    "conditions": lambda n: "return " + "".join(f"{i} if x == {i} else " for i in range(n)) + "x",
    "elif": lambda n: "if x == 0:\n    return 0\n" + "".join(f"elif x == {i}:\n    return {i}\n" for i in range(n)),
    "attributes": lambda n: "return x" + ".a" * n,
    "subscripts": lambda n: "return x" + "[0]" * n,
}


@pytest.mark.parametrize("kind", DEEP)
def test_nested_900_deep(kind):
    assert len(tree(DEEP[kind](900))) > 900


@pytest.mark.parametrize("kind", DEEP)
def test_nested_too_deep(kind):
    with pytest.raises(errors.CompileLimitError, match="nested") as caught:
        tree(DEEP[kind](1800))
    assert len(str(caught.value).splitlines()) <= 15
    assert caught.value.remedy


def test_nested_too_deep_in_a_thread_with_a_small_stack():
    code = """
import threading
from treadle import errors
from treadle._core import syntax
scope = {}
exec("def f(x):\\n  return " + " + ".join(["x"] * 1400), scope)
exec("def g(x):\\n  return " + " + ".join(["x"] * 1800), scope)
def work():
    print(len(syntax(scope["f"])) > 1400)
    try:
        syntax(scope["g"])
    except errors.CompileLimitError:
        print("limit")
threading.stack_size(4 << 20)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout.split() == ["True", "limit"], (result.returncode, result.stderr[-2000:])


def test_ten_thousand_lines():
    scope = {}
    exec("def f(x):\n" + "".join(f"    x = x + {i}\n" for i in range(10000)), scope)
    assert len(syntax(scope["f"]).splitlines()) == 10001
