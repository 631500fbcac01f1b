# Texts and bytes of NumPy's fixed widths in kernels. NumPy and Python are the oracle.

import itertools
import operator
import pickle

import numpy as np
import pytest
from treadle import _core, cuda, types
from treadle.errors import CompileError

from language.written import made

TEXTS = np.array(["", "a", "ab", "abc", "abd", "b", "größe", "日本", "Z", "abcdefg"], "U7")
BYTES = np.array([b"", b"a", b"ab", b"abc", b"abd", b"b", b"\xff\x01", b"a\0b", b"Z", b"abcde"], "S5")
GREETING = b"hello"
CAPTURED = np.array(["one", "two", "three"])
NAME = np.str_("ab")
OF_THREE = types.CharSeq(3)


def launch(kernel, *args, threads=32):
    kernel[1, threads](*args)
    return args[0]


WIDTHS = [
    *itertools.product(["U7", "U3", "U1"], ["U1", "U7", "U12"]),
    *itertools.product(["S5", "S2"], ["S1", "S5", "S64"]),
]


@pytest.mark.parametrize("source, target", WIDTHS)
def test_elements_are_copied_cut_off_and_filled_up(source, target, rules):
    @cuda.jit(rules=rules)
    def copy(out, x):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i]

    x = (TEXTS if source[0] == "U" else BYTES).astype(source)
    out = np.full(x.size, "?" * 64).astype(target)
    launch(copy, out, x)
    np.testing.assert_array_equal(out, x.astype(target))
    assert out.tobytes() == x.astype(target).tobytes()


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("widths", [("U7", "U7"), ("U3", "U9"), ("S5", "S5"), ("S5", "S2")])
def test_comparisons(name, widths, rules):
    compared = getattr(operator, name)

    @cuda.jit(rules=rules)
    def kernel(out, x, y):
        i = cuda.grid(1)
        if i < out.shape[0]:
            for j in range(out.shape[1]):
                out[i, j] = compared(x[i], y[j])

    x, y = ((TEXTS if w[0] == "U" else BYTES).astype(w) for w in widths)
    out = launch(kernel, np.zeros((x.size, y.size), bool), x, y)
    np.testing.assert_array_equal(out, compared(x[:, None], y[None, :]))


EXPRESSIONS = """
t == "ab"
"ab" != t
t < "abd"
"b" >= t
t == "größe"
t == NAME
len(t)
bool(t)
not t
1 if t else 2
t in ("a", "日本")
"b" in t
"" in t
"öß" in t
t in "xxabcxx"
t.startswith("ab")
t.endswith("b")
t.endswith("")
t.startswith(t)
"abc".startswith(t)
t[:2] == "ab"
t[1:] == "b"
t[::2] == "ac"
isinstance(t, str)
isinstance(t, bytes)
isinstance(t, np.str_)
t == b"a"
(t or "none") == "none"
("x" if t == "a" else t) == "x"
t == 3
3.5 != t
t != True
t == (1, 2)
("ab", 1) == t
t in (3, "ab", (1, t))
""".strip().splitlines()
OF_BYTES = """
s == b"ab"
b"abd" > s
s == GREETING[:1]
len(s)
bool(s)
s in (b"a", b"b")
b"b" in s
s.startswith(b"a")
s.endswith(b"b")
s.upper() == b"AB"
s.lower() == b"z"
s[:2] == b"ab"
isinstance(s, bytes)
isinstance(s, str)
isinstance(s, np.bytes_)
s == "a"
s != "a"
s == 97
s != (97, 98)
len(GREETING) + GREETING[1] + GREETING[-1]
GREETING == b"hello" and GREETING[1:-1] == b"ell"
""".strip().splitlines()


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *OF_BYTES])
def test_as_in_python(expression, rules):
    source = f"""def kernel(out, texts, bytestrings):
    i = cuda.grid(1)
    if i < out.size:
        t, s = texts[i], bytestrings[i]
        out[i] = {expression}
"""
    out = launch(made([source], rules, globals()), np.zeros(TEXTS.size, "i8"), TEXTS, BYTES)
    expected = [int(eval(expression, {**globals(), "t": t, "s": s})) for t, s in zip(TEXTS, BYTES)]
    assert out.tolist() == expected


def test_characters_by_index_and_in_loops(rules):
    @cuda.jit(rules=rules)
    def kernel(counts, characters, codes, last, t, s):
        i = cuda.grid(1)
        if i < t.size:
            text = t[i]
            for c in text:
                counts[i] += c == "b"
            for k, code in enumerate(s[i]):
                codes[i] += (k + 1) * code
            for k in range(len(text)):
                characters[i, k] = text[k]
            if text:
                last[i] = text[-1]
            if len(s[i]) > 1:
                codes[i] += 1000 * s[i][1] + 1000000 * s[i][-2]

    n = TEXTS.size
    counts, characters, codes, last = np.zeros(n, int), np.zeros((n, 7), "U1"), np.zeros(n, int), np.zeros(n, "U1")
    launch(kernel, counts, characters, codes, last, TEXTS, BYTES)
    for i, (t, s) in enumerate(zip(TEXTS.tolist(), BYTES.tolist())):
        assert counts[i] == t.count("b")
        assert characters[i].tolist() == list(t) + [""] * (7 - len(t))
        assert last[i] == t[-1:]
        ends = 1000 * s[1] + 1000000 * s[-2] if len(s) > 1 else 0
        assert codes[i] == sum((k + 1) * c for k, c in enumerate(s)) + ends


def test_values_are_copies(rules):
    @cuda.jit(rules=rules)
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size // 2:
            kept = x[i]
            x[i] = x[-1 - i]
            x[-1 - i] = kept
            x[i], x[-1 - i] = x[-1 - i], x[i]
            x[i], x[-1 - i] = x[-1 - i], x[i]

    for x in (TEXTS, BYTES):
        expected = x[::-1].copy()
        np.testing.assert_array_equal(launch(kernel, x.copy()), expected)


def test_constants_are_assigned(rules):
    @cuda.jit(rules=rules)
    def kernel(t, s):
        i = cuda.grid(1)
        if i < 4:
            t[i] = "日本語 longer" if i % 2 else "x"
            s[i] = b"\xfe\x01" if i % 2 else b"longer than five"
        if i == 4:
            t[i] = CAPTURED[1]
            s[i] = "ascii"
        if i == 5:
            t[i] = ""
            s[i] = GREETING

    t, s = np.full(6, "???????", "U7"), np.full(6, "?????", "S5")
    kernel[1, 32](t, s)
    assert t.tolist() == ["x", "日本語 lon"] * 2 + ["two", ""]
    assert s.tolist() == [b"longe", b"\xfe\x01"] * 2 + [b"ascii", b"hello"]


def test_names_take_the_longer_of_two_types(rules):
    @cuda.jit(rules=rules)
    def kernel(out, short, long):
        i = cuda.grid(1)
        if i < out.size:
            found = "none"
            if i % 3 == 0:
                found = short[i]
            elif i % 3 == 1:
                found = long[i]
            out[i] = found

    x = TEXTS[:9]
    out = launch(kernel, np.zeros(9, "U9"), x.astype("U2"), x)
    assert out.tolist() == [[str(t)[:2], str(t), "none"][i % 3] for i, t in enumerate(x)]


def test_shared_and_local_arrays_and_device_functions(rules):
    @cuda.jit(device=True, rules=rules)
    def longer(x, y):
        return x if len(x) > len(y) else y

    @cuda.jit(rules=rules)
    def kernel(out, x):
        shared = cuda.shared.array(16, "U7")
        own = cuda.local.array((2, 3), np.dtype("U5"))
        more = cuda.local.array(2, OF_THREE)
        i = cuda.threadIdx.x
        shared[i] = x[i] if i < x.size else "none"
        own[1, i % 3] = x[i % x.size]
        more[i % 2] = b"xyz" if i % 2 else b"q"
        cuda.syncthreads()
        out[i] = longer(shared[15 - i], own[1, i % 3])
        if more[i % 2] != (b"xyz" if i % 2 else b"q"):
            out[i] = "wrong"

    x = TEXTS
    out = launch(kernel, np.zeros(16, "U7"), x, threads=16)
    shared = [str(t) for t in x] + ["none"] * 6
    own = [str(x[i % 10])[:5] for i in range(16)]
    assert out.tolist() == [a if len(a) > len(b) else b for a, b in zip(shared[::-1], own)]


FIELDS = [("flag", "u1"), ("name", "U3"), ("weight", "f8"), ("tags", "S2", (2,))]


@pytest.mark.parametrize("align", [False, True])
def test_fields_of_records(align, rules):
    @cuda.jit(rules=rules)
    def kernel(records, out):
        i = cuda.grid(1)
        if i < records.size:
            out[i] = records[i]
            out[i].name = "yes" if records[i].tags[1] == b"yz" else records[i]["name"]
            out[i].tags[0] = b"!"
            records.name[i] = "done"

    dtype = np.dtype(FIELDS, align=align)
    records = np.zeros(5, dtype)
    records["name"] = ["a", "bc", "def", "", "öäü"]
    records["tags"] = [[b"x", b"yz"], [b"", b"y"], [b"q", b""], [b"ab", b"yz"], [b"", b""]]
    records["weight"] = np.arange(5)
    before, out = records.copy(), np.zeros(5, dtype)
    kernel[1, 32](records, out)
    assert records["name"].tolist() == ["don"] * 5
    assert out["name"].tolist() == ["yes", "bc", "def", "yes", "öäü"]
    np.testing.assert_array_equal(out["weight"], before["weight"])
    np.testing.assert_array_equal(out["tags"][:, 1], before["tags"][:, 1])
    assert out["tags"][:, 0].tolist() == [b"!"] * 5


def test_views_and_device_arrays(rules):
    @cuda.jit(rules=rules)
    def kernel(out, x):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = x[i, j]

    x = np.array([["a", "bb"], ["ccc", "dddd"], ["e", ""]], "U4")
    for given in (x, x.T, x[::-1, ::-1], np.asfortranarray(x), x[:, 1:]):
        out = np.zeros(given.shape, "U5")
        kernel[1, (4, 4)](out, given)
        np.testing.assert_array_equal(out, given)
        device, result = cuda.to_device(np.ascontiguousarray(given)), cuda.device_array(given.shape, "U3")
        kernel[1, (4, 4)](result, device.T.T)
        np.testing.assert_array_equal(result.copy_to_host(), given.astype("U3"))


def test_slices_and_array_expressions(rules):
    @cuda.jit(rules=rules)
    def kernel(out, flags, x):
        out[:] = x
        out[1:3] = "new"
        flags[:] = (out == "new") | (out < x)

    x = TEXTS
    out, flags = np.zeros(x.size, "U2"), np.zeros(x.size, bool)
    kernel[1, 1](out, flags, x)
    expected = x.astype("U2")
    expected[1:3] = "new"
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(flags, (expected == "new") | (expected < x))


def test_texts_are_arguments_of_kernels(rules):
    @cuda.jit(device=True, rules=rules)
    def chosen(how, x):
        if how == "add":
            return x + 1
        return x - 1 if how.startswith("sub") else len(how)

    @cuda.jit(rules=rules)
    def kernel(how, both, out, t):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = chosen(how, i) + both[1]
            t[i] = both[0]

    for how in ("add", "sub", "subtract", "größe", "", "x" * 256, np.str_("add"), "日本"):
        out, t = np.zeros(40, int), np.zeros(40, "U5")
        kernel[2, 32](how, (how, 7), out, t)
        shift = 1 if how == "add" else -1
        known = how == "add" or how.startswith("sub")
        assert out.tolist() == [(i + shift if known else len(how)) + 7 for i in range(40)]
        assert set(t.tolist()) == {how[:5]}
    assert repr(types.typeof("add")) == "[unichr x 3]" and types.typeof(np.bytes_(b"ab")) is types.typeof(
        np.bytes_(b"cd")
    )
    with pytest.raises(TypeError, match="texts have at most 256 characters, this one 257"):
        kernel[1, 1]("x" * 257, (1, 2), out, t)

    @cuda.jit(types.void(types.UnicodeCharSeq(3), types.int64[:]), rules=rules)
    def of_three(how, out):
        out[0] = how == "abc"

    of_three[1, 1]("abc", out)
    assert out[0] == 1
    with pytest.raises(TypeError, match="unichr x 2"):
        of_three[1, 1]("ab", out)


def test_names_signatures_and_pickles():
    assert [repr(types.CharSeq(5)), repr(types.UnicodeCharSeq(7))] == ["[char x 5]", "[unichr x 7]"]
    assert types.typeof(TEXTS) is types.UnicodeCharSeq(7)[::1]
    assert repr(types.typeof(BYTES)) == "array([char x 5], 1d, C)"
    assert types.from_dtype(np.dtype("U7")) is types.UnicodeCharSeq(7)
    assert types.as_dtype(types.CharSeq(5)) == np.dtype("S5")
    assert isinstance(types.CharSeq(5), types.CharSeq) and not isinstance(types.CharSeq(5), types.UnicodeCharSeq)
    assert not isinstance(types.int8, types.CharSeq)
    assert types.CharSeq(5).count == 5 and types.UnicodeCharSeq(7).count == 7
    for type_ in (
        types.typeof("abc"),
        types.typeof(np.datetime64(1, "D")),
        types.CharSeq(5),
        types.UnicodeCharSeq(7)[:, ::1],
        types.from_dtype(np.dtype(FIELDS)),
    ):
        assert pickle.loads(pickle.dumps(type_)) is type_
    most = _core.MOST_CHARACTERS
    for sequence in (types.CharSeq, types.UnicodeCharSeq):
        assert sequence(most).count == most
        assert f"more than {most} characters" in sequence.__doc__
        for count in (0, -1, most + 1):
            with pytest.raises(ValueError, match=f"from 1 to {most} characters, found {count}"):
                sequence(count)

    @cuda.jit(types.void(types.UnicodeCharSeq(7)[:], types.UnicodeCharSeq(3)[::1]))
    def kernel(x, out):
        out[0] = x[3]

    kernel[1, 1](TEXTS, out := np.zeros(1, "U3"))
    assert out[0] == "abc"
    with pytest.raises(TypeError, match=r"unichr x 4"):
        kernel[1, 1](TEXTS.astype("U4"), out)


def test_debug_kernels_report_indices_outside(rules):
    @cuda.jit(debug=True, opt=False, rules=rules)
    def kernel(out, x, k):
        out[0] = x[0][k]

    out = np.zeros(1, "U1")
    kernel[1, 1](out, TEXTS[3:], 2)
    assert out[0] == "c"
    with pytest.raises(IndexError, match="outside of the text"):
        kernel[1, 1](out, TEXTS[3:], 3)


@pytest.mark.parametrize(
    "statement, message",
    [
        ("t[0] = s[0]", "expected: a text"),
        ("s[0] = t[0]", "expected: bytes"),
        ("t[0] = 5", "found: +int64"),
        ("s[0] = 'ö'", "only ASCII"),
        ("t[0] = t[0] + t[1]", r"not defined.*|\[unichr x 7\]"),
        ("t[0] = t[0].upper()", "known only at run time"),
        ("t[0] = t[0].title()", r"'title' of \[unichr x 7\]"),
        ("t[0] = t[0][7]", "outside of the text"),
        ("t[0] = t[0][-2:]", "cannot count from its end"),
        ("s[0] = s[0] < t[0]", "not defined"),
        ("t[0] = -t[0]", "not defined"),
        ("cuda.atomic.add(t, 0, t[0])", "atomic"),
    ],
)
def test_refused(statement, message, rules):
    source = f"def kernel(t, s):\n    {statement}\n"
    with pytest.raises(CompileError, match=message) as caught:
        made([source], rules, globals())[1, 1](TEXTS.copy(), BYTES.copy())
    assert caught.value.line == 2


def test_other_byte_order_and_long_texts_are_refused():
    @cuda.jit
    def kernel(x):
        x[0] = x[1]

    with pytest.raises(TypeError, match="byte order"):
        kernel[1, 1](np.zeros(2, ">U3"))
    with pytest.raises(TypeError, match="S257"):
        kernel[1, 1](np.zeros(2, "S257"))
    x = np.array([b"a" * 3, b"b" * 256], "S256")
    kernel[1, 1](x)
    assert x[0] == b"b" * 256


def test_no_exchange_by_dlpack():
    device = cuda.to_device(TEXTS)
    assert device.__cuda_array_interface__["typestr"] == "<U7"
    with pytest.raises(BufferError, match=r"\[unichr x 7\]"):
        device.__dlpack__()
