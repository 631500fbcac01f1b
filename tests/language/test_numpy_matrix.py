# Every function of NumPy that kernels have, for all types of operands, at the edges: NumPy's results, bit by bit where
# they are exact, within the bounds of docs/math.md where not. Types are docs/language.md's.

import itertools
import math
import re

import numpy as np
import pytest
import stand_in
from treadle import cuda, types
from treadle.ufuncs.loops import device_function

from language.numpy_rows import ELSEWHERE, REDUCTIONS, ROOT, ROWS, float_of, names_in_kernels, operands_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
NAMES = {"?": "boolean", "M8[D]": 'NPDatetime("D")', "m8[s]": 'NPTimedelta("s")'}


def test_every_function_has_a_row():
    elsewhere = {name for names in ELSEWHERE.values() for name in names}
    assert names_in_kernels() == set(ROWS) | set(REDUCTIONS) | elsewhere
    for file, names in ELSEWHERE.items():
        text = (ROOT / f"tests/language/{file}.py").read_text()
        assert [name for name in names if not re.search(rf"\b{name}\b", text)] == [], file


def type_of(code):
    return (
        types.NPDatetime("D")
        if code == "M8[D]"
        else types.NPTimedelta("s")
        if code == "m8[s]"
        else (getattr(types, {"?": "boolean"}.get(code) or np.dtype(code).name))
    )


def bounds():
    """The CPU's and CUDA's bounds of docs/math.md, by function and type."""
    table = re.findall(r"^\| `(\w+)` \| (float\d\d) \| (\d+) \|", (ROOT / "docs/math.md").read_text(), re.M)
    return {(name, kind): int(bound) for name, kind, bound in table}


BOUNDS = bounds()


def steps_of(row, dtype):
    if dtype.kind != "f" or not isinstance(row.steps, str):
        return row.steps
    if dtype == np.float16:
        return 1 if BOUNDS[row.steps, "float32"] else 0
    if stand_in.is_under_test() and dtype == np.float32:
        # PTX states 2**-22 of the result for ex2.approx (stand_in.EX2).
        return BOUNDS[row.steps, "float32"] + (2 if row.steps in stand_in.EX2_FUNCTIONS else 1)
    return BOUNDS[row.steps, dtype.name]


def result_of(row, codes):
    """The dtype of the result."""
    first = np.dtype(codes[0])
    if row.result == "float":
        return float_of(codes)
    if row.result == "same":
        return first
    if row.result == "part":
        return np.dtype(f"f{first.itemsize // 2}") if first.kind == "c" else first
    if row.result == "integer" or row.result == "fmod" and not any(np.dtype(code).kind == "f" for code in codes):
        unsigned = [np.dtype(code).kind == "u" for code in codes]
        if row.result == "fmod":
            return np.dtype("u8" if all(unsigned) else "i8")
        return np.dtype("u8" if "u8" in codes else "i8")
    return float_of(codes) if row.result == "fmod" else np.dtype(row.result)


def kernel_of(name, codes):
    parameters = [f"x{place}" for place in range(len(codes))]
    text = f"def kernel({', '.join(parameters)}, out):\n    i = cuda.grid(1)\n    if i < out.size:\n"
    text += f"        out[i] = np.{name}({', '.join(f'{one}[i]' for one in parameters)})\n"
    namespace = {"np": np, "cuda": cuda}
    exec(text, namespace)
    return cuda.jit(namespace["kernel"])


def inferred(name, codes):
    """The type of the result, inferred for a device function."""
    parameters = ", ".join(f"x{place}" for place in range(len(codes)))
    namespace = {"np": np}
    exec(f"def function({parameters}):\n    return np.{name}({parameters})\n", namespace)
    found = str(device_function(namespace["function"]).compile_device(tuple(map(type_of, codes))).signature.return_type)
    return np.dtype(found.replace("boolean", "bool"))


def fmod_of_integers(x, y):
    """In Python's integers, which hold all of both."""
    rests = [abs(a) % abs(b) * (-1 if a < 0 else 1) if b else 0 for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    return np.array(rests, object)


def expected_of(name, row, operands, dtype):
    """NumPy's results, of operands in the type in which the function computes."""
    function = getattr(np, name)
    if row.result == "fmod" and dtype.kind in "iu":
        return fmod_of_integers(*operands).astype(dtype)
    if row.result == "integer":
        whole = [[int(value) for value in side] for side in operands]
        exact = getattr(math, name)
        return np.array([exact(*pair) % 2**64 for pair in zip(*whole, strict=True)], "u8").view(dtype)
    if row.result == "float":
        wide = {"f2": "f4", "f4": "f8", "f8": "g"}[dtype.str[1:]] if steps_of(row, dtype) else dtype
        return function(*(side.astype(dtype).astype(wide) for side in operands)).astype(dtype)
    if name == "float_power":
        narrow = [side.astype(dtype) for side in operands]
        exact = function(*(side.astype("g") for side in narrow)).astype(dtype)
        # powl of x87 takes -inf to the power of -2**63 for inf.
        return np.where(np.isinf(narrow[0]), function(*narrow), exact)
    if name == "angle":
        return np.arctan2(operands[0].imag.astype("g"), operands[0].real.astype("g")).astype(dtype)
    return function(*operands).astype(dtype)


def distance(found, expected):
    """In steps from one float to the next, of each element. Zeros of one sign are one float; NaN is NaN."""
    unsigned = f"u{found.itemsize}"
    half = 1 << (8 * found.itemsize - 1)
    ordered = []
    for values in (found, expected):
        bits = values.view(unsigned).astype(object)
        ordered.append(np.where(bits >= half, half - 1 - bits, bits))
    apart = np.abs(ordered[0] - ordered[1])
    return np.where(np.isnan(found) & np.isnan(expected), 0, apart)


def agrees(found, expected, steps):
    if expected.dtype.kind == "c":
        parts = [(found.real.copy(), expected.real.copy()), (found.imag.copy(), expected.imag.copy())]
        same = np.logical_and(*(distance(*part) == 0 for part in parts))
        return same | (np.abs(found - expected) <= steps * np.finfo(found.dtype).eps * np.abs(expected))
    if expected.dtype.kind != "f":
        return found == expected
    return distance(found, expected) <= steps


def keeps(name, operands):
    """Where NumPy has a result that does not depend on its version and the machine."""
    keep = np.ones(operands[0].shape, bool)
    first = operands[0]
    if name == "reciprocal" and first.dtype.kind in "iu":
        keep &= first != 0
    if name in ("sign", "square") and first.dtype.kind == "c":
        keep &= np.isfinite(first)
    if name == "nextafter" and first.dtype == np.float16 or name == "nextafter" and operands[1].dtype == np.float16:
        keep &= (first != 0) | (operands[1] != 0)  # of equal halves it was the first before NumPy 2.5
    return keep


def check(name, codes):
    row = ROWS[name]
    operands = operands_of(codes)
    keep = keeps(name, operands)
    operands = [side[keep].copy() for side in operands]
    dtype = inferred(name, codes)
    if row.result != "first":
        assert dtype == result_of(row, codes), (name, codes)
    else:
        assert np.dtype(dtype).kind == np.result_type(*map(np.dtype, codes[name == "where" :])).kind, (name, codes)
    with np.errstate(all="ignore"):
        expected = expected_of(name, row, operands, dtype)
        found = np.zeros(expected.shape, dtype)
        kernel_of(name, codes)[len(found) // 64 + 1, 64](*operands, found)
        cuda.synchronize()
        good = agrees(found, expected, steps_of(row, dtype))
        if name in ("maximum", "minimum", "fmax", "fmin", "clip"):
            good |= (found == 0) & (expected == 0)  # of either sign, by NumPy's version and the processor
        if name.startswith("logaddexp"):
            size = np.maximum(1, np.maximum(*(np.abs(side.astype(dtype)) for side in operands)))
            good |= np.abs(found - expected) <= 4 * np.finfo(dtype).eps * size
    wrong = np.flatnonzero(~good)
    report = [(*(side[i].item() for side in operands), found[i].item(), expected[i].item()) for i in wrong[:5]]
    assert not report, f"{name} of {codes}: {len(wrong)} of {len(found)} differ: {report}"


def all_types(name):
    return list(itertools.product(*ROWS[name].operands))


def some_types(name):
    """Operands of one type each, and a few of mixed types and both signs."""
    every = all_types(name)
    if len(every) <= 16:
        return every
    alike = [codes for codes in every if len(set(codes[-2:])) == 1]
    mixed = [codes for codes in every if len(set(codes)) > 1 and codes not in alike]
    mixed.sort(key=lambda codes: {"i8", "u8"} <= set(codes))
    return alike[:: 2 if len(alike) > 6 else 1] + mixed[7 :: max(len(mixed) // 5, 1)] + mixed[-2:]


@pytest.mark.share(every=4)
@pytest.mark.parametrize("name", ROWS)
def test_function(name):
    for codes in some_types(name):
        check(name, codes)


@pytest.mark.share(every=4)
@pytest.mark.deep
@pytest.mark.parametrize("name", ROWS)
def test_function_of_all_types(name):
    for codes in all_types(name):
        check(name, codes)
