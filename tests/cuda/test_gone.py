"""What is gone is not named to the driver, which crashes over it: streams of ours that others were told of, and what a
reset has ended."""

import runs

HEAD = """
import gc, threading
def exported():
    stream = cuda.stream()
    return stream, int(stream)
def drop():
    gc.collect()
    cuda.current_context().deallocations.clear()
x, y = zeros(), zeros()
"""


def test_waiting_for_the_device_after_an_exported_stream_was_destroyed():
    runs.run(
        HEAD
        + """
for _ in range(3):
    stream, handle = exported()
    add[1, 128, stream](x, 1)
    bound = cuda.to_device(np.zeros(10), stream=stream)
    assert bound.__cuda_array_interface__["stream"] == handle
    del stream, bound
    drop()
    cuda.synchronize()
    cuda.current_context().memory_manager.trim()
    cuda.synchronize()
assert x.copy_to_host()[0] == 3
assert fake.calls_of("cuStreamDestroy") > 1  # the last launcher is kept, with its stream
"""
    )


def test_waiting_for_the_device_after_a_reset_has_ended_an_exported_stream():
    runs.run(
        HEAD
        + """
stream, handle = exported()
add[1, 128, stream](x, 1)
cuda.current_context().reset()
cuda.synchronize()
z = zeros()
add[1, 128](z, 1)
cuda.synchronize()
assert z.copy_to_host()[0] == 1
del stream
drop()
cuda.synchronize()
"""
    )


def test_a_stream_of_ours_lives_as_long_as_somebody_has_found_it_by_its_handle():
    runs.run(
        HEAD
        + """
class Foreign:
    def __init__(self, shown):
        self.__cuda_array_interface__ = shown

stream, handle = exported()
again = cuda.external_stream(handle)
imported = cuda.as_cuda_array(Foreign({**x.__cuda_array_interface__, "stream": handle, "version": 3}))
before = fake.calls_of("cuStreamDestroy")
del stream
drop()
assert fake.calls_of("cuStreamDestroy") == before
add[1, 128, again](x, 1)
again.synchronize()
add[1, 128](imported, 1)
assert imported.copy_to_host()[0] == 2
del again
drop()
assert fake.calls_of("cuStreamDestroy") == before
add[1, 128](imported, 1)
assert imported.copy_to_host()[0] == 3
del imported
drop()
assert fake.calls_of("cuStreamDestroy") == before + 1
cuda.synchronize()
"""
    )


def test_threads_that_look_at_streams_while_others_end_theirs():
    runs.run(
        HEAD
        + """
ended, failures = threading.Event(), []

def make_and_drop():
    try:
        while not ended.is_set():
            stream, _ = exported()
            z = cuda.to_device(np.zeros(100, np.float32), stream=stream)
            add[1, 128, stream](z, 1)
            del stream, z
            cuda.current_context().deallocations.clear()
    except BaseException as error:
        failures.append(error)

threads = [threading.Thread(target=make_and_drop) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(300):
    cuda.synchronize()
    cuda.current_context().memory_manager.trim()
    cuda.device_array(1000)
ended.set()
for thread in threads:
    thread.join()
assert not failures, failures
""",
        timeout=120,
    )


def test_the_child_of_a_fork_drops_what_busy_threads_of_its_parent_used():
    runs.run(
        HEAD
        + """
import os, signal, warnings
warnings.simplefilter("ignore")
ended = threading.Event()

def work():
    while not ended.is_set():
        stream, _ = exported()
        z = cuda.to_device(np.zeros(100, np.float32), stream=stream)
        add[1, 128, stream](z, 1)
        event = cuda.event()
        event.record(stream)
        z.copy_to_host(stream=stream)
        with cuda.graph() as graph:
            add[1, 128](z, 1)
        graph.replay(stream)
        stream.synchronize()

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
statuses = []
for _ in range(30):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            cuda.synchronize()
        except errors.CudaSupportError:
            del x, y
            gc.collect()
            cuda.current_context().deallocations.clear()
            os._exit(0)
        os._exit(1)
    statuses.append(os.waitpid(child, 0)[1])
ended.set()
for thread in threads:
    thread.join()
assert set(statuses) == {0}, statuses
""",
        timeout=200,
    )
