"""Memory that was closed: nothing that was made while it was open uses it any more. And pieces of it that cannot be."""

import sys
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda, errors

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import sharing  # noqa: E402
from sharing import in_child  # noqa: E402

INVALID_HANDLE = 400

CLOSED = """
def is_refused(call):
    try:
        call()
    except errors.CudaAPIError as error:
        return error.code == 400
    return False

other = cuda.to_device(np.zeros(8))
"""


def test_graphs_do_not_replay_on_closed_memory():
    x = cuda.to_device(np.zeros(8))
    in_child(
        x.get_ipc_handle(),
        CLOSED
        + """
with handle as y:
    with cuda.graph() as launched:
        add[1, 8](other, 1)
        add[1, 8](y, 1)
    with cuda.graph() as copied:
        other.copy_to_device(y)
    with cuda.graph() as filled:
        y[2:].setzero() if hasattr(y, "setzero") else cuda.cudadrv.driver.device_memset(y, 0, 8)
    with cuda.graph() as nested:
        launched.replay(nested.stream)
    launched.replay()
    cuda.synchronize()
for graph in (launched, copied, filled, nested):
    assert is_refused(graph.replay), graph
def capture():
    with cuda.graph() as graph:
        launched.replay(graph.stream)
assert is_refused(capture)
cuda.synchronize()
assert other.copy_to_host().tolist() == [1] * 8  # nothing of a graph runs that cannot run wholly
""",
    )
    assert x.copy_to_host().tolist() == [1] * 8


def test_launches_that_were_made_before():
    x = cuda.to_device(np.zeros(8))
    in_child(
        x.get_ipc_handle(),
        CLOSED
        + """
y = handle.open()

@cuda.jit
def capturing(z):
    z[0] = y[0]

launcher = add[1, 8]
bound = launcher.bind(y, 1)
for _ in range(4):
    launcher(y, 1)
    bound()
    capturing[1, 1](other)
cuda.synchronize()
view = y[1:]
handle.close()
for use in (lambda: launcher(y, 1), bound, lambda: capturing[1, 1](other), lambda: launcher(view, 1)):
    assert is_refused(use), use
""",
    )
    assert x.copy_to_host().tolist() == [8] * 8


@pytest.mark.parametrize("is_bound", [False, True])
def test_mapped_arrays_are_refused_after_their_block(is_bound):
    host, other, launcher = np.zeros(8), cuda.to_device(np.zeros(8)), sharing.add[1, 8]
    with cuda.mapped(host) as device:
        view = device[2:]
        launch = launcher.bind(device, 1) if is_bound else lambda: launcher(device, 1)
        for _ in range(4):
            launch()
        with cuda.graph() as graph:
            launcher(device, 1)
        graph.replay()
    assert host.tolist() == [5] * 8
    with pytest.raises(errors.CudaAPIError, match="was mapped for a block that has ended") as raised:
        launch()
    assert raised.value.code == INVALID_HANDLE
    uses = [graph.replay, lambda: launcher(view, 1), device.copy_to_host, lambda: device[0], view.host_view,
            lambda: device.copy_to_device(other), lambda: other.copy_to_device(device)]  # fmt: skip
    for use in uses:
        with pytest.raises(errors.CudaAPIError) as raised:
            use()
        assert raised.value.code == INVALID_HANDLE
    cuda.synchronize()
    assert host.tolist() == [5] * 8
    with cuda.mapped(host) as again:
        launcher(again, 1)
    assert host.tolist() == [6] * 8


def test_mapped_arrays_are_refused_after_a_block_that_an_exception_left():
    first, second = np.zeros(4), np.zeros(5)
    with pytest.raises(ZeroDivisionError), cuda.mapped(first, second) as devices:
        1 / 0  # noqa: B018
    for device in devices:
        with pytest.raises(errors.CudaAPIError):
            sharing.add[1, 8](device, 1)


# Of 8000 bytes, in an allocation that has at most an eighth more.
@pytest.mark.parametrize(
    "offset, size",
    [(2**64 - 4096, 8192), (2**64 - 8, 16), (2**63, 2**63 + 8), (0, 9001), (8994, 8), (-8, 8), (0, -1), (2**63 - 8, 8)],
)
def test_pieces_outside_of_the_allocation_are_refused(offset, size):
    x = cuda.to_device(np.arange(1000.0))
    in_child(
        x.get_ipc_handle(),
        f"""
inner = handle._ipc_handle
try:
    cuda.IpcHandle(None, inner.handle, {size}, None, inner.offset + {offset}).open(cuda.current_context())
except (ValueError, errors.CudaAPIError) as error:
    assert not isinstance(error, errors.CudaAPIError) or error.code == 1, error
else:
    raise AssertionError("opened")
with handle as y:
    assert y.copy_to_host()[999] == 999
""",
    )
