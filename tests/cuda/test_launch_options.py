"""What launches with options, occupancy queries, profilers and links ask of the driver: the exact calls."""

import pytest
import runs
from test_calls import COOPERATIVE, ENTER, LAUNCH, steps

LOADED = f"{ENTER} cuModuleLoadDataEx {ENTER} cuModuleGetFunction"
ACTIVE = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
POTENTIAL = "cuOccupancyMaxPotentialBlockSize"
# cuda.h's numbers of function attributes.
MAX_DYNAMIC_SHARED, CARVEOUT, NON_PORTABLE_CLUSTER = 8, 9, 14


def test_profilers():
    steps(
        ("start", "cuda.profile_start()", f"{ENTER} cuProfilerStart"),
        ("stop", "cuda.profile_stop()", f"{ENTER} cuProfilerStop"),
        ("a block", "with cuda.profiling(): add[1, 32](x, 1)",
         f"{ENTER} cuProfilerStart {LAUNCH} {ENTER} cuProfilerStop"),
        ("an error", "fails()", f"{ENTER} cuProfilerStart {ENTER} cuProfilerStop"),
        prepare="""
def fails():
    try:
        with cuda.profiling():
            raise KeyError
    except KeyError:
        pass
""",
    )  # fmt: skip


def test_the_driver_refuses_profiles():
    said = runs.answer(
        """
import json
fake.inject("cuProfilerStart", fake.UNKNOWN)
try:
    cuda.profile_start()
except errors.CudaAPIError as error:
    print(json.dumps([error.code, str(error)]))
"""
    )
    assert said[0] == 999 and "start the profiler" in said[1]


CARVED = """
import json
def calls_of(**options):
    @cuda.jit(**options)
    def plain(x, value):
        x[cuda.grid(1)] = value
    x = zeros(32)
    with fake.trace() as loaded:
        plain[1, 32](x, 1)
    with fake.trace() as again:
        plain[1, 32](x, 1)
    assert not again.of("cuFuncSetAttribute")
    return [[call.arguments["attribute"], call.arguments["value"]] for call in loaded.of("cuFuncSetAttribute")]
"""


def test_the_carveout_is_set_once_where_it_is_given():
    program = (
        CARVED
        + """
given = (None, "default", -1, "maxl1", 40, "maxshared")
print(json.dumps([calls_of(shared_memory_carveout=one) for one in given]))
"""
    )
    wanted = [[]] * 3 + [[[CARVEOUT, percent]] for percent in (0, 40, 100)]
    assert runs.answer(program) == wanted


def test_the_driver_refuses_carveouts():
    program = (
        CARVED
        + """
fake.inject("cuFuncSetAttribute", fake.INVALID_VALUE)
try:
    calls_of(shared_memory_carveout=40)
except errors.CudaAPIError as error:
    print(json.dumps([error.code, str(error)]))
"""
    )
    code, text = runs.answer(program)
    assert code == 1 and "prefer 40 % of shared memory for plain" in text


def test_attributes_are_asked_on_demand():
    found = runs.answer(
        """
import json
x = zeros()
add[1, 32](x, 1)
(key,) = add.signatures
counts = []
for ask in (add.get_regs_per_thread, add.get_max_threads_per_block, add.get_const_mem_size,
            add.get_local_mem_per_thread, add.get_shared_mem_per_block):
    with fake.trace() as traced:
        value = ask(key)
    assert ask() == {key: value}
    counts.append(sorted({call.name for call in traced.calls}))
print(json.dumps(counts))
"""
    )
    assert found == [["cuCtxGetCurrent", "cuFuncGetAttribute"]] * 5


SHARED = """
import json
from treadle import float32

@cuda.jit
def both(x):
    fixed = cuda.shared.array(10000, float32)
    more = cuda.shared.array(0, float32)
    fixed[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    more[cuda.threadIdx.x] = 1
    x[cuda.threadIdx.x] = fixed[cuda.threadIdx.x] + more[cuda.threadIdx.x]

x = zeros(32)
def opted_in(bytes):
    with fake.trace() as traced:
        both[1, 32, 0, bytes](x)
    return [[call.arguments["attribute"], call.arguments["value"]] for call in traced.of("cuFuncSetAttribute")]
"""


def test_more_shared_memory_is_asked_for_once():
    """40,000 bytes are static: 9,152 more are what a block has without asking."""
    program = SHARED + "print(json.dumps([opted_in(n) for n in (128, 9152, 9156, 9156, 50000, 20000, 60000)]))"
    asked = [[], [], [[MAX_DYNAMIC_SHARED, 9156]], [], [[MAX_DYNAMIC_SHARED, 50000]], [], [[MAX_DYNAMIC_SHARED, 60000]]]
    assert runs.answer(program) == asked


def test_more_than_there_is_names_both_parts():
    program = (
        SHARED
        + """
with fake.trace() as traced:
    try:
        both[1, 32, 0, 227 * 1024 - 39996](x)
    except ValueError as error:
        said = str(error)
print(json.dumps([said, traced.names]))
"""
    )
    text, calls = runs.answer(program)
    assert "40000 bytes of static and 192452 of dynamic shared memory; the limit of both is 232448" in text
    assert "cuLaunchKernelEx" not in calls and "cuFuncSetAttribute" not in calls


OCCUPANCY = """
add[1, 32](x, 1)
overload = next(iter(add.overloads.values()))
context = cuda.current_context()
def of_threads(threads):
    return 0
"""


def test_occupancy_is_the_drivers():
    steps(
        ("active", "context.get_active_blocks_per_multiprocessor(overload, 128, 0)", f"{ENTER} {ACTIVE}"),
        ("with flags", "context.get_active_blocks_per_multiprocessor(overload, 128, 0, 1)", f"{ENTER} {ACTIVE}"),
        ("opted in", "context.get_active_blocks_per_multiprocessor(overload, 128, 50000)",
         f"{ENTER} cuFuncSetAttribute {ACTIVE}"),
        ("potential", "context.get_max_potential_block_size(overload, None, 0, 0)", f"{ENTER} {POTENTIAL}"),
        ("by a function", "context.get_max_potential_block_size(overload, of_threads, 0, 64)",
         f"{' '.join([f'{ENTER} cuFuncGetAttribute'] * 5)} cuDeviceGetAttribute {ENTER} {ACTIVE} {ENTER} {ACTIVE} "
         "cuDeviceGetAttribute"),
        prepare=OCCUPANCY,
    )  # fmt: skip


def test_flags():
    code = runs.answer(
        "import json\nx = zeros()\n"
        + OCCUPANCY
        + """
codes = []
for ask in (lambda: context.get_active_blocks_per_multiprocessor(overload, 128, 0, 2),
            lambda: context.get_max_potential_block_size(overload, None, 0, 0, 2)):
    try:
        ask()
    except errors.CudaAPIError as error:
        codes.append(error.code)
print(json.dumps(codes))
"""
    )
    assert code == [1, 1]


def test_what_the_driver_answers():
    found = runs.answer(
        "import json\nx = zeros()\n"
        + OCCUPANCY
        + """
limits, calls = (0, 256, 100), []
with fake.trace() as traced:
    blocks = [context.get_max_potential_block_size(overload, None, 0, limit) for limit in limits]
print(json.dumps([blocks, [call.arguments["limit"] for call in traced.of("cuOccupancyMaxPotentialBlockSize")],
                  context.get_active_blocks_per_multiprocessor(overload, 512, 0)]))
"""
    )
    # Four multiprocessors of 2,048 threads and 32 blocks.
    assert found == [[[8, 1024], [32, 256], [128, 64]], [1024, 256, 100], 4]


FORALL = """
@cuda.jit
def shape(x, block):
    if cuda.grid(1) == 0:
        block[0] = cuda.blockDim.x
block = cuda.to_device(np.zeros(1, np.int32))
shape.forall(5000)(x, block)
"""


def test_forall_asks_once_for_each_kind_of_arguments():
    steps(
        ("known", "shape.forall(70)(x, block)", LAUNCH),
        ("again", "shape.forall(70)(x, block)", LAUNCH),
        ("with other bytes", "shape.forall(70, sharedmem=64)(x, block)", f"{ENTER} {POTENTIAL} {LAUNCH}"),
        ("with a block", "shape.forall(70, tpb=32)(x, block)", LAUNCH),
        ("nothing to do", "shape.forall(0)(x, block)", ""),
        ("recompiled", "shape.recompile(); shape.forall(70)(x, block)",
         f"{LOADED} {ENTER} {POTENTIAL} {LAUNCH}"),
        prepare=FORALL,
    )  # fmt: skip


def test_a_variant_with_more_registers_gets_a_smaller_block():
    """The driver finds out when the variant, compiled for this launch, is launched."""
    found = runs.answer(
        FORALL.replace("shape.forall(5000)(x, block)", "")
        + """
import json
x = zeros()
shape.forall(70)(x, block)
fake.inject("cuLaunchKernelEx", 701)
with fake.trace() as traced:
    shape.forall(70)(x, block)
fake.inject("cuLaunchKernelEx", 701)
fake.inject("cuLaunchKernelEx", 701, nth=2)
codes = []
for forall in (shape.forall(70, tpb=32), shape.forall(70)):
    try:
        forall(x, block)
    except errors.CudaAPIError as error:
        codes.append(error.code)
print(json.dumps([[name for name in traced.names if "Launch" in name or "Potential" in name], codes]))
"""
    )
    launch = "cuLaunchKernelEx"
    assert found == [[launch, POTENTIAL, launch], [701]]


CLUSTERS = """
@cuda.jit
def together(x):
    cuda.cluster.sync()
    x[cuda.grid(1)] += cuda.cluster.block_rank()
s = cuda.stream()
y = zeros(16 * 32)
"""


def test_launches_of_clusters():
    steps(
        ("first", "together[4, 32, 0, 0, 2](y)", f"{LOADED} {LAUNCH}"),
        ("second", "together[4, 32, 0, 0, 2](y)", LAUNCH),
        ("on a stream", "together[4, 32, s, 0, 4](y)", LAUNCH),
        ("large", "together[16, 32, 0, 0, 16](y)", f"{ENTER} cuFuncSetAttribute cuLaunchKernelEx"),
        ("large again", "together[16, 32, 0, 0, (4, 1, 1)](y); together[16, 32, 0, 0, 16](y)", f"{LAUNCH} {LAUNCH}"),
        prepare=CLUSTERS,
    )


def test_large_clusters_are_allowed_by_the_functions_attribute():
    found = runs.answer(
        "import json\nx = zeros()\n"
        + CLUSTERS
        + """
with fake.trace() as traced:
    for blocks in (8, 9, 12):
        together[blocks, 32, 0, 0, blocks](y)
print(json.dumps([[call.arguments["attribute"], call.arguments["value"]] for call in traced.of("cuFuncSetAttribute")]))
"""
    )
    assert found == [[NON_PORTABLE_CLUSTER, 1]]


def test_what_clusters_the_driver_is_told():
    """The stand-in runs each block with the cluster that the launch names."""
    found = runs.answer(
        """
import json
@cuda.jit
def sizes(out):
    out[cuda.blockIdx.x] = cuda.cluster.num_blocks() * 100 + cuda.cluster.clusterIdx.x
    cuda.cg.this_grid().sync()

out = cuda.to_device(np.zeros(8, np.int32))
told = []
for cluster in (None, 2, 8):
    sizes[8, 1, 0, 0, cluster](out)
    told.append(out.copy_to_host().tolist())
print(json.dumps(told))
"""
    )
    assert found == [[100 + i for i in range(8)], [200 + i // 2 for i in range(8)], [800] * 8]


@pytest.mark.parametrize("capability", ["80", "89"])
def test_gpus_without_clusters(capability):
    said, launched = runs.answer(
        "import json\nx = zeros()\nadd[2, 32](x, 1)\n"
        + CLUSTERS
        + """
texts = []
with fake.trace() as traced:
    for launch in (lambda: add[2, 32, 0, 0, 2](x, 1), lambda: together[2, 32](y)):
        try:
            launch()
        except (ValueError, errors.UnsupportedError) as error:
            texts.append(str(error))
print(json.dumps([texts, traced.names]))
""",
        FAKE_CUDA_CAPABILITY=capability,
    )
    assert said[0] == (
        "launch configuration: clusters need a device of compute capability 9.0 or later: leave out the fifth item"
    )
    assert "clusters need compute capability 9.0 or later" in said[1] and launched == []


TOO_LARGE = (
    COOPERATIVE
    + """
import json
x = zeros(40000)
together[2, 32](x)
with fake.trace() as traced:
    try:
        together[1000, 32](x)
    except errors.CudaAPIError as error:
        caught = error
print(json.dumps([caught.code, str(caught), traced.names]))
"""
)


def test_the_drivers_error():
    """The launch is tried: only the driver knows what else runs on the device."""
    code, text, calls = runs.answer(TOO_LARGE, FAKE_CUDA_ALLOW="launch-limits")
    assert code == 720 and "1000 blocks, but at most 128 of this shape can" in text
    assert calls.count("cuLaunchKernelEx") == 1


LINKED = """
import json
from treadle import float32
"""


def test_links():
    found = runs.answer(
        LINKED
        + """
x = zeros(32)
add[1, 32](x, 1)
with fake.trace() as traced:
    code = cuda.compile_cubin(add, (float32[::1], float32))
module = cuda.current_context().create_module_image(code)
print(json.dumps([traced.names, fake.live_count("link"), code[:4].hex(), type(module).__name__]))
"""
    )
    calls = f"{ENTER} cuLinkCreate cuLinkAddData cuLinkComplete cuLinkDestroy".split()
    assert found == [calls, 0, "7f454c46", "Module"]


@pytest.mark.parametrize("function", ["cuLinkCreate", "cuLinkAddData", "cuLinkComplete"])
def test_links_that_fail(function):
    code, text, left = runs.answer(
        LINKED
        + f"""
fake.inject("{function}", fake.INVALID_VALUE)
try:
    cuda.compile_cubin(add, (float32[::1], float32))
except errors.CudaAPIError as error:
    print(json.dumps([error.code, str(error), fake.live_count("link")]))
"""
    )
    assert code == 1 and "link add failed" in text and left == 0


def test_the_linkers_log():
    text = runs.answer(
        """
import json
from treadle import _core
try:
    _core.assemble(0, ".version 8.0\\n.target sm_90\\n.address_size 64\\nnonsense", "what is wrong")
except errors.CudaAPIError as error:
    print(json.dumps(str(error)))
"""
    )
    assert "link what is wrong failed" in text and "CUDA_ERROR_INVALID_PTX" in text and "nonsense" in text
