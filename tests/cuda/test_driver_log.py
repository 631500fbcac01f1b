"""Calls of the CUDA driver, as they are written to stderr, and what the driver says of PTX that it does not take."""

import re

import runs

WORK = """
x = zeros()
with fake.trace() as traced:
    add[1, 32](x, 1)
    cuda.synchronize()
print(*traced.all_names)
"""
LINE = re.compile(r"== CUDA \[\d+\] DEBUG -- call driver api: (cu\w+?)(?:_v\d+)?(\(.*\))?$")


def lines(**settings):
    """(name, arguments) of each line on stderr, and what the stand-in has counted in between."""
    result = runs.start(WORK, FAKE_CUDA_QUERIES="0", **settings)
    assert result.returncode == 0, result.stderr
    found = [LINE.match(line) for line in result.stderr.splitlines()]
    assert all(found), result.stderr
    return [match.groups() for match in found], result.stdout.split()


def test_each_call_is_written_before_it_is_made():
    found, traced = lines(NUMBA_CUDA_LOG_LEVEL="debug")
    names = [name for name, _ in found]
    assert names[0] == "cuInit" and all(arguments is None for _, arguments in found)
    starts = [k for k in range(len(names)) if names[k : k + len(traced)] == traced]
    assert len(starts) == 1 and "cuLaunchKernelEx" in traced


def test_with_their_arguments():
    found, _ = lines(NUMBA_CUDA_LOG_LEVEL="DEBUG", NUMBA_CUDA_LOG_API_ARGS="1")
    assert all(arguments for _, arguments in found)
    assert found[0] == ("cuInit", "(0)")
    address = "(?:0x[0-9a-f]+|[0-9]+)"
    allocated = [arguments for name, arguments in found if name == "cuMemAlloc"]
    assert allocated and re.fullmatch(rf"\({address}, \d+\)", allocated[0])


def test_other_levels_write_nothing():
    for level in (None, "", "INFO", "CRITICAL", "nonsense"):
        assert lines(NUMBA_CUDA_LOG_LEVEL=level)[0] == []


def refused(**settings):
    return runs.run(
        """
try:
    add[1, 32](zeros(), 1)
except errors.CudaAPIError as error:
    print(error)
""",
        FAKE_CUDA_CAPABILITY="75",
        TREADLE_FORCE_CC="9.0",
        **settings,
    ).rstrip()


def test_how_much_the_driver_may_say():
    nothing = "[209] load add failed: CUDA_ERROR_NO_BINARY_FOR_GPU: no binary for gpu"
    assert refused(NUMBA_CUDA_LOG_SIZE="0") == nothing
    assert refused(NUMBA_CUDA_LOG_SIZE="24") == f"{nothing}: ptxas fatal: target sm_"
    assert refused().startswith(f"{nothing}: ptxas fatal: target sm_90 ")


def test_how_verbose_the_driver_is_asked_to_be():
    program = """
with fake.trace() as traced:
    add[1, 32](zeros(), 1)
print(*[call.arguments["verbose"] for call in traced.of("cuModuleLoadDataEx")])
"""
    for setting, asked in ((None, "1"), ("1", "1"), ("0", "0")):
        assert runs.run(program, NUMBA_CUDA_VERBOSE_JIT_LOG=setting).split() == [asked]
