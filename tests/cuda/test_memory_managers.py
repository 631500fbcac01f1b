"""Memory managers of other libraries on CUDA: the driver's calls are theirs, in the device's context."""

import pytest
import runs

PLUGIN = """
import ctypes, gc, threading

driver = ctypes.CDLL("libcuda.so.1")

class Plugin(cuda.HostOnlyCUDAMemoryManager):
    freed = 0

    def initialize(self):
        pass

    def memalloc(self, size):
        address = ctypes.c_uint64()
        fake.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        pieces = self.allocations
        pieces[address.value] = size

        def end():
            if pieces:
                del pieces[address.value]
                fake.call("cuMemFree_v2", address)

        return cuda.MemoryPointer(self.context, address, size, finalizer=end)

    def get_memory_info(self):
        raise NotImplementedError("a pool")

    def get_ipc_handle(self, memory):
        raise NotImplementedError("a pool")

    @property
    def interface_version(self):
        return 1

cuda.set_memory_manager(Plugin)
"""


def test_staged_arrays_of_the_host_are_its_memory():
    runs.run(
        PLUGIN
        + """
host = np.zeros(100, np.float32)
add[4, 32](host, 1)
assert (host == 1).all()
context = cuda.current_context()
with fake.trace() as traced:
    add[4, 32](host, 1)
assert (host == 2).all()
assert len(traced.of("cuMemAlloc")) == len(traced.of("cuMemFree")) == 1, traced.names
assert traced.of("cuMemAlloc")[0].arguments["bytes"] >= 400
cuda.synchronize()
assert context.memory_manager.allocations == {}, context.memory_manager.allocations
assert not [one for one in fake.live() if one.made_by.startswith("cuMemAlloc")], fake.live()
"""
    )


def test_all_memory_of_the_device_is_the_plugins():
    runs.run(
        PLUGIN
        + """
with fake.trace() as traced:
    x, y = zeros(), cuda.device_array(50, np.float32)
assert [call.arguments["bytes"] for call in traced.of("cuMemAlloc")] == [400, 200]
with fake.trace() as traced:
    add[4, 32](x, 1)
    del x, y
    cuda.synchronize()
assert len(traced.of("cuMemFree")) == 2
try:
    cuda.current_context().get_memory_info()
    raise AssertionError
except NotImplementedError as error:
    assert str(error) == "a pool"
"""
    )


def test_threads_without_a_context_get_one():
    """Both for the plugin's calls and for those of its finalizers."""
    runs.run(
        PLUGIN
        + """
arrays = [zeros()]

def drop():
    arrays.pop()

def take():
    arrays.append(zeros(10))

for work in (drop, take, drop):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
assert cuda.current_context().memory_manager.allocations == {}
"""
    )


def test_the_device_of_the_array_is_selected():
    runs.run(
        PLUGIN
        + """
first = zeros()
with cuda.gpus[1]:
    second = zeros()
    managers = [context.memory_manager for context in cuda.devices.contexts()]
assert [len(manager.allocations) for manager in managers] == [1, 1] and managers[0] is not managers[1]
with cuda.gpus[1]:
    del first
del second
cuda.synchronize()
assert [len(manager.allocations) for manager in managers] == [0, 0]
""",
        FAKE_CUDA_DEVICES="2",
    )


def test_resets_come_before_the_context_ends():
    runs.run(
        PLUGIN
        + """
x, stream = zeros(), cuda.stream()
for _ in range(5):
    add[4, 32, stream](x, 1)
order = []
class Ordered(Plugin):
    def reset(self):
        order.append((fake.pending(), fake.calls_of("cuDevicePrimaryCtxReset")))
        super().reset()

cuda.close()
cuda.set_memory_manager(Ordered)
y = zeros()
add[4, 32](y, 1)
before = fake.calls_of("cuDevicePrimaryCtxReset")
cuda.close()
assert order == [(0, before)], (order, before)
calls = fake.call_count()
del x, y
assert fake.call_count() == calls
"""
    )


@pytest.mark.parametrize("code, error", [(2, "errors.CudaAPIError"), (999, "errors.CudaAPIError")])
def test_failures_of_the_driver_in_a_plugin(code, error):
    runs.run(
        PLUGIN
        + f"""
class Failing(Plugin):
    def memalloc(self, size):
        if fails:
            raise {error}({code}, "it is full")
        return super().memalloc(size)

cuda.set_memory_manager(Failing)
fails = False
x = zeros()
fails = True
host = np.zeros(10, np.float32)
for attempt in (lambda: zeros(), lambda: add[1, 32](host, 1)):
    try:
        attempt()
        raise AssertionError
    except {error} as found:
        assert found.code == {code} and "it is full" in str(found)
fails = False
add[4, 32](x, 1)
assert (x.copy_to_host() == 1).all()
"""
    )
