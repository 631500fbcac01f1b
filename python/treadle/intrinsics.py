"""Names that mean something inside kernels: thread indices, shared and local arrays, barriers, atomics.

The compiler knows them by their key and compiles them to instructions. On the host they are stubs: calling one, or
reading a coordinate of a thread index, raises RuntimeError.
"""

from types import ModuleType


class Intrinsic:
    """A name of the kernel language. `__treadle_key__` is its key in the compiler's table of builtins."""

    __treadle_key__ = ""

    def __init__(self, key, doc):
        self.__treadle_key__ = key
        self.__doc__ = doc

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__treadle_key__} can only be used in a kernel or device function")

    def __repr__(self):
        return f"<{self.__treadle_key__}>"

    def __reduce__(self):
        # Pickled by name, so that kernels can be sent to other processes.
        return _named, (self.__treadle_key__,)


class ThreadCoordinates(Intrinsic):
    """A thread index or an extent of a launch: has `x`, `y` and `z` in kernels."""

    def __getattr__(self, name):
        if name in ("x", "y", "z"):
            raise RuntimeError(f"{self.__treadle_key__}.{name} can only be used in a kernel or device function")
        raise AttributeError(f"{self.__treadle_key__} has no attribute '{name}'")


class Namespace(ModuleType):
    """A group of intrinsics, such as `cuda.shared`. A module, as kernels may take attributes of modules."""

    def __init__(self, name, doc, **members):
        super().__init__(name, doc)
        self.__dict__.update(members)


def _named(key):
    value = globals()
    for part in key.split(".")[1:]:
        value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value


threadIdx = ThreadCoordinates(
    "cuda.threadIdx", "Index of the thread in its block: `threadIdx.x`, `.y`, `.z`, each an int32 below blockDim."
)
blockIdx = ThreadCoordinates(
    "cuda.blockIdx", "Index of the block in the grid: `blockIdx.x`, `.y`, `.z`, each an int32 below gridDim."
)
blockDim = ThreadCoordinates("cuda.blockDim", "Threads of a block: `blockDim.x`, `.y`, `.z`, as launched, int32.")
gridDim = ThreadCoordinates("cuda.gridDim", "Blocks of the grid: `gridDim.x`, `.y`, `.z`, as launched, int32.")
laneid = Intrinsic("cuda.laneid", "Index of the thread in its warp, an int32 from 0 to 31. Not called.")
warpsize = Intrinsic("cuda.warpsize", "Threads of a warp: 32. Not called.")

grid = Intrinsic(
    "cuda.grid",
    """grid(ndim): index of the thread in the whole grid, threadIdx + blockIdx * blockDim.

`ndim`: the literal 1, 2 or 3. For 1 the result is one integer, otherwise a tuple of `ndim` integers, x first. The
integers are int64 (under the rules "cuda-python" int32).
""",
)
gridsize = Intrinsic(
    "cuda.gridsize",
    """gridsize(ndim): threads of the whole grid, blockDim * gridDim.

`ndim` and the result are as for `grid`.
""",
)
syncthreads = Intrinsic(
    "cuda.syncthreads",
    """syncthreads(): wait until all threads of the block that have not returned are here.

What they wrote to shared and global memory before is then visible to all of them.
""",
)

_ARRAY_TEXT = """

`shape`: an int, or a tuple of ints, known while compiling (a literal, a global, a closure variable).
`dtype`: a type object such as float32, a NumPy type or dtype, or its name as a string.
`alignment`: bytes, a power of two; None for the element type's own.
The elements are not initialised. Raises TypingError while compiling for a shape that is not constant.
"""

shared = Namespace(
    "treadle.cuda.shared",
    "Memory that the threads of a block share.",
    array=Intrinsic(
        "cuda.shared.array",
        """shared.array(shape, dtype, alignment=None): one array for all threads of the block.

The shape 0 stands for the dynamic shared memory that the launch gives, `kernel[grid, block, stream, bytes]`: all such
arrays begin at its first byte."""
        + _ARRAY_TEXT,
    ),
)
local = Namespace(
    "treadle.cuda.local",
    "Memory of one thread.",
    array=Intrinsic(
        "cuda.local.array", "local.array(shape, dtype, alignment=None): an array of each thread's own." + _ARRAY_TEXT
    ),
)
_ATOMIC_TEXT = """; returns the old value.

`ary`: an array of {types} in global or shared memory. `idx`: an integer, or a tuple with one for each axis; negative
ones count from the end. No other thread can come in between; the order among threads is free. Raises TypingError while
compiling for other arrays.
"""
_ALL = "int32, uint32, int64, uint64, float32 or float64"
_INTEGERS = "int32, uint32, int64 or uint64"


def _atomic(name, text, types, parameters="ary, idx, val"):
    return Intrinsic(f"cuda.atomic.{name}", f"atomic.{name}({parameters}): {text}" + _ATOMIC_TEXT.format(types=types))


atomic = Namespace(
    "treadle.cuda.atomic",
    "Operations on one element that no other thread can interrupt. Each returns the element's old value.",
    add=_atomic("add", "ary[idx] += val", _ALL),
    sub=_atomic("sub", "ary[idx] -= val", _ALL),
    and_=_atomic("and_", "ary[idx] &= val", _INTEGERS),
    or_=_atomic("or_", "ary[idx] |= val", _INTEGERS),
    xor=_atomic("xor", "ary[idx] ^= val", _INTEGERS),
    exch=_atomic("exch", "ary[idx] = val", _INTEGERS),
    inc=_atomic("inc", "ary[idx] = 0 where it is val or more, else ary[idx] + 1", "uint32 or uint64"),
    dec=_atomic("dec", "ary[idx] = val where it is 0 or more than val, else ary[idx] - 1", "uint32 or uint64"),
    max=_atomic("max", "ary[idx] = max(ary[idx], val); NaN in ary stays, val that is NaN does nothing", _ALL),
    min=_atomic("min", "ary[idx] = min(ary[idx], val); NaN in ary stays, val that is NaN does nothing", _ALL),
    nanmax=_atomic("nanmax", "ary[idx] = max(ary[idx], val), where NaN counts as missing", _ALL),
    nanmin=_atomic("nanmin", "ary[idx] = min(ary[idx], val), where NaN counts as missing", _ALL),
    cas=_atomic("cas", "ary[idx] = val where it is old", _INTEGERS, "ary, idx, old, val"),
    compare_and_swap=_atomic("compare_and_swap", "ary[0] = val where it is old", _INTEGERS, "ary, old, val"),
)
