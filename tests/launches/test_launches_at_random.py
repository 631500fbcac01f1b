"""Launches in random ways, by which the values of before are compared and not read, beside launches of a kernel that
has never been launched.

A difference names the seed: `TREADLE_LAUNCH_SEED` runs it alone, `TREADLE_LAUNCH_TURNS` sets how many turns it has.
"""

import collections
import enum
import os
import random
import types

import numpy as np
import pytest
from treadle import cuda

TURNS = int(os.environ.get("TREADLE_LAUNCH_TURNS", "1200"))
SEEDS = [int(os.environ["TREADLE_LAUNCH_SEED"])] if "TREADLE_LAUNCH_SEED" in os.environ else range(4)

Pair = collections.namedtuple("Pair", "low high")
Record = np.dtype([("a", "f4"), ("b", "i8")])


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2**40


def look(out, value):
    """What a kernel sees of a value: its type decides which of the branches there are."""
    if cuda.grid(1) == 0:
        note(out, value)  # noqa: F821 - the name is in the scope that `kernel_of` gives it


# One for each class of values: a device function of its own, so that the kernel is one text for all.
def note_number(out, value):
    out[0] = value / 2
    out[1] = 1 if value > 0 else 2
    out[2] = value * 0 - 1 > 0  # an unsigned integer wraps
    out[3] = value == value // 1


def note_complex(out, value):
    out[0] = value.real
    out[1] = value.imag


def note_none(out, value):
    out[0] = -1 if value is None else 1


def note_text(out, value):
    out[0] = len(value)
    out[1] = 1 if value == "b" or value == "ab" else 0


def note_pair(out, value):
    out[0] = value[0] / 2
    out[1] = value[1] / 2


def note_record(out, value):
    out[0] = value.a
    out[1] = value.b


def note_vector(out, value):
    out[0] = value.size
    out[1] = value[0]
    out[2] = value[value.size - 1]
    out[3] = value.strides[0]


def note_matrix(out, value):
    out[0] = value.shape[1]
    out[1] = value[0, value.shape[1] - 1]
    out[2] = value[value.shape[0] - 1, 0]
    out[3] = value.strides[0]


def matrices():
    base = np.arange(24.0).reshape(4, 6)
    whole = cuda.to_device(base)
    return [whole, cuda.to_device(np.asfortranarray(base)), whole[::2], whole[:, 1:], whole.T, base, base[:, ::2]]


def vectors():
    def read_only(array):
        array.flags.writeable = False
        return array

    found = [np.arange(8).astype(kind) for kind in ("f4", "f8", "i4", "u8", "f2", "?", "i1")]
    device = [cuda.to_device(array) for array in found]
    bytes_ = np.zeros(68, np.uint8)
    odd = bytes_[4:].view("f4")  # at another distance from a multiple of 16
    odd[:] = range(16)
    views = [part for array in device for part in (array[1:], array[::2], array[2:5])]
    visible = cuda.mapped_array(5)
    visible[:] = 3
    return [
        *found,
        *device,
        *views,
        odd,
        read_only(np.arange(5.0)),
        visible,
        found[1][::-1],
        cuda.pinned_array_like(odd),
    ]


NUMBERS = [
    *(0, 1, -1, 255, 2**30 - 1, 2**30, -(2**30), 2**31 - 1, 2**31, -(2**31) - 1, 2**32, 2**62, 2**63 - 1, 2**63),
    *(2**64 - 1, -(2**63), True, False, 1.5, -0.0, 1e300, float("inf"), Level.LOW, Level.HIGH),
    *(kind(3) for kind in (np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64, np.float16, np.float32)),
    *(np.float64(2.5), np.bool_(True), np.bool_(False), np.int64(-7), np.uint64(2**63), np.float32(-1.25)),
]
CLASSES = [
    (note_number, lambda: NUMBERS),
    (note_complex, lambda: [1j, 2.5 - 1j, np.complex64(3 + 4j), np.complex128(-1j)]),
    (note_none, lambda: [None, 1, 2**63, 1.5, True, np.float32(1)]),
    (note_text, lambda: ["", "a", "b", "ab", "ba", "\N{GREEK SMALL LETTER PI}b"]),
    (note_pair, lambda: [(1, 2), (1, 2**63), (2**63, 1.5), Pair(1, -1), Pair(2**63, 2**63), Pair(1.5, True), (-1, -2)]),
    (note_record, lambda: [*np.array([(1, 2), (3, 4)], Record), cuda.to_device(np.array([(5, 6)], Record))[0]]),
    (note_vector, vectors),
    (note_matrix, matrices),
]


def kernel_of(note):
    """A kernel that nobody has launched yet."""
    inner = types.FunctionType(note.__code__, note.__globals__)
    code, scope = look.__code__, {"cuda": cuda, "note": cuda.jit(device=True, cache=False)(inner)}
    return cuda.jit(cache=False)(types.FunctionType(code, scope))


class Ways:
    """The ways to launch a kernel; each works on `out`, whose elements it leaves changed."""

    def __init__(self, kernel, first, choose):
        self.kernel, self.choose = kernel, choose
        self.outs = [cuda.to_device(np.zeros(4)) for _ in range(3)]
        self.streams = [0, cuda.stream(), cuda.stream()]
        self.launchers = [kernel[1, 32, stream] for stream in self.streams]
        self.bounds = [kernel.bind(1, 32, stream, out, first) for stream, out in zip(self.streams, self.outs)]

    def plain(self, out, value):
        self.kernel[1, 32](out, value)

    def repeated(self, out, value):
        launcher = self.choose(self.launchers)
        for _ in range(self.choose((1, 2, 3))):
            launcher(out, value)

    def bound(self, out, value):
        launch = self.choose(self.bounds)
        launch[0] = out
        launch[1] = value
        for _ in range(self.choose((1, 2, 3))):
            launch()

    def exchanged(self, out, value):
        launch = self.choose(self.bounds)
        launch[1] = value
        if launch[0] is out:
            launch()
        else:
            launch[0] = out
            launch()

    def graph(self, out, value):
        if isinstance(value, (np.ndarray, np.void)):
            return self.plain(out, value)  # captures take no memory of the host
        graph = cuda.graph()
        with graph:
            self.choose((self.plain, self.repeated))(out, value)
        graph.replay()
        return None


def seen(launch, out, value):
    out.copy_to_device(np.full(4, -99.0))
    cuda.synchronize()
    try:
        launch(out, value)
        cuda.synchronize()
    except Exception as error:
        return type(error).__name__
    return [repr(float(number)) for number in out.copy_to_host()]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_launches_are_those_of_a_kernel_that_is_new(seed):
    chance = random.Random(seed)
    chosen = CLASSES[:1] * 3 + CLASSES
    expected = {}
    for note, make in chance.sample(chosen, 4):
        values = make()
        out = cuda.to_device(np.zeros(4))
        wanted = []
        for value in values:
            key = (note, type(value).__name__, repr(value)) if not hasattr(value, "strides") else None
            if key is None or key not in expected:
                expected[key] = seen(kernel_of(note)[1, 32], out, value)
            wanted.append(expected[key])
        assert sum(isinstance(one, list) for one in wanted) > 0.8 * len(values), wanted
        ways = Ways(kernel_of(note), values[0], chance.choice)
        few = None
        for turn in range(TURNS // 4):
            if turn % 12 == 0:  # a few in turn, so that they are compared with each other
                few = chance.sample(range(len(values)), min(len(values), chance.choice((2, 3, 5))))
            at, out = chance.choice(few), chance.choice(ways.outs)
            way = chance.choice((ways.plain, ways.repeated, ways.bound, ways.exchanged, ways.graph))
            found = seen(way, out, values[at])
            assert found == wanted[at], (seed, note.__name__, turn, way.__name__, values[at])
