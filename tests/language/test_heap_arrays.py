# Arrays of shapes that kernels compute: np.empty and its kin, on a heap; arrays that functions give to their callers.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError, TypingError, UnsupportedError

from language.written import body_of

STATEMENTS = """
t = np.zeros(n); t[n - 1] = a[0, 0]; c[0, 0] = t.sum() + t.size
t = np.empty((n, 2), np.int16); t[:] = 3; t[n - 1, 1] = 70000 % 32768; c[0, 0] = t.sum(); c[0, 1] = t.shape[0]
t = np.ones((2, n, 3)); t[1, n - 1] += a[0, :3]; c[0, :3] = t[1, n - 1]; c[1, 0] = t.size
t = np.full(n, 2.5); t += a[1, 1]; c[0, 0] = t.min()
t = np.full((n,), 7, dtype="i4"); c[0, 0] = t.sum() * t.itemsize
t = np.zeros(n - n); c[0, 0] = t.size; c[0, 1] = t.sum()
t = np.zeros((n, n - n)); c[0, 0] = t.shape[0] + t.size
t = np.zeros_like(a); t[1] = a[2]; c[:] = t
t = np.ones_like(a[1:, ::2]); c[1:, ::2] = t + a[1:, ::2]
t = np.full_like(a[0] * 2, 3); c[0] = t
t = np.empty_like(a, np.int8); t[:] = 5; c[:] = t
t = np.zeros(a.shape); t[0] = a[0]; c[:] = t
t = np.zeros((n + 1) * 2).reshape(2, n + 1); t[1, n] = 4; c[0, 0] = t[1].sum() - t[0].sum(); c[0, 1] = t.shape[1]
t = np.zeros(n, np.complex128); t[0] = 2 + 1j; c[0, 0] = t[0].imag
for k in range(3): t = np.zeros(n + k); t[k] += k; c[0, k] = t.sum() * 100 + t.size
""".strip().splitlines()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(rules, statement):
    body = body_of(statement, "n, a, c")
    device = cuda.jit(body, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(a, c):
        i = cuda.grid(1)
        if i < a.shape[0] and i % 7 != 2:
            device(3 + i % 5, a[i], c[i])

    rng = np.random.default_rng(5)
    a = rng.integers(-5, 9, (45, 3, 4)).astype(np.float64)
    found, wanted = np.zeros((45, 3, 4)), np.zeros((45, 3, 4))
    for i in range(45):
        if i % 7 != 2:
            body(3 + i % 5, a[i], wanted[i])
    kernel[2, 32](a, found)
    assert found.tolist() == wanted.tolist()


def medians(x, radius, out):
    """Of windows that end at the ends of the array."""
    i = cuda.grid(1)
    if i >= x.size:
        return
    first, last = max(i - radius, 0), min(i + radius + 1, x.size)
    window = np.empty(last - first)
    for k in range(window.size):
        at = k
        while at > 0 and window[at - 1] > x[first + k]:
            window[at] = window[at - 1]
            at -= 1
        window[at] = x[first + k]
    out[i] = window[window.size // 2]


@pytest.mark.parametrize("radius", [0, 1, 4, 20])
def test_windows_of_a_width_that_is_an_argument(rules, radius):
    x = np.random.default_rng(radius).standard_normal(333)
    out = np.zeros_like(x)
    cuda.jit(medians, rules=rules)[3, 128](x, radius, out)
    wanted = [sorted(x[max(i - radius, 0) : i + radius + 1]) for i in range(x.size)]
    assert out.tolist() == [each[len(each) // 2] for each in wanted]


@pytest.mark.parametrize("waits", [False, True])
def test_arrays_live_across_barriers_and_blocks_have_their_own(rules, waits):
    @cuda.jit(rules=rules)
    def kernel(n, out):
        mine = np.zeros(n + cuda.threadIdx.x)
        shared = cuda.shared.array(64, np.float64)
        i = cuda.threadIdx.x
        for k in range(mine.size):
            mine[k] = cuda.grid(1) + k
        if waits and i % 2:
            shared[i] = mine[mine.size - 1]
            cuda.syncthreads()
        else:
            shared[i] = mine[mine.size - 1] + 0.5
            cuda.syncthreads()
        out[cuda.grid(1)] = shared[63 - i] + 1000 * mine.sum()

    out = np.zeros(5 * 64)
    kernel[5, 64](3, out)
    i = np.arange(5 * 64)
    size = 3 + i % 64
    other = i // 64 * 64 + 63 - i % 64
    last = other + 3 + other % 64 - 1 + np.where(waits & (other % 2 == 1), 0, 0.5)
    assert out.tolist() == (last + 1000 * (size * i + size * (size - 1) / 2)).tolist()


@pytest.mark.parametrize("shape", ["3", "700", "n"])
@pytest.mark.parametrize("inline", ["always", "never"])
@pytest.mark.parametrize("waits", [False, True])
def test_each_call_of_a_function_gives_an_array_of_its_own(rules, shape, inline, waits):
    namespace = {"np": np, "cuda": cuda}
    wait = "    cuda.syncthreads()\n" if waits else ""
    exec(f"def filled(n, value):\n    t = np.zeros({shape})\n{wait}    t[1] = value\n    return t\n", namespace)
    exec(
        f"def pair(n, value):\n    cuda.syncthreads()\n    return filled(n, value), filled({shape}, -value)\n",
        namespace,
    )
    namespace["filled"] = cuda.jit(namespace["filled"], device=True, inline=inline, rules=rules)
    pair = cuda.jit(namespace["pair"], device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(n, out):
        i = cuda.grid(1)
        a, b = pair(n, i)
        if waits:
            cuda.syncthreads()
        c, d = pair(n, 2 * i)
        out[i] = a[1], b[1], c[1], d[1]

    out = np.zeros((70, 4))
    kernel[2, 35](5, out)
    i = np.arange(70)
    assert out.tolist() == np.stack([i, -i, 2 * i, -2 * i], axis=1).tolist()


@pytest.mark.parametrize("shape", ["3", "700", "n"])
def test_functions_that_may_give_arrays(rules, shape):
    namespace = {"np": np}
    lines = ["def first(n, value):", "    if value > 50:", "        return None", f"    t = np.zeros({shape})"]
    exec("\n".join([*lines, "    t[1] = value", "    return t"]), namespace)
    first = cuda.jit(namespace["first"], device=True, inline="never", rules=rules)

    @cuda.jit(rules=rules)
    def kernel(n, out):
        i = cuda.grid(1)
        a, b = first(n, i), first(n, 2 * i)
        if a is not None:
            out[i, 0] = a[1]
        if b is not None:
            out[i, 1] = b[1]

    out = np.full((70, 2), -1.0)
    kernel[2, 35](5, out)
    i = np.arange(70)
    assert out.tolist() == np.stack([np.where(x > 50, -1, x) for x in (i, 2 * i)], axis=1).tolist()


def test_blocks_that_take_turns_keep_their_arrays(rules):
    @cuda.jit(rules=rules)
    def kernel(n, out):
        mine = np.zeros(n)
        for k in range(n):
            mine[k] = cuda.grid(1) * n + k
        cuda.cg.this_grid().sync()
        last = np.full(n + 1, mine.sum())
        cuda.cg.this_grid().sync()
        out[cuda.grid(1)] = mine.sum() + last[n]

    out = np.zeros(6 * 33)
    kernel[6, 33](5, out)
    i = np.arange(6 * 33)
    assert out.tolist() == (2 * (25 * i + 10.0)).tolist()


def test_constants_of_callers_need_no_heap(rules):
    @cuda.jit(device=True, rules=rules)
    def total(n, value):
        t = np.zeros(n)
        t[n - 1] = value
        return t.sum()

    @cuda.jit(rules=rules)
    def constant(out):
        out[0] = total(4, 2.0) + total(5, 3.0)

    @cuda.jit(rules=rules)
    def variable(n, out):
        out[0] = total(n, 2.0) + total(5, 3.0)

    for kernel, types, isHeap in ((constant, "void(f8[:])", False), (variable, "void(i8, f8[:])", True)):
        code, _ = cuda.compile_ptx(kernel.py_func, types, rules=rules)
        assert ("malloc" in code) == isHeap and ("free" in code) == isHeap
    out = np.zeros(1)
    for kernel, arguments in ((constant, ()), (variable, (4,))):
        kernel[1, 1](*arguments, out)
        assert out[0] == 5


def kept_bodies():
    """What keeps an array while its loop makes it again, and what does not."""

    def swapped(out):
        old = np.zeros(3)
        for i in range(3):
            new = np.zeros(3)
            new[0] = old[0] + i + 1
            out[i] = old[0]
            old = new

    def best(out):
        found = np.zeros(2)
        for i in range(4):
            t = np.full(2, i * 1.0)
            if i % 2:
                found = t[1:]
        out[0] = found[0]

    def grown(out):
        a = np.ones(3)
        for i in range(3):
            a = doubled(a)
            out[i] = a[0]

    def paired(out):
        last = (np.zeros(2), np.ones(2))
        for i in range(3):
            t = np.full(2, i * 1.0)
            out[i] = last[0][0] - last[1][1]
            last = (t, last[0])

    def tested(out):
        old = np.zeros(2)
        i = 0
        while old[0] < 3:
            t = np.full(2, i + 1.0)
            out[i] = old[1]
            i += 1
            old = t

    return swapped, best, grown, paired, tested


@cuda.jit(device=True)
def doubled(a):
    b = np.zeros(3)
    for i in range(3):
        b[i] = 2 * a[i]
    return b


@pytest.mark.parametrize("body", kept_bodies(), ids=lambda body: body.__name__)
def test_arrays_kept_while_the_loop_makes_them_again_are_refused(rules, body):
    with pytest.raises(UnsupportedError, match="may be used after the loop has made the array anew"):
        cuda.jit(body, rules=rules)[1, 1](np.zeros(4))


def test_arrays_kept_as_values_that_may_be_none_are_refused():
    def kernel(out):
        old = None
        for i in range(3):
            new = np.full(2, i * 1.0)
            if old is not None:
                out[i] = old[0]
            old = new

    with pytest.raises(UnsupportedError, match="'old' may be used after the loop has made the array anew"):
        cuda.jit(kernel, rules="numba")[1, 1](np.zeros(4))


def free_bodies():
    def swapped(out):
        old, new = np.zeros(3), np.zeros(3)
        for i in range(3):
            new[0] = old[0] + i + 1
            out[i] = old[0]
            old, new = new, old

    def reset(out):
        t = np.zeros(3)
        for i in range(4):
            if i == 2:
                t = np.zeros(3)
            t[0] += 1
            out[i] = t[0]

    def row(out):
        for i in range(4):
            t = np.full((2, 2), i * 1.0)
            row = t[1]
            for x in row:
                out[i] += x

    def chosen(out):
        for i in range(4):
            a = np.full(2, i * 1.0)
            b = np.full(2, i + 10.0)
            if i % 2:
                v = a[:]
            elif i % 3 == 0:
                v = b[:]
            else:
                v = a[1:]
            out[i] += v[0]

    def copied(out):
        old = np.zeros(2)
        for i in range(4):
            new = np.full(2, old[0] + i)
            old[:] = new
            out[i] = old[1]

    def after(out):
        for i in range(3):
            t = np.full(2, i * 1.0)
        if out.size > 2:
            u = t
        else:
            u = t[1:]
        for i in range(3):
            out[i] = u[0] + i

    def conditional(out):
        t = np.zeros(2)
        for i in range(4):
            t = np.full(2, i * 1.0) if i % 2 else t
            out[i] = t[0]

    return swapped, reset, row, chosen, copied, after, conditional


@pytest.mark.parametrize("body", free_bodies(), ids=lambda body: body.__name__)
def test_loops_may_make_arrays_anew(rules, body):
    out, wanted = np.zeros(4), np.zeros(4)
    body(wanted)
    cuda.jit(body, rules=rules)[1, 1](out)
    assert out.tolist() == wanted.tolist()


def test_a_function_that_calls_itself_gives_no_arrays(rules):
    def counts(n):
        t = np.zeros(3)
        if n > 0:
            t[0] = counts(n - 1)[0] + 1
        return t

    counts = cuda.jit(counts, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(n, out):
        out[0] = counts(n)[0]

    with pytest.raises(UnsupportedError, match="'counts' calls itself, and returns an array that it makes"):
        kernel[1, 1](3, np.zeros(1))


def test_a_function_that_calls_itself_makes_no_arrays_of_other_shapes(rules):
    def total(n):
        t = np.ones(n)
        return t.sum() + (total(n - 1) if n > 0 else 0.0)

    total = cuda.jit(total, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(n, out):
        out[0] = total(n)

    with pytest.raises(UnsupportedError, match="'total' calls itself, and makes an array whose shape is known only at"):
        kernel[1, 1](3, np.zeros(1))


@pytest.mark.parametrize("debug", [False, True])
def test_no_memory_is_an_error(rules, debug):
    @cuda.jit(rules=rules, debug=debug)
    def kernel(n, out):
        t = np.empty(n)
        out[0] = t.size

    out = np.zeros(1)
    for n in (1 << 50, 1 << 62, (1 << 63) - 1):
        with pytest.raises(MemoryError, match=r"no memory for an array that a thread makes in line \d+, column 22"):
            kernel[1, 1](n, out)
            cuda.synchronize()
    kernel[1, 1](7, out)
    assert out[0] == 7


def test_extents_whose_product_is_too_large_are_an_error(rules):
    @cuda.jit(rules=rules)
    def kernel(n, out):
        out[0] = np.empty((n, n, n, n), np.int8).size

    with pytest.raises(MemoryError):
        kernel[1, 1](1 << 16, np.zeros(1))  # 2 to the 64th
        cuda.synchronize()


def test_negative_extents(rules):
    def kernel(n, out):
        out[0] = np.empty(n).size

    out = np.ones(1)
    place = f"in line {kernel.__code__.co_firstlineno + 1}, column 27 of .*kernel"
    with pytest.raises(ValueError, match=f"negative dimensions are not allowed, {place}"):
        cuda.jit(kernel, rules=rules, debug=True)[1, 1](-2, out)
    cuda.jit(kernel, rules=rules)[1, 1](-2, out)
    assert out[0] == 0  # as empty as Python's range


@pytest.mark.parametrize(
    "statement, message",
    [
        ("t = np.zeros(a)", "a shape|shape"),
        (
            "t = np.zeros(3); for k in range(n): t = np.zeros(n); a[0] = t[0]",
            "arrays in one kind of memory: local .of constant shape., shared, or global",
        ),
        ("t = np.zeros(2.5)", "shape"),
        ("t = np.zeros((n, 2.5))", "must be an integer"),
        ("t = cuda.local.array(n, 'f8')", "not constant|compile time|known while compiling"),
        ("t = np.zeros(3); t = np.ones(3) if n else t; u = np.zeros_like(t)", "assigned once"),
    ],
)
def test_refused(rules, statement, message):
    body = body_of(statement, "n, a", cuda=cuda)
    with pytest.raises((CompileError, TypingError), match=message):
        cuda.jit(body, rules=rules).compile("void(i8, f8[:])")


def test_declared_results_may_be_local_arrays(rules):
    def filled(value):
        t = np.zeros(3)
        t[1] = value
        return t

    filled = cuda.jit("float64[:](float64)", device=True, rules=rules)(filled)

    @cuda.jit(rules=rules)
    def kernel(out):
        t = filled(cuda.grid(1) + 1.0)
        out[cuda.grid(1)] = t[1] + t[0]

    out = np.zeros(40)
    kernel[1, 40](out)
    assert out.tolist() == list(range(1, 41))


@pytest.mark.parametrize("made", ["np.ones((n, 0))", "np.zeros((n, n, 0))", "np.full((n, 2, 0), 7)"])
def test_arrays_without_elements_take_no_time(made):
    """With a turn for each row they would take hours."""
    namespace = {"np": np}
    exec(f"def kernel(n, out):\n    a = {made}\n    out[0], out[1] = a.size, a.shape[0]\n", namespace)
    out = np.full(2, -1)
    cuda.jit(namespace["kernel"])[1, 1](2**45, out)
    assert out.tolist() == [0, 2**45]
