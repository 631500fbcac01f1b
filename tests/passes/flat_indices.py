"""Flat indices that are taken apart: statements stand twice, once for warps whose threads are all in one row."""

from treadle import cuda


@cuda.jit
def takes_apart(height, width, x, out):
    i = cuda.grid(1)
    if i < height * width:
        row = i // width
        out[i] = x[row, i % width]


# CHECK-LABEL: == takes_apart
# CHECK: flat indices ({{.*}}): made a new tree
# CHECK: [[FIRST:t.*]] = broadcast_first(i.4)
# CHECK-NEXT: [[LENGTH:t.*]] = max(width.1, int64 1)
# CHECK-NEXT: [[ROW:t.*]] = floordiv([[FIRST]], [[LENGTH]])
# CHECK-NEXT: [[BEGIN:t.*]] = sub([[FIRST]], mod([[FIRST]], [[LENGTH]]))
# CHECK-NEXT: [[COLUMN:t.*]] = sub(i.4, [[BEGIN]])
# CHECK-NEXT: if (ge([[COLUMN]], int64 0) ? lt([[COLUMN]], width.1) : false)
# CHECK-NEXT: row.11 = [[ROW]]
# CHECK-NEXT: store out.3[i.4] = x.2[row.11, [[COLUMN]]]
# CHECK-NEXT: else
# CHECK-NEXT: row.5 = floordiv(i.4, width.1)
# CHECK-NEXT: store out.3[i.4] = x.2[row.5, mod(i.4, width.1)]


@cuda.jit
def takes_apart_by_hand(height, width, x, out):
    i = cuda.grid(1)
    if i < height * width:
        row = i // width
        column = i - row * width
        out[i] = x[row, column]


# CHECK-LABEL: == takes_apart_by_hand
# CHECK: flat indices ({{.*}}): made a new tree
# CHECK: [[COLUMN:t.*]] = sub(i.4, t
# CHECK-NEXT: if (ge([[COLUMN]], int64 0) ? lt([[COLUMN]], width.1) : false)
# CHECK: column.{{.*}} = [[COLUMN]]


@cuda.jit
def volume(height, width, x, out):
    """Two divisions of one position; what is divided further is not the thread's."""
    start, step = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, out.size, step):
        out[i] = x[i // (height * width), i // width % height, i % width]


# CHECK-LABEL: == volume
# CHECK: flat indices ({{.*}}): made a new tree
# CHECK: for i.{{.*}} in range
# CHECK: broadcast_first(i.
# CHECK: broadcast_first(i.
# CHECK-NOT: broadcast_first
# CHECK: inner indices


@cuda.jit
def short_rows(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i // 3, i % 3]


# CHECK-LABEL: == short_rows
# CHECK: flat indices ({{.*}}): changed nothing
# CHECK-NEXT: inner indices ({{.*}}): changed nothing


@cuda.jit
def changing_rows(width, x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i % width]
        width += 1
        out[i] += x[i % width]


# CHECK-LABEL: == changing_rows
# CHECK: flat indices ({{.*}}): made a new tree
# CHECK: [[COLUMN:t.*]] = sub(i.3, t.{{.*}})
# CHECK: store out.2[i.3] = x.1{{\[}}[[COLUMN]]]
# CHECK-NEXT: [[WIDTH:width.*]] = add(width.0, int64 1)
# CHECK-NEXT: store out.2[i.3] = add(out.2[i.3], x.1[mod(i.3, [[WIDTH]])])


@cuda.jit
def before_barriers(width, x, out):
    i = cuda.grid(1)
    out[i] = x[i % width]
    cuda.syncthreads()
    out[i] += x[i // width]


# CHECK-LABEL: == before_barriers
# CHECK: flat indices ({{.*}}): made a new tree
# CHECK: store out.2[i.3] = x.1[mod(i.3, width.0)]
# CHECK-NEXT: barrier
# CHECK-NEXT: = broadcast_first(i.3)


@cuda.jit
def signed(width, x, out):
    """Floor division of negative numbers rounds down; the sums in a test might wrap."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[(i - 5) // width, (i - 5) % width]


# CHECK-LABEL: == signed
# CHECK: flat indices ({{.*}}): changed nothing


IMAGE = "void(int64, int64, int64[:, ::1], int64[::1])"
ROWS = "void(int64, int64[::1], int64[::1])"
REPORTS = [
    (takes_apart, IMAGE),
    (takes_apart_by_hand, IMAGE),
    (volume, "void(int64, int64, int64[:, :, ::1], int64[::1])"),
    (short_rows, "void(int64[:, ::1], int64[::1])"),
    (changing_rows, ROWS),
    (before_barriers, ROWS),
    (signed, "void(int64, int64[:, ::1], int64[::1])"),
]
