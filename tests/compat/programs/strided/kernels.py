"""The tensor operations as kernels, on tensors of a device. They compile the functions that the loops call."""

from __future__ import annotations

import numba
import numpy as np
from numba import cuda
from numba.cuda import jit as compiled

from .layout import ShapeError, cell_at, common_shape, expanded_steps, narrow, split_place, weights_of
from .tensor import Strided

THREADS = 32  # of the kernels with a thread for each element
MOST_BLOCKS = 3  # of the same kernels: larger tensors take several rounds
FOLDERS = 48  # threads that fold one line
SCANNERS = 32  # threads that scan one line
TALL, WIDE = 8, 16  # the tile of a matrix product that a block computes
DIGITS = 6

on_device = compiled(device=True)

split_place = on_device(split_place)
cell_at = on_device(cell_at)
narrow = on_device(narrow)


def numbers(values):
    return np.array(values, np.int32)


def blocks_for(tensor):
    return min(-(-tensor.size // THREADS), MOST_BLOCKS)


def make_map(fn):
    """mapped(x, target=None): fn of each element of x, which expands to the target."""
    element = on_device(fn)

    def kernel(target, steps, weights, x, x_shape, x_steps, count):
        digits = cuda.local.array(DIGITS, numba.int32)
        inner = cuda.local.array(DIGITS, numba.int32)
        for place in range(cuda.grid(1), count, cuda.gridsize(1)):
            split_place(place, weights, digits)
            narrow(digits, len(weights), x_shape, inner)
            target[cell_at(digits, steps)] = element(x[cell_at(inner, x_steps)])

    kernel = compiled(kernel)

    def mapped(x: Strided, target: Strided | None = None) -> Strided:
        if target is None:
            target = Strided.empty(x.shape, x.dtype, device=True)
        elif common_shape(x.shape, target.shape) != target.shape:
            raise ShapeError(f"the shape {x.shape} does not expand to the target's, {target.shape}")
        weights = numbers(weights_of(target.shape))
        kernel[blocks_for(target), THREADS](
            target.cells, numbers(target.steps), weights, x.cells, numbers(x.shape), numbers(x.steps), target.size
        )
        return target

    return mapped


def make_zip(fn):
    """zipped(x, y): fn of each element of x and the one of y, both expanded to their common shape."""
    pair = on_device(fn)

    @cuda.jit()
    def kernel(target, weights, x, x_shape, x_steps, y, y_shape, y_steps):
        digits = cuda.local.array(shape=DIGITS, dtype=numba.int64)
        mine = cuda.local.array(shape=DIGITS, dtype=numba.int64)
        place = cuda.grid(1)
        while place < target.size:
            split_place(place, weights, digits)
            narrow(digits, len(weights), x_shape, mine)
            left = x[cell_at(mine, x_steps)]
            narrow(digits, len(weights), y_shape, mine)
            target[place] = pair(left, y[cell_at(mine, y_steps)])
            place += cuda.gridsize(1)

    def zipped(x: Strided, y: Strided) -> Strided:
        target = Strided.empty(common_shape(x.shape, y.shape), x.dtype, device=True)
        kernel[blocks_for(target), THREADS](
            target.cells, weights_of(target.shape), x.cells, x.shape, x.steps, y.cells, y.shape, y.steps
        )
        return target

    return zipped


def make_fold(fn, start, number=numba.float64):
    """folded(x, axis): each line along the axis as one number; `start` changes nothing under fn.

    A block folds a line. Its threads' results are halved in shared memory, the middle one waiting if they are odd.
    """
    combine = on_device(fn)

    @cuda.jit
    def kernel(target, weights, x, steps, length, step):
        results = cuda.shared.array(FOLDERS, number)
        digits = cuda.local.array(DIGITS, numba.int32)
        thread = cuda.threadIdx.x
        split_place(cuda.blockIdx.x, weights, digits)
        begin = cell_at(digits, steps)

        total = start
        for k in range(thread, length, FOLDERS):
            total = combine(total, x[begin + k * step])
        results[thread] = total
        cuda.syncthreads()

        left = FOLDERS
        while left > 1:
            upper = (left + 1) // 2
            if thread + upper < left:
                results[thread] = combine(results[thread], results[thread + upper])
            cuda.syncthreads()
            left = upper

        if thread == 0:
            target[cuda.blockIdx.x] = results[0]

    def folded(x: Strided, axis: int) -> Strided:
        axis %= len(x.shape)
        shape = (*x.shape[:axis], *x.shape[axis + 1 :]) or (1,)
        steps = (*x.steps[:axis], *x.steps[axis + 1 :]) or (0,)
        target = Strided.empty(shape, x.dtype, device=True)
        kernel[target.size, FOLDERS](target.cells, weights_of(shape), x.cells, steps, x.shape[axis], x.steps[axis])
        return target

    return folded


def make_row_fold(fn, start):
    """folded(x): each row of a matrix without gaps as one number, by a warp for each row."""
    combine = on_device(fn)
    rows_of_block = 3

    @cuda.jit
    def kernel(target, matrix):
        row = cuda.blockIdx.x * rows_of_block + cuda.threadIdx.y
        if row >= matrix.shape[0]:
            return
        total = start
        for column in range(cuda.laneid, matrix.shape[1], cuda.warpsize):
            total = combine(total, matrix[row, column])
        for reach in (16, 8, 4, 2, 1):
            total = combine(total, cuda.shfl_down_sync(0xFFFFFFFF, total, reach))
        if cuda.laneid == 0:
            target[row] = total

    def folded(x: Strided) -> Strided:
        rows, columns = x.shape
        target = Strided.empty((rows,), x.dtype, device=True)
        matrix = x.cells.reshape(rows, columns)
        kernel[-(-rows // rows_of_block), (32, rows_of_block)](target.cells, matrix)
        return target

    return folded


def make_scan(fn, number=numba.float64):
    """scanned(x): the results so far, along the last axis. fn need not commute.

    A block scans a line, as many elements at once as it has threads. In each round a thread takes in the result of
    one further and further to its left; two rows of shared memory take turns.
    """
    combine = on_device(fn)

    @cuda.jit
    def kernel(target, weights, x, steps, length):
        rows = cuda.shared.array((2, SCANNERS), number)
        digits = cuda.local.array(DIGITS, numba.int32)
        thread, line = cuda.threadIdx.x, cuda.blockIdx.x
        split_place(line * length, weights, digits)
        begin = cell_at(digits, steps)
        carried = x[begin]
        for base in range(0, length, SCANNERS):
            k = base + thread
            value = x[begin + k * steps[-1]] if k < length else carried
            if base > 0 and thread == 0:
                value = combine(carried, value)
            now, reach = 0, 1
            rows[now, thread] = value
            cuda.syncthreads()
            while reach < SCANNERS:
                if thread >= reach:
                    value = combine(rows[now, thread - reach], value)
                now = 1 - now
                rows[now, thread] = value
                cuda.syncthreads()
                reach += reach
            if k < length:
                target[line * length + k] = value
            carried = rows[now, SCANNERS - 1]
            cuda.syncthreads()

    def scanned(x: Strided) -> Strided:
        target = Strided.empty(x.shape, x.dtype, device=True)
        length = x.shape[-1]
        kernel[x.size // length, SCANNERS](target.cells, weights_of(x.shape), x.cells, x.steps, length)
        return target

    return scanned


@cuda.jit
def tiled_product(target, x, x_steps, y, y_steps, batch, sizes):
    """Each block computes a tile of TALL times WIDE elements, of one matrix after another.

    `batch`: the weights of the axes in front, and the steps of x and y along them. `sizes`: rows, inner, columns.
    """
    left = cuda.shared.array((TALL, WIDE), numba.float64)
    right = cuda.shared.array((WIDE, WIDE), numba.float64)
    digits = cuda.local.array(DIGITS, numba.int32)
    column, row = cuda.grid(2)
    across, down = cuda.threadIdx.x, cuda.threadIdx.y
    rows, inner, columns = sizes
    matrices = target.size // (rows * columns)

    for matrix in range(cuda.blockIdx.z, matrices, cuda.gridDim.z):
        split_place(matrix, batch[0], digits)
        x_begin, y_begin = cell_at(digits, batch[1]), cell_at(digits, batch[2])
        total = 0.0
        for base in range(0, inner, WIDE):
            depth = min(WIDE, inner - base)
            if row < rows and across < depth:
                left[down, across] = x[x_begin + row * x_steps[0] + (base + across) * x_steps[1]]
            if column < columns:
                for k in range(down, depth, TALL):
                    right[k, across] = y[y_begin + (base + k) * y_steps[0] + column * y_steps[1]]
            cuda.syncthreads()
            if row < rows and column < columns:
                for k in range(depth):
                    total += left[down, k] * right[k, across]
            cuda.syncthreads()
        if row < rows and column < columns:
            target[(matrix * rows + row) * columns + column] = total


def matrix_product(x: Strided, y: Strided) -> Strided:
    """The products of the matrices in the last two axes; the axes in front expand to a common shape."""
    (rows, inner), (other, columns) = x.shape[-2:], y.shape[-2:]
    if inner != other:
        raise ShapeError(f"rows of {inner} elements cannot be multiplied by columns of {other}")
    outer = common_shape(x.shape[:-2], y.shape[:-2])
    batch = outer or (1,)
    steps = [expanded_steps(tensor.steps[:-2], tensor.shape[:-2], batch) for tensor in (x, y)]
    target = Strided.empty((*outer, rows, columns), x.dtype, device=True)
    grid = (-(-columns // WIDE), -(-rows // TALL), min(int(np.prod(batch)), MOST_BLOCKS))
    tiled_product[grid, (WIDE, TALL)](
        target.cells, x.cells, x.steps[-2:], y.cells, y.steps[-2:], (weights_of(batch), *steps), (rows, inner, columns)
    )
    return target
