# Blocks in CUDA Python whose threads share memory: prefix sums in two ways, a Fourier transform, sums of blocks.
import math

from treadle import complex128, cuda, float32

BLOCK = 256
POINTS = 1024


@cuda.jit
def scan_hillis_steele(values, out):
    part = cuda.shared.array(BLOCK, float32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    part[tid] = values[i] if i < values.size else 0
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        other = part[tid - step] if tid >= step else 0
        cuda.syncthreads()
        part[tid] += other
        cuda.syncthreads()
        step *= 2
    if i < values.size:
        out[i] = part[tid]


@cuda.jit
def scan_blelloch(values, out):
    part = cuda.shared.array(2 * BLOCK, float32)
    tid = cuda.threadIdx.x
    start = cuda.blockIdx.x * 2 * BLOCK
    part[2 * tid] = values[start + 2 * tid] if start + 2 * tid < values.size else 0
    part[2 * tid + 1] = values[start + 2 * tid + 1] if start + 2 * tid + 1 < values.size else 0
    offset = 1
    d = BLOCK
    while d > 0:
        cuda.syncthreads()
        if tid < d:
            a = offset * (2 * tid + 1) - 1
            b = offset * (2 * tid + 2) - 1
            part[b] += part[a]
        offset *= 2
        d //= 2
    if tid == 0:
        part[2 * BLOCK - 1] = 0
    d = 1
    while d < 2 * BLOCK:
        offset //= 2
        cuda.syncthreads()
        if tid < d:
            a = offset * (2 * tid + 1) - 1
            b = offset * (2 * tid + 2) - 1
            kept = part[a]
            part[a] = part[b]
            part[b] += kept
        d *= 2
    cuda.syncthreads()
    if start + 2 * tid < values.size:
        out[start + 2 * tid] = part[2 * tid]
    if start + 2 * tid + 1 < values.size:
        out[start + 2 * tid + 1] = part[2 * tid + 1]


@cuda.jit
def fft1024(signals, roots, out):
    data = cuda.shared.array(POINTS, complex128)
    tid = cuda.threadIdx.x
    signal = cuda.blockIdx.x
    for k in range(tid, POINTS, cuda.blockDim.x):
        mirrored = 0
        for bit in range(10):
            mirrored |= ((k >> bit) & 1) << (9 - bit)
        data[mirrored] = signals[signal, k]
    cuda.syncthreads()
    half = 1
    while half < POINTS:
        for k in range(tid, POINTS // 2, cuda.blockDim.x):
            at = k % half
            low = (k // half) * 2 * half + at
            turned = data[low + half] * roots[at * (POINTS // (2 * half))]
            data[low + half] = data[low] - turned
            data[low] += turned
        cuda.syncthreads()
        half *= 2
    for k in range(tid, POINTS, cuda.blockDim.x):
        out[signal, k] = data[k]


@cuda.jit
def norms_of_blocks(values, out):
    part = cuda.shared.array(BLOCK, float32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    part[tid] = 0
    if i < values.size:
        part[tid] = values[i] * values[i]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if tid < half:
            part[tid] += part[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        out[cuda.blockIdx.x] = math.sqrt(part[0])
