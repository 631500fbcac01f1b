# Code with debug information on a CUDA device: what the driver is asked to keep of it, and that it computes the same.

import pytest
import runs

LOADED = """
import sys
options = eval(sys.argv[1])

@cuda.jit(**options)
def scale(x, value):
    i = cuda.grid(1)
    if i < x.size:
        scaled = x[i] * value
        x[i] = scaled

x = cuda.to_device(np.arange(100, dtype=np.float64))
with fake.trace() as traced:
    scale[2, 64](x, 3)
    cuda.synchronize()
print(*[(int(call.arguments["debug_info"]), int(call.arguments["line_info"]))
        for call in traced.of("cuModuleLoadDataEx")])
assert x.copy_to_host().tolist() == [3 * i for i in range(100)]
"""


@pytest.mark.parametrize(
    "options, asked",
    [
        ({}, (0, 0)),
        ({"opt": 0}, (0, 0)),
        ({"lineinfo": True}, (0, 1)),
        ({"debug": True}, (1, 1)),
        ({"debug": True, "opt": False}, (1, 1)),
    ],
    ids=str,
)
def test_what_the_driver_keeps(options, asked):
    assert runs.run(LOADED, repr(options)).strip() == str(asked)


@pytest.mark.parametrize("optimisation", ["0", "3"])
def test_kernels_with_debug_information(optimisation):
    """A part of the corpus, of which no file depends on what debug=True checks."""
    names = "arrays_of_functions block_reduction captured_arrays complex_array dynamic_shared for_per_lane_bounds"
    names += " high_rank_arrays histogram lambdas_and_nested_functions device_function_returns calls_kept heap_arrays"
    program = f"import sys; sys.path.insert(0, {str(runs.HERE.parent)!r})\nimport importlib\n"
    program += f"for name in {names.split()!r}: importlib.import_module('kernels.' + name).run()"
    runs.run(program, timeout=120, TREADLE_DEBUGINFO="1", TREADLE_OPT=optimisation)
