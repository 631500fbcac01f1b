# Images in CUDA Python, a thread for each pixel.
import math

from treadle import cuda, float32


@cuda.jit
def blur5(image, out):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        total = float32(0.0)
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                yy = min(max(y + dy, 0), height - 1)
                xx = min(max(x + dx, 0), width - 1)
                total += image[yy, xx]
        out[y, x] = total / float32(25.0)


@cuda.jit
def sobel(image, out):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x > 0 and x < width - 1 and y > 0 and y < height - 1:
        gx = image[y - 1, x + 1] + 2 * image[y, x + 1] + image[y + 1, x + 1]
        gx -= image[y - 1, x - 1] + 2 * image[y, x - 1] + image[y + 1, x - 1]
        gy = image[y + 1, x - 1] + 2 * image[y + 1, x] + image[y + 1, x + 1]
        gy -= image[y - 1, x - 1] + 2 * image[y - 1, x] + image[y - 1, x + 1]
        out[y, x] = min(int(math.sqrt(gx * gx + gy * gy)), 255)


@cuda.jit
def grey(rgb, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 0.299 * rgb[i, 0] + 0.587 * rgb[i, 1] + 0.114 * rgb[i, 2]


@cuda.jit
def rotate(cosine, sine, image, out):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        dx = x - width / 2
        dy = y - height / 2
        u = cosine * dx - sine * dy + width / 2
        v = sine * dx + cosine * dy + height / 2
        x0 = int(math.floor(u))
        y0 = int(math.floor(v))
        if x0 >= 0 and x0 < width - 1 and y0 >= 0 and y0 < height - 1:
            fx = u - x0
            fy = v - y0
            top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
            bottom = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
            out[y, x] = top * (1 - fy) + bottom * fy
        else:
            out[y, x] = 0.0


@cuda.jit
def mandelbrot_complex(left, top, pixel, limit, out):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        c = complex(left + x * pixel, top - y * pixel)
        z = 0j
        count = 0
        while count < limit and z.real * z.real + z.imag * z.imag < 4.0:
            z = z * z + c
            count += 1
        out[y, x] = count


@cuda.jit(device=True)
def distance(x, y, z):
    ball = math.sqrt(x * x + y * y + (z - float32(4.0)) * (z - float32(4.0))) - float32(1.0)
    ring = math.sqrt(x * x + (z - float32(4.0)) * (z - float32(4.0))) - float32(1.75)
    ring = math.sqrt(ring * ring + y * y) - float32(0.25)
    floor = y + float32(1.25)
    return min(min(ball, ring), floor)


@cuda.jit
def raymarch(out):
    x, y = cuda.grid(2)
    height, width = out.shape
    if x < width and y < height:
        dx = (float32(x) - float32(width) * float32(0.5)) / float32(width)
        dy = (float32(height) * float32(0.5) - float32(y)) / float32(width)
        length = math.sqrt(dx * dx + dy * dy + float32(1.0))
        dx /= length
        dy /= length
        dz = float32(1.0) / length
        t = float32(0.0)
        for _ in range(64):
            d = distance(t * dx, t * dy, t * dz)
            t += d
            if d < float32(0.001) or t > float32(20.0):
                break
        out[y, x] = t
