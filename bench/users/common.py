# What a kernel of `cpu_user_kernels` consists of, and inputs that several of them have.
import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from workloads import Workload


@dataclass(frozen=True)
class UserKernel(Workload):
    """A kernel and its inputs, as a Workload, in other types, too.

    restored: positions of arrays that have their first contents before each run; the other outputs have them before
    the first one.
    canonical: what is compared of the outputs, where several outputs are right.
    """

    restored: tuple = ()
    canonical: Callable = staticmethod(lambda *outputs: outputs)

    def __post_init__(self):
        super().__post_init__()
        kept = {position: copy.copy(self.arguments[position]) for position in {*self.outputs, *self.restored}}
        object.__setattr__(self, "first", kept)

    def restore(self, positions):
        for position in positions:
            np.copyto(self.arguments[position], self.first[position])

    def check(self, outputs, who, slack=1):
        """Raises ValueError unless integers are equal, and numbers within slack * tolerance of the largest one.

        Where the tolerance is not 0, integers may be off by it as well.
        """
        right = [_numbers(array) for array in self.reference()]
        found = [_numbers(array) for array in self.canonical(*outputs)]
        for result, wanted in zip(found, right, strict=True):
            if result.shape != wanted.shape:
                raise ValueError(f"{who}: {self.name} has shape {result.shape} instead of {wanted.shape}")
            if self.tolerance == 0:
                wrong = result != wanted
            else:
                scale = np.abs(wanted).max() or 1.0
                off = np.abs(result.astype(np.result_type(result, np.float64)) - wanted)
                wrong = ~(off <= slack * self.tolerance * scale)
            if np.count_nonzero(wrong) > self.may_differ * wrong.size:
                where = tuple(map(int, np.argwhere(wrong)[0]))
                raise ValueError(
                    f"{who}: {self.name} is wrong in {np.count_nonzero(wrong)} of {wrong.size} elements, first at "
                    f"{where}: {result[where]} instead of {wanted[where]}"
                )


def _numbers(array):
    """The numbers of an array, which may hold records of numbers of one type."""
    array = np.atleast_1d(array)
    if array.dtype.names:
        field = array.dtype[0].base
        return array.view(field).reshape(*array.shape, array.dtype.itemsize // field.itemsize)
    return array


def kernel(name, arguments, **facts):
    """A UserKernel that writes its last argument, in blocks of 256 or 16x16, unless `facts` say otherwise.

    extents: the C function's further arguments; threads, where it is not given, is what they are, last axis first.
    """
    facts.setdefault("outputs", (len(arguments) - 1,))
    facts.setdefault("threads", facts["extents"][::-1])
    facts.setdefault("block", (256,) if len(facts["threads"]) == 1 else (16, 16))
    facts.setdefault("tolerance", 0)
    return UserKernel(name, arguments, **facts)


def uniform(*shape, dtype=np.float32, low=0.0, high=1.0, seed=1):
    return np.random.default_rng([seed, *shape]).uniform(low, high, shape).astype(dtype)


def integers(*shape, dtype=np.uint8, low=0, high=256, seed=1):
    return np.random.default_rng([seed, *shape]).integers(low, high, shape).astype(dtype)
