# Floats become integers of any width: truncated, saturated, 0 for NaN. PTX's `cvt` does most of that.
import numpy as np
from treadle import cuda, int64

from kernels.harness import launch
from kernels.long_conversions import saturated


@cuda.jit
def truncated(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def single_to_int(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}single_to_int
    # CHECK-PTX: cvt.rzi.s32.f32
    # CHECK-PTX-NEXT: st.global.u32
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def double_to_long(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}double_to_long
    # CHECK-PTX: cvt.rzi.s64.f64
    # CHECK-PTX-NEXT: setp.num.f64
    # CHECK-PTX-NEXT: selp.b64
    # CHECK-PTX-NOT: selp
    # CHECK-PTX: ret
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def double_to_int(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}double_to_int
    # CHECK-PTX: cvt.rzi.s32.f64
    # CHECK-PTX-NEXT: setp.num.f64
    # CHECK-PTX-NEXT: selp.b32
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def single_to_byte(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}single_to_byte
    # CHECK-PTX: cvt.rzi.u32.f32
    # CHECK-PTX-NEXT: min.u32
    # CHECK-PTX-NOT: selp
    # CHECK-PTX: st.global.u8
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def half_to_low_bits_of_long(x, out):
    # Of 32 bits, the conversion would make the largest int32 of an infinity.
    # CHECK-PTX-LABEL: .entry {{.*}}half_to_low_bits_of_long
    # CHECK-PTX-NOT: cvt.rzi.s32
    # CHECK-PTX: cvt.rzi.s64
    # CHECK-PTX: st.global.u32
    i = cuda.grid(1)
    if i < x.size:
        out[i] = int64(x[i])


KINDS = [np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
PTX = [(single_to_int, "(float32[::1], int32[::1])"), (double_to_long, "(float64[::1], int64[::1])")]
PTX += [(double_to_int, "(float64[::1], int32[::1])"), (single_to_byte, "(float32[::1], uint8[::1])")]
PTX += [(half_to_low_bits_of_long, "(float16[::1], int32[::1])")]
PTX += [(truncated, f"({x}[::1], {kind}[::1])") for x in ("float16", "float32", "float64") for kind in KINDS]


def run():
    ends = [sign * 2.0**bits for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
    near = [end + more for end in ends for more in (-1.5, -1, -0.5, 0, 0.25, 0.75, 1)]
    numbers = np.array([*near, np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e38, -1e38, 5e-324])
    with np.errstate(over="ignore"):
        halves = numbers.astype(np.float16)
        for x in (numbers, np.nextafter(numbers, 0), numbers.astype(np.float32), halves):
            for kind in KINDS:
                _, out = launch(truncated, -(-x.size // 32), 32, x, np.zeros(x.size, kind))
                assert out.tolist() == saturated(x, kind), (x.dtype, kind)
    _, out = launch(half_to_low_bits_of_long, -(-halves.size // 32), 32, halves, np.zeros(halves.size, np.int32))
    assert out.tolist() == np.array(saturated(halves, np.int64)).astype(np.int32).tolist()
