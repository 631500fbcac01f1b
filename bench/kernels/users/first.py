# First programs, as manuals, courses and first attempts have them.
from treadle import cuda, float32, int32


@cuda.jit
def add_ij(a, b, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] + b[i, j]


@cuda.jit
def jacobi_ij(old, new):
    i, j = cuda.grid(2)
    if 1 <= i < old.shape[0] - 1 and 1 <= j < old.shape[1] - 1:
        new[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@cuda.jit
def jacobi_yx(old, new):
    x, y = cuda.grid(2)
    if 1 <= y < old.shape[0] - 1 and 1 <= x < old.shape[1] - 1:
        new[y, x] = 0.25 * (old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1])


@cuda.jit
def blend_fortran(weight, a, b, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = weight * a[y, x] + (float32(1) - weight) * b[y, x]


@cuda.jit
def wave_ijk(speed, now, before, after):
    i, j, k = cuda.grid(3)
    depth, height, width = now.shape
    if 0 < i < depth - 1 and 0 < j < height - 1 and 0 < k < width - 1:
        around = now[i - 1, j, k] + now[i + 1, j, k] + now[i, j - 1, k]
        around += now[i, j + 1, k] + now[i, j, k - 1] + now[i, j, k + 1]
        twice = now[i, j, k] + now[i, j, k]
        after[i, j, k] = twice - before[i, j, k] + speed * (around - float32(6) * now[i, j, k])


@cuda.jit
def blur_flat(height, width, image, out):
    i = cuda.grid(1)
    if i < height * width:
        y = i // width
        x = i % width
        if 0 < x < width - 1 and 0 < y < height - 1:
            out[i] = (image[i - 1] + image[i + 1] + image[i - width] + image[i + width] + image[i]) / float32(5)
        else:
            out[i] = image[i]


@cuda.jit
def matmul_ij(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def matmul_yx(a, b, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def matmul_tiles_ij(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    i, j = cuda.grid(2)
    ti = cuda.threadIdx.x
    tj = cuda.threadIdx.y
    total = float32(0)
    for tile in range((a.shape[1] + 15) // 16):
        left[ti, tj] = 0
        right[ti, tj] = 0
        if i < a.shape[0] and tile * 16 + tj < a.shape[1]:
            left[ti, tj] = a[i, tile * 16 + tj]
        if j < b.shape[1] and tile * 16 + ti < b.shape[0]:
            right[ti, tj] = b[tile * 16 + ti, j]
        cuda.syncthreads()
        for k in range(16):
            total += left[ti, k] * right[k, tj]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total


@cuda.jit
def total_of_rows(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        total = float32(0)
        for j in range(a.shape[1]):
            total += a[i, j]
        out[i] = total


@cuda.jit
def total_of_columns(a, out):
    j = cuda.grid(1)
    if j < a.shape[1]:
        total = float32(0)
        for i in range(a.shape[0]):
            total += a[i, j]
        out[j] = total


@cuda.jit
def scale_chunks(factor, chunk, a, out):
    begin = cuda.grid(1) * chunk
    for i in range(begin, min(begin + chunk, a.size)):
        out[i] = factor * a[i]


@cuda.jit
def count_bytes(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, values[i], 1)


@cuda.jit
def count_in_bins(low, high, values, counts):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    width = (high - low) / float32(counts.size)
    for i in range(start, values.size, step):
        bin = int32((values[i] - low) / width)
        if 0 <= bin < counts.size:
            cuda.atomic.add(counts, bin, 1)


@cuda.jit
def count_bytes_shared(values, counts):
    mine = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, values[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, t, mine[t])


@cuda.jit
def escape_ij(real, imaginary, step, most, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        c = complex(real + j * step, imaginary + i * step)
        z = 0j
        for n in range(most):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag > 4:
                out[i, j] = n
                return
        out[i, j] = most
