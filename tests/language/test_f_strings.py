# f-strings in kernels: constant ones are texts, others are printed. Python is the oracle.

import numpy as np
import pytest
from kernels.harness import printed_lines
from treadle import cuda
from treadle.errors import CompileError

N = 42
NEGATIVE = -7
PI = 3.141592653589793
INF, NAN = float("inf"), float("nan")
NAME = "größe"
FLAG = True
HALF = np.float32(0.1)
WIDTH = 9
FLOATS = [0.1, 1.0, 1e16, 123456789012345.6, 1e-4, 1e-5, 5e-324, -2.5e100, 1e22, float("inf"), -float("inf"), 0.0]

CONSTANTS = r"""
f""
f"plain 100% {{braces}}"
f"{N}"
f"{N:5d}|{N:<5}|{N:05d}|{N:+d}|{NEGATIVE:05d}|{N: d}"
f"{N:x} {N:X} {N:o} {N:08x}"
f"{PI} {PI:.2f} {PI:10.3e} {PI:<10.1f}| {PI:g} {PI:+.0f} {PI:G}"
f"{NAME}!{NAME!s}"
f"{FLAG} {FLAG:d} {FLAG:3}"
f"{HALF}"
f"{PI:{WIDTH}.{N // 10}f}"
f"{N=} {PI=}"
f"{N + 1} {len(NAME)}" + NAME
f"{N:.1f} {N:e}"
f"{9223372036854775808}"
f"{INF:08.3f}|{-INF:08.3f}|{NAN:08.3f}|{INF:+08.1f}|{INF: 08e}|{NAN:02f}|{-NAN:09G}"
f"{INF:8.3f}|{-INF:<8f}|{NAN:+f}|{-NAN:8f}|{-NAN}|{INF:F}|{-INF:E}|{NAN:0f}"
""".strip().splitlines()


@pytest.mark.parametrize("expression", CONSTANTS)
def test_constants(expression, rules):
    namespace = {**globals()}
    wanted = eval(expression)
    source = f"def kernel(out):\n    t = {expression}\n    out[0] = t == {wanted!r}\n    out[1] = len(t)\n"
    exec(source, namespace)
    cuda.jit(namespace["kernel"], rules=rules)[1, 1](out := np.zeros(2, int))
    assert out.tolist() == [1, len(wanted)]


@pytest.mark.parametrize("value", FLOATS)
def test_constant_floats_have_the_fewest_digits(value, rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        out[0] = f"{value}"

    kernel[1, 1](out := np.zeros(1, "U32"))
    assert out[0] == f"{value}"


PRINTED = r"""
f"x = {x:.3f} {i} {i:>5d}|{i:<5}|{i:+05d} 100%"
f"{y:12.4e}|{y:g}|{y:<9.2f}|{-x:+.1f}|{x:08.3f}|{x:E}"
f"{i}{i}{N}{NAME}"
f"{i > 1} {i > 1:d} {i > 1:3}"
f"{u} {u:x} {u:X} {u:o} {u:08x} {u:>12}"
f"{i:.2f} {u:e} {i + 1:{WIDTH}d}"
f"{i=}"
f"% {i} %d %% {{}}"
f"{min(i, 2)} {x * 2:.1f}"
""".strip().splitlines()


@pytest.mark.parametrize("expression", PRINTED)
def test_printed_as_in_python(expression, rules):
    source = f"""def kernel(xs, ys, us):
    i = cuda.threadIdx.x
    x, y, u = xs[i], ys[i], us[i]
    print("at", {expression}, "end", i)
    if i % 2:
        kept = {expression}
        print(kept)
"""
    namespace = {**globals()}
    exec(source, namespace)
    xs, ys = np.array([0.5, -1.25, 1e5, 3]), np.array([1e-9, 2.5, -3e10, 0.125], np.float32)
    us = np.array([0, 7, 255, 4000000000], np.uint32)
    lines = printed_lines(lambda: cuda.jit(namespace["kernel"], rules=rules)[1, 4](xs, ys, us))
    shown = [
        eval(expression, {**globals(), "i": i, "x": float(xs[i]), "y": float(ys[i]), "u": int(us[i])}) for i in range(4)
    ]
    expected = [f"at {text} end {i}" for i, text in enumerate(shown)] + [shown[1], shown[3]]
    assert sorted(lines) == sorted(expected)


def test_infinities_and_nan_are_printed_with_spaces_in_front(rules):
    @cuda.jit(rules=rules)
    def kernel(x, y):
        print(f"{x:08.3f}|{y:+08.1f}|{x - x:06.1f}|{x:F}")

    (line,) = printed_lines(lambda: kernel[1, 1](INF, -INF))
    assert line.replace("-nan", " nan") == "     inf|    -inf|   nan|INF"


def test_floats_without_a_format_have_six_decimals(rules):
    @cuda.jit(rules=rules)
    def kernel(x):
        print(f"{x} and {x}", x)

    assert printed_lines(lambda: kernel[1, 1](0.1)) == ["0.100000 and 0.100000 0.100000"]


@pytest.mark.parametrize(
    "statement, message",
    [
        ("print(f'{x:^9.1f}')", "they have widths"),
        ("print(f'{i:,}')", "they have widths"),
        ("print(f'{i:b}')", "they have widths"),
        ("print(f'{x:%}')", "they have widths"),
        ("print(f'{i:*>5}')", "they have widths"),
        ("print(f'{i:#x}')", "they have widths"),
        ("print(f'{x:d}')", "the letter is for integers"),
        ("print(f'{x:10}')", "a float needs a letter"),
        ("print(f'{x:.3}')", "a float needs a letter"),
        ("print(f'{i:.3d}')", "no precision"),
        ("print(f'{i:x}')", "shown by its bits"),
        ("print(f'{x!a:.1f}')", "no format"),
        ("print(f'{out}')", "a part of an f-string"),
        ("print(f'{1j * x}')", "take its parts"),
        ("print(f'{NAME:>9}')", "without a format"),
        ("out[0] = f'{i}'", "f-string"),
        ("x = f'{i}' == 'a'", "f-string"),
        ("x = len(f'{i}')", "f-string"),
        ("x = f'{i}' + 'a'", "f-string"),
        ("x = f'{i}'[0]", "f-string"),
        ("t[0] = f'{i}'", "f-string"),
        ("for c in f'{i}': print(c)", "f-string"),
        ("x = f'{i:{i}d}'", "known while compiling"),
    ],
)
def test_refused(statement, message, rules):
    namespace = {**globals()}
    exec(f"def kernel(out, t, x, i):\n    {statement}\n", namespace)
    with pytest.raises(CompileError, match=message) as caught:
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros(1), np.zeros(1, "U9"), 0.5, 3)
    assert caught.value.line == 2
