# print() in kernels: formatted as CUDA does, blocks in order, lanes in order, under masks, from device functions.
import numpy as np
import stand_in
from treadle import cuda, float32, uint64

from kernels.harness import launch, printed_lines


@cuda.jit(device=True)
def report(i, value):
    print("deep", i, value)
    return value + 1


@cuda.jit
def several(x):
    i = cuda.grid(1)
    if i % 16 == 3:
        print("thread", i, x[i], x[i] > 20, float32(0.1), "50%")
    if i == 70:
        x[i] = report(i, x[i])
        print()
        print(~uint64(0), -1, 1 + 2j, True)


@cuda.jit
def in_order():
    print(cuda.blockIdx.y, cuda.blockIdx.x, cuda.threadIdx.x)


@cuda.jit
def many(x, z):
    print(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], "ten", x[0], x[1], x[2], x[3], x[4], x[5], x[6],
          x[7], x[8], x[9], "twenty", x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], "thirty", x[1], z, z,
          "end")  # fmt: skip
    print(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
          x[8], x[9], x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[0], x[1])  # fmt: skip


PTX = [(several, "(float64[::1],)"), (in_order, "()"), (many, "(int64[::1], complex128)")]


def run():
    lines = printed_lines(lambda: several[2, 64](np.arange(128.0)))
    first = [f"thread {i} {float(i):f} {i > 20} 0.100000 50%" for i in range(3, 64, 16)]
    second = [f"thread {i} {float(i):f} {i > 20} 0.100000 50%" for i in range(67, 128, 16)]
    rest = [*second, "deep 70 70.000000", "", "18446744073709551615 -1 (1.000000+2.000000j) True"]
    ten = " ".join(map(str, range(10)))
    number = "(1.500000-2.000000j)"
    assert printed_lines(lambda: many[1, 1](np.arange(10), 1.5 - 2j)) == [
        f"{ten} ten {ten} twenty {ten} thirty 1 {number} {number} end",
        f"{ten} {ten} {ten} 0 1",
    ]
    blocks = printed_lines(lambda: launch(in_order, (50, 3), 2))
    expected = [f"{y} {x} {t}" for y in range(3) for x in range(50) for t in range(2)]
    if stand_in.is_under_test():  # CUDA has no order among threads
        assert sorted(lines) == sorted(first + rest)
        assert sorted(blocks) == sorted(expected)
        return
    assert lines[:4] == first
    assert sorted(lines[4:]) == sorted(rest)
    assert blocks == expected
