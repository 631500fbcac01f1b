# Shared by the language tests: both sets of rules, and access to types and values.

import numpy as np
import pytest
from treadle import cuda


@pytest.fixture(params=["numba", "cuda-python"])
def rules(request):
    return request.param


@pytest.fixture
def result_type(rules):
    """result_type(f, "(int32, int32)"): the type that a device function returns, as text."""

    def find(function, signature, rules=rules):
        device = cuda.jit(function, device=True, rules=rules)
        name = str(cuda.compile_ptx(device, signature, device=True, cc=(9, 0))[1])
        return name.replace("boolean", "bool")

    return find


@pytest.fixture
def evaluate(rules):
    """evaluate(f, *arguments): the results of a device function of scalars, as an array of `dtype`."""

    def run(function, *arguments, dtype=np.float64, rules=rules):
        device = cuda.jit(function, device=True, rules=rules)

        names = ", ".join(f"a{k}" for k in range(len(arguments)))
        namespace = {"cuda": cuda, "device": device}
        exec(f"def kernel(out, {names}):\n    if cuda.grid(1) == 0:\n        out[0] = device({names})\n", namespace)
        out = np.zeros(1, dtype)
        cuda.jit(namespace["kernel"], rules=rules)[1, 32](out, *arguments)
        return out[0].item()

    return run
