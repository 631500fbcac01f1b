"""Warps run along the axis on which neighbouring threads access neighbouring elements."""

from treadle import cuda, float32


@cuda.jit
def last_index(out, a):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] + a[i, j + 1]


# CHECK-LABEL: == last_index
# CHECK: warps may span blocks
# CHECK-NEXT: warps should run along y


@cuda.jit
def first_index(out, a):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = a[y, x] + a[y, x + 1]


# CHECK-LABEL: == first_index
# CHECK: warps may span blocks
# CHECK-NOT: warps should run


@cuda.jit
def transposed(out, a):
    x, y = cuda.grid(2)
    out[x, y] = a[y, x]


# CHECK-LABEL: == transposed
# CHECK-NOT: warps should run


@cuda.jit
def flat(out, a):
    i, j = cuda.grid(2)
    out[i * 640 + j] = a[i * 640 + j]


# CHECK-LABEL: == flat
# CHECK: warps should run along y


@cuda.jit
def volume(out, a):
    i, j, k = cuda.grid(3)
    out[i, j, k] = a[i, j, k]


# CHECK-LABEL: == volume
# CHECK: warps should run along z


@cuda.jit(device=True)
def at(a, row, column):
    return a[row, column]


@cuda.jit
def by_function(out, a):
    i, j = cuda.grid(2)
    out[i, j] = at(a, i, j)


# CHECK-LABEL: == by_function
# CHECK: warps should run along y


@cuda.jit
def rows(out, a):
    i, j = cuda.grid(2)
    row = a[i]
    for k in range(4):
        out[i][j] += row[j + k]


# CHECK-LABEL: == rows
# CHECK: warps should run along y


@cuda.jit
def tiles(out, a):
    tile = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[tx, ty] = a[x, ty]
    cuda.syncthreads()
    out[x, y] = tile[tx, ty]


# CHECK-LABEL: == tiles
# CHECK: block spans
# CHECK-NEXT: warps should run along y


@cuda.jit
def shows_warps(out, a):
    i, j = cuda.grid(2)
    out[i, j] = cuda.shfl_sync(0xFFFFFFFF, a[i, j], 0)


# CHECK-LABEL: == shows_warps
# CHECK-NOT: warps should run

C, F = "float32[:, ::1]", "float32[::1, :]"

REPORTS = [
    (last_index, f"void({C}, {C})"),
    (first_index, f"void({C}, {C})"),
    (transposed, f"void({C}, {C})"),
    (flat, "void(float32[::1], float32[::1])"),
    (volume, "void(float32[:, :, ::1], float32[:, :, ::1])"),
    (by_function, f"void({C}, {C})"),
    (rows, f"void({C}, {C})"),
    (tiles, f"void({C}, {C})"),
    (shows_warps, f"void({C}, {C})"),
    (first_index, f"void({F}, {F})"),
]
# Of the last report, of arrays in Fortran order.
# CHECK-LABEL: == first_index
# CHECK: warps should run along y
