# The condition of a barrier is evaluated once by each thread that reaches it, as far as effects can show.
import numpy as np
from treadle import cuda, int32, int64

from kernels.harness import check, launch, printed_lines


@cuda.jit(device=True)
def counted(calls, turns):
    cuda.atomic.add(calls, 0, 1)
    return turns


@cuda.jit
def calls_with_effects(calls, out):
    threads = cuda.blockDim.x * cuda.blockDim.y
    i = cuda.blockIdx.x * threads + cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    for _ in range(counted(calls, 3)):
        cuda.syncthreads()
        out[i] += 1
    n = counted(calls, 4)
    while n > 0:
        cuda.syncthreads()
        out[i] += 10
        n -= counted(calls, 1)
    else:
        cuda.syncthreads()
        out[i] += 100
    if counted(calls, 1) == 1:
        cuda.syncthreads()
        out[i] += 1000


@cuda.jit(device=True)
def noted(place, i, turns):
    place[i] += 1
    return turns


@cuda.jit
def calls_that_store(place, out):
    i = cuda.grid(1)
    for _ in range(noted(place, i, 2)):
        for _ in range(noted(place, i, 3)):
            cuda.syncthreads()
            out[i] += 1


@cuda.jit(device=True)
def printed(n):
    print("here")
    return n


@cuda.jit
def calls_that_print(out):
    for _ in range(printed(2)):
        cuda.syncthreads()
        out[cuda.threadIdx.x] += 1


@cuda.jit
def assigned_in_an_expression(out, n):
    i = cuda.threadIdx.x
    k = 0
    while k < n:
        out[i] += (k := k + 1)
        cuda.syncthreads()


@cuda.jit
def assigned_in_the_condition(out, n):
    i = cuda.threadIdx.x
    k = 0
    while (k := k + 1) < n:
        cuda.syncthreads()
        out[i] += k
    out[i] += 100 * k


@cuda.jit
def bound_in_a_local_array(out, n):
    turns = cuda.local.array(2, int32)
    turns[1] = n
    for _ in range(turns[1]):
        cuda.syncthreads()
        out[cuda.threadIdx.x] += 1


@cuda.jit
def unset_bound_in_a_local_array(out):
    turns = cuda.local.array(2, int32)
    for _ in range(turns[0] * 0 + 2):
        cuda.syncthreads()
        out[cuda.threadIdx.x] += 1


@cuda.jit
def extent_of_a_local_array(out):
    i = cuda.threadIdx.x
    out[i] = 0
    cuda.syncthreads()
    own = cuda.local.array(5, int64)
    own[0] = i
    for k in range(own.shape[0]):
        out[i] += own[0] + k
        cuda.syncthreads()


@cuda.jit
def left_under_a_guard(out):
    i = cuda.threadIdx.x
    k = 0
    while k < 9:
        cuda.syncthreads()
        k += 1
        if i < 64:
            out[i] = k
            if k == 2:
                return
        cuda.syncthreads()
        if k == 4:
            out[i] = k
            return


def run():
    for block in (100, 32, 1, (5, 7)):
        size = 2 * int(np.prod(block))
        calls, out = launch(calls_with_effects, 2, block, np.zeros(1, np.int64), np.zeros(size, np.int64))
        assert calls[0] == 7 * size
        assert (out == 1143).all()
        place, out = launch(calls_that_store, 2, size // 2, np.zeros(size, np.int64), np.zeros(size, np.int64))
        assert (place == 3).all()
        assert (out == 6).all()
    assert printed_lines(lambda: launch(calls_that_print, 1, 40, np.zeros(40, np.int64))) == ["here"] * 40
    for block in (96, 33, 7):
        zeros = np.zeros(block, np.int64)
        check(assigned_in_an_expression, 1, block, zeros, 3)
        check(assigned_in_the_condition, 1, block, zeros, 4)
        check(bound_in_a_local_array, 1, block, zeros, 3)
        check(extent_of_a_local_array, 1, block, zeros)
        check(left_under_a_guard, 1, block, zeros)
        assert (launch(unset_bound_in_a_local_array, 1, block, zeros)[0] == 2).all()


PTX = [
    (calls_with_effects, "(int64[::1], int64[::1])"),
    (extent_of_a_local_array, "(int64[::1],)"),
]
