# OpenMP C's side of `cpu_user_kernels`: the same computations in C, compiled by clang-19 with several sets of flags.
import ctypes
import functools
import os
import subprocess

import fresh
import users

from sides import openmp

versions = openmp.versions


def open_case(name, **options):
    return Run(name, **options)


def processor():
    """The processor that code is made for, as clang names it: the one that ours is made for."""
    return {"": "native", "generic": "x86-64"}.get(name := os.environ.get("TREADLE_CPU", ""), name)


@functools.cache
def build(family, variant):
    """The library of one family, and the number with which the names of its functions end."""
    text, number = fresh.source(f"users/{family}.c")
    fresh.FOLDER.mkdir(parents=True, exist_ok=True)
    path = fresh.FOLDER / f"{family}_{number}.c"
    path.write_text(text)
    natural = [flag.replace("native", processor()) for flag in openmp.NATURAL]
    include = ["-I", str(fresh.BENCH / "kernels" / "openmp")]
    command = [openmp.CLANG, *natural, *openmp.VARIANTS[variant], *include, str(path), "-o", f"{path}.so"]
    subprocess.run([*command, "-fopenmp", "-shared", "-fPIC", "-lm"], check=True)
    return ctypes.CDLL(f"{path}.so", mode=os.RTLD_NOW), number


@functools.lru_cache(maxsize=1)
def _shared(name, tiny):
    return users.make(name, tiny)


class Run:
    """One kernel with one set of flags; cases of the same kernel, opened one after the other, share their arrays."""

    def __init__(self, name, tiny=False, variant="natural"):
        self.kernel = _shared(name, tiny)
        self.kernel.restore({*self.kernel.outputs, *self.kernel.restored})
        library, number = build(users.families()[name], variant)
        self.function = getattr(library, f"{name}_{number}")
        self.function.restype = None
        self.converted = [*map(openmp.to_c, self.kernel.arguments), *map(ctypes.c_int, self.kernel.extents)]

    def reset(self):
        self.kernel.restore(self.kernel.restored)

    def run(self):
        self.function(*self.converted)

    def outputs(self):
        return [self.kernel.arguments[position] for position in self.kernel.outputs]
