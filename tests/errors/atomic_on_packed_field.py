# An atomic operation on a field that is not aligned to its size.
# ERROR TypingError 11:21
# TWIN 11:     cuda.atomic.add(r.aligned, 0, 1)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    cuda.atomic.add(r.x, 0, 1)


def run():
    dtype = {"names": ["tag", "x", "aligned"], "formats": ["u1", "f4", "f4"], "offsets": [0, 1, 8], "itemsize": 12}
    kernel[1, 1](np.zeros(4, dtype))


# MESSAGE
# atomic_on_packed_field.py:11:21: error: cuda.atomic.add() needs elements that are aligned
#   11 |     cuda.atomic.add(r.x, 0, 1)
#      |                     ^~~
#   found:    unaligned array(float32, 1d, A)
#   expected: a field at a multiple of its size in every record
#   help:     make the dtype with align=True
