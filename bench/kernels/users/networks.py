# Layers of neural networks in CUDA Python: a block, a warp or a thread for each row; halves and quantised weights.
import math

from treadle import cuda, float16, float32

BLOCK = 128


@cuda.jit
def layer_norm(x, weight, bias, out):
    sums = cuda.shared.array(BLOCK, float32)
    row = cuda.blockIdx.x
    tid = cuda.threadIdx.x
    n = x.shape[1]

    total = float32(0)
    for k in range(tid, n, cuda.blockDim.x):
        total += x[row, k]
    sums[tid] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if tid < step:
            sums[tid] += sums[tid + step]
        cuda.syncthreads()
        step //= 2
    mean = sums[0] / float32(n)
    cuda.syncthreads()

    total = float32(0)
    for k in range(tid, n, cuda.blockDim.x):
        away = x[row, k] - mean
        total += away * away
    sums[tid] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if tid < step:
            sums[tid] += sums[tid + step]
        cuda.syncthreads()
        step //= 2
    scale = float32(1) / math.sqrt(sums[0] / float32(n) + float32(1e-5))

    for k in range(tid, n, cuda.blockDim.x):
        out[row, k] = (x[row, k] - mean) * scale * weight[k] + bias[k]


@cuda.jit
def softmax_block(x, out):
    part = cuda.shared.array(BLOCK, float32)
    row = cuda.blockIdx.x
    tid = cuda.threadIdx.x
    n = x.shape[1]

    largest = float32(-math.inf)
    for k in range(tid, n, cuda.blockDim.x):
        largest = max(largest, x[row, k])
    part[tid] = largest
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if tid < step:
            part[tid] = max(part[tid], part[tid + step])
        cuda.syncthreads()
        step //= 2
    largest = part[0]
    cuda.syncthreads()

    total = float32(0)
    for k in range(tid, n, cuda.blockDim.x):
        e = math.exp(x[row, k] - largest)
        out[row, k] = e
        total += e
    part[tid] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if tid < step:
            part[tid] += part[tid + step]
        cuda.syncthreads()
        step //= 2

    for k in range(tid, n, cuda.blockDim.x):
        out[row, k] /= part[0]


@cuda.jit
def softmax_warp(x, out):
    lane = cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if row >= x.shape[0]:
        return
    largest = float32(-math.inf)
    for k in range(lane, x.shape[1], 32):
        largest = max(largest, x[row, k])
    for offset in (16, 8, 4, 2, 1):
        largest = max(largest, cuda.shfl_xor_sync(0xFFFFFFFF, largest, offset))
    total = float32(0)
    for k in range(lane, x.shape[1], 32):
        total += math.exp(x[row, k] - largest)
    for offset in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, offset)
    for k in range(lane, x.shape[1], 32):
        out[row, k] = math.exp(x[row, k] - largest) / total


@cuda.jit
def rms_norm_warp(x, weight, out):
    row = cuda.grid(1) // 32
    lane = cuda.grid(1) % 32
    if row < x.shape[0]:
        total = float32(0)
        for k in range(lane, x.shape[1], 32):
            total += x[row, k] * x[row, k]
        offset = 16
        while offset > 0:
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
            offset //= 2
        total = cuda.shfl_sync(0xFFFFFFFF, total, 0)
        scale = float32(1) / math.sqrt(total / float32(x.shape[1]) + float32(1e-6))
        for k in range(lane, x.shape[1], 32):
            out[row, k] = x[row, k] * scale * weight[k]


@cuda.jit
def rotary(cosine, sine, q):
    k, head, token = cuda.grid(3)
    half = q.shape[2] // 2
    if token < q.shape[0] and head < q.shape[1] and k < half:
        a = q[token, head, k]
        b = q[token, head, k + half]
        c = cosine[token, k]
        s = sine[token, k]
        q[token, head, k] = a * c - b * s
        q[token, head, k + half] = b * c + a * s


@cuda.jit
def rotary_pairs(base, q):
    i = cuda.grid(1)
    tokens, heads, dim = q.shape
    half = dim // 2
    if i < tokens * heads * half:
        k = i % half
        head = i // half % heads
        token = i // (half * heads)
        angle = token * base ** (-2.0 * k / dim)
        c = math.cos(angle)
        s = math.sin(angle)
        a = q[token, head, 2 * k]
        b = q[token, head, 2 * k + 1]
        q[token, head, 2 * k] = a * c - b * s
        q[token, head, 2 * k + 1] = a * s + b * c


@cuda.jit
def int8_matvec(x_scale, weights, scales, x, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(x.size):
            total += weights[row, k] * x[k]
        out[row] = total * scales[row] * x_scale


@cuda.jit
def int8_groups(weights, scales, x, out):
    row = cuda.grid(1) // 32
    lane = cuda.grid(1) % 32
    if row < out.size:
        total = float32(0)
        for group in range(scales.shape[1]):
            k = group * 32 + lane
            total += scales[row, group] * float32(weights[row, k]) * x[k]
        for offset in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
        if lane == 0:
            out[row] = total


@cuda.jit
def half_axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def half_dot(x, y, out):
    sums = cuda.shared.array(BLOCK, float32)
    tid = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += float32(x[i]) * float32(y[i])
    sums[tid] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if tid < step:
            sums[tid] += sums[tid + step]
        cuda.syncthreads()
        step //= 2
    if tid == 0:
        cuda.atomic.add(out, 0, sums[0])


@cuda.jit
def half_bias_relu(x, scale, bias, out):
    channel, row = cuda.grid(2)
    if row < x.shape[0] and channel < x.shape[1]:
        value = x[row, channel] * scale[channel] + bias[channel]
        if value < float16(0):
            value = float16(0)
        out[row, channel] = value


@cuda.jit
def bias_gelu(x, bias, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        v = x[i, j] + bias[j]
        inner = float32(0.7978845608) * (v + float32(0.044715) * v * v * v)
        out[i, j] = float32(0.5) * v * (float32(1) + math.tanh(inner))


@cuda.jit
def embedding_bag(table, tokens, out):
    k, bag = cuda.grid(2)
    if bag < out.shape[0] and k < out.shape[1]:
        total = float32(0)
        for j in range(tokens.shape[1]):
            total += table[tokens[bag, j], k]
        out[bag, k] = total
