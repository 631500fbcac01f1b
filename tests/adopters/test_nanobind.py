"""nanobind: C++ functions that take and give nb::ndarray, in a module that is compiled here."""

import gc

import numpy as np
import pytest
import treadle
from adopters import compiled_module
from adopters.kernels import double
from treadle import cuda

pytest.importorskip("nanobind")


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    return compiled_module.load(tmp_path_factory.mktemp("nanobind"))


def test_ours_as_their_arguments(arrays):
    x = cuda.to_device(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert arrays.total(x) == 66
    assert arrays.total(x[::-1, ::2]) == 0 + 2 + 4 + 6 + 8 + 10
    arrays.fill(x[:, 1:2], 5)
    assert x.copy_to_host()[:, 1].tolist() == [5, 5, 5]
    assert arrays.described(cuda.device_array((2, 3), "float16")) == (2, 6, 2, 16, 1)
    with pytest.raises(TypeError):
        arrays.total(cuda.device_array((3, 4), np.int32))


def test_read_only_arrays_are_not_given_to_who_writes(arrays):
    host = np.ones(3, np.float32)
    host.flags.writeable = False
    x = treadle.from_dlpack(host)
    assert arrays.constant(x) == 1
    with pytest.raises(TypeError):
        arrays.fill(x.reshape(1, 3), 2)


def test_theirs_as_our_arguments(arrays):
    given = arrays.given()
    double[1, 32](given)
    x = treadle.from_dlpack(given)
    del given
    gc.collect()
    assert x.copy_to_host().tolist() == [2, 4, 6]


def test_a_class_with_an_exchange_table(arrays):
    """Borrowed for arguments, taken for imports."""

    @cuda.jit
    def fill(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i

    plain = arrays.Plain()
    fill[1, 32](plain)
    assert (plain[3], plain.lent) == (3, 1)
    x = treadle.from_dlpack(plain)
    assert plain.lent == 1
    x[3] = 7
    assert plain[3] == 7
    del plain
    gc.collect()
    assert x.copy_to_host()[3] == 7


def test_a_table_that_does_not_lend(arrays):
    plain = arrays.Plain()
    plain.raise_when_lent(BufferError)
    double[1, 32](plain)  # it is given instead
    assert plain.lent == 0
    plain.raise_when_lent(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        double[1, 32](plain)
