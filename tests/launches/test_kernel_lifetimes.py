"""How long compiled code and the objects it refers to live: until it is recompiled, or the kernel is unreferenced."""

import gc
import threading
import time
import weakref

import numpy as np
from treadle import cuda

GENERATED = """
@cuda.jit(device=True)
def helper(v):
    return v + 1

@cuda.jit
def kernel(x):
    x[0] = helper(x[0]) + array[0]
"""


def generated():
    scope = {"cuda": cuda, "array": cuda.to_device(np.ones(3))}
    exec(GENERATED, scope)
    return scope["kernel"]


def test_kernels_that_their_own_namespace_refers_to_are_freed():
    kernel = generated()
    x = np.zeros(1)
    kernel[1, 1](x)
    assert x[0] == 2
    gone = weakref.ref(kernel)
    array = weakref.ref(kernel.py_func.__globals__["array"])
    del kernel
    gc.collect()
    assert gone() is None
    assert array() is None


def test_kernels_in_a_cycle_live_while_they_are_queued():
    @cuda.jit
    def spin(flag, x):
        while flag[0] == 0:
            cuda.threadfence_system()
        x[0] = 5

    flag, x, stream = cuda.mapped_array(1, np.int32), cuda.to_device(np.zeros(4)), cuda.stream(nonblocking=True)
    flag[0] = 0
    spin[1, 1, stream](flag, x)
    kernel = generated()
    gone = weakref.ref(kernel)
    kernel[1, 1, stream](x)
    del kernel
    gc.collect()
    assert gone() is not None
    flag[0] = 1
    stream.synchronize()
    assert x.copy_to_host()[0] == 7
    gc.collect()
    assert gone() is None


class Number:
    """An object that kernels capture by attribute, whose destruction can be observed."""

    value = 3


def test_recompiling_gives_back_what_the_old_code_referred_to():
    scope = {"cuda": cuda, "number": Number()}
    exec("@cuda.jit\ndef kernel(x):\n    x[0] = number.value\n", scope)
    kernel, x = scope["kernel"], np.zeros(1)
    old = [weakref.ref(scope["number"])]
    kernel[1, 1](x)
    for value in range(5):
        scope["number"] = Number()
        scope["number"].value = value
        old.append(weakref.ref(scope["number"]))
        kernel.recompile()
        kernel[1, 1](x)
        assert x[0] == value
    assert [reference() is None for reference in old] == [True] * 5 + [False]


def test_recompiling_keeps_what_runs_or_is_queued():
    """In other threads, and on streams: old and new code at the same time."""
    scope = {"cuda": cuda, "step": 1}
    exec("@cuda.jit\ndef kernel(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] += step\n", scope)
    kernel = scope["kernel"]
    wrong, ends = [], threading.Event()

    def launch(queues):
        stream, x = cuda.stream(), np.zeros(20_000)
        while not ends.is_set():
            if queues:
                device = cuda.to_device(np.zeros(20_000), stream=stream)
                kernel[80, 256, stream](device)
                kernel[80, 256, stream](device)
                found = device.copy_to_host(stream=stream)
            else:
                x[:] = 0
                kernel[80, 256](x)
                kernel[80, 256](x)
                found = x
            if not (found == 2).all():
                wrong.append(found[0])

    threads = [threading.Thread(target=launch, args=(queues,)) for queues in (False, True, False)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        kernel.recompile()
    ends.set()
    for thread in threads:
        thread.join()
    assert wrong == []


SPIN = """
@cuda.jit
def spin(flag, x):
    while flag[0] == 0:
        cuda.threadfence_system()
    x[0] = 5
"""


def test_recompiling_keeps_what_a_thread_compiles_and_then_queues():
    scope = {"cuda": cuda}
    exec(SPIN, scope)
    spin = scope["spin"]
    for _ in range(20):
        flag, x, stream = cuda.mapped_array(1, np.int32), cuda.to_device(np.zeros(4)), cuda.stream(nonblocking=True)
        flag[0] = 0
        spin.recompile()
        thread = threading.Thread(target=lambda launch, *args: launch(*args), args=(spin[1, 1, stream], flag, x))
        thread.start()
        while thread.is_alive():
            spin.recompile()
            time.sleep(0.0001)
        spin.recompile()  # nothing is queued that was when the code in use was dropped
        spin[1, 1](np.ones(1, np.int32), np.zeros(1))
        flag[0] = 1
        stream.synchronize()
        assert x.copy_to_host()[0] == 5
