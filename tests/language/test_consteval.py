# consteval(): what Python computes while kernels are compiled. The same functions, called as Python, are the oracle.

import enum
import math
import pickle
import re
from collections import namedtuple

import numpy as np
import pytest
from treadle import cuda, float32, float64, types
from treadle.cuda import experimental
from treadle.cuda.experimental import consteval
from treadle.errors import CompileError, CompileLimitError, ConstantInferenceError, NumbaValueError, UnsupportedError

LIMIT = 16
CONFIG = {"value": 42, "names": ["a", "b"], "limits": (3, 2.5)}
NUMBERS = [3, 1, 4, 1, 5]
Pair = namedtuple("Pair", "x y")


class Level(enum.IntEnum):
    LOW = 3
    HIGH = 40


def weighted(a, b):
    return a * b + 10


def launched(kernel, *arguments, size=8, threads=1, **options):
    out = np.zeros(size)
    cuda.jit(kernel, **options)[1, threads](out, *arguments)
    return out.tolist()


def values(out):
    limit = consteval(LIMIT * 2)
    more = consteval(limit + CONFIG["value"])
    out[0] = more
    out[1] = consteval(max(NUMBERS) + sum(k * k for k in range(4)) + len([n for n in NUMBERS if n > 1]))
    out[2] = consteval(weighted(limit, 3))
    if consteval(more > 70 and "a" in CONFIG["names"]):
        out[3] = consteval(CONFIG["limits"])[1]
    else:
        out[3] = missing  # noqa: F821
    out[4] = experimental.consteval((lambda level: level + 1)(Level.HIGH))
    pair = consteval(Pair(1.5, more))
    out[5] = pair.y * consteval(pair.x)
    text = consteval("-".join(CONFIG["names"]))
    out[6] = text == "a-b"
    out[7] = consteval(10**30 // 10**28) + consteval(text.count("-"))


def copies(out):
    for i in consteval(range(5)):
        if consteval(i % 2 == 0):
            out[i] = consteval(10**i)
        else:
            out[i] = -i
    for k, (a, b) in consteval(enumerate([(1, 2), (3, 4)])):
        out[5 + k] = consteval(a * b) + b
    for name, value in consteval({"a": 3, "b": 4}.items()):
        if name == "b":
            out[7] = value
    for _ in consteval([]):
        out[0] = 1


def left_early(out):
    for i in consteval(range(6)):
        if out[i] > 0:
            continue
        if i == 4:
            break
        out[i] = consteval(i + 1)
    else:
        out[7] = 100
    for i in consteval(range(3)):
        if out[i] == 100:
            break
    else:
        out[6] = consteval(i)


def blocks(out):
    with consteval():
        table = {}
        for i in range(4):
            table[i] = i * i
        total = sum(table.values())
        weights = np.arange(4) * 2.5
        mode = "small"
        if total > 10:
            mode = "big"

        def doubled(x):
            return [2 * x for _ in range(2)][1]

        partial = 0
    out[0] = total
    out[1] = consteval(table[3] + doubled(2))
    if mode == "big":
        out[2] = 1
    for i in consteval(range(4)):
        with consteval():
            partial += i
            weight = float(weights[i])
        out[3 + i] = partial + weight


def tuples(out):
    for k, value in consteval(enumerate(((1, 2.5), "text", None, np.float32(0.1), True, 2 + 3j))):
        if isinstance(value, tuple):
            out[k] = value[1]
        elif isinstance(value, str):
            out[k] = value == "text"
        elif value is None:
            out[k] = 7
        elif isinstance(value, complex):
            out[k] = value.imag
        else:
            out[k] = value


def comprehensions(out):
    scale = out.size
    squares = [k * k + scale for k in consteval(range(3))]
    out[0] = squares[2]
    sums = tuple(consteval(a * 10) + b for a, b in consteval(((1, 2), (3, 4))))
    out[1], out[2] = sums
    for k, one in enumerate([math.sqrt(v) for v in consteval((4.0, 9.0))]):
        out[3 + k] = one


CASES = [values, copies, left_early, blocks, tuples, comprehensions]


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("options", [{}, {"debug": True}, {"opt": 0}, {"experimental_ast_transforms": True}])
def test_what_python_computes(function, options, rules):
    wanted = np.zeros(8)
    if function is values:
        wanted[:] = [74, 5 + 14 + 3, 106, 2.5, 41, 74 * 1.5, 1, 101]
    else:
        function(wanted)
    assert launched(function, rules=rules, **options) == wanted.tolist()


def test_ptx_has_what_python_has_computed():
    def kernel(out):
        with consteval():
            unread = np.arange(123456)
            read = np.arange(4.0) * 2.5
        for i in consteval(range(3)):
            out[i] = consteval(int(unread[1000 * (i + 1)])) * read[cuda.threadIdx.x]

    ptx = cuda.compile_ptx(kernel, (float64[::1],), cc=(8, 0))[0]
    assert all(f"0d{np.float64(1000 * k).view(np.uint64):016X}" in ptx for k in (1, 2, 3))
    assert len(re.findall(r"\.b\d+ captured", ptx)) == 1
    assert len(ptx) < 10_000


def test_each_thread_has_them(rules):
    def kernel(out):
        i = cuda.grid(1)
        for k in consteval(range(4)):
            if i % 4 == k:
                out[i] = consteval(10**k)
                if i > 20:
                    continue
            out[i] += consteval(k)

    wanted = [10 ** (i % 4) + sum(k for k in range(4) if k > i % 4 or (k == i % 4 and i <= 20)) for i in range(40)]
    assert launched(kernel, size=40, threads=40, rules=rules) == wanted


def test_types_of_what_is_known_at_run_time():
    @cuda.jit
    def kernel(x, n, out):
        if consteval(x.ndim == 1):
            out[0] = x[0]
        else:
            out[0] = x[0, 0]
        out[1] = consteval(x.dtype == float32) + 2 * consteval(n == types.int64) + 4 * consteval(x.dtype.bitwidth == 64)
        out[2] = consteval(f"{n}" == "int64")

    for x, flags in ((np.full(2, 3, np.float32), 3), (np.full((2, 2), 5.0), 6)):
        kernel[1, 1](x, 3, out := np.zeros(3))
        assert out.tolist() == [x.flat[0], flags, 1]


def test_device_functions_and_nested_ones(rules):
    factor = 3

    @cuda.jit(device=True, rules=rules)
    def filled(out, start, count):
        for i in consteval(range(count)):
            out[i] = start + consteval(i * factor)
        return consteval(count * factor)

    def kernel(out):
        def inner(v):
            return v * consteval(step + 1)

        step = 4
        out[6] = filled(out, 10, 4) + filled(out, 20, 2)
        out[4] = inner(2)
        out[5] = (lambda v: v + consteval(LIMIT))(1)

    assert launched(kernel, rules=rules) == [20, 23, 16, 19, 10, 17, 18, 0]


def test_closures_of_one_factory_have_their_own():
    def made(table):
        @cuda.jit(device=True)
        def function(k):
            return consteval(table["a"]) + consteval(sum(table.values())) * k

        return function

    first, second = made({"a": 1, "b": 2}), made({"a": 10, "b": 20})

    @cuda.jit
    def kernel(out):
        out[0] = first(2)
        out[1] = second(2)

    kernel[1, 1](out := np.zeros(2))
    assert out.tolist() == [7, 70]


def test_what_python_tells_apart(rules):
    def made():
        return cuda.jit(lambda x: x + 1, device=True, rules=rules)

    def user(function):
        return cuda.jit(lambda x: function(x) + consteval(added[function]), device=True, rules=rules)

    first, second = made(), made()
    added = {first: 10, second: 20}
    using_first, using_second = user(first), user(second)

    def kernel(out):
        out[0] = using_first(0)
        out[1] = using_second(0)

    assert launched(kernel, size=2, rules=rules) == [11, 21]


def test_blocks_leave_what_they_do_not_assign(rules):
    def kernel(out):
        with consteval():
            first = second = 1
        with consteval():
            if LIMIT > 99:
                first = 2
            for second in range(LIMIT - 16):
                pass
        out[0], out[1] = first, consteval(second)

    assert launched(kernel, size=2, rules=rules) == [1, 1]


def test_literal_arguments_of_device_functions(rules):
    @cuda.jit(device=True, rules=rules)
    def scaled(x, factor):
        return x * consteval(factor**2)

    def kernel(out):
        out[0] = scaled(2.0, 3) + scaled(1.0, factor=5)

    assert launched(kernel, size=1, rules=rules) == [43]


def test_arrays(rules):
    there = cuda.to_device(np.arange(3.0))

    def kernel(out):
        i = cuda.threadIdx.x
        if i < 3:
            for k, array in consteval(enumerate((np.arange(3.0) * 2, np.ones((2, 3)), there))):
                if array.ndim == 2:
                    out[i] += array[1, i] * 100
                else:
                    out[i] += array[i] * consteval(k + 1)
            with consteval():
                halves = np.arange(4) / 2
            out[i + 3] = halves[i] + consteval(halves.size)

    wanted = [2 * i + 100 + 3 * i for i in range(3)] + [4, 4.5, 5]
    assert launched(kernel, size=6, threads=4, rules=rules) == wanted


def test_nested_functions_and_comprehensions_know_arrays(rules):
    def kernel(out):
        def first():
            def inside(k):
                return consteval(float(weights[1])) * k

            return inside(2)

        with consteval():
            weights = np.arange(4) * 2.5
        out[0] = first()
        for k, value in enumerate([consteval(float(weights[k])) for k in consteval(range(1, 4))]):
            out[k + 1] = value
        with consteval():
            weights = weights * 10
        out[4] = first()

    assert launched(kernel, size=5, rules=rules) == [5, 2.5, 5, 7.5, 50]


def test_a_kernel_that_travels_takes_what_it_computes_with(run_python):
    table = {"a": 3, "b": [1, 2]}

    @cuda.jit
    def kernel(out):
        out[0] = consteval(table["a"])
        for k in consteval(table["b"]):
            out[k] = consteval(k * 10)

    there = "k = pickle.loads(bytes.fromhex(sys.argv[1])); k[1, 1](out := np.zeros(3)); print(out.tolist())"
    said = run_python(f"import pickle, sys; import numpy as np; {there}", pickle.dumps(kernel).hex())
    assert said == "[3.0, 10.0, 20.0]\n"


def test_names_in_classes_are_mangled():
    class Holder:
        __size = 5

        def kernel(out):
            __twice = consteval(2)
            out[0] = consteval(__twice * Holder.__size)
            with consteval():
                __more = __twice * 2
            out[1] = __more

    assert launched(Holder.kernel, size=2) == [10, 4]


def test_python_runs_it_once_for_each_compilation(capsys):
    seen = []

    @cuda.jit
    def kernel(x):
        consteval(print("compiling for", x.dtype))
        for i in consteval(range(3)):
            consteval(seen.append(i))
        x[0] = 1

    kernel[1, 1](np.zeros(1))
    kernel[1, 1](np.zeros(1))
    assert seen == [0, 1, 2]
    kernel[1, 1](np.zeros(1, np.float32))
    assert seen == [0, 1, 2] * 2
    assert capsys.readouterr().out == "compiling for float64\ncompiling for float32\n"


def test_changed_globals_are_seen_by_what_is_compiled_later():
    settings = {"n": 2}

    @cuda.jit
    def kernel(out):
        out[0] = consteval(settings["n"])

    kernel[1, 1](out := np.zeros(1))
    settings["n"] = 5
    kernel[1, 1](again := np.zeros(1))
    kernel[1, 1](other := np.zeros(1, np.int32))
    assert (out[0], again[0], other[0]) == (2, 2, 5)
    kernel.recompile()
    kernel[1, 1](again)
    assert again[0] == 5


def test_on_the_host_it_is_the_value():
    assert consteval(7) == 7
    assert list(consteval(range(3))) == [0, 1, 2]
    with pytest.raises(TypeError, match="2 given"):
        consteval(1, 2)
    assert pickle.loads(pickle.dumps(consteval)) is consteval


def test_many_copies(rules):
    def kernel(out):
        total = 0
        for i in consteval(range(60)):
            for j in consteval(range(i)):
                total += consteval(i * j)
        out[0] = total

    assert launched(kernel, rules=rules)[0] == sum(i * j for i in range(60) for j in range(i))


def one_statement(text):
    """A kernel that has these lines."""
    names = {"consteval": consteval, "cuda": cuda, "weighted": weighted, "np": np, "LIMIT": LIMIT}
    exec("def kernel(out, n):\n    i = cuda.grid(1)\n" + "".join(f"    {line}\n" for line in text.split("\n")), names)
    return cuda.jit(names["kernel"])


REFUSED = {
    "a variable": ("out[0] = consteval(i + 1)", ConstantInferenceError, "'i' is known only at run time"),
    "a parameter": ("out[0] = consteval(n)", ConstantInferenceError, "'n' is known only at run time"),
    "an item": ("out[0] = consteval((1, n))[0]", ConstantInferenceError, "'n' is known only at run time"),
    "a class of it": ("out[0] = consteval(isinstance(n, int))", ConstantInferenceError, "'n' is known only at"),
    "a truth of it": ("out[0] = consteval(1 if n else 2)", ConstantInferenceError, "'n' is known only at run time"),
    "an equality": ("out[0] = consteval(n == 3)", ConstantInferenceError, "'n' is known only at run time"),
    "a place in a set": ("out[0] = consteval(n in {3})", ConstantInferenceError, "'n' is known only at run time"),
    "an item by it": ("out[0] = consteval([1, 2][n])", ConstantInferenceError, "'n' is known only at run time"),
    "an attribute": ("out[0] = consteval(n.real)", ConstantInferenceError, "'n' is known only at run time"),
    "a joined one": ("k = 1\nif n > 2:\n    k = 2\nout[0] = consteval(k)", ConstantInferenceError, "'k' is known only"),
    "one of a loop": ("k = 1\nfor j in range(3):\n    k += consteval(k)", ConstantInferenceError, "'k' is known only"),
    "unset": ("k = consteval(k + 1)", NumbaValueError, "'k' is read, but no assignment to it can have run before"),
    "no name": ("out[0] = consteval(unknown)", NumbaValueError, "NameError: name 'unknown' is not defined"),
    "an exception": ("out[0] = consteval(1 // 0)", NumbaValueError, "ZeroDivisionError: integer division or modulo"),
    "in a function": ("out[0] = consteval(weighted(None, 1))", NumbaValueError, r", in weighted\(\), .*:\d+"),
    "too many items": ("for k in consteval(range(4097)):\n    out[0] += k", CompileLimitError, "more than 4096 items"),
    "too many copies": (
        "for j in consteval(range(200)):\n    for k in consteval(range(200)):\n        out[0] += k",
        CompileLimitError, "too many copies",
    ),
    "no iterable": ("for k in consteval(3):\n    out[0] += k", NumbaValueError, "'int' object is not iterable"),
    "return": ("with consteval():\n    return", UnsupportedError, "return cannot be used under"),
    "global": ("with consteval():\n    global LIMIT\n    LIMIT = 1", UnsupportedError, "global cannot be used under"),
    "break": ("for k in range(3):\n    with consteval():\n        break", UnsupportedError, "'break' outside loop"),
    "no value": ("with consteval():\n    if LIMIT > 99:\n        k = 1\nout[0] = k", CompileError, "without a value"),
    "a list": ("x = consteval([1, 2])\nout[0] = x[0]", CompileError, "list"),
    "another name": ("other = consteval\nout[0] = other(3)", UnsupportedError, "cannot be called in this way"),
    "a keyword": ("out[0] = consteval(value=3)", CompileError, "consteval"),
    "a bound name": ("out[0] = consteval((m := 3))", UnsupportedError, "`:=` cannot be used in consteval"),
    "with as": ("with consteval() as k:\n    pass", UnsupportedError, "a with statement"),
    "with a value": ("with consteval(3):\n    pass", UnsupportedError, "a with statement"),
    "a condition": ("x = [k for k in consteval(range(3)) if k]", UnsupportedError, "a list comprehension"),
    "two loops": ("x = [k for k in consteval([1]) for j in consteval([1])]", UnsupportedError, "a list comprehension"),
    "a walrus": ("x = [(m := k) for k in consteval(range(3))]", UnsupportedError, "`:=` in a comprehension"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    text, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        one_statement(text)[1, 1](np.zeros(2), 3)


def test_errors_name_the_line_in_a_block():
    kernel = one_statement("with consteval():\n    k = 1\n    k = weighted(k, None)\nout[0] = k")
    with pytest.raises(NumbaValueError) as raised:
        kernel[1, 1](np.zeros(2), 3)
    lines = str(raised.value).splitlines()
    assert lines[1:3] == ["  5 |         k = weighted(k, None)", "    |         ^~~~~~~~~~~~~~~~~~~~~"]


def test_a_kernel_that_its_own_compilation_launches_is_refused():
    def computed():
        kernel[1, 1](out := np.zeros(1))
        return float(out[0])

    @cuda.jit
    def other(out):
        out[0] = 7

    def of_another():
        other[1, 1](out := np.zeros(1))
        return float(out[0])

    @cuda.jit
    def kernel(out):
        out[0] = consteval(computed())

    def may_launch(out):
        out[0] = consteval(of_another())

    with pytest.raises(NumbaValueError, match="RuntimeError: a kernel cannot be launched by code that runs"):
        kernel[1, 1](np.zeros(1))
    assert launched(may_launch, size=1) == [7]


def test_what_a_local_variable_hides_is_not_it():
    @cuda.jit
    def kernel(out):
        consteval = lambda x: x + 1  # noqa: E731
        out[0] = consteval(3)

    kernel[1, 1](out := np.zeros(1))
    assert out[0] == 4
