# How fast the machine that runs PTX is (tests/ptxmachine): thread instructions a second, on one core.
"""Kernels of Treadle on the stand-in for the CUDA driver, with and without the check for races within kernels."""

import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from harness import Report, parse

ROOT = Path(__file__).resolve().parents[1]
RACES = {"races checked": "1", "not checked": "0"}
TILE = 16


def define(cuda, float32):
    """Kernels by name, each with its arguments: the functions need the package, which only the child imports."""

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    @cuda.jit
    def matmul(a, b, c):
        left, right = cuda.shared.array((TILE, TILE), float32), cuda.shared.array((TILE, TILE), float32)
        column, row = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0.0)
        for tile in range(a.shape[1] // TILE):
            left[ty, tx] = a[row, tile * TILE + tx]
            right[ty, tx] = b[tile * TILE + ty, column]
            cuda.syncthreads()
            for k in range(TILE):
                total += left[ty, k] * right[k, tx]
            cuda.syncthreads()
        c[row, column] = total

    @cuda.jit
    def collatz(steps):
        i = cuda.grid(1)
        n = i + 1
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps[i] += 1

    @cuda.jit
    def polynomial(x, out):
        i = cuda.grid(1)
        total, value = 0.0, x[i]
        for k in range(200):
            total = total * value + k
        out[i] = total

    rng = np.random.default_rng(1)
    a, b = rng.random((2, 64, 64), dtype=np.float32)
    x = rng.random(1 << 15, dtype=np.float32)
    return {
        "saxpy": (saxpy, 256, 128, (np.float32(2.0), x, x.copy())),
        "matmul": (matmul, (4, 4), (TILE, TILE), (a, b, np.zeros_like(a))),
        "collatz, lanes apart": (collatz, 32, 128, (np.zeros(4096, np.int32),)),
        "polynomial, no memory": (polynomial, 32, 128, (x.astype(np.float64), np.zeros(4096))),
    }


def child(repetitions):
    """Prints {kernel: millions of thread instructions a second of processor time}, the best of some turns."""
    from treadle import cuda, float32

    counter = ctypes.CDLL("libcuda.so.1").fakeCudaThreadInstructions
    counter.restype = ctypes.c_uint64
    found = {}
    for name, (kernel, grid, block, arguments) in define(cuda, float32).items():
        here = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in arguments]
        kernel[grid, block](*here)
        cuda.synchronize()
        for _ in range(repetitions):
            before, begin = counter(), time.process_time()
            kernel[grid, block](*here)
            cuda.synchronize()
            rate = (counter() - before) / (time.process_time() - begin) / 1e6
            found[name] = max(found.get(name, 0.0), rate)
    print(json.dumps(found))


def environment(races):
    return {
        **os.environ, "TREADLE_DEVICE": "cuda", "LD_LIBRARY_PATH": str(ROOT / "build/dev/tests/fakedriver"),
        "PYTHONPATH": str(ROOT / "build/dev"), "FAKE_CUDA_CAPABILITY": "90", "FAKE_CUDA_KERNEL_RACES": races,
    }  # fmt: skip


def main():
    arguments = parse("Thread instructions a second of the machine that runs PTX.")
    report = Report("ptxmachine", "millions of thread instructions a second, on one core", arguments)
    repetitions = "1" if arguments.tiny else "7"
    rates = {}
    for side, races in RACES.items():
        command = [sys.executable, __file__, "--child", repetitions]
        done = subprocess.run(command, env=environment(races), capture_output=True, text=True, check=True)
        rates[side] = json.loads(done.stdout)
    names = list(rates["races checked"])
    report.table(["kernel", *rates], [[name, *(f"{side[name]:.1f}" for side in rates.values())] for name in names])
    for side, found in rates.items():
        report.goal(f"millions of thread instructions a second, {side}, slowest kernel", min(found.values()), 20)
    report.close()


if __name__ == "__main__":
    if "--child" in sys.argv:
        child(int(sys.argv[-1]))
    else:
        main()
