# Items of tuples of constants by a position of run time: from 17 constants of one type on, a table in memory.
import numpy as np
from treadle import cuda

from kernels.harness import check

NUMBERS = tuple((7 * k) % 23 - 11 for k in range(17))
FEW = NUMBERS[:16]
FLAGS = tuple(k % 3 == 0 for k in range(40))
HALVES = tuple(np.float16(k / 8) for k in range(20))
SINGLES = tuple(np.float32(k / 3) for k in range(33))
DOUBLES = tuple(k / 7 for k in range(18))
BYTES = tuple(np.uint8(250 + k % 6) for k in range(19))
TURNS = tuple(np.complex64(complex(k, -k / 2)) for k in range(24))
ROOTS = tuple(complex(k / 3, 1 - k) for k in range(17))
COUNT = 1000


@cuda.jit
def from_a_table(x, out):
    # CHECK-PTX: .const .align 16 .b64 captured[17]
    # CHECK-PTX-LABEL: .entry {{.*}}from_a_table
    # CHECK-PTX-NOT: setp.eq
    # CHECK-PTX: ld.const.u64
    i = cuda.grid(1)
    if i < x.size:
        out[i] = NUMBERS[x[i] % 17]


@cuda.jit
def chosen_of_few(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}chosen_of_few
    # CHECK-PTX-NOT: ld.const
    # CHECK-PTX: selp
    i = cuda.grid(1)
    if i < x.size:
        out[i] = FEW[x[i] % 16]


@cuda.jit
def from_the_end(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = NUMBERS[x[i] % 34 - 17]


@cuda.jit
def of_neighbours(x, out):
    i = cuda.grid(1)
    if i < 17:
        out[i] = NUMBERS[i]
    elif i < 30:
        out[i] = NUMBERS[29 - i]


@cuda.jit
def of_every_type(x, out):
    i = cuda.grid(1)
    if i < x.size:
        k = x[i] % 17
        out[i, 0] = ROOTS[k]
        out[i, 1] = TURNS[k + 7]
        out[i, 2] = DOUBLES[k + 1]
        out[i, 3] = SINGLES[k + 16]
        out[i, 4] = HALVES[k + 3]
        out[i, 5] = BYTES[k + 2]
        out[i, 6] = FLAGS[k + 23]


@cuda.jit
def kept_in_variables(x, out):
    i = cuda.grid(1)
    if i < x.size:
        many = NUMBERS
        out[i] = many[x[i] % 17] + many[-1 - x[i] % 17]


@cuda.jit
def out_of_range(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = NUMBERS[x[i] * 1000003 if x[i] & 1 else x[i] % 17]


KERNELS = (from_a_table, chosen_of_few, from_the_end, of_neighbours, kept_in_variables)
PTX = [(kernel, "(int64[::1], int64[::1])") for kernel in KERNELS]
PTX += [(out_of_range, "(int64[::1], int64[::1])")]
PTX += [(of_every_type, "(int64[::1], complex128[:, ::1])")]


def run():
    places = (np.arange(COUNT, dtype=np.int64) * 2654435761) % 100003
    for kernel in KERNELS:
        check(kernel, 32, 32, places, np.zeros(COUNT, np.int64))
        check(kernel, 1, 30, places[:30], np.zeros(30, np.int64))
    check(from_a_table, 32, 32, places.astype(np.uint8), np.zeros(COUNT, np.int64))
    check(of_every_type, 32, 32, places, np.zeros((COUNT, 7), np.complex128))
    found = np.zeros(COUNT, np.int64)
    out_of_range[32, 32](places, found)
    inside = places % 2 == 0  # the others may find any item
    assert np.isin(found, NUMBERS).all()
    assert (found[inside] == np.array(NUMBERS)[places[inside] % 17]).all()
