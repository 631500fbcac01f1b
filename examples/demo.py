# Runs examples, says what it did and how long compiling, running and the same work in NumPy took, and shows PTX.
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import black_scholes
import heat
import mandelbrot
import matmul
import nbody
import numpy as np
import saxpy
import terrain
from treadle import cuda, float32


class Show:
    """Times one example three ways and prints a line about it."""

    def __init__(self, title, run, run_numpy):
        print(f"\n{title}")
        self.result, first = timed(run)
        again = [timed(run)[1] for _ in range(3)]
        self.expected, in_numpy = timed(run_numpy)
        warm = min(again)
        compile_ms = max(first - warm, 0.0)
        print(
            f"  compile {compile_ms:8.1f} ms   run {warm:8.2f} ms   NumPy {in_numpy:9.1f} ms   {in_numpy / warm:6.1f}x"
        )

    def say(self, text):
        print(f"  {text}")


def timed(function):
    start = time.perf_counter()
    result = function()
    return result, 1e3 * (time.perf_counter() - start)


def show_mandelbrot(pictures):
    width, height, limit = 1024, 768, 256
    show = Show(
        f"mandelbrot: {width} x {height} pixels of up to {limit} steps",
        lambda: mandelbrot.mandelbrot(width, height, limit),
        lambda: mandelbrot.mandelbrot_numpy(width, height, limit),
    )
    mandelbrot.write_picture(pictures / "mandelbrot.png", show.result, limit)
    differing = np.count_nonzero(show.result != show.expected) / show.result.size
    show.say(f"{show.result.sum():,} steps; {100 * differing:.3f} % of the pixels differ from NumPy's (rounding)")


def show_terrain(pictures):
    heights, cell = terrain.load_terrain()
    show = Show(
        f"terrain: hillshade and contours of {heights.shape[0]} x {heights.shape[1]} measured heights, refined 3 times",
        lambda: terrain.relief(heights, cell),
        lambda: terrain.relief_numpy(heights, cell),
    )
    terrain.write_picture(pictures / "terrain.png", show.result)
    worst = np.abs(show.result.astype(int) - show.expected).max()
    show.say(f"{heights.min():.0f} to {heights.max():.0f} m; colours differ from NumPy's by at most {worst} of 255")


def show_nbody(_pictures):
    count, steps = 4096, 5
    bodies, velocity = nbody.make_cluster(count)
    show = Show(
        f"n-body: {count} bodies, {steps} leapfrog steps, tiled through shared memory",
        lambda: nbody.simulate(bodies, velocity, steps),
        lambda: nbody.simulate_numpy(bodies, velocity, steps),
    )
    before = nbody.total_energy(bodies, velocity)
    after = nbody.total_energy(*show.result)
    show.say(f"total energy {before:.6f} -> {after:.6f}: drift {abs(after / before - 1):.1e}")


def show_black_scholes(_pictures):
    portfolio = black_scholes.make_portfolio()
    show = Show(
        f"Black-Scholes: a portfolio of {portfolio[0].size:,} calls and puts, double precision",
        lambda: black_scholes.price(*portfolio),
        lambda: black_scholes.price_numpy(*portfolio),
    )
    worst = np.abs(np.subtract(show.result, show.expected)).max()
    worth = sum(prices.sum() for prices in show.result)
    show.say(f"worth {worth:,.2f}; prices by SciPy's normal distribution differ by at most {worst:.0e}")


def show_heat(_pictures):
    size, steps = 512, 200
    plate = heat.make_plate(size)
    show = Show(
        f"heat equation: {size} x {size} plate, {steps} steps",
        lambda: heat.simulate(plate, steps),
        lambda: heat.simulate_numpy(plate, steps),
    )
    exact = plate * heat.cooling_factor(size) ** steps
    show.say(f"largest difference from the exact solution {np.abs(show.result - exact).max():.0e}")


def show_matmul(_pictures):
    a, b = matmul.make_matrices()
    show = Show(
        f"matmul: {a.shape[0]} x {a.shape[1]} matrices in 16 x 16 tiles (NumPy calls a tuned BLAS here)",
        lambda: matmul.matmul(a, b),
        lambda: matmul.matmul_numpy(a, b),
    )
    show.say(f"largest relative difference {np.abs(show.result / show.expected - 1).max():.0e}")


def show_saxpy(_pictures):
    a, x, y = saxpy.make_input()
    show = Show(
        f"saxpy: {x.size:,} elements",
        lambda: saxpy.saxpy(a, x, y),
        lambda: saxpy.saxpy_numpy(a, x, y),
    )
    show.say(f"largest difference {np.abs(show.result - show.expected).max():.0e}")


def find_ptxas():
    """The path of NVIDIA's assembler, or None."""
    candidates = [shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    for folder in sys.path:
        candidates += [str(path) for path in Path(folder or ".").glob("nvidia/*/bin/ptxas")]
    return next((path for path in candidates if path and os.access(path, os.X_OK)), None)


def show_ptx():
    signature = (float32, float32[::1], float32[::1], float32[::1])
    start = time.perf_counter()
    ptx, _ = cuda.compile_ptx(saxpy.saxpy_kernel.py_func, signature, cc=(9, 0))
    print(f"\nsaxpy as PTX for compute capability 9.0, compiled in {1e3 * (time.perf_counter() - start):.1f} ms:\n")
    print(ptx)
    ptxas = find_ptxas()
    if ptxas is None:
        print("no ptxas here: the PTX was not assembled")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [ptxas, "-arch=sm_90", "-v", file.name, "-o", os.devnull]
        report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    used = next((line.split(":", 1)[1].strip() for line in report.splitlines() if "registers" in line), "no report")
    print(f"assembled by {ptxas}: {used}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Runs examples, one after the other.")
    parser.add_argument("--pictures", type=Path, default=Path("build/demo"), help="folder of the pictures")
    pictures = parser.parse_args(arguments).pictures
    pictures.mkdir(parents=True, exist_ok=True)
    print(f"device: {cuda.get_current_device().name}")
    for show in (
        show_mandelbrot,
        show_terrain,
        show_nbody,
        show_black_scholes,
        show_heat,
        show_matmul,
        show_saxpy,
    ):
        show(pictures)
    show_ptx()
    print("pictures:", *(str(path.resolve()) for path in sorted(pictures.glob("*.png"))))


if __name__ == "__main__":
    main()
