# The stack of kernels that recurse, on a CUDA device: ptxas does not know how much they need.

import pytest
import runs

PROGRAM = """
@cuda.jit
def depth(n):
    if n == 0:
        return 0
    return depth(n - 1) + 1

@cuda.jit
def through_another(n):
    return depth(n)

@cuda.jit
def plain(out):
    out[0] = 1

@cuda.jit
def recursive(out):
    out[0] = through_another(5)

out = np.zeros(1)
with fake.trace() as traced:
    plain[1, 1](out)
    recursive[1, 1](out)
    cuda.jit(recursive.py_func)[1, 1](out)
print(out[0], [(call.arguments["limit"], call.arguments["value"]) for call in traced.of("cuCtxSetLimit")])
"""


@pytest.mark.parametrize("asked, given", [(None, [(0, 8192)]), ("20000", [(0, 20000)]), ("1000", []), ("0", [])])
def test_the_first_kernel_that_recurses_gets_a_larger_stack(asked, given):
    settings = {} if asked is None else {"TREADLE_KERNEL_STACK": asked}
    assert runs.run(PROGRAM, **settings) == f"5.0 {given}\n"


def test_a_stack_that_there_is_no_memory_for_is_an_error_that_names_the_setting():
    said = runs.run(
        PROGRAM.split("out = np.zeros(1)")[0]
        + """
out = np.zeros(1)
fake.inject("cuCtxSetLimit", fake.OUT_OF_MEMORY)
try:
    recursive[1, 1](out)
except errors.CudaAPIError as error:
    print("TREADLE_KERNEL_STACK" in str(error))
recursive[1, 1](out)
print(out[0])
"""
    )
    assert said == "True\n5.0\n"
