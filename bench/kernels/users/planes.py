# Arrays of two to four axes in CUDA Python: in Fortran order, by flat indices, images in planes and by pixels.
import math

from treadle import cuda, float32, int32


@cuda.jit
def divergence_fortran(u, v, w, out):
    i, j, k = cuda.grid(3)
    nx, ny, nz = out.shape
    if 0 < i < nx - 1 and 0 < j < ny - 1 and 0 < k < nz - 1:
        dx = (u[i + 1, j, k] - u[i - 1, j, k]) / 2
        dy = (v[i, j + 1, k] - v[i, j - 1, k]) / 2
        dz = (w[i, j, k + 1] - w[i, j, k - 1]) / 2
        out[i, j, k] = dx + dy + dz


@cuda.jit
def laplace_fortran_kji(f, out):
    k, j, i = cuda.grid(3)
    nx, ny, nz = out.shape
    if i >= 1 and i < nx - 1 and j >= 1 and j < ny - 1 and k >= 1 and k < nz - 1:
        total = -6.0 * f[i, j, k]
        total += f[i - 1, j, k] + f[i + 1, j, k]
        total += f[i, j - 1, k] + f[i, j + 1, k]
        total += f[i, j, k - 1] + f[i, j, k + 1]
        out[i, j, k] = total


@cuda.jit
def transpose_planes(a, out):
    x, y, z = cuda.grid(3)
    if z < a.shape[0] and y < a.shape[1] and x < a.shape[2]:
        out[z, x, y] = a[z, y, x]


@cuda.jit
def ycbcr_pixels(rgb, out):
    x, y = cuda.grid(2)
    if y < rgb.shape[0] and x < rgb.shape[1]:
        r = float32(rgb[y, x, 0])
        g = float32(rgb[y, x, 1])
        b = float32(rgb[y, x, 2])
        luma = float32(0.299) * r + float32(0.587) * g + float32(0.114) * b
        out[y, x, 0] = int(luma + float32(0.5))
        out[y, x, 1] = int(float32(0.564) * (b - luma) + float32(128.5))
        out[y, x, 2] = int(float32(0.713) * (r - luma) + float32(128.5))


@cuda.jit
def ycbcr_planes(rgb, out):
    x, y = cuda.grid(2)
    _, height, width = rgb.shape
    if x < width and y < height:
        r = rgb[0, y, x]
        g = rgb[1, y, x]
        b = rgb[2, y, x]
        out[0, y, x] = (77 * r + 150 * g + 29 * b) >> 8
        out[1, y, x] = ((-43 * r - 85 * g + 128 * b) >> 8) + 128
        out[2, y, x] = ((128 * r - 107 * g - 21 * b) >> 8) + 128


@cuda.jit
def alpha_blend(over, under, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        alpha = over[y, x, 3]
        for c in range(3):
            out[y, x, c] = (alpha * over[y, x, c] + (255 - alpha) * under[y, x, c] + 127) // 255


@cuda.jit
def resize_bilinear(image, out):
    x, y = cuda.grid(2)
    height, width, channels = image.shape
    if y < out.shape[0] and x < out.shape[1]:
        u = float32(x) * float32(width - 1) / float32(out.shape[1] - 1)
        v = float32(y) * float32(height - 1) / float32(out.shape[0] - 1)
        x0 = int32(math.floor(u))
        y0 = int32(math.floor(v))
        x1 = min(x0 + 1, width - 1)
        y1 = min(y0 + 1, height - 1)
        fx = u - float32(x0)
        fy = v - float32(y0)
        for c in range(channels):
            top = image[y0, x0, c] * (float32(1) - fx) + image[y0, x1, c] * fx
            bottom = image[y1, x0, c] * (float32(1) - fx) + image[y1, x1, c] * fx
            out[y, x, c] = top * (float32(1) - fy) + bottom * fy


@cuda.jit
def median3(image, out):
    x, y = cuda.grid(2)
    if 0 < y < image.shape[0] - 1 and 0 < x < image.shape[1] - 1:
        window = cuda.local.array(9, int32)
        n = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                value = image[y + dy, x + dx]
                at = n
                while at > 0 and window[at - 1] > value:
                    window[at] = window[at - 1]
                    at -= 1
                window[at] = value
                n += 1
        out[y, x] = window[4]


@cuda.jit
def erode3(image, out):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        least = 255
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                if 0 <= y + dy < height and 0 <= x + dx < width:
                    least = min(least, image[y + dy, x + dx])
        out[y, x] = least


@cuda.jit
def max_pool_flat(height, width, x, out):
    i = cuda.grid(1)
    if i < out.size:
        columns = width // 2
        rows = height // 2
        column = i % columns
        row = i // columns % rows
        plane = i // (columns * rows)
        at = (plane * height + 2 * row) * width + 2 * column
        out[i] = max(max(x[at], x[at + 1]), max(x[at + width], x[at + width + 1]))


@cuda.jit
def convolve3d_flat(depth, height, width, weights, x, out):
    i = cuda.grid(1)
    if i >= depth * height * width:
        return
    column = i % width
    row = (i // width) % height
    layer = i // (width * height)
    if column < 1 or column >= width - 1 or row < 1 or row >= height - 1 or layer < 1 or layer >= depth - 1:
        out[i] = 0
        return
    total = float32(0)
    for a in range(3):
        for b in range(3):
            for c in range(3):
                at = ((layer + a - 1) * height + row + b - 1) * width + column + c - 1
                total += weights[(a * 3 + b) * 3 + c] * x[at]
    out[i] = total
