# A kernel and a function that it calls, which only together exceed the limit of static shared memory.
# ERROR NumbaValueError 9:30
# TWIN 9:     return cuda.shared.array(50, float64)
from treadle import cuda, float64


@cuda.jit(device=True)
def tile():
    return cuda.shared.array(5000, float64)


@cuda.jit
def kernel(out):
    first = cuda.shared.array(5000, float64)
    second = tile()
    first[0] = second[0] = 1
    out[0] = first[0]


def run():
    import numpy as np

    kernel[1, 1](np.zeros(4))


# MESSAGE
# shared_too_large_together.py:9:30: error: the shared arrays of a kernel take more than a block has
#   9 |     return cuda.shared.array(5000, float64)
#     |                              ^~~~
#   found:    this one takes 40000 bytes, all together 80000
#   expected: at most 49152 bytes
#   help:     make it smaller, or keep this data in an array that is passed to the kernel
