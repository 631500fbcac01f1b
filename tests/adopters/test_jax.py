"""JAX's arrays on the CPU, by DLPack in both directions."""

import gc

import numpy as np
import pytest
import treadle
from adopters.kernels import copy, double
from treadle import cuda

jax = pytest.importorskip("jax")
jnp = jax.numpy

NUMBERS = "bool int8 int16 int32 uint8 uint16 uint32 float16 float32 complex64".split()
HELD = "bfloat16 float8_e4m3fn float8_e5m2".split()


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arguments(dtype):
    theirs = jnp.arange(6).astype(dtype)
    out = np.zeros(6, theirs.dtype)
    copy[1, 32](theirs, out)
    assert np.array_equal(out, np.asarray(theirs))


@pytest.mark.parametrize("dtype", [*NUMBERS, *HELD])
def test_from_jax_and_back(dtype):
    theirs = jnp.arange(6).astype(dtype).reshape(2, 3)
    x = treadle.from_dlpack(theirs)
    assert x._address == theirs.unsafe_buffer_pointer() and x._type.name == dtype
    host = x.copy_to_host()
    assert host.dtype == theirs.dtype and host.tobytes() == np.asarray(theirs).tobytes()
    back = jnp.from_dlpack(x)
    assert back.unsafe_buffer_pointer() == theirs.unsafe_buffer_pointer() and back.dtype == theirs.dtype


def test_our_arrays_in_jax():
    """Arrays of the CPU device are aligned as JAX wants them; views are copied by it."""
    x = cuda.to_device(np.arange(64, dtype=np.float32))
    theirs = jnp.from_dlpack(x)
    assert theirs.unsafe_buffer_pointer() == x._address
    assert float(jax.jit(jnp.sum)(theirs)) == 64 * 63 / 2
    assert np.array_equal(jnp.from_dlpack(x[1:9]), np.arange(1, 9))
    assert np.array_equal(jnp.from_dlpack(x.reshape(8, 8).T), np.arange(64).reshape(8, 8).T)


def test_pending_work_is_in_what_jax_sees():
    stream = cuda.stream()
    x = cuda.to_device(np.ones(1024, np.float32))
    for _ in range(10):
        double[8, 128, stream](x)
    assert np.array_equal(jnp.from_dlpack(x), np.full(1024, 1024))


def test_who_dies_first():
    theirs = jnp.arange(1000.0) + 1
    x = treadle.from_dlpack(theirs)
    del theirs
    gc.collect()
    junk = [jnp.zeros(1000) for _ in range(50)]
    assert x.copy_to_host()[-1] == 1000 and len(junk) == 50
    back = jnp.from_dlpack(x)
    del x
    gc.collect()
    assert float(back[0]) == 1


def test_devices():
    x = treadle.from_dlpack(jnp.arange(3.0), device="cpu", copy=True)
    assert x.copy_to_host().tolist() == [0, 1, 2]
    with pytest.raises(Exception, match="CUDA"):
        jnp.asarray(cuda.to_device(np.zeros(3)))  # by the CUDA Array Interface, for which it wants its GPU backend
