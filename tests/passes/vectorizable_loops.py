"""Loops of one thread over adjacent elements, which carry no more than integers that are combined in any order."""

import numpy as np
from treadle import cuda


@cuda.jit
def chunks(chunk, x, out):
    begin = cuda.grid(1) * chunk
    for i in range(begin, begin + chunk):
        out[i] = x[i] + 1


# CHECK-LABEL: == chunks
# CHECK: vectorizable loops ({{.*}}): found
# CHECK-NEXT: for i.{{[0-9]+}} in range({{.*}}): iterations of a thread may be vectorized


@cuda.jit
def sums(x, out):
    i = cuda.grid(1)
    total = 0
    for k in range(x.shape[1]):
        if x[i, k] > 0:
            total += x[i, k]
    out[i] = total


# CHECK-LABEL: == sums
# CHECK: vectorizable loops ({{.*}}): found


@cuda.jit
def sums_of_floats(f, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(f.shape[1]):
        total += f[i, k]
    out[i] = total


# CHECK-LABEL: == sums_of_floats
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def steps(x, out):
    """Each value depends on the one before."""
    i = cuda.grid(1)
    total = 0
    for k in range(x.shape[1]):
        total = total * 31 + x[i, k]
    out[i] = total


# CHECK-LABEL: == steps
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def seen(x, out):
    """The product is read in the loop."""
    i = cuda.grid(1)
    total = 0
    for k in range(x.shape[1]):
        total *= x[i, k]
        out[k] = total


# CHECK-LABEL: == seen
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def running(f, out):
    """A scalar loop takes a few cycles an element."""
    i = cuda.grid(1)
    largest = f[i, 0]
    for k in range(f.shape[1]):
        largest = max(largest, f[i, k])
        out[i, k] = largest


# CHECK-LABEL: == running
# CHECK: vectorizable loops ({{.*}}): found


@cuda.jit
def largest(f, out):
    """Gathers are faster than a chain of comparisons."""
    i = cuda.grid(1)
    largest = f[i, 0]
    for k in range(f.shape[1]):
        largest = max(largest, f[i, k])
    out[i] = largest


# CHECK-LABEL: == largest
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def apart(x, out):
    """No elements that follow each other."""
    i = cuda.grid(1)
    total = 0
    for k in range(x.shape[0]):
        total += x[k, i]
    out[i] = total


# CHECK-LABEL: == apart
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def costly(f, g):
    i = cuda.grid(1)
    for k in range(f.shape[1]):
        g[i, k] = np.exp(f[i, k])


# CHECK-LABEL: == costly
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def left(x, out):
    i = cuda.grid(1)
    total = 0
    for k in range(x.shape[1]):
        if x[i, k] < 0:
            break
        total += x[i, k]
    out[i] = total


# CHECK-LABEL: == left
# CHECK: vectorizable loops ({{.*}}): changed nothing


@cuda.jit
def shared(x, out):
    """Threads may see what others store."""
    part = cuda.shared.array(64, dtype=np.int64)
    i = cuda.threadIdx.x
    for k in range(x.shape[1]):
        part[k] = x[i, k]
    out[i] = part[i]


# CHECK-LABEL: == shared
# CHECK: vectorizable loops ({{.*}}): changed nothing


ROWS = "void(int64[:, ::1], int64[::1])"
REPORTS = [
    (chunks, "void(int64, int64[::1], int64[::1])"),
    (sums, ROWS),
    (sums_of_floats, "void(float64[:, ::1], float64[::1])"),
    *((kernel, ROWS) for kernel in (steps, seen)),
    (running, "void(float64[:, ::1], float64[:, ::1])"),
    (largest, "void(float64[:, ::1], float64[::1])"),
    (apart, ROWS),
    (costly, "void(float64[:, ::1], float64[:, ::1])"),
    *((kernel, ROWS) for kernel in (left, shared)),
]
