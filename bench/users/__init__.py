# The kernels of the benchmark `cpu_user_kernels`, by family: what they are given and what is right.
import functools
import importlib

from users.common import UserKernel

FAMILIES = (
    "images", "grids", "text", "lookups", "rows", "blocks", "algebra", "numbers", "particles", "first", "networks",
    "planes", "tables", "steps", "codes", "matrices",
)  # fmt: skip


@functools.cache
def families():
    """The family of each kernel, by the kernel's name."""
    return {name: family for family in FAMILIES for name in importlib.import_module(f"users.{family}").KERNELS}


def make(name, tiny=False) -> UserKernel:
    """The kernel called `name` with its inputs, at full or at a small size."""
    maker, small = importlib.import_module(f"users.{families()[name]}").KERNELS[name]
    return maker(**(small if tiny else {}))
