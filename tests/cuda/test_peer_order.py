"""Two GPUs that use each other's memory: in which order their streams run, and what lives until when.

The stand-in runs work as late as it may, and ends the process at the first two accesses that nothing orders.
"""

import pytest
from two_gpus import run

SEEDS = ["1", "2", "3", "4"]


def test_a_stream_waits_for_another_devices_event_whatever_was_reset():
    """By the driver: the host does not wait."""
    run("""
for lost in (second, first, second):
    lost.reset()
    arrays = [full(0), full(1)]
    for device in (0, 1):
        with cuda.gpus[1 - device]:
            event = cuda.event()
            add[1, 128](arrays[1 - device], 1)
            event.record()
        with cuda.gpus[device]:
            stream = cuda.stream()
            with fake.trace() as traced:
                event.wait(stream)
            assert traced.names.count("cuStreamWaitEvent") == 1 and not traced.of("cuEventQuery"), traced.names
            add[1, 128, stream](arrays[device], 1)
            stream.synchronize()
    assert holds(arrays[0], 2) and holds(arrays[1], 2)
""")


@pytest.mark.parametrize("default", ["legacy", "of_the_thread"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_both_devices_work(seed, default):
    run("""
import os

of_thread = os.environ["TREADLE_PER_THREAD_DEFAULT_STREAM"] == "1"
for context, peer in ((contexts[0], 1), (contexts[1], 0)):
    context.enable_peer_access(peer)
streams = []
for device in (0, 1):
    with cuda.gpus[device]:
        # A blocking stream and a thread's default one are ordered by their maker.
        streams.append([0] if of_thread else [cuda.stream(), 0])
expected = 0
for turn in range(8):
    for device in (0, 1):
        with cuda.gpus[device]:
            for stream in streams[device]:
                if stream != 0:    # two streams that are none of the default ones are ordered by their maker
                    cuda.synchronize()
                add[1, 128, stream](here, 1)
                add[1, 128, 0](there, 1)
                expected += 1
    if turn % 3 == 0:
        settle()
        extra = full(1, 5)
        add[1, 128](extra, 1)
        here_too = full(0)
        here_too.copy_to_device(extra)
        with cuda.gpus[1]:
            add[1, 128](extra, 1)
        del extra
        assert holds(here_too, 6)
settle()
assert holds(here, expected) and holds(there, expected), (here.copy_to_host(), expected)
""", FAKE_CUDA_SEED=seed, TREADLE_PER_THREAD_DEFAULT_STREAM=str(int(default != "legacy")))  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_and_the_work_around_them(seed):
    run("""
stream, apart = cuda.stream(), cuda.stream(nonblocking=True)
with cuda.gpus[1]:
    theirs = cuda.stream(nonblocking=True)
source = full(1, 0, (40, 64))
for turn in range(4):
    for own in (0, stream, apart):
        target = full(0, 0, (40, 64))
        with cuda.gpus[1]:
            cuda.synchronize()
            add[20, 128, theirs](source.ravel(), 1)
        add[20, 128, own](target.ravel(), 9)
        target.copy_to_device(source, stream=own)
        with cuda.gpus[1]:
            add[20, 128](source.ravel(), 100)
        add[20, 128, own](target.ravel(), 1000)
        with cuda.gpus[1]:
            add[20, 128](source.ravel(), -100)
        if own != 0:
            own.synchronize()
        part = full(0, 0, (20, 32))
        part[...] = source[::2, ::2]
        now = turn * 3 + (0, stream, apart).index(own) + 1
        assert holds(part, now), (part.copy_to_host(), now)
        assert holds(target, now + 1000), (target.copy_to_host(), now)
        del target, part
""", FAKE_CUDA_SEED=seed)  # fmt: skip


@pytest.mark.parametrize("reuse", ["0", "1"])
def test_memory_lives_until_peers_and_copies_have_used_it(reuse):
    run("""
contexts[0].enable_peer_access(1)
apart = cuda.stream(nonblocking=True)
to = full(0, 0, 1000)

def recycle():
    with cuda.gpus[1]:
        other = cuda.stream(nonblocking=True)
        scratch = cuda.to_device(np.full(1000, -1, np.float32), stream=other)
        add[8, 128, other](scratch, -1)

for turn in range(6):
    source = full(1, turn, 1000)
    assign[8, 128, apart](to, source)
    del source
    contexts[1].deallocations.clear()
    recycle()
    apart.synchronize()
    assert holds(to, turn)
    source = full(1, -turn, 1000)
    add[8, 128, apart](to, 1)
    to.copy_to_device(source, stream=apart)
    del source
    contexts[1].deallocations.clear()
    recycle()
    apart.synchronize()
    assert holds(to, -turn)
""", FAKE_CUDA_REUSE=reuse)  # fmt: skip


def test_a_flush_learns_that_peers_are_done():
    """Nothing else looks at the streams of the peer."""
    run("""
contexts[0].enable_peer_access(1)
apart = cuda.stream(nonblocking=True)
source = full(1, 4, 5000)
assign[1, 128, apart](here, source)
del source
assert contexts[1].memory_manager.figures()["pending_count"] >= 1
fake.step(1000)
contexts[1].deallocations.clear()
contexts[1].memory_manager.cache_limit = 0
for _ in range(3):
    contexts[1].deallocations.clear()
    contexts[1].memory_manager.trim()
assert contexts[1].memory_manager.figures()["cached_count"] == 0
""")


def test_memory_that_a_lost_peer_has_not_finished_with_does_not_outlive_a_reset():
    run("""
contexts[0].enable_peer_access(1)
stream = cuda.stream(nonblocking=True)
assign[8, 128, stream](here, there)
stream.synchronize()
sources = [full(1, 1, 1000), full(1, 2, 1000)]
fake.inject("cuLaunchKernelEx", fake.ILLEGAL_ADDRESS, mode=fake.ASYNC)
for source in sources:
    assign[8, 128, stream](here, source)
del sources, source
contexts[1].deallocations.clear()          # one in the cache, one in the queue
raises(errors.DeviceLost, stream.synchronize)
contexts[1].deallocations.clear()
second.reset()
first.reset()                              # which ends the work
fresh = [full(1, 5, 1000), full(1, 5, 1000)]
with cuda.gpus[1]:
    for array in fresh:
        add[8, 128](array, 1)
assert holds(fresh[0], 6) and holds(fresh[1], 6)
""")
