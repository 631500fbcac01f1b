# Shared by several sides: signatures, grids, launches with many arrays, chains of device functions.
import functools

import numpy as np
import workloads

CC = (9, 0)
LAUNCHES = 1000


def signature(types, workload):
    """The types of a workload's arguments, from a module with Numba's type names."""

    def type_of(argument):
        scalar = getattr(types, str(np.asarray(argument).dtype))
        if not isinstance(argument, np.ndarray):
            return scalar
        return scalar[(slice(None),) * (argument.ndim - 1) + (slice(None, None, 1),)]

    return tuple(type_of(argument) for argument in workload.arguments)


def grid_of(workload):
    """Blocks along x, y that cover the workload's threads."""
    return tuple((threads + size - 1) // size for threads, size in zip(workload.threads, workload.block, strict=True))


@functools.lru_cache(maxsize=1)
def _shared(name, size):
    return workloads.make(name, **dict(size))


class KernelRun:
    """Base of the cases that run a workload; cases of the same `size` share their arrays."""

    def __init__(self, name, tiny, block, size=None):
        options = {"block": tuple(block)} if block else {}
        if size and not tiny:
            self.workload = _shared(name, tuple(size.items()))
            # Clear what another case has left there.
            for position in self.workload.outputs:
                self.workload.arguments[position].fill(0)
        else:
            self.workload = workloads.make(name, tiny, **options)
        if self.workload.cleared:
            self.reset = self.clear

    def clear(self):
        for position in self.workload.cleared:
            self.workload.arguments[position].fill(0)

    def outputs(self):
        return [self.workload.arguments[position] for position in self.workload.outputs]


def many_arrays_body(count):
    """The statement of a kernel over `count` arrays: the first becomes the sum of the others, or is doubled."""
    others = [f"a{k}[i]" for k in range(1, count)] or ["a0[i] + a0[i]"]
    return f"a0[i] = {' + '.join(others)}"


def launch_loop(call, arguments):
    """A function that makes LAUNCHES launches with the text `call`, over the names of `arguments`."""
    names = ", ".join(arguments)
    text = f"def loop({names}):\n    for _ in range({LAUNCHES}):\n        {call}\n"
    scope = {}
    exec(compile(text, "<launch loop>", "exec"), scope)
    loop = scope["loop"]
    return lambda: loop(**arguments)


def composed_text(count, shape, inline):
    """A module with `count` device functions and a kernel: `sequence` calls them one after the other, `chain` the last
    one.

    Every function has a different constant, so that no two are alike.
    """
    option = f"device=True, inline={inline!r}"
    lines = ["from treadle import cuda", ""]
    for k in range(count):
        below = f"f{k - 1}(x)" if shape == "chain" and k else "x"
        lines += [f"@cuda.jit({option})", f"def f{k}(x):", f"    y = {below} * {1.0 + k / 4096}"]
        lines += [f"    return y + {k}.5 if y > {k}.25 else y", ""]
    lines += ["@cuda.jit", "def kernel(values):", "    i = cuda.grid(1)", "    if i < values.size:"]
    lines += ["        x = values[i]"]
    lines += [f"        x = f{k}(x)" for k in (range(count) if shape == "sequence" else [count - 1])]
    return "\n".join([*lines, "        values[i] = x", ""])


def looped(text, **names):
    """A function that runs a statement LAUNCHES times; `names` are its globals."""
    body = f"def loop({', '.join(names)}):\n    for _ in range({LAUNCHES}):\n        {text}\n"
    scope = {}
    exec(compile(body, "<loop>", "exec"), scope)
    return lambda: scope["loop"](**names)
