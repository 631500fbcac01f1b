# A planner that looks at its device and its kernels, keeps results in order by events, and hands kernels to processes.
import pickle
import threading

import numpy as np
from treadle import cuda, float32, int64, void

device = cuda.select_device(0) or cuda.get_current_device()
LIMIT = min(device.MAX_SHARED_MEMORY_PER_BLOCK, 4096) // 8
OPERATIONS = {}


def operation(signature=None, **options):
    """Registers a kernel under its name."""

    def decorate(function):
        kernel = cuda.jit(signature, **options)(function) if signature else cuda.jit(**options)(function)
        OPERATIONS[function.__name__] = kernel
        return kernel

    return decorate


@operation(void(float32[::1], float32[::1], float32), fastmath=True, lineinfo=True)
def axpy(x, y, a):
    """y += a x"""
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


@operation(max_registers=32)
def reverse_blocks(x):
    block = cuda.shared.array(LIMIT, int64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    block[t] = i64(x[i])
    cuda.syncthreads()
    x[i] = block[cuda.blockDim.x - 1 - t]


def i64(value):
    return value * 2 // 2


i64 = cuda.jit(i64, device=True)


@operation()
def guarded(x, flags=None, scale=2):
    i = cuda.grid(1)
    if i < x.shape[0] and (flags is None or flags[i]):
        x[i] *= scale


results = {}


def work(name, seed):
    stream, done = cuda.stream(), cuda.event()
    rng = np.random.default_rng(seed)
    host = rng.integers(0, 50, 128)
    x = cuda.to_device(host, stream=stream)
    OPERATIONS["reverse_blocks"][2, 64, stream](x)
    done.record(stream)
    second = cuda.stream()
    done.wait(second)
    OPERATIONS["guarded"][4, 32, second](x, host % 2 == 0, 3)
    OPERATIONS["guarded"][4, 32, second](x)
    second.synchronize()
    results[name] = host, x.copy_to_host()


threads = [threading.Thread(target=work, args=(k, k)) for k in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(results) == 3
for host, found in results.values():
    expected = host.reshape(2, 64)[:, ::-1].ravel()
    np.testing.assert_array_equal(found, np.where(host % 2 == 0, expected * 3, expected) * 2)

again = pickle.loads(pickle.dumps(OPERATIONS["axpy"]))
x, y = np.arange(200, dtype=np.float32), np.ones(200, np.float32)
again[2, 64](x, y, 0.5)
np.testing.assert_array_equal(y, 1 + x / 2)
assert axpy.__doc__ == "y += a x" and len(axpy.signatures) == 1
try:
    axpy[1, 32](x.astype(np.float64), y, 1)
except TypeError as error:
    assert "float64" in str(error), error
else:
    raise AssertionError("a signature was not kept")
ptx, result = cuda.compile_ptx(i64, int64(int64), device=True, cc=(8, 0))
assert ".func" in ptx and result == int64
free, total = cuda.current_context().get_memory_info()
assert 0 < free <= total
