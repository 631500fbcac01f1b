"""Rows whose length is known from the launch: those of up to 16 elements that loops or constants index."""

import numpy as np
from treadle import cuda


@cuda.jit
def short(x, out):
    for k in range(x.shape[1]):
        after = x.shape[1] + 1
        out[k] = x[0, k] + after


# CHECK-LABEL: == short
# CHECK: after.{{[0-9]+}} = add(x.0.shape[1], int64 1): 17 to 17


@cuda.jit
def long(x, out):
    for k in range(x.shape[1]):
        after = x.shape[1] + 1
        out[k] = x[0, k] + after


# CHECK-LABEL: == long
# CHECK: after.{{[0-9]+}} = add(x.0.shape[1], int64 1): 1 to 2147483648


@cuda.jit
def by_thread(x, out):
    k = cuda.threadIdx.x
    after = x.shape[1] + 1
    if k < x.shape[1]:
        out[k] = x[0, k] + after


# CHECK-LABEL: == by_thread
# CHECK: after.{{[0-9]+}} = add(x.0.shape[1], int64 1): 1 to 2147483648


@cuda.jit
def replaced(x, out):
    for k in range(x.shape[1]):
        after = x.shape[1] + 1
        out[k] = x[0, k] + after
        x = x[:1]


# CHECK-LABEL: == replaced
# CHECK: after.{{[0-9]+}} = add(x.0.shape[1], int64 1): 1 to 2147483648


def arrays(length):
    return np.zeros((2, length), np.int64), np.zeros(length, np.int64)


REPORTS = [(short, arrays(16)), (long, arrays(18)), (by_thread, arrays(16)), (replaced, arrays(16))]
