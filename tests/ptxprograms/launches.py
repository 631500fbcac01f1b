"""What a program launches: the Python text between `/* launches` and `*/`, which makes inputs and calls `launch`."""

import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

PROGRAMS = Path(__file__).resolve().parent / "programs"


@dataclass
class Launch:
    kernel: str
    grid: tuple
    block: tuple
    arguments: tuple
    shared: int


@dataclass
class Program:
    name: str
    family: str
    text: str
    launches: list = field(default_factory=list)
    architecture: int = 75  # the lowest that has all of its instructions
    tolerances: dict = field(default_factory=dict)  # by the array's id: what `differences` takes
    has_debug: bool = True  # whether NVIDIA's compilers take it without optimisation
    fast: float = 0.0  # relative error under fast math; 0: not compiled so

    def arrays(self):
        """All arrays of all launches, once each."""
        found = {id(a): a for each in self.launches for a in each.arguments if isinstance(a, np.ndarray) and a.ndim}
        return list(found.values())


def three(sizes):
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    return sizes + (1,) * (3 - len(sizes))


class Inputs:
    """The names that a program's launches use. The same program has the same inputs every time."""

    def __init__(self, program):
        self.program = program
        self.random = np.random.default_rng(zlib.crc32(program.name.encode()))

    def launch(self, kernel, grid, block, *arguments, shared=0):
        """Integers are i32 unless they say otherwise."""
        values = tuple(np.int32(a) if isinstance(a, int) else a for a in arguments)
        self.program.launches.append(Launch(kernel, three(grid), three(block), values, shared))

    def needs(self, architecture):
        self.program.architecture = architecture

    def without_debug(self):
        """For functions that NVIDIA's compilers refuse without optimisation."""
        self.program.has_debug = False

    def fast(self, error):
        """Fast math gives results within this error, relative to the largest."""
        self.program.fast = error

    def zeros(self, kind, count, **tolerance):
        """An array for results: `ulps=2`, `within=1e-6` (of the largest), `in_any_order=True`, or `is_free=True`."""
        return self.array(np.zeros(count, kind), **tolerance)

    def array(self, values, kind=None, **tolerance):
        result = np.array(values, kind)
        if tolerance:
            self.program.tolerances[id(result)] = tolerance
        return result

    def floats(self, count, low=-4.0, high=4.0):
        return self.random.uniform(low, high, count).astype("f4")

    def doubles(self, count, low=-4.0, high=4.0):
        return self.random.uniform(low, high, count)

    def integers(self, kind, count, low=None, high=None):
        limits = np.iinfo(kind)
        low, high = limits.min if low is None else low, limits.max if high is None else high
        return self.random.integers(low, high, count, kind, endpoint=True)

    def bits(self, kind, count):
        """Words of all sizes, and edges."""
        limits = np.iinfo(kind)
        edges = np.array([0, 1, 2, limits.max, limits.min, limits.max - 1, limits.max // 2 + 1, 255, 31], "O")
        values = self.random.integers(limits.min, limits.max, count, kind, endpoint=True)
        values >>= self.random.integers(0, limits.bits, count).astype(kind)
        values[: len(edges)] = edges
        return values

    def wild(self, kind, count):
        """Floats of all magnitudes, infinities, zeros and NaN."""
        unsigned = {"f2": "u2", "f4": "u4", "f8": "u8"}[kind]
        ordinary = self.random.normal(0, 1000, count).astype(kind)
        any_bits = self.random.integers(0, np.iinfo(unsigned).max, count, unsigned, endpoint=True).view(kind)
        values = np.where(self.random.integers(0, 2, count) == 0, ordinary, any_bits)
        tiny = np.finfo(kind).smallest_subnormal
        values[:12] = [0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, np.finfo(kind).max, 0.5, -0.5, 1.5, 2.5]
        return values

    def graph(self, nodes, edges):
        """Row offsets and columns of a random graph."""
        counts = np.bincount(self.random.integers(0, nodes, edges), minlength=nodes)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype("i4")
        return offsets, self.random.integers(0, nodes, edges, "i4")

    def names(self):
        own = "launch needs without_debug fast zeros array floats doubles integers bits wild graph random".split()
        numbers = {name: getattr(np, kind) for name, kind in KINDS.items()}
        return {"np": np, **numbers, **{name: getattr(self, name) for name in own}}


KINDS = {"f32": "float32", "f64": "float64", "u32": "uint32", "i64": "int64", "u64": "uint64", "u16": "uint16"}


def read(path):
    text = path.read_text()
    program = Program(path.stem, path.parent.name, text)
    body = re.search(r"/\* launches\n(.*?)\*/", text, re.S)
    exec(compile(body.group(1), str(path), "exec"), Inputs(program).names())
    return program


def family(name):
    return [read(path) for path in sorted((PROGRAMS / name).glob("*.cu"))]


def names():
    """(family, name) of every program."""
    return [(path.parent.name, path.stem) for path in sorted(PROGRAMS.glob("*/*.cu"))]


def differences(want, have, ulps=0, within=0.0, near_zero=0.0, in_any_order=False, is_free=False):
    """A line for each of the first numbers that differ. Without a tolerance, bits count, but NaN is NaN."""
    if is_free:
        return []
    if in_any_order:
        want, have = np.sort(want), np.sort(have)
    if want.dtype.kind != "f":
        wrong = want != have
    else:
        with np.errstate(all="ignore"):
            wide = want.astype("f8")
            allowed = ulps * np.abs(np.spacing(want)).astype("f8") + near_zero
            finite = np.abs(wide[np.isfinite(wide)])
            allowed = np.where(np.isfinite(wide), allowed, 0) + within * (finite.max() if finite.size else 0)
            close = (np.abs(wide - have.astype("f8")) <= allowed) & (allowed > 0)
        unsigned = want.dtype.str.replace("f", "u")
        same = (want.view(unsigned) == have.view(unsigned)) | (np.isnan(want) & np.isnan(have))
        wrong = ~(same | close)
    return [f"[{at}] is {have[at]!r}, not {want[at]!r}" for at in np.flatnonzero(wrong)[:4]]
