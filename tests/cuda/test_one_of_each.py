"""A GPU and the CPU device in one process: what each does where the other fails."""

import runs
from program_heads import RAISES

HEAD = f"""
{RAISES}
gpu, cpu = cuda.gpus
def on(device, values):
    with device:
        return cuda.to_device(np.asarray(values, np.float32))

here, there = on(gpu, np.zeros(100)), on(cpu, np.zeros(100))
stream = cuda.stream()
with cpu:
    own = cuda.stream()
"""


def run(program):
    assert runs.run(HEAD + program, TREADLE_DEVICE="cuda,cpu") == ""


def test_a_gpu_is_lost_that_a_stream_of_the_cpu_waits_for():
    run("""
add[1, 128, stream](here, 1)
stream.synchronize()
with cpu:
    add[1, 128, own](there, 1)
    own.synchronize()
event = cuda.event()
fake.inject("cuLaunchKernelEx", fake.ILLEGAL_ADDRESS, mode=fake.ASYNC)
add[1, 128, stream](here, 1)
event.record(stream)
with cpu:
    event.wait(own)
    add[1, 128, own](there, 1)
    raises(errors.CudaDriverError, own.synchronize, "an earlier error has ended everything on it")
    add[1, 128, own](there, 1)
    own.synchronize()
    assert (there.copy_to_host() == 3).all()
raises(errors.DeviceLost, cuda.synchronize)
gpu.reset()
here = on(gpu, np.zeros(100))
here.copy_to_device(there)
add[1, 128](here, 1)
assert (here.copy_to_host() == 4).all()
""")


def test_events_of_captures_are_places_in_a_graph_of_the_other_kind_of_device():
    run("""
for device, capturing, array, waiting in ((gpu, stream, here, own), (cpu, own, there, stream)):
    with device:
        event = cuda.event()
        add[1, 128, capturing](array, 0)
        capturing.synchronize()
        with cuda.graph(capturing) as graph:
            add[1, 128](array, 1)
            event.record(capturing)
            with (cpu if device is gpu else gpu):
                raises(errors.CudaAPIError, lambda: event.wait(waiting), "a place in that graph", code=907)
        graph.replay()
        capturing.synchronize()
    assert (array.copy_to_host() == 1).all()
    waiting.synchronize()
""")
