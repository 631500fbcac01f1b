"""Every call of the driver that a program on two GPUs makes fails once.

test_faults.py does so for one GPU. Here each fault is followed by a reset of whatever is lost, after which the program
works and nothing is left over.
"""

import pytest
import runs

PROGRAM = """
import gc
import json
import sys
import warnings

warnings.simplefilter("ignore", errors.TreadleWarning)
ENDS = (fake.ILLEGAL_ADDRESS, fake.LAUNCH_FAILED, fake.CONTEXT_IS_DESTROYED)

def on(device, values):
    with cuda.gpus[device]:
        return cuda.to_device(np.asarray(values, np.float32))

def work():
    here, there = on(0, np.zeros((20, 40))), on(1, np.ones((20, 40)))
    context = cuda.gpus[0].get_primary_context()
    try:
        context.enable_peer_access(1)
    except errors.CudaAPIError as error:
        if error.code != 704 or "enabled before" not in str(error):
            raise
    assign[7, 128](here.ravel(), there.ravel())
    add[7, 128](there.ravel(), 1)
    with cuda.gpus[1]:
        add[7, 128](there.ravel(), 1)
        stream, event = cuda.stream(), cuda.event()
        event.record(stream)
    assert (here.copy_to_host() == 1).all()
    event.wait()
    own = cuda.stream()
    add[7, 128, own](here.ravel(), 5)
    here.copy_to_device(there, stream=own)
    add[7, 128, own](here.ravel(), 5)
    own.synchronize()
    assert (here.copy_to_host() == 8).all()
    here[::2, ::2] = there[1::2, 1::2]
    there[1::2, :30:3] = here[::2, 10::3]
    assert here.copy_to_host()[::2, ::2].sum() == 600 and there.copy_to_host().sum() == 3 * 800 + 100 / 2 * 5
    with cuda.graph(own) as graph:
        assign[7, 128](here.ravel(), there.ravel())
    graph.replay()
    own.synchronize()
    assert (here.copy_to_host() == there.copy_to_host()).all()
    add[7, 128](there.ravel(), 1)

def end():
    gc.collect()
    for gpu in cuda.gpus:
        with gpu:
            cuda.synchronize()
            cuda.current_context().deallocations.clear()
            cuda.current_context().memory_manager.trim()
            cuda.synchronize()

def counted():
    counts = {}
    for one in fake.live():
        if one.kind not in ("event", "context"):
            counts[one.kind] = counts.get(one.kind, 0) + 1
    return counts

def lost():
    found = []
    for gpu in cuda.gpus:
        with gpu:
            try:
                cuda.synchronize()
            except errors.DeviceLost:
                found.append(gpu)
    return found

def suffer(name, nth, result, mode):
    frees, happened = fake.failed_frees(), fake.faults_happened()
    fake.inject(name, result, nth, mode)
    try:
        work()
        what = "silent"
    except (errors.CudaDriverError, errors.CudaSupportError, MemoryError) as error:
        what = error.with_traceback(None)
    assert fake.faults_happened() == happened + 1, "the fault has not happened"
    fake.clear_faults()
    if isinstance(what, errors.CudaAPIError) and not isinstance(what, errors.DeviceLost):
        assert what.code == result or (result == fake.OUT_OF_MEMORY and what.code == result), (what, result)
    gone = lost()
    assert bool(gone) or not isinstance(what, errors.DeviceLost), what
    for gpu in gone:
        gpu.reset()
    del what
    work()
    end()
    spared = max(fake.failed_frees() - frees, 1)
    now = counted()
    grown = {kind: (count, expected.get(kind, 0)) for kind, count in now.items()
             if count > expected.get(kind, 0) + spared}
    assert not grown, (grown, fake.live())
    for gpu in cuda.gpus:
        gpu.reset()
    work()

work()
end()
expected = counted()
for gpu in cuda.gpus:
    gpu.reset()
fake.clear_trace()
work()
recorded = {}
for call in fake.calls():
    recorded[call.name] = recorded.get(call.name, 0) + 1
assert {"cuCtxEnablePeerAccess", "cuMemcpyPeerAsync", "cuStreamWaitEvent"} <= set(recorded), recorded
for gpu in cuda.gpus:
    gpu.reset()
work()
count = 0
step, part = map(int, sys.argv[1:3])
for name, calls in recorded.items():
    for nth in range(1, calls + 1):
        count += 1
        if count % step != part:
            continue
        plausible = fake.plausible_errors(name)
        faults = [(plausible[nth % len(plausible)], fake.PLAIN)] if plausible else []
        faults += [(ENDS[nth % 2], fake.STICKY)]
        for result, mode in faults:
            # The program again, as the fault finds it: after a reset.
            for gpu in cuda.gpus:
                gpu.reset()
            try:
                suffer(name, nth, result, mode)
            except BaseException:
                print(name, nth, result, mode, file=sys.stderr)
                raise
"""


PARTS = 12  # the stand-in keeps what was destroyed, and looks through it: many runs in one process take ever longer


def run(part):
    settings = {"FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_QUERIES": "0", "FAKE_CUDA_KERNEL_RACES": "0"}
    runs.run(PROGRAM, str(PARTS), str(part), timeout=120, **settings)


def test_some_calls_fail():
    run(0)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(1, PARTS))
def test_other_calls_fail(part):
    run(part)
