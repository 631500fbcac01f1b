# The type in which a number operation is computed, and its result type, under both rule sets; the types of literals.
"""Types only; `operations.py` has the values.

`UNSPECIFIED` is returned where the documents leave the type open; None where the operation is an error.
"""

from typing import NamedTuple

import numpy as np

from oracle import number_types as nt

NUMBA = "numba"
CUDA_PYTHON = "cuda-python"
RULES = (NUMBA, CUDA_PYTHON)

ARITHMETIC = ("+", "-", "*")
BITWISE = ("&", "|", "^")
SHIFTS = ("<<", ">>")
BINARY = (*ARITHMETIC, "/", "//", "%", "**", *BITWISE, *SHIFTS)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
UNARY = ("-", "+", "~", "not")
UNSPECIFIED = "unspecified"

_GENERIC = (
    nt.BOOL, "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class Operand(NamedTuple):
    """A type, and the value where it is a literal."""

    type: str
    literal: object = None
    is_literal: bool = False


class Typing(NamedTuple):
    """Both operands are converted to `left` and `right`; the result has the type `result`."""

    left: str
    right: str
    result: str


def typed(ty):
    return Operand(ty)


def literal(value):
    """The operand for a literal in the source, with the type that it has alone."""
    return Operand(literal_type(value), value, True)


def literal_type(value):
    if isinstance(value, bool):
        return nt.BOOL
    if isinstance(value, int):
        return "int64" if value < 1 << 63 else "uint64"
    return "float64" if isinstance(value, float) else "complex128"


def adopt(left, right):
    """cuda-python: both types, after a literal has adopted the other operand's type if its value fits."""
    if left.is_literal == right.is_literal:
        return left.type, right.type
    number, other = (left, right) if left.is_literal else (right, left)
    adopted = other.type if _fits(number.literal, other.type) else number.type
    return (adopted, other.type) if left.is_literal else (other.type, adopted)


def _fits(value, ty):
    if isinstance(value, bool) or ty == nt.BOOL or isinstance(value, complex):
        return False
    if isinstance(value, int):
        if nt.is_int(ty):
            low, high = nt.int_range(ty)
            return low <= value <= high
        part = nt.part(ty) if nt.is_complex(ty) else ty
        return nt.int_to_float(value, part) == value
    if nt.is_int(ty):
        return False
    part = nt.part(ty) if nt.is_complex(ty) else ty
    return value != value or abs(value) == float("inf") or abs(value) <= float(np.finfo(part).max)


def generic(left, right):
    """cuda-python: the more generic of two types."""
    if {left, right} == {"float64", "complex64"}:
        return "complex128"
    return max(left, right, key=_GENERIC.index)


def widen(left, right):
    """numba: the type in which + - * // % are computed."""
    if left in nt.INTEGERS and right in nt.INTEGERS:
        # A bool counts as a signed integer.
        return "uint64" if left in nt.UNSIGNED and right in nt.UNSIGNED else "int64"
    return _with_float(left, right)


def _with_float(left, right):
    """numba: at least one of the two is a float or complex. Integers of up to 16 bits, unsigned ones up to 8, keep
    float32; wider ones need float64. Integers of 8 bits keep float16."""
    half = (nt.BOOL, "int8", "uint8", "float16")
    if left in half and right in half:
        return "float16"
    narrow = (*half, "int16", "float32", "complex64")
    wide = left not in narrow or right not in narrow
    if nt.is_complex(left) or nt.is_complex(right):
        return "complex128" if wide else "complex64"
    return "float64" if wide else "float32"


def unify(left, right):
    """The common type of a variable's two values where paths meet (both rules); `min` and `max` of the numba rules."""
    return np.promote_types(nt.dtype(left), nt.dtype(right)).name


def binary(rules, op, left, right):
    """Typing of `left op right`, or None."""
    if rules == NUMBA:
        return _numba_binary(op, left.type, right.type)
    typing = _cuda_python_binary(op, *adopt(left, right))
    if typing and op == "**" and _is_small(right) and not nt.is_int(typing.result):
        return typing._replace(right="int64")  # repeated multiplication
    return typing


def _is_small(exponent):
    return exponent.is_literal and type(exponent.literal) is int and abs(exponent.literal) <= 64


def _numba_binary(op, left, right):
    if op in BITWISE:
        return _same(_numba_bitwise(left, right))
    if op in SHIFTS:
        if left not in nt.INTEGERS or right not in nt.INTEGERS:
            return None
        result = "uint64" if left in nt.UNSIGNED else "int64"
        return Typing(result, "int64" if right not in nt.UNSIGNED else "uint64", result)
    common = widen(left, right)
    if op in ("//", "%") and nt.is_complex(common):
        return None
    if op == "/" and not nt.is_float(common) and not nt.is_complex(common):
        return Typing("float64", "float64", "float64")
    if op == "**" and nt.is_float(left) and nt.is_int(right):
        return Typing(left, "uint64" if right == "uint64" else "int64", left)
    return Typing(common, common, common)


def _numba_bitwise(left, right):
    """The wider operand's type, not promoted to 64 bits."""
    if left not in nt.INTEGERS or right not in nt.INTEGERS:
        return None
    if left == right:
        return left
    if nt.bits(left) == nt.bits(right):
        return left if nt.is_signed(left) else right
    return left if nt.bits(left) > nt.bits(right) else right


def _cuda_python_binary(op, left, right):
    common = generic(left, right)
    if op in BITWISE or op in SHIFTS:
        return _same(common if common in nt.INTEGERS else None)
    if op == "/":
        return _same(_cuda_python_division(left, right))
    if op == "//":
        if nt.is_complex(common):
            return None
        signed = common not in nt.UNSIGNED
        return Typing(common, common, nt.int_type(max(32, nt.bits(common)), signed))
    if op == "%" and nt.is_complex(common):
        return None
    return _same(common)


def _cuda_python_division(left, right):
    if nt.is_complex(left) or nt.is_complex(right):
        return generic(left, right)
    return "float64" if max(nt.bits(left), nt.bits(right)) > 32 else "float32"


def _same(ty):
    return Typing(ty, ty, ty) if ty else None


def compare(rules, op, left, right):
    """Typing of a comparison; integers of any types are compared exactly, in their own types."""
    if rules == NUMBA:
        a, b = left.type, right.type
    else:
        a, b = adopt(left, right)
    if a in nt.INTEGERS and b in nt.INTEGERS:
        return Typing(a, b, nt.BOOL)
    common = widen(a, b) if rules == NUMBA else generic(a, b)
    if nt.is_complex(common) and op not in ("==", "!="):
        return None
    return Typing(common, common, nt.BOOL)


def min_max(rules, left, right):
    if rules == NUMBA:
        common = unify(left.type, right.type)
    else:
        a, b = adopt(left, right)
        common = generic(a, b)
    return None if nt.is_complex(common) else Typing(common, common, common)


def unary(rules, op, operand):
    """Result type of a unary operator."""
    ty = operand.type
    if op == "not":
        return nt.BOOL
    if op == "~":
        return ty if ty in nt.INTEGERS else None
    if rules == NUMBA and ty in nt.INTEGERS:
        return "uint64" if ty in nt.UNSIGNED else "int64"
    return ty


def unary_computed(rules, op, operand):
    """The type in which it is computed: Numba negates integers before it widens them."""
    ty = operand.type
    negates = rules == NUMBA and op == "-" and ty in nt.INTS
    return ty if negates or op == "not" else unary(rules, op, operand)


def absolute(rules, operand):
    ty = operand.type
    if nt.is_complex(ty):
        return nt.part(ty)
    if ty == nt.BOOL and rules == NUMBA:
        return UNSPECIFIED
    return ty


def range_counter(rules, *bounds):
    """Type of the loop variable of range(...), whose bounds are int32, int64, uint64 or literals."""
    if rules == CUDA_PYTHON:
        kinds = {b.type for b in bounds if not b.is_literal}
        return kinds.pop() if len(kinds) == 1 else UNSPECIFIED if kinds else "int64"
    kinds = {b.type for b in bounds}
    if kinds == {"int32"}:
        return "int32"
    return "uint64" if kinds == {"uint64"} else "int64" if "uint64" not in kinds else UNSPECIFIED


def math_float(rules, *operands):
    """The float type in which a math function of these arguments is computed, and its result type."""
    if all(o.type == "float16" for o in operands):
        return "float16"
    if rules == CUDA_PYTHON:
        wide = any(nt.bits(o.type) > 32 for o in operands)
        return "float64" if wide else "float32"
    if any(nt.is_int(o.type) or o.type == nt.BOOL for o in operands):
        return "float64"
    return "float64" if any(o.type == "float64" for o in operands) else "float32"


def rounding_result(rules, operand):
    """The result type of math.floor, ceil and trunc."""
    return "int64" if rules == NUMBA else math_float(rules, operand)
