"""What programs begin with that tests run in processes of their own."""

KERNELS = """
import numpy as np
from treadle import cuda, errors

@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value

@cuda.jit
def assign(to, source):
    i = cuda.grid(1)
    if i < to.size:
        to[i] = source[i]
"""

RAISES = """
def raises(error, call, *texts, code=None):
    try:
        call()
    except error as found:
        assert code is None or found.code == code, found
        assert all(text in str(found) for text in texts), found
        return
    raise AssertionError(f"{call} raises nothing")
"""

DEVICES = """
import gc

first, second = cuda.gpus
contexts = [one.get_primary_context() for one in cuda.gpus]

def on(device, values):
    with cuda.gpus[device]:
        return cuda.to_device(np.asarray(values, np.float32))

def full(device, value=0, n=100):
    return on(device, np.full(n, value))

def holds(array, value):
    return (array.copy_to_host() == value).all()
"""
