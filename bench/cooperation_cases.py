# The cases of the benchmark `cooperation`: sizes, the amount of work of each, and the least time that it can take.
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import workloads
from harness import THREADS


@dataclass(frozen=True)
class Case:
    """A kernel at one size.

    units: the amount of work of a workload: elements, pairs, multiply-adds, steps.
    slots: a lower bound of the float instructions per unit: one for a multiplication, an addition or both at once,
    four for a division or root (six in double precision), eight (14) for exp and log.
    simulated: the size for the simulator.
    """

    label: str
    name: str
    size: dict
    units: Callable
    slots: float
    simulated: dict | None = None
    kind: str = "f32"


def _elements(workload):
    return max(argument.size for argument in workload.arguments if isinstance(argument, np.ndarray))


def _steps(workload):
    return int(workload.reference()[0].sum())


def _products(workload):
    return workload.extents[0] ** 3


def _pairs(workload):
    return workload.extents[0] ** 2


Mi = 1 << 20
CASES = [
    Case("saxpy 4 Mi", "saxpy", {"n": 4 * Mi}, _elements, 1, {"n": 512}),
    Case("saxpy 32 Mi", "saxpy", {"n": 32 * Mi}, _elements, 1),
    Case("reduction by tree", "reduce_tree", {"n": 4 * Mi}, _elements, 1, {"n": 512}),
    Case("reduction by shuffles", "reduce_shuffle", {"n": 4 * Mi}, _elements, 1, {"n": 512}),
    Case("matmul 512", "matmul", {"n": 512}, _products, 1, {"n": 16}),
    Case("matmul 1024", "matmul", {"n": 1024}, _products, 1),
    Case("Black-Scholes f32", "black_scholes_f32", {"n": Mi}, _elements, 85, {"n": 256}),
    Case("Black-Scholes f64", "black_scholes_f64", {"n": Mi}, _elements, 119, {"n": 256}, "f64"),
    Case("mandelbrot", "mandelbrot", {"width": 1024}, _steps, 6, {"width": 16, "height": 16, "limit": 64}),
    Case("n-body 8192", "nbody", {"n": 8192}, _pairs, 18, {"n": 256}),
    Case("histogram 16 Mi", "histogram", {"n": 16 * Mi}, _elements, 0, {"n": 8192, "blocks": 1}),
    Case("transpose 4096", "transpose", {"rows": 4096}, _elements, 0, {"rows": 32, "columns": 32}),
    Case("stencil 4096", "stencil", {"rows": 4096, "columns": 4096}, _elements, 5, {"rows": 18, "columns": 34}),
]

# Kernels that a side does not support.
UNSUPPORTED = {
    ("PoCL", "reduce_shuffle"): "no cl_khr_subgroup_shuffle_relative on its CPU device",
    ("simulator", "reduce_shuffle"): "no shuffles",
}


def traffic(workload):
    """(bytes read, bytes written), at least; a few sums are ignored."""
    arrays = [
        (position in workload.outputs, array.nbytes)
        for position, array in enumerate(workload.arguments)
        if isinstance(array, np.ndarray)
    ]
    read = sum(size for is_output, size in arrays if not is_output)
    written = sum(size for is_output, size in arrays if is_output)
    return read, written if 100 * written > read else 0


def stream(workload):
    """(name, size) of the stream that moves as many bytes in the most similar way."""
    read, written = traffic(workload)
    name, arrays = ("stream_sum", 1) if not written else ("stream_copy", 2) if read <= written else ("stream_triad", 3)
    return name, {"n": (read + written) // (4 * arrays)}


def threads(workload):
    """Threads of the launch, including those of partial blocks."""
    return int(np.prod([-(-count // size) * size for count, size in zip(workload.threads, workload.block)]))


class Peak:
    """Multiply-adds per second on all cores, in vectors: measured between the other cases."""

    def __init__(self, side, tiny):
        self.cases = {}
        self.count = 1 << (14 if tiny else 24)
        for kind in ("f32", "f64"):
            self.cases[kind] = side.open(f"fma_{kind}", variant="wide", size={"n": self.count})
            self.cases[kind].turn(0.1, least=2, keep=False)
        self.turn()

    def turn(self):
        """Repeated between the cases: other load on the machine can only make it look lower."""
        for case in self.cases.values():
            case.turn(0.05, least=3)

    def seconds(self, case, workload):
        """The least time for the arithmetic of a case."""
        return case.slots * case.units(workload) * min(self.cases[case.kind].wall) / (THREADS * self.count)

    def __str__(self):
        billions = {kind: 1e-9 * THREADS * self.count / min(case.wall) for kind, case in self.cases.items()}
        return ", ".join(f"{value:.0f} billion a second in {kind}" for kind, value in billions.items())


def make(case, tiny):
    return workloads.make(case.name, tiny) if tiny else workloads.make(case.name, **case.size)
