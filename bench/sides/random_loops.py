# Random numbers of the CPU device, and NumPy's on as many threads; each run fills COUNT numbers.
import platform
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from harness import THREADS

STATES = 1 << 14
BLOCK = 128
CHECKED = 4  # rows of numbers, one of each state, that are compared with the model


def versions():
    return f"Python {platform.python_version()}, NumPy {np.__version__}"


def open_case(name, tiny=False):
    case, _, detail = name.partition(" ")
    return {"ours": Ours, "create": Create, "NumPy": Numpy}[case](detail, 1 << 18 if tiny else 1 << 24)


class Ours:
    """A grid with a thread for each state, which draws by a loop over the array."""

    def __init__(self, name, count):
        from treadle import cuda
        from treadle.cuda import random

        function = getattr(random, f"xoroshiro128p_{name}")

        @cuda.jit
        def draw(states, out):
            step = cuda.gridsize(1)
            i = cuda.grid(1)
            for k in range(i, out.size, step):
                out[k] = function(states, i)

        self.states = random.create_xoroshiro128p_states(STATES, seed=1)
        self.out = cuda.device_array(count, name.rpartition("_")[2])
        self.launch = draw[STATES // BLOCK, BLOCK]

    def run(self):
        self.launch(self.states, self.out)

    def outputs(self):
        """The states before, and the first numbers of the next run."""
        before = self.states.copy_to_host()
        self.run()
        return [before, self.out[: CHECKED * STATES].copy_to_host()]


class Create:
    """An array of `detail` states."""

    def __init__(self, detail, _):
        from treadle.cuda.random import create_xoroshiro128p_states

        self.create, self.count = create_xoroshiro128p_states, int(detail)

    def run(self):
        self.states = self.create(self.count, 1)


class Numpy:
    """PCG64 generators, one for each thread, each with its part of the array."""

    def __init__(self, name, count):
        kind, _, dtype = name.partition("_")
        generators = [np.random.Generator(np.random.PCG64(seed)) for seed in range(THREADS)]
        out = np.empty(count, dtype)
        parts = np.split(out, THREADS)
        methods = [g.random if kind == "uniform" else g.standard_normal for g in generators]
        self.tasks = [(method, part) for method, part in zip(methods, parts, strict=True)]
        self.pool = ThreadPoolExecutor(THREADS)

    def run(self):
        list(self.pool.map(lambda task: task[0](dtype=task[1].dtype, out=task[1]), self.tasks))
