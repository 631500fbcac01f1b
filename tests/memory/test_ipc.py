"""Memory that processes share: handles of arrays, opened by another process on the same device."""

import base64
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda, errors
from treadle.cuda.cudadrv import driver
from treadle.cuda.cudadrv.devicearray import IpcArrayHandle

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import processes  # noqa: E402
import sharing  # noqa: E402
from sharing import HEAD, in_child  # noqa: E402


def test_a_child_sees_and_writes_the_same_memory():
    x = cuda.to_device(np.arange(6, dtype=np.float32))
    handle = x.get_ipc_handle()
    assert isinstance(handle, IpcArrayHandle)
    said = in_child(
        handle,
        """
x = handle.open()
print(x.shape, x.strides, x.dtype, x.copy_to_host().tolist())
add[1, 32](x, 10)
cuda.synchronize()
handle.close()
""",
    )
    assert said == "(6,) (4,) float32 [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]\n"
    assert x.copy_to_host().tolist() == [10, 11, 12, 13, 14, 15]


def test_as_a_context_manager():
    x = cuda.to_device(np.zeros(1000, np.int32))
    in_child(
        x.get_ipc_handle(),
        """
with handle as x:
    add[4, 256](x, 7)
    view = x[:3]
assert "was closed: open the handle again" in error_of(x.copy_to_host, errors.CudaAPIError)
for use in (lambda: add[1, 32](x, 1), lambda: view[0], lambda: x.copy_to_device(np.zeros(1000, np.int32)),
            lambda: view.get_ipc_handle().open(), lambda: cuda.to_device(np.zeros(3, np.int32)).copy_to_device(view)):
    error_of(use, errors.CudaAPIError)
with handle as again:
    add[4, 256](again, 1)
""",
    )
    assert (x.copy_to_host() == 8).all()


def test_views_with_their_shape_strides_and_dtype():
    base = np.arange(24.0).reshape(4, 6)
    x = cuda.to_device(base)
    record = np.dtype([("a", np.int32), ("b", np.float64, (2,))])
    records = cuda.to_device(np.zeros(3, record))
    views = {"rows": x[1:3], "columns": x[:, 2:4], "steps": x[::2, ::3], "reversed": x[::-1], "transposed": x.T}
    for name, view in views.items():
        said = in_child(
            view.get_ipc_handle(),
            """
with handle as x:
    back = cuda.device_array(x.shape, x.dtype)
    back[...] = x
    print(x.shape, x.strides, back.copy_to_host().tolist())
""",
        )
        expected = {"rows": base[1:3], "columns": base[:, 2:4], "steps": base[::2, ::3], "reversed": base[::-1],
                    "transposed": base.T}[name]  # fmt: skip
        assert said == f"{view.shape} {view.strides} {expected.tolist()}\n"
    said = in_child(
        records.get_ipc_handle(),
        """
with handle as x:
    print(x.dtype)
    x[1]["a"] = 5
""",
    )
    assert said == f"{record}\n"
    assert records.copy_to_host()["a"].tolist() == [0, 5, 0]


def test_what_was_queued_before_is_seen():
    x, stream, flag = cuda.to_device(np.zeros(64)), cuda.stream(), cuda.mapped_array(1, np.int32)
    flag[0] = 0
    sharing.add_when[1, 64, stream](flag, x, 20)
    threading.Timer(0.2, flag.__setitem__, (0, 1)).start()
    handle = x.get_ipc_handle()
    assert flag[0] == 1
    said = in_child(
        handle,
        """
with handle as x:
    print(set(x.copy_to_host().tolist()))
""",
    )
    assert said == "{20.0}\n"


def test_closing_waits_for_the_work():
    x = cuda.to_device(np.zeros(64))
    said = in_child(
        x.get_ipc_handle(),
        f"""
import threading
sys.path.insert(0, {str(Path(__file__).parent)!r})
import sharing
stream, flag = cuda.stream(), cuda.mapped_array(1, np.int32)
flag[0] = 0
x = handle.open()
sharing.add_when[1, 64, stream](flag, x, 5)
threading.Timer(0.2, flag.__setitem__, (0, 1)).start()
handle.close()
print(flag[0])
""",
    )
    assert said == "1\n"
    assert (x.copy_to_host() == 5).all()


def test_both_sides_in_turn():
    """The mapping is one memory: a later write of the owner is seen by a child that has it open, and the other way."""
    x = cuda.to_device(np.zeros(4))
    given = base64.b64encode(pickle.dumps(x.get_ipc_handle())).decode()
    child = subprocess.Popen([sys.executable, "-c", HEAD + """
with handle as x:
    for line in sys.stdin:
        print(x.copy_to_host()[0], flush=True)
        add[1, 32](x, 1)
        cuda.synchronize()
        print("done", flush=True)
"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    with child:
        child.stdin.write(given + "\n")
        for turn in range(3):
            sharing.add[1, 32](x, 10)
            cuda.synchronize()
            child.stdin.write("\n")
            child.stdin.flush()
            assert float(child.stdout.readline()) == 11 * turn + 10
            assert child.stdout.readline() == "done\n"
            assert x.copy_to_host()[0] == 11 * turn + 11
        child.stdin.close()
        assert child.wait(30) == 0


def test_handles_go_through_queues(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent)  # the child has this path, and examples/ has a sharing.py, too
    context = multiprocessing.get_context("spawn")
    given, answers = context.Queue(), context.Queue()
    child = context.Process(target=sharing.serve, args=(given, answers))
    child.start()
    try:
        arrays = [cuda.to_device(np.full(8, n, np.int64)) for n in range(3)]
        for array in arrays:
            given.put(array.get_ipc_handle())
        given.put(None)
        assert [answers.get(timeout=60) for _ in arrays] == [[n] * 8 for n in range(3)]
    finally:
        child.join(60)
    assert child.exitcode == 0
    assert [array.copy_to_host()[0] for array in arrays] == [100, 101, 102]


def test_the_own_process():
    x = cuda.to_device(np.zeros(4))
    handle = x.get_ipc_handle()
    with pytest.raises(ValueError, match="cannot be opened in the process that its memory belongs to"):
        handle.open()
    with pytest.raises(ValueError, match="not open"):
        handle.close()
    with pytest.raises(ValueError, match="cannot be opened"), handle:
        pass


def test_opened_and_closed_twice():
    x = cuda.to_device(np.zeros(4))
    in_child(
        x.get_ipc_handle(),
        """
assert "not open" in error_of(handle.close, ValueError)
handle.open()
assert "open already" in error_of(handle.open, ValueError)
handle.close()
assert "not open" in error_of(handle.close, ValueError)
""",
    )


def test_dropped_without_close():
    x = cuda.to_device(np.arange(4.0))
    assert (
        in_child(
            x.get_ipc_handle(),
            """
x = handle.open()
view = x[1:]
del handle, x
gc.collect()
print(view.copy_to_host().tolist())
del view
""",
        )
        == "[1.0, 2.0, 3.0]\n"
    )


def test_the_handle_keeps_the_memory():
    x = cuda.to_device(np.arange(1000.0))
    handle = x[10:13].get_ipc_handle()
    del x
    gc.collect()
    cuda.current_context().deallocations.clear()
    others = [cuda.to_device(np.zeros(1000)) for _ in range(5)]
    assert in_child(handle, "with handle as x: print(x.copy_to_host().tolist())") == "[10.0, 11.0, 12.0]\n"
    del others


def test_shared_memory_is_not_used_again():
    gc.collect()
    cuda.current_context().deallocations.clear()
    x = cuda.device_array(1000)
    handle, address = x.get_ipc_handle(), x._address
    manager = cuda.current_context().memory_manager
    before = manager.cached_bytes
    del x, handle
    gc.collect()
    cuda.current_context().deallocations.clear()
    assert manager.cached_bytes == before
    others = [cuda.device_array(1000) for _ in range(4)]
    assert address not in {other._address for other in others} or not others[0]._is_host_visible


def test_numbers_of_files_that_are_used_again():
    """On the CPU device, whose handles name a file of the owner by its number."""
    x = cuda.to_device(np.zeros(4))
    handle = pickle.dumps(x.get_ipc_handle())
    del x
    gc.collect()
    cuda.current_context().deallocations.clear()
    others = [cuda.to_device(np.ones(4)).get_ipc_handle() for _ in range(30)]
    number = slice(16, 24)
    assert pickle.loads(handle)._ipc_handle.handle[number] in {one._ipc_handle.handle[number] for one in others}
    assert (
        in_child(
            pickle.loads(handle),
            """
try:
    handle.open()
except errors.CudaAPIError as error:
    print(error.code)
""",
        )
        == "400\n"
    )


def test_what_cannot_be_shared():
    with pytest.raises(ValueError, match=r"without elements has no memory to share, found shape \(0, 3\)"):
        cuda.device_array((0, 3)).get_ipc_handle()
    host = np.zeros(4)
    with cuda.mapped(host) as device, pytest.raises(errors.CudaAPIError) as raised:
        device.get_ipc_handle()
    assert raised.value.code == 1
    x = cuda.to_device(np.zeros(4))
    assert (
        in_child(
            x.get_ipc_handle(),
            """
with handle as x:
    try:
        x.get_ipc_handle()
    except errors.CudaAPIError as error:
        print(error.code)
""",
        )
        == "1\n"
    )


def test_host_views_outlive_a_close():
    x = cuda.to_device(np.arange(4.0))
    assert (
        in_child(
            x.get_ipc_handle(),
            """
x = handle.open()
view = x.host_view() if x._is_host_visible else np.arange(4.0)
handle.close()
view[0] = 7
print(view.tolist())
""",
        )
        == "[7.0, 1.0, 2.0, 3.0]\n"
    )


class TestHandles:
    def test_open_ipc_array(self):
        x = cuda.to_device(np.arange(12, dtype=np.int16))
        handle = x[4:].get_ipc_handle()._ipc_handle
        raw = tuple(handle.handle)
        assert len(raw) == 64 and handle.size == 16
        said = in_child(
            (raw, handle.offset),
            """
raw, offset = handle
for given in (raw, bytes(raw), [value - 256 if value > 127 else value for value in raw]):
    with cuda.open_ipc_array(given, shape=(2, 4), dtype=np.int16, offset=offset) as x:
        print(x.copy_to_host().tolist())
with cuda.open_ipc_array(raw, 4, "int16", strides=(4,), offset=offset) as x:
    print(x.shape, x.strides)
    add[1, 32](x, 100)
error_of(x.copy_to_host, errors.CudaAPIError)
""",
        )
        rows = "[[4, 5, 6, 7], [8, 9, 10, 11]]\n"
        assert said == rows * 3 + "(4,) (4,)\n"
        assert x.copy_to_host().tolist() == [0, 1, 2, 3, 104, 5, 106, 7, 108, 9, 110, 11]

    def test_wrong_arguments(self):
        x = cuda.to_device(np.zeros(4))
        handle = x.get_ipc_handle()._ipc_handle
        for raw, error, text in [
            (b"1234", ValueError, "has 64 bytes, found 4"),
            (None, TypeError, "a handle is 64 bytes, found None of type NoneType"),
        ]:
            with pytest.raises(error, match=text), cuda.open_ipc_array(raw, 4, np.float64):
                pass
        said = in_child(
            (handle.handle, bytes(range(64, 0, -1)), handle.offset, x._is_host_visible),
            """
def opened(bytes, count, offset=0):
    with cuda.open_ipc_array(bytes, count, np.float64, offset=offset):
        pass
more, other = lambda: opened(handle[0], 10**6, handle[2]), lambda: opened(handle[1], 4)
print(error_of(more, (ValueError, errors.CudaAPIError)))
print(error_of(other, errors.CudaAPIError) if handle[3] else "")
""",
        )
        assert "8000000 bytes" in said
        assert "the handle is none of the CPU device's" in said or not x._is_host_visible

    def test_pickles_have_what_a_child_needs(self):
        x = cuda.to_device(np.zeros((2, 3), np.float32))
        handle = x.get_ipc_handle()
        copy = pickle.loads(pickle.dumps(handle))
        inner = copy._ipc_handle
        assert isinstance(inner, cuda.IpcHandle) and inner.base is None
        assert (inner.size, inner.offset) == (24, handle._ipc_handle.offset)
        assert inner.source_info == cuda.get_current_device().get_device_identity()
        assert repr(copy) == "<IpcArrayHandle of float32 (2, 3)>"
        assert handle._ipc_handle.base is not None
        signed = cuda.IpcHandle(None, [-1, *range(63)], 24)
        assert pickle.loads(pickle.dumps(signed)).handle == bytes([255, *range(63)])

    def test_of_memory_and_as_arrays(self):
        context = cuda.current_context()
        memory = context.memalloc(64)
        memory.memset(3)
        handle = context.get_ipc_handle(memory.view(16, 32))
        assert (type(handle), handle.size) == (cuda.IpcHandle, 16)
        said = in_child(
            handle,
            """
context = cuda.current_context()
memory = handle.open(context)
host = bytearray(16)
driver.device_to_host(host, memory, 16)
print(bytes(host))
handle.close()
error_of(lambda: memory.memset(0), errors.CudaAPIError)
array = handle.open_array(context, (2, 2), np.dtype(np.int32))
print(array.copy_to_host().tolist())
handle.close()
print(error_of(lambda: handle.open_array(context, 100, np.int32), ValueError)[:0] or "refused")
array = handle.open_array(context, 4, np.int32)
handle.close()
copy = handle.open_staged(context)
memory.size
copy.memset(1)
handle.close()
""".replace("memory.size\n", ""),
        )
        assert said == f"{bytes([3] * 16)}\n[[50529027, 50529027], [50529027, 50529027]]\nrefused\n"
        host = bytearray(64)
        driver.device_to_host(host, memory, 64)
        assert set(host) == {3}  # a staged copy is the child's own

    def test_devices_that_are_not_there(self):
        x = cuda.to_device(np.zeros(4))
        handle = x.get_ipc_handle()._ipc_handle
        other = cuda.IpcHandle(None, handle.handle, 32, {"pci_bus_id": 77}, handle.offset)
        with pytest.raises(RuntimeError, match="this process has no device {'pci_bus_id': 77}"):
            other.open(cuda.current_context())
        with pytest.raises(RuntimeError, match="does not say which device"):
            cuda.IpcHandle(None, handle.handle, 32).open_staged(cuda.current_context())


def test_managers_make_their_own_handles():
    """In a process of its own: managers are chosen before anything is used."""
    program = """
import sys
from treadle import cuda
from allocators import Recorder

cuda.set_memory_manager(Recorder)
x = cuda.device_array(10)
pointer = x._memory_owner
print(x.get_ipc_handle()._ipc_handle == f"a handle of 80 bytes at {int(pointer)}")
print(x[2:4].get_ipc_handle()._ipc_handle == f"a handle of 16 bytes at {int(pointer) + 16}")
"""
    environment = {**os.environ, "PYTHONPATH": processes.python_path(Path(__file__).parent)}
    done = processes.run([sys.executable, "-c", program], 60, environment)
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")


def test_managers_over_treadles_own_memory():
    program = (
        HEAD.replace("handle = pickle", "#")
        + """
class Own(driver.NumbaCUDAMemoryManager):
    pass

cuda.set_memory_manager(Own)
x = cuda.to_device(np.arange(4.0))
print(base64.b64encode(pickle.dumps(x[1:].get_ipc_handle())).decode(), flush=True)
sys.stdin.readline()
print(x.copy_to_host().tolist())
"""
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        handle = pickle.loads(base64.b64decode(owner.stdout.readline()))
        with handle as x:
            sharing.add[1, 32](x, 1)
        owner.stdin.write("\n")
        owner.stdin.flush()
        assert owner.stdout.readline() == "[0.0, 2.0, 3.0, 4.0]\n"


def test_memory_that_is_gone():
    program = (
        HEAD.replace("handle = pickle", "#")
        + """
x = cuda.to_device(np.arange(4.0))
print(base64.b64encode(pickle.dumps(x.get_ipc_handle())).decode())
"""
    )
    done = processes.run([sys.executable, "-c", program], 60)
    assert done.stderr == ""
    handle = pickle.loads(base64.b64decode(done.stdout))
    with pytest.raises(errors.CudaAPIError, match="open memory of another process") as raised:
        handle.open()
    assert raised.value.code == 400
    with pytest.raises(ValueError, match="not open"):
        handle.close()
