# The arguments of a random program, and the layouts of its arrays.
"""`arguments(program)` gives them by name, in order; equal programs get equal arguments."""

import numpy as np

READ = 320  # elements of arrays that are only read
ROWS, COLUMNS = 8, 40  # of the array with two axes
# Packed, d and k lie at addresses that are no multiples of their size.
RECORDS = {
    name: np.dtype([("a", "i1"), ("x", "i4"), ("f", "f4"), ("d", "f8"), ("k", "i8")], align=name == "aligned")
    for name in ("packed", "aligned")
}
FILLING = 77  # what lies between the elements of strided outputs
COUNTERS = 32  # elements for atomic operations


def arguments(program):
    """Inputs that include edge cases, outputs with recognisable contents."""
    rng = np.random.default_rng(program.seed)
    named = {name: laid_out(rng, _input(rng, dtype)) for name, dtype in program.inputs}
    for name, dtype in program.outputs:
        contents = rng.integers(0, 100, 8 * program.threads).astype(dtype)
        named[name] = contents if name in ("io", "jo") else laid_out(rng, contents)  # those two may overlap
    for name, kind in program.extras:
        named[name] = EXTRAS[name](rng, kind, program)
    named["ao"] = rng.integers(-5, 5, COUNTERS).astype("int64" if program.seed % 2 else "int32")
    return named | {"n": program.threads - program.seed % 7, "m": int(rng.integers(-20, 20)), "s": 0.25}


def laid_out(rng, values):
    """The values as they are, every second or third element of a larger array, or that array reversed."""
    step = (1, 1, 1, 2, 3, -1, -2)[rng.integers(7)]
    if step == 1:
        return values
    whole = np.full(values.size * abs(step), FILLING).astype(values.dtype)
    view = whole[::step]
    view[:] = values
    return view


def between(array):
    """What lies between the elements of an array that `laid_out` made, or None."""
    whole = array.base
    if whole is None or whole.dtype != array.dtype or array.ndim != 1 or abs(array.strides[0]) == array.itemsize:
        return None
    return np.delete(whole, np.arange(whole.size)[:: array.strides[0] // array.itemsize])


def _matrix(rng, kind, program):
    values = rng.integers(-100, 100, (2 * ROWS, 2 * COLUMNS)).astype("int32" if program.seed % 2 else "int16")
    return {
        "rows": lambda: np.ascontiguousarray(values[:ROWS, :COLUMNS]),
        "columns": lambda: np.asfortranarray(values[:ROWS, :COLUMNS]),
        "part": lambda: values[:ROWS, 3 : COLUMNS + 3],
        "steps": lambda: values[::-2, ::2],
        "repeated": lambda: np.broadcast_to(values[0, :COLUMNS], (ROWS, COLUMNS)),
    }[kind]()


def _complex(rng, kind, size):
    values = np.empty(size, kind)
    values.real, values.imag = (_input(rng, "float64", size) for _ in range(2))
    return values


def _records(rng, kind, size):
    values = np.zeros(size, RECORDS[kind])
    for name in values.dtype.names:
        values[name] = _input(rng, values.dtype[name].name, size)
    return values


EXTRAS = {
    "ma": _matrix,
    "ca": lambda rng, kind, program: laid_out(rng, _complex(rng, kind, READ)),
    "co": lambda rng, kind, program: _complex(rng, kind, 8 * program.threads),
    "ra": lambda rng, kind, program: _records(rng, kind, READ),
    "ro": lambda rng, kind, program: _records(rng, kind, 8 * program.threads),
}
"""Arrays of some programs. `ma`, with two axes, `ca` and `ra` are read; each thread owns part of the rest."""

KINDS = {
    "ma": ("rows", "columns", "part", "steps", "repeated"), "ca": ("complex64", "complex128"),
    "co": ("complex64", "complex128"), "ra": ("packed", "aligned"), "ro": ("packed", "aligned"),
}  # fmt: skip


def _input(rng, dtype, size=READ):
    if dtype == "bool":
        return rng.integers(0, 2, size).astype(bool)
    if dtype.startswith("float"):
        values = np.where(rng.random(size) < 0.7, rng.integers(-64, 64, size) / 8, rng.normal(size=size) * 100)
        values[rng.random(size) < 0.02] = np.nan
        values[rng.random(size) < 0.02] = np.inf
        return values.astype(dtype)
    info = np.iinfo(dtype)
    values = np.where(rng.random(size) < 0.85, rng.integers(-20, 20, size), rng.integers(info.min, info.max, size))
    values[rng.random(size) < 0.02] = info.min
    return values.astype(dtype)
