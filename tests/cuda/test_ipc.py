"""Memory that processes share, on CUDA: the driver's calls, and what fails."""

import base64
import pickle
import subprocess
import sys

import pytest
import runs

OWNER = (
    runs.HEAD
    + """
import base64, pickle, sys
x = cuda.to_device(np.arange(100, dtype=np.float32))
print(base64.b64encode(pickle.dumps(x[10:].get_ipc_handle())).decode(), flush=True)
sys.stdin.readline()
cuda.synchronize()
print(x.copy_to_host()[10], flush=True)
"""
)
CHILD = """
import base64, pickle, sys
handle = pickle.loads(base64.b64decode(sys.argv[1]))
"""


def with_handle(program, **settings):
    """What the owner finds in the first shared element, after the program has run in another process."""
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(
        command, env=runs.environment(**settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        handle = owner.stdout.readline().strip()
        runs.run(CHILD + program, handle, **settings)
        return float(owner.communicate("\n")[0])


def test_calls_of_the_owner():
    runs.run("""
x = zeros()
view = x[10:20]
cuda.synchronize()
with fake.trace() as traced:
    handle = view.get_ipc_handle()
assert [name for name in traced.names if name not in ("cuCtxGetCurrent", "cuDeviceGetAttribute")] == [
    "cuMemGetAddressRange", "cuMemGetAddressRange", "cuIpcGetMemHandle"], traced.names
assert traced.of("cuIpcGetMemHandle")[0].arguments["pointer"] == x._address
assert handle._ipc_handle.offset == 40 and handle._ipc_handle.size == 40
""")


def test_calls_of_another_process():
    assert (
        with_handle("""
x = handle.open()
with fake.trace() as traced:
    handle.close()
assert traced.names == ["cuCtxGetCurrent", "cuIpcCloseMemHandle"], traced.names
with fake.trace() as traced:
    x = handle.open()
assert traced.of("cuIpcOpenMemHandle")[0].arguments == {"flags": 1}
add[4, 32](x, 1)
with fake.trace() as traced:
    handle.close()
names = traced.names
assert names[-1] == "cuIpcCloseMemHandle" and "cuEventQuery" in names, names
del x
assert not [one for one in fake.live() if one.made_by.startswith("cuIpcOpen")]
""")
        == 11
    )


def test_an_allocation_that_is_opened_twice():
    """The driver counts, and gives one address."""
    assert (
        with_handle("""
second = pickle.loads(base64.b64decode(sys.argv[1]))
x, y = handle.open(), second.open()
assert x._address == y._address
add[4, 32](x, 1)
handle.close()
add[4, 32](y, 1)
assert y.copy_to_host()[0] == 12
second.close()
assert fake.calls_of("cuIpcOpenMemHandle") == fake.calls_of("cuIpcCloseMemHandle") == 2
assert not [one for one in fake.live() if one.made_by.startswith("cuIpcOpen")]
""")
        == 12
    )


def test_closed_by_the_last_reference():
    with_handle("""
x = handle.open()
view = x[5:]
add[4, 32](view, 1)
with fake.trace() as traced:
    del handle, x
assert not traced.of("cuIpcCloseMemHandle")
del view
cuda.synchronize()
assert fake.calls_of("cuIpcCloseMemHandle") == 1
""")


def test_nothing_is_closed_after_a_reset():
    with_handle("""
x = handle.open()
cuda.close()
with fake.trace() as traced:
    try:
        handle.close()
    except errors.CudaAPIError:
        pass
    del x, handle
assert not traced.of("cuIpcCloseMemHandle"), traced.names
""")


@pytest.mark.parametrize("function", ["cuMemGetAddressRange", "cuIpcGetMemHandle"])
def test_owners_calls_that_fail(function):
    runs.run(f"""
x = zeros()
fake.inject("{function}", fake.INVALID_VALUE, nth=1 + ("{function}" == "cuMemGetAddressRange"))
try:
    x.get_ipc_handle()
    raise AssertionError
except errors.CudaAPIError as error:
    assert error.code == 1, error
x.get_ipc_handle()
add[4, 32](x, 1)
assert (x.copy_to_host() == 1).all()
""")


def test_opening_and_closing_that_fail():
    assert (
        with_handle("""
fake.inject("cuIpcOpenMemHandle", 208)
try:
    handle.open()
    raise AssertionError
except errors.CudaAPIError as error:
    assert error.code == 208 and "open memory of another process" in str(error), error
x = handle.open()
add[4, 32](x, 1)
handle.close()
x = handle.open()
fake.inject("cuIpcCloseMemHandle", fake.UNKNOWN)
try:
    handle.close()
    raise AssertionError
except errors.CudaAPIError as error:
    assert error.code == 999 and "close memory of another process" in str(error), error
try:
    x.copy_to_host()
    raise AssertionError
except errors.CudaAPIError as error:
    assert error.code == 400
handle.open()
handle.close()
""")
        == 11
    )


def test_bytes_that_are_no_handle():
    runs.run(
        """
try:
    with cuda.open_ipc_array(bytes(64), 4, np.float32):
        raise AssertionError
except errors.CudaAPIError as error:
    assert error.code == 400, error
""",
        FAKE_CUDA_ABORT="0",
    )


def test_mapped_and_managed_memory_is_not_shared():
    runs.run("""
host = np.zeros(4)
with cuda.mapped(host) as mapped:
    try:
        mapped.get_ipc_handle()
        raise AssertionError
    except errors.CudaAPIError as error:
        assert error.code == 1, error
""")


STAGED = """
handle._ipc_handle.source_info = cuda.gpus[0].get_device_identity()
with cuda.gpus[1]:
    assert handle._ipc_handle.can_access_peer(cuda.current_context()) is {peers}
    with fake.trace() as traced, handle as x:
        assert x._ordinal == 1
        add[4, 32](x, 1)
        assert x.copy_to_host()[0] == 11
    assert bool(traced.of("cuMemAlloc")) is not {peers}, traced.names
assert not [one for one in fake.live() if one.made_by.startswith("cuIpcOpen")]
"""


@pytest.mark.parametrize("peers", [True, False])
def test_another_device(peers):
    """Peers use the memory itself; others get a copy, which the owner does not see change."""
    found = with_handle(STAGED.format(peers=peers), FAKE_CUDA_DEVICES="2", FAKE_CUDA_PEERS=str(int(peers)))
    assert found == 11 if peers else found == 10


def test_handles_in_the_shape_of_a_plugins():
    """As RMM's plugin makes them: by cuda-bindings, from the allocation's beginning."""
    program = """
import base64, ctypes, pickle, sys
from treadle.cuda import IpcHandle

class CUipcMemHandle:
    def __init__(self, reserved):
        self.reserved = reserved

def cuIpcGetMemHandle(address):
    handle = (ctypes.c_ubyte * 64)()
    fake.call("cuIpcGetMemHandle", handle, ctypes.c_uint64(address))
    return 0, CUipcMemHandle(bytes(handle))

class Plugin(cuda.cudadrv.driver.NumbaCUDAMemoryManager):
    def get_ipc_handle(self, memory):
        start, _ = cuda.cudadrv.driver.device_extents(memory)
        _, ipc_handle = cuIpcGetMemHandle(start)
        offset = int(memory.handle) - int(start)
        source_info = cuda.current_context().device.get_device_identity()
        return IpcHandle(memory, ipc_handle, memory.size, source_info, offset=offset)

cuda.set_memory_manager(Plugin)
x = zeros()
x[10:].copy_to_device(np.full(90, 5, np.float32))
cuda.synchronize()
print(base64.b64encode(pickle.dumps(x[10:].get_ipc_handle())).decode(), flush=True)
sys.stdin.readline()
"""
    command = [sys.executable, "-c", runs.HEAD + program]
    with subprocess.Popen(
        command, env=runs.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        handle = owner.stdout.readline().strip()
        assert pickle.loads(base64.b64decode(handle))._ipc_handle.offset == 40
        runs.run(
            CHILD
            + """
with handle as x:
    assert x.shape == (90,) and (x.copy_to_host() == 5).all()
""",
            handle,
        )
        owner.communicate("\n")
