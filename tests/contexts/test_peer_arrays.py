"""Devices of one kind whose kernels use each other's memory."""

import pytest
from several import ALIKE

pytestmark = pytest.mark.parametrize("several", ALIKE, indirect=True)


def test_peers(several):
    several("""
here, there = zeros(0), on(1, np.arange(100))
assert contexts[0].can_access_peer(1) and contexts[1].can_access_peer(first) and not contexts[0].can_access_peer(0)
assert not contexts[0].can_access_peer(-1) and not contexts[0].can_access_peer(2)
raises(errors.CudaAPIError, lambda: contexts[0].enable_peer_access(2), "there is no such device", code=101)
raises(errors.CudaAPIError, lambda: contexts[0].enable_peer_access(0), code=217)
raises(ValueError, lambda: contexts[0].enable_peer_access(1, flags=1), "flags must be 0")
raises(TypeError, lambda: contexts[0].enable_peer_access("1"))
raises(ValueError, lambda: assign[1, 128](here, there), "enable_peer_access(1)")

contexts[0].enable_peer_access(1)
raises(errors.CudaAPIError, lambda: contexts[0].enable_peer_access(contexts[1]), "ALREADY_ENABLED", code=704)
assign[1, 128](here, there)
assert (here.copy_to_host() == np.arange(100)).all()
add[1, 128](there, 1)      # written by its peer, after and before its own work
with cuda.gpus[1]:
    add[1, 128](there, 1)
add[1, 128](there, 1)
assert (there.copy_to_host() == np.arange(100) + 3).all()
with cuda.gpus[1]:         # one way only
    raises(ValueError, lambda: assign[1, 128](there, here), "cuda.gpus[1].get_primary_context().enable_peer_access(0)")
contexts[1].enable_peer_access(first)
with cuda.gpus[1]:
    assign[1, 128](there, here)
assert (there.copy_to_host() == np.arange(100)).all()

# Lost with a reset of either of the two.
for lost in (second, first):
    lost.reset()
    here, there = zeros(0), zeros(1)
    raises(ValueError, lambda: assign[1, 128](here, there), "enable_peer_access(1)")
    contexts[0].enable_peer_access(1)
    assign[1, 128](here, there)
    with cuda.gpus[1]:
        raises(ValueError, lambda: assign[1, 128](there, here), "enable_peer_access(0)")
""")


def test_memory_lives_until_the_peer_has_used_it(several):
    several("""
contexts[0].enable_peer_access(1)
stream, sums = cuda.stream(), zeros(0, 1000)

@cuda.jit
def total(to, source):
    i = cuda.grid(1)
    if i < to.size:
        to[i] += source[i]

for turn in range(20):
    there = on(1, np.full(1000, turn))
    total[8, 128, stream](sums, there)
    del there
    with cuda.gpus[1]:                      # must not get that memory before the kernel has run
        other = cuda.to_device(np.full(1000, -1000, np.float32))
        add[8, 128](other, -1)
        del other
        cuda.current_context().deallocations.clear()
stream.synchronize()
assert holds(sums, sum(range(20))), sums.copy_to_host()
contexts[1].deallocations.clear()           # looks at the streams of the peer, too
contexts[1].memory_manager.trim()
assert live() == [1, 0]
""")


def test_peers_arrays_in_bound_launches_and_graphs(several):
    several("""
contexts[0].enable_peer_access(1)
here, there, stream = zeros(0), on(1, np.arange(100)), cuda.stream()
bound = assign.bind(1, 128, stream, here, there)
for _ in range(3):
    bound()
stream.synchronize()
assert (here.copy_to_host() == np.arange(100)).all()
bound[1] = zeros(0)
bound()
bound[1] = on(1, np.full(100, 8))
bound()
stream.synchronize()
assert holds(here, 8)

launch = add[1, 128, stream]
launch(there, 0)
stream.synchronize()
with cuda.graph(stream) as graph:
    assign[1, 128](here, there)
    add[1, 128](there, 1)
graph.replay()
with cuda.gpus[1]:
    add[1, 128](there, 10)       # after the replay
    graph.replay()               # after that
    add[1, 128](there, 10)
stream.synchronize()
assert here.copy_to_host()[0] == 11 and there.copy_to_host()[0] == 22
del there
gc.collect()
graph.replay()                   # which keeps the memory
stream.synchronize()
assert here.copy_to_host()[0] == 22
second.reset()
raises(errors.CudaAPIError, graph.replay, "another device whose memory it uses was reset", code=709)
""")


def test_a_reset_waits_for_the_peers_that_use_its_memory(several):
    several("""
contexts[0].enable_peer_access(1)
here, there, stream = zeros(0, 20_000), on(1, np.full(20_000, 4)), cuda.stream(nonblocking=True)
for _ in range(5):
    assign[160, 128, stream](here, there)
second.reset()
stream.synchronize()
assert holds(here, 4)
raises(errors.CudaAPIError, lambda: assign[160, 128, stream](here, there), "was reset", code=709)
""")


def test_arrays_of_peers_through_the_array_interface(several):
    several("""
class Foreign:
    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__

here, there = zeros(0), on(1, np.arange(100))
if "CUDA" in repr(first):       # memory of the host is that of both CPU devices
    raises(ValueError, lambda: assign[1, 128](here, Foreign(there)), "argument 2 ('source')", "device 1")
contexts[0].enable_peer_access(1)
assign[1, 128](here, Foreign(there))
assert (here.copy_to_host() == np.arange(100)).all()
""")


def test_a_reset_while_the_kernel_is_compiled(several, tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text("""
from treadle import cuda
from treadle.cuda.experimental import consteval

def reset():
    cuda.gpus[1].reset()
    return 1

@cuda.jit
def kernel(to, source):
    to[0] = source[0] + consteval(reset())
""")
    several(f"""
import runpy
kernel = runpy.run_path({str(path)!r})["kernel"]
contexts[0].enable_peer_access(1)
here, there = zeros(0), zeros(1)
raises(errors.CudaAPIError, lambda: kernel[1, 1](here, there), "was reset", code=709)
""")


@pytest.mark.parametrize("kind", ["pinned", "mapped", "managed"])
def test_memory_of_the_host_is_within_reach(several, kind):
    """No access needs to be enabled. The memory outlives its array until the other device has used it."""
    several(f"""
with cuda.gpus[1]:
    shared, other = cuda.{kind}_array(100, np.float32), cuda.{kind}_array(100, np.float32)
shared[:], other[:] = 1, 2
here, stream = zeros(0), cuda.stream()
assign[1, 128, stream](here, shared)
add[1, 128, stream](shared, 5)
add[1, 128, stream](here, other[0])
with cuda.gpus[1]:
    stream.synchronize()
    add[1, 128](shared, 1)
    cuda.synchronize()
assert (shared == 7).all() and holds(here, 3)
assign[1, 128, stream](here, other)
del other
gc.collect()
stream.synchronize()
assert holds(here, 2)
""")
