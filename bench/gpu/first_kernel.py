# The first kernel of a fresh process on a GPU: what the import, the kernel and its process take, beside numba-cuda.
import peers
import processes
from harness import BUILD

from gpu.kernels import NUMBA, OURS

PROGRAM = """
import time
import numpy as np
begin = time.perf_counter()
from {package} import cuda
imported = time.perf_counter()

@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]

x = cuda.to_device(np.ones(1 << 20, np.float32))
cuda.synchronize()
ready = time.perf_counter()
saxpy[4096, 256](2.0, x, x, x)
cuda.synchronize()
print(1e3 * ({measured}))
"""
PACKAGES = {OURS: "treadle", NUMBA: "numba"}
PARTS = {
    "import, after NumPy's": "imported - begin",
    "context and first array": "ready - imported",
    "kernel, to its end": "time.perf_counter() - ready",
}


def measured(part, tiny, is_cached):
    """{label: ms}, with the driver's cache of machine code or without."""
    commands = {}
    for label, package in PACKAGES.items():
        path = BUILD / f"gpu_first_kernel_{package}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROGRAM.format(package=package, measured=part).lstrip())
        commands[label] = [peers.python_of(label), path]
    variables = {**peers.on_driver(None), "CUDA_CACHE_DISABLE": str(int(not is_cached))}
    return processes.medians(commands, 1 if tiny else 7, printed=True, environment=variables)


def say_first_kernel(report, tiny):
    rows = []
    for part, expression in PARTS.items():
        for is_cached in (False, True) if part.startswith("kernel") else (False,):
            try:
                found = measured(expression, tiny, is_cached)
            except OSError as error:
                report.fail(f"first kernel, {part}", str(error))
                continue
            name = f"{part}, in the driver's cache" if is_cached else part
            rows.append([name, *(f"{found[label]:.1f}" for label in PACKAGES), f"{found[NUMBA] / found[OURS]:.1f}"])
    report.section("First kernel of a fresh process: ms, medians; how many times as long theirs take")
    report.table(["", *PACKAGES, f"{NUMBA} / ours"], rows)
