# Binary operators of members of enumerations and of texts beside every type, both rules.
"""A member of an IntEnum is its number: what a literal does, which the matrix of operators compares with the oracle, it
must do as well. Other members and texts do what Python does, as far as kernels have it, or are refused."""

import enum
import warnings

import numpy as np
import pytest
from oracle import number_rules
from treadle import cuda, errors

from language.written import made

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", *COMPARISONS)
VALUES = {
    "bool": [0, 1], "int8": [-128, -3, 0, 7], "uint8": [0, 3, 255], "int16": [-32768, 5], "uint16": [0, 65535],
    "int32": [-(2**31), 3, 7], "uint32": [0, 2**32 - 1], "int64": [-(2**63), 3, -4, 2**62], "uint64": [1, 2**64 - 1],
    "float16": [0.5, -2, 9000, np.nan], "float32": [1.5, -0.0, 1e30], "float64": [2.25, np.inf, -3],
    "complex64": [1 + 2j, 0.5], "complex128": [1j, 3],
}  # fmt: skip


class Count(enum.IntEnum):
    ONE = 1
    THREE = 3


class Bits(enum.IntFlag):
    LOW = 1
    BOTH = 3


class Level(enum.Enum):
    LOW = 1
    HIGH = 3


class Sides(enum.Flag):
    LEFT = 1


NAME = "größe"


def is_defined(text, dtype, rules):
    function = made(["def kernel(x):", f"    return {text}"], rules, globals(), device=True)
    try:
        function.compile_device((cuda.to_device(np.zeros(1, dtype)).dtype,))
    except errors.TypingError:
        return False
    return True


MEMBERS = ("Count.THREE", "Bits.BOTH")


@pytest.mark.parametrize(("dtype", "member"), [(dtype, MEMBERS[k % 2]) for k, dtype in enumerate(VALUES)])
def test_members_of_int_enums_are_literals(member, dtype, rules):
    operands = number_rules.typed(dtype), number_rules.literal(3)
    defined = []
    for op in OPERATORS:
        find = number_rules.compare if op in COMPARISONS else number_rules.binary
        for text, sides in ((f"x {op} {{}}", operands), (f"{{}} {op} x", operands[::-1])):
            if find(rules, op, *sides):
                defined.append(text)
            else:
                assert not is_defined(text.format(member), dtype, rules), text
    pairs = [text.format(value) for text in defined for value in (3, member)]
    function = made(["def kernel(x):", f"    return {', '.join(pairs)}"], rules, globals(), device=True)
    found = np.array(VALUES[dtype], dtype)
    result = function.compile_device((cuda.to_device(found).dtype,)).signature.return_type
    types = list(map(str, getattr(result, "types", None) or [result.dtype] * len(pairs)))
    assert types[::2] == types[1::2]
    lines = ["def kernel(x, out):", "    i = cuda.grid(1)", "    if i < x.size:", "        y = x[i]"]
    lines += [f"        out[i, {k}] = {text.replace('x', 'y')}" for k, text in enumerate(pairs)]
    out = np.zeros((found.size, len(pairs)), complex)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made(lines, rules, globals())[1, 32](found, out)
    np.testing.assert_array_equal(out[:, ::2], out[:, 1::2])
    k = pairs.index("x == 3")
    np.testing.assert_array_equal(out[:, k], found == 3)


OPERANDS = [
    "3",
    "2.5",
    "True",
    "1j",
    "np.float16(2)",
    "None",
    "(1, 2)",
    "Level.HIGH",
    "Level.LOW",
    "Sides.LEFT",
    "NAME",
]
OBJECTS = ["Level.HIGH", "Sides.LEFT", "NAME"]
# What has a value in Python and not in kernels: texts and members as elements of `out`; identity of texts and numbers.
REFUSED = {"NAME + NAME", "NAME % np.float16(2)"}
REFUSED |= {f"Sides.LEFT {op} Sides.LEFT" for op in "&|^"}
REFUSED |= {text for times in ("3", "True") for text in (f"{times} * NAME", f"NAME * {times}")}
REFUSED |= {
    text
    for op in ("is", "is not")
    for other in ("3", "2.5", "True", "1j", "np.float16(2)", "(1, 2)")
    for text in (f"{other} {op} NAME", f"NAME {op} {other}")
}


def in_python(text):
    """(whether Python has a value, the value)"""
    try:
        return True, eval(text, globals())  # noqa: S307
    except TypeError:
        return False, None


@pytest.mark.share(every=4)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("op", [*OPERATORS, "is", "is not"])
def test_other_members_and_texts(op, rules):
    for text in [f"{a} {op} {b}" for a in OPERANDS for b in OPERANDS if a in OBJECTS or b in OBJECTS]:
        kernel = made(["def kernel(out):", f"    out[0] = {text}"], rules, globals())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            has_value, expected = in_python(text)
        try:
            kernel[1, 1](out := np.zeros(1))
        except errors.CompileError as error:
            assert type(error) is (errors.UnsupportedError if "is" in op else errors.TypingError)
            assert has_value == (text in REFUSED), error
        else:
            assert has_value and text not in REFUSED, f"Python refuses {text}, which gave {out[0]}"
            assert out[0] == expected, text


def defines(rules, op, dtype):
    find = number_rules.compare if op in COMPARISONS else number_rules.binary
    return find(rules, op, number_rules.typed(dtype), number_rules.typed("int64"))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex64"])
def test_a_member_of_an_int_enum_as_an_argument(dtype, rules):
    """It counts as an int64, as a number of Python does."""
    ops = [op for op in OPERATORS if defines(rules, op, dtype)]
    texts = [text for op in ops for text in (f"x[i] {op} m", f"m {op} x[i]")]
    lines = ["def kernel(x, m, out):", "    i = cuda.grid(1)", "    if i < x.size:"]
    lines += [f"        out[i, {k}] = {text}" for k, text in enumerate(texts)]
    x = np.array(VALUES[dtype], dtype)
    kernel, results = made(lines, rules, globals()), []
    for member in (3, np.int64(3), Count.THREE, Bits.BOTH):
        results.append(np.zeros((x.size, len(texts)), complex))
        kernel[1, 32](x, member, results[-1])
        # Powers are within CUDA's bounds, and the stand-in gives each of them another error.
        np.testing.assert_allclose(results[-1], results[0], rtol=1e-6)
    assert results[0].any()
    assert len(kernel.overloads) == 1
