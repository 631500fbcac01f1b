# Our side: kernels run on the CPU device, compiled to PTX or to CPU code, launched with many arrays.
import platform

import fresh
import numpy as np
import treadle
from treadle import cuda

from sides import common


def versions():
    return f"treadle {treadle.__version__}, Python {platform.python_version()}, NumPy {np.__version__}"


def open_case(name, kind="run", **options):
    kinds = {"run": Run, "program": Program, "ptx": Ptx, "text": Text, "cpu": CpuCode, "launch": Launch}
    return (kinds | {"composed": Composed})[kind](name, **options)


def fast(function):
    """The same kernel under fastmath."""
    return cuda.jit(fastmath=True)(function.py_func)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, fastmath=False, size=None):
        super().__init__(name, tiny, block, size)
        kernel = fresh.function("cuda_python", name)
        self.launch = (fast(kernel) if fastmath else kernel)[common.grid_of(self.workload), self.workload.block]

    def run(self):
        self.launch(*self.workload.arguments)


class Program(common.KernelRun):
    """A Python function that launches several kernels."""

    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        self.function = fresh.function("cuda_python", name)

    def run(self):
        self.function(*self.workload.arguments)


class Ptx:
    """Compiles a Python function to PTX."""

    def __init__(self, name):
        self.name = name
        self.signature = common.signature(treadle, common.workloads.make(name, tiny=True))

    def reset(self):
        self.function = fresh.function("cuda_python", self.name).py_func

    def run(self):
        cuda.compile_ptx(self.function, self.signature, cc=common.CC)


class Text(Ptx):
    """The PTX text, under the facts of a launch."""

    def __init__(self, name, facts=None):
        super().__init__(name)
        self.facts = facts

    def run(self):
        self.text, _ = cuda.compile_ptx(self.function, self.signature, cc=common.CC, facts=self.facts)

    def outputs(self):
        return [np.frombuffer(self.text.encode(), np.uint8)]


class CpuCode:
    """A Python function to CPU code: the first launch, over almost no elements."""

    def __init__(self, name):
        self.name = name
        self.workload = common.workloads.make(name, tiny=True)

    def reset(self):
        self.kernel = fresh.function("cuda_python", self.name)

    def run(self):
        self.kernel[1, self.workload.block](*self.workload.arguments)


class Launch:
    """One warp over `arrays` arrays: kernel[1, 32](...) every time, or configured once."""

    def __init__(self, name, arrays, configured):
        parameters = ", ".join(f"a{k}" for k in range(arrays))
        text = f"from treadle import cuda\n\n\n@cuda.jit\ndef kernel({parameters}):\n    i = cuda.grid(1)\n"
        text += f"    if i < a0.size:\n        {common.many_arrays_body(arrays)}\n"
        kernel = fresh.module(f"launch_{arrays}_{int(configured)}", text).kernel
        values = {f"a{k}": np.ones(32, np.float32) for k in range(arrays)}
        call = f"k({parameters})" if configured else f"k[1, 32]({parameters})"
        self.run = common.launch_loop(call, {"k": kernel[1, 32] if configured else kernel, **values})


class Composed:
    """Many device functions in one kernel, to PTX or to CPU code."""

    def __init__(self, name, count, target, inline):
        self.shape, self.count, self.target, self.inline = name, count, target, inline
        self.number = 0
        self.values = np.ones(4)

    def reset(self):
        self.number += 1
        text = common.composed_text(self.count, self.shape, self.inline).replace("kernel", f"kernel_{self.number}")
        name = f"composed_{self.shape}_{self.count}_{self.target}_{self.inline}_{self.number}"
        self.kernel = getattr(fresh.module(name, text), f"kernel_{self.number}")

    def run(self):
        if self.target == "ptx":
            cuda.compile_ptx(self.kernel.py_func, (treadle.float64[::1],), cc=common.CC)
        else:
            self.kernel[1, 32](self.values)
