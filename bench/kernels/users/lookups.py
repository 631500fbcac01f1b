# Tables, searches and counts in CUDA Python.
from treadle import cuda, int32


@cuda.jit
def table256(values, table, out):
    i = cuda.grid(1)
    if i < values.size:
        out[i] = table[values[i]]


@cuda.jit
def recolour(wanted, palette, pixels, out):
    i = cuda.grid(1)
    if i < pixels.size and wanted[i]:
        out[i] = palette[pixels[i]]


@cuda.jit
def searchsorted(keys, values, out):
    i = cuda.grid(1)
    if i >= values.size:
        return
    low = 0
    high = keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < values[i]:
            low = middle + 1
        else:
            high = middle
    out[i] = low


@cuda.jit
def interpolate(knots, heights, x, out):
    i = cuda.grid(1)
    if i < x.size:
        low = 0
        high = knots.size - 1
        while high - low > 1:
            middle = (low + high) >> 1
            if x[i] < knots[middle]:
                high = middle
            else:
                low = middle
        t = (x[i] - knots[low]) / (knots[low + 1] - knots[low])
        out[i] = heights[low] * (1.0 - t) + heights[low + 1] * t


@cuda.jit
def count16(kinds, counts):
    i = cuda.grid(1)
    if i < kinds.size:
        cuda.atomic.add(counts, kinds[i], 1)


@cuda.jit
def deposit(cells, charges, density):
    i = cuda.grid(1)
    if i < cells.size:
        cuda.atomic.add(density, cells[i], charges[i])


@cuda.jit
def histogram256(values, counts):
    own = cuda.shared.array(256, int32)
    tid = cuda.threadIdx.x
    own[tid] = 0
    cuda.syncthreads()
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, values.size, step):
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, tid, own[tid])


@cuda.jit
def compact(limit, values, out, count):
    i = cuda.grid(1)
    if i < values.size and values[i] > limit:
        at = cuda.atomic.add(count, 0, 1)
        out[at] = values[i]
