"""Names with a meaning inside kernels: thread indices, shared and local arrays, barriers, atomics.

The compiler identifies them by key and compiles them to instructions. On the host they are stubs: calling one, or
reading a coordinate of a thread index, raises RuntimeError.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
else:
    ModuleType = type(sys)  # avoids importing types


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
    """A thread index or an extent of a launch; has `x`, `y` and `z` in kernels."""

    def __getattr__(self, name):
        if name in ("x", "y", "z"):
            raise RuntimeError(f"{self.__treadle_key__}.{name} can only be used in a kernel or device function")
        raise AttributeError(f"{self.__treadle_key__} has no attribute '{name}'")


class Namespace(ModuleType):
    """A group of intrinsics, such as `cuda.shared`. A module, since kernels may read attributes of modules."""

    def __init__(self, name, doc, **members):
        super().__init__(name, doc)
        self.__dict__.update(members)

    def __reduce__(self):
        return _named, (self.__name__.removeprefix("treadle."),)


def _named(key):
    value = globals()
    for part in key.split(".")[1:]:
        value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value


def _function(doc):
    """The intrinsic of `cuda` whose documentation begins with its call."""
    return Intrinsic(f"cuda.{doc.partition('(')[0]}", doc)


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

grid = _function("""grid(ndim): index of the thread in the whole grid, threadIdx + blockIdx * blockDim.

`ndim`: the literal 1, 2 or 3. For 1 the result is one integer, otherwise a tuple of `ndim` integers, x first. The
integers are int64.
""")
gridsize = _function("""gridsize(ndim): threads of the whole grid, blockDim * gridDim.

`ndim` and the result are as for `grid`.
""")
syncthreads = _function("""syncthreads(): wait until all threads of the block that have not returned are here.

What they wrote to shared and global memory before is then visible to all of them.
""")

_BLOCK_VOTE = """ over all threads of the block that have not returned.

A barrier as `syncthreads`. `predicate`: any number; 0 is false. The result is an int32, the same for all of them.
"""
syncthreads_count = _function("syncthreads_count(predicate): how many gave true," + _BLOCK_VOTE)
syncthreads_and = _function("syncthreads_and(predicate): 1 where all gave true, else 0," + _BLOCK_VOTE)
syncthreads_or = _function("syncthreads_or(predicate): 1 where any gave true, else 0," + _BLOCK_VOTE)
syncwarp = _function("""syncwarp(mask=0xffffffff): wait until all lanes in `mask` that have not returned are here.

What they wrote to memory before is then visible to all of them.
""")
threadfence_block = _function(
    "threadfence_block(): what this thread wrote before is seen by the block before later writes."
)
threadfence = _function("threadfence(): what this thread wrote before is seen by the device before later writes.")
threadfence_system = _function(
    "threadfence_system(): what this thread wrote before is seen by the host and all devices before later writes."
)

_MASK_TEXT = """

`mask`: an integer; bit l names lane l. All lanes that it names and that have not returned make the same call with the
same mask. """
_SHUFFLE_TEXT = (
    _MASK_TEXT
    + """`value`: any real number; the result has its type (bool and integers below 32 bits: int32). `width`: 1, 2,
4, 8, 16 or 32; the warp is cut into segments of so many lanes, and lanes read within their segment.
"""
)
shfl_sync = _function(
    "shfl_sync(mask, value, src_lane, width=32): `value` of the lane with number src_lane % width." + _SHUFFLE_TEXT
)
shfl_up_sync = _function(
    "shfl_up_sync(mask, value, delta, width=32): `value` of the lane `delta` below; the lowest keep theirs."
    + _SHUFFLE_TEXT
)
shfl_down_sync = _function(
    "shfl_down_sync(mask, value, delta, width=32): `value` of the lane `delta` above; the highest keep theirs."
    + _SHUFFLE_TEXT
)
shfl_xor_sync = _function(
    "shfl_xor_sync(mask, value, lane_mask, width=32): `value` of the lane whose number is the own one ^ lane_mask."
    + _SHUFFLE_TEXT
)
all_sync = _function("all_sync(mask, predicate): True where `predicate` holds for all lanes of `mask`." + _MASK_TEXT)
any_sync = _function("any_sync(mask, predicate): True where `predicate` holds for any lane of `mask`." + _MASK_TEXT)
eq_sync = _function(
    "eq_sync(mask, predicate): True where `predicate` is the same for all lanes of `mask`." + _MASK_TEXT
)
ballot_sync = _function(
    "ballot_sync(mask, predicate): an int32 with the bits of the lanes of `mask` for which `predicate` holds."
    + _MASK_TEXT
)
match_any_sync = _function(
    "match_any_sync(mask, value): an int32 with the bits of the lanes of `mask` that have the same `value`."
    + _MASK_TEXT
    + "Values are compared by their bits.\n"
)
match_all_sync = _function(
    "match_all_sync(mask, value): (bits of the lanes of `mask`, True) where all have one `value`, else (0, False)."
    + _MASK_TEXT
    + "Values are compared by their bits.\n"
)
activemask = _function("activemask(): an int32 with the bits of the lanes that are at this place now.")
lanemask_lt = _function("lanemask_lt(): an int32 with the bits of the lanes below the own one.")

_BITS_TEXT = " `x`: an integer of any type; 32 bits unless it has 64."
popc = _function("popc(x): how many bits of `x` are set, in its type. `x`: an integer of any type.")
brev = _function("brev(x): the bits of `x` in reverse order, unsigned." + _BITS_TEXT)
clz = _function("clz(x): how many zero bits are above the highest one that is set." + _BITS_TEXT)
ffs = _function("ffs(x): 1 + the position of the lowest bit that is set, 0 for 0, as uint32." + _BITS_TEXT)
fma = _function("fma(a, b, c): a * b + c, rounded once. Real numbers; float32 if all are, float64 otherwise.")
cbrt = _function("cbrt(x): the cube root of a real number.")
selp = _function("selp(a, b, c): b where `a` is true, else c; both are evaluated. Numbers of one kind.")
clock = _function("clock(): a counter of clock cycles, int32, which wraps around.")
clock64 = _function("clock64(): a counter of clock cycles, int64.")
globaltimer = _function("globaltimer(): nanoseconds since some moment, int64.")
nanosleep = _function("nanosleep(ns): let the thread rest for about `ns` nanoseconds.")

literally = Intrinsic(
    "literally",
    """literally(x): `x`, whose value is known while compiling.

Inside a device function: its callers give a literal, or something else that is known while compiling, and the function
is compiled for each value. Of an argument of a kernel that has no signature, a real number or a tuple of them: the
kernel is compiled for each value that it is launched with. Raises ConstantInferenceError while compiling for anything
else.
""",
)
literal_unroll = Intrinsic(
    "literal_unroll",
    "literal_unroll(items): `items`, a tuple. Loops over tuples of several types are always compiled item by item.",
)

cg = Namespace(
    "treadle.cuda.cg",
    "Cooperative groups: the grid.",
    this_grid=Intrinsic(
        "cuda.cg.this_grid",
        """this_grid(): the group of all threads of the grid; its one method is `sync()`, a barrier for all of them.

A launch of such a kernel is cooperative: all its blocks run at once, so their number is limited; a launch of more
raises before it starts.
""",
    ),
)

_RANK = "The block's number in its cluster, an int32 from 0 on, x counted fastest."
_BLOCKS = "How many blocks the cluster has, an int32."
_MAP = """the shared array under this name in another block of the cluster.

`array`: an array of shared memory. `rank`: an integer, the number of a block in the cluster. The result is an array of
the same shape, type and layout. The other block must have begun, and must not have ended: `cluster.sync()` before the
first use and after the last one.
"""
_SYNC = """wait until all threads of the cluster that have not returned are here.

What they wrote to shared and global memory before is then visible to all of them.
"""
_ARRIVE = """this thread has come to the cluster's barrier; `cluster_wait()` must follow.

On the CPU device it is `cluster_wait` that the others wait for.
"""
_CLUSTER_AXES = " of `x`, `y` and `z`, each an int32."
cluster = Namespace(
    "treadle.cuda.cluster",
    "The blocks of a thread-block cluster, the fifth item of a launch; without that each block is one by itself.",
    sync=Intrinsic("cuda.cluster.sync", "sync(): " + _SYNC),
    block_rank=Intrinsic("cuda.cluster.block_rank", "block_rank(): " + _RANK),
    num_blocks=Intrinsic("cuda.cluster.num_blocks", "num_blocks(): " + _BLOCKS),
    map_shared_rank=Intrinsic("cuda.cluster.map_shared_rank", "map_shared_rank(array, rank): " + _MAP),
    block_index=ThreadCoordinates("cuda.cluster.block_index", "The block's position in its cluster," + _CLUSTER_AXES),
    dim_blocks=ThreadCoordinates("cuda.cluster.dim_blocks", "Blocks of the cluster," + _CLUSTER_AXES),
    clusterIdx=ThreadCoordinates("cuda.cluster.clusterIdx", "The cluster's position in the grid," + _CLUSTER_AXES),
    gridDim=ThreadCoordinates("cuda.cluster.gridDim", "Clusters of the grid," + _CLUSTER_AXES),
)
intrin = Namespace(
    "treadle.cuda.intrin",
    "Instructions of GPUs: clusters, as in `cluster`, step by step.",
    cluster_arrive=Intrinsic("cuda.intrin.cluster_arrive", "cluster_arrive(): " + _ARRIVE),
    cluster_arrive_relaxed=Intrinsic(
        "cuda.intrin.cluster_arrive_relaxed",
        "cluster_arrive_relaxed(): as `cluster_arrive`, without making visible what the thread wrote. " + _ARRIVE,
    ),
    cluster_wait=Intrinsic("cuda.intrin.cluster_wait", "cluster_wait(): after an arrive: " + _SYNC),
    cluster_sync=Intrinsic("cuda.intrin.cluster_sync", "cluster_sync(): arrive, and " + _SYNC),
    cluster_ctarank=Intrinsic("cuda.intrin.cluster_ctarank", "cluster_ctarank(): " + _RANK),
    cluster_nctarank=Intrinsic("cuda.intrin.cluster_nctarank", "cluster_nctarank(): " + _BLOCKS),
    block_idx_in_cluster=Intrinsic("cuda.intrin.block_idx_in_cluster", "block_idx_in_cluster(): " + _RANK),
    mapa=Intrinsic("cuda.intrin.mapa", "mapa(array, rank): " + _MAP),
    breakpoint=Intrinsic("cuda.intrin.breakpoint", "breakpoint(): as Python's, stops a debugger."),
    nanosleep=Intrinsic("cuda.intrin.nanosleep", "nanosleep(ns): let the thread rest for about `ns` nanoseconds."),
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
    array=_function(
        """shared.array(shape, dtype, alignment=None): one array for all threads of the block.

The shape 0 stands for the dynamic shared memory that the launch gives, `kernel[grid, block, stream, bytes]`: all such
arrays begin at its first byte."""
        + _ARRAY_TEXT
    ),
)
local = Namespace(
    "treadle.cuda.local",
    "Memory of one thread.",
    array=_function("local.array(shape, dtype, alignment=None): an array of each thread's own." + _ARRAY_TEXT),
)
const = Namespace(
    "treadle.cuda.const",
    "Memory that kernels only read.",
    array_like=_function("""const.array_like(ndarray): the global or captured NumPy array, in constant memory.

Its contents are those of the first compilation. Raises TypingError while compiling for anything else.
"""),
)
_ATOMIC_TEXT = """; returns the old value.

`ary`: an array of {types} in global or shared memory. `idx`: an integer, or a tuple with one for each axis; negative
ones count from the end. No other thread can come in between; the order among threads is free. Raises TypingError while
compiling for other arrays.
"""
_ALL = "int32, uint32, int64, uint64, float16, float32 or float64"
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
