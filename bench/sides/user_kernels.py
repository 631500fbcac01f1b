# Our side of `cpu_user_kernels`: kernels of kernels/users, launched, or compiled for almost no elements.
import fresh
import users

from sides import common, ours

versions = ours.versions


def open_case(name, kind="run", **options):
    return {"run": Run, "compile": Compile}[kind](name, **options)


def function(name):
    """The kernel from a new file with new names, not compiled."""
    family = users.families()[name]
    text, number = fresh.source(f"users/{family}.py")
    return getattr(fresh.module(f"{family}_{number}", text), f"{name}_{number}")


class Run:
    def __init__(self, name, tiny=False):
        self.kernel = users.make(name, tiny)
        self.launch = function(name)[common.grid_of(self.kernel), self.kernel.block]

    def reset(self):
        self.kernel.restore(self.kernel.restored)

    def run(self):
        self.launch(*self.kernel.arguments)

    def outputs(self):
        return [self.kernel.arguments[position] for position in self.kernel.outputs]


class Compile:
    """A Python function to CPU code: the first launch, at the small size."""

    def __init__(self, name):
        self.name = name
        self.kernel = users.make(name, tiny=True)

    def reset(self):
        self.kernel.restore(self.kernel.restored)
        self.launch = function(self.name)[common.grid_of(self.kernel), self.kernel.block]

    def run(self):
        self.launch(*self.kernel.arguments)
