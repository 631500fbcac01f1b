# Constant texts and bytes: zeros at the end of bytes, long ones, beside those of arrays. Python is the oracle.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError

TEXTS = np.array(["", "a", "abc", "abd", "b", "größe", "abcdefg"], "U7")
BYTES = np.array([b"", b"a", b"ab", b"abc", b"abd", b"a\0b", b"abcde"], "S5")
ZEROS = b"\x00\x01\x00"
LONG = "abcdefgh" * 500
LONG_BYTES = bytes(10_200)


def made(source, **options):
    namespace = {**globals()}
    exec(source, namespace)
    return cuda.jit(namespace["kernel"], **options)


EXPRESSIONS = r"""
len(ZEROS) * 100 + ZEROS[-1] * 10 + ZEROS[-i]
ZEROS[i] + 10 * ZEROS[i - 4]
len(b'\x01\x02\0\0')
b'\x01\x02\0\0'[3] + b'\x01\x02\0'[-2]
len(ZEROS[1:]) * 10 + len(ZEROS[:0])
len(b'a\0'.upper()) + b'A\0'.lower()[0]
b'a\0' == b'a'
b'a\0' != b'a'
b'a\0' > b'a'
ZEROS[:2] in (b'\0\1\0', b'\0\1')
bool(b'\0') + 2 * bool(b'')
(b'\0' in b'a') + 2 * (b'\0' in b'a\0')
b'a\0'.endswith(b'\0') + 2 * b'a'.startswith(b'a\0')
x.startswith(b'a\0') + 2 * (b'a\0' in x)
y.startswith(b'a\0') + 2 * (b'a\0' in y)
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("options", [{}, {"debug": True, "opt": False}])
def test_zeros_at_the_end_of_constant_bytes_count(expression, options, rules):
    source = f"def kernel(out, s):\n    i, x, y = out[0], s[1], s[5]\n    out[0] = {expression}\n"
    made(source, rules=rules, **options)[1, 1](out := np.full(1, 2), BYTES)
    assert out[0] == eval(expression, {**globals(), "i": 2, "x": BYTES[1], "y": BYTES[5]})


def test_loops_over_constant_bytes_go_over_all(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        for i, byte in enumerate(ZEROS):
            out[i] = byte
        for byte in b"\x05\0\0":
            out[3] = 10 * out[3] + byte
        for byte, code in zip(ZEROS, b"\x03\0\0\0"):
            out[4] += 10 + byte + code

    kernel[1, 1](out := np.array([7, 7, 7, 0, 0]))
    assert out.tolist() == [0, 1, 0, 500, 34]


def test_bytes_of_arrays_equal_constants_with_zeros_at_their_end(rules):
    @cuda.jit(rules=rules)
    def kernel(out, s):
        i = cuda.grid(1)
        if i < s.size:
            out[i] = (s[i] == b"a\0\0") + 2 * (s[i] < b"ab\0\0\0\0\0\0\0\x01") + 4 * (b"abcde\0" <= s[i])

    x = BYTES
    expected = (x == b"a") + 2 * (x <= b"ab") + 4 * (x >= b"abcde")
    kernel[1, 32](out := np.zeros(x.size, int), x)
    assert out.tolist() == expected.tolist()


def test_long_constants_beside_short_texts(rules):
    @cuda.jit(rules=rules)
    def kernel(out, t):
        i = cuda.grid(1)
        if i < t.size:
            text = t[i]
            out[i, 0] = text == LONG
            out[i, 1] = text < LONG
            out[i, 2] = LONG <= text
            out[i, 3] = LONG in text
            out[i, 4] = LONG.startswith(text)
            out[i, 5] = text != LONG[:7]
            t[i] = LONG

    kernel[1, 32](out := np.zeros((TEXTS.size, 6), bool), stored := TEXTS.copy())
    assert set(stored.tolist()) == {LONG[:7]}
    for t, row in zip(TEXTS.tolist(), out.tolist()):
        assert row == [t == LONG, t < LONG, t >= LONG, LONG in t, LONG.startswith(t), t != LONG[:7]]


@pytest.mark.parametrize(
    "value, message",
    [
        ("b'x' if t[0] in LONG else b''", "takes more code than a kernel should have"),
        ("b'x' if s[1] else LONG_BYTES", "up to 256 characters, not 10200: pass the bytes as an array argument"),
        ("len(t[0] if s[0] else LONG)", "do not go together"),
        ("LONG_BYTES[s.size]", "up to 256 characters, not 10200: pass the bytes as an array argument"),
        (f"{bytes(257)!r}", "(?s)up to 256 characters, not 257.*pass the bytes as an array argument"),
    ],
)
def test_what_takes_too_much_code_is_refused(value, message, rules):
    with pytest.raises(CompileError, match=message) as caught:
        made(f"def kernel(t, s):\n    s[0] = {value}\n", rules=rules)[1, 1](TEXTS.copy(), BYTES.copy())
    assert caught.value.line == 2


def test_bytes_of_256_characters_are_constants(rules):
    most = bytes(range(255, -1, -1))

    @cuda.jit(rules=rules)
    def kernel(out):
        i = cuda.grid(1)
        if i < len(most):
            out[i] = most[i]

    kernel[8, 32](out := np.full(256, -1))
    assert bytes(out.tolist()) == most
