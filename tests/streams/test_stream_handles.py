"""Ways to name a stream: objects, handles, other libraries' streams; and what is rejected."""

import gc
import time

import numpy as np
import pytest
from treadle import cuda


@cuda.jit
def times_ten_plus(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 10 * x[i] + value


def test_handles():
    stream = cuda.stream()
    assert int(stream) == stream.handle > 2
    assert stream.__cuda_stream__() == (0, int(stream))
    assert [int(s) for s in (cuda.default_stream(), cuda.legacy_default_stream())] == [0, 1]
    assert int(cuda.per_thread_default_stream()) == 2
    assert repr(stream) == f"<CUDA stream {int(stream)}>"
    assert repr(cuda.default_stream()) == "<Default CUDA stream>"
    for handle in (np.uint64(int(stream)), np.int64(int(stream))):
        out = np.zeros(1)
        times_ten_plus[1, 1, handle](out, 1)
        assert out[0] == 1
    assert len({stream, cuda.external_stream(int(stream)), cuda.stream()}) == 2


class Foreign:
    """As cuda.core's have them."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return self.handle


class Torchs:
    """As PyTorch had them before `__cuda_stream__`."""

    def __init__(self, handle):
        self.cuda_stream = handle


class Cupys:
    """As CuPy had them: `ptr` may be anything's address elsewhere."""

    def __init__(self, handle):
        self.ptr = handle


Cupys.__module__ = "cupy.cuda.stream"


class Pointer(Cupys):
    """Not CuPy's."""


def test_streams_before_there_was_a_protocol():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(10))
    for other in (Torchs(int(stream)), Cupys(int(stream))):
        times_ten_plus[1, 32, other](device, 3)
        cuda.to_device(np.zeros(3), stream=other)
    assert (device.copy_to_host(stream=Cupys(int(stream))) == 33).all()
    times_ten_plus[1, 32, Torchs(0)](device, 1)
    assert (device.copy_to_host() == 331).all()


def test_streams_of_other_libraries():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(10))
    for other in (int(stream), cuda.external_stream(int(stream)), Foreign((0, int(stream)))):
        times_ten_plus[1, 32, other](device, 3)
    external = cuda.external_stream(int(stream))
    assert (device.copy_to_host(stream=external) == 333).all()
    del external
    gc.collect()
    times_ten_plus[1, 32, stream](device, 1)
    assert (device.copy_to_host(stream=stream) == 3331).all()


@pytest.mark.parametrize(
    "stream, error",
    [
        ("s", TypeError),
        (1.5, TypeError),
        (-1, ValueError),
        (12345, ValueError),
        (2**80, ValueError),
        (Foreign(3), TypeError),
        (Foreign((0, 12345)), ValueError),
        (Foreign((0, "x")), TypeError),
        (Torchs(12345), ValueError),
        (Torchs("x"), TypeError),
        (Pointer(0), TypeError),
    ],
)
def test_what_is_no_stream(stream, error):
    device = cuda.to_device(np.zeros(3))
    uses = [
        lambda: times_ten_plus[1, 3, stream],
        lambda: cuda.to_device(np.zeros(3), stream=stream),
        lambda: cuda.device_array(3, stream=stream),
        lambda: device.copy_to_host(stream=stream),
        lambda: device.copy_to_device(np.zeros(3), stream=stream),
        lambda: cuda.event().record(stream),
    ]
    for use in uses:
        with pytest.raises(error):
            use()


def test_a_stream_that_is_gone_has_no_handle():
    stream = cuda.stream()
    handle = int(stream)
    del stream
    gc.collect()
    cuda.current_context().deallocations.clear()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            cuda.external_stream(handle)
        except ValueError:
            return
        time.sleep(0.01)
    pytest.fail("the stream is still known")
