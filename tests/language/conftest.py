# Shared by the language tests: both sets of rules, and access to types and values.

import cmath
import math

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


@pytest.fixture
def each(rules):
    """each("math.ldexp(x, y)", [x, y], dtype): the values of an expression of elements, which has the names x, y, z.

    `dtype` a tuple: the expression's value is a tuple, and the result one array for each item.
    """

    def run(expression, operands, dtype=np.float64, rules=rules):
        results = [np.zeros(len(operands[0]), one) for one in (dtype if isinstance(dtype, tuple) else (dtype,))]
        names, outs = "xyz"[: len(operands)], [f"out{k}" for k in range(len(results))]
        source = f"def kernel({', '.join([*(f'{name}s' for name in names), *outs])}):\n"
        source += "    i = cuda.grid(1)\n    if i < xs.size:\n"
        source += "".join(f"        {name} = {name}s[i]\n" for name in names)
        source += f"        {', '.join(f'{out}[i]' for out in outs)} = {expression}\n"
        namespace = {"cuda": cuda, "math": math, "cmath": cmath, "np": np}
        exec(source, namespace)
        cuda.jit(namespace["kernel"], rules=rules)[len(operands[0]) // 60 + 1, 60](*operands, *results)
        cuda.synchronize()
        return results if isinstance(dtype, tuple) else results[0]

    return run
