"""Arguments do not overlap, unless the kernel captures a device array, which one of them may be."""

import numpy as np
from treadle import cuda

constant = np.ones(1, np.int64)
of_device = cuda.to_device(constant)


@cuda.jit
def captures_a_copy(x, out):
    i = cuda.grid(1)
    out[i] = x[i] + cuda.const.array_like(constant)[0]
    x[i] += 1


# CHECK-LABEL: == captures_a_copy
# CHECK: overlap ({{.*}}): found
# CHECK-NEXT: arrays do not overlap
# CHECK: store out.1[i.2] = add({[[VALUE:t.*]] = x.0[i.2]; [[VALUE]]}, captured 0[int64 0])
# CHECK-NEXT: store x.0[i.2] = add([[VALUE]], int64 1)


@cuda.jit
def captures_an_array(x, out):
    i = cuda.grid(1)
    out[i] = x[i] + of_device[0]
    x[i] += 1


# CHECK-LABEL: == captures_an_array
# CHECK: overlap ({{.*}}): changed nothing
# CHECK-NEXT: rules ({{.*}}): changed nothing


REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in (captures_a_copy, captures_an_array)]
