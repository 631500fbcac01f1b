"""Run by mpiexec: two processes that send each other device arrays as they are."""

import numpy as np
from mpi4py import MPI
from treadle import cuda


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


def first(world):
    x = cuda.to_device(np.arange(8.0))
    stream = cuda.stream()
    add[1, 32, stream](x, 1)  # what is sent comes after it
    world.Send(x, dest=1)
    world.Recv(x, source=1)
    assert x.copy_to_host().tolist() == [n + 11 for n in range(8)]
    world.Send([x[2:5], MPI.DOUBLE], dest=1)
    try:
        world.Send(x[::2], dest=1)
    except BufferError:
        return
    raise AssertionError("MPI sends what lies without gaps")


def second(world):
    x = cuda.device_array(8)
    world.Recv(x, source=0)
    add[1, 32](x, 10)
    world.Send(x, dest=0)
    part = cuda.device_array(3)
    world.Recv(part, source=0)
    assert part.copy_to_host().tolist() == [13, 14, 15]


def both(world):
    own, total = cuda.to_device(np.full(4, world.rank + 1, np.int32)), cuda.device_array(4, np.int32)
    world.Allreduce(own, total)
    assert total.copy_to_host().tolist() == [3] * 4
    for kind in (cuda.mapped_array, cuda.managed_array):
        shared = kind(4, np.float32)
        shared[:] = world.rank
        world.Bcast(shared, root=1)
        assert shared.tolist() == [1] * 4
    memory = MPI.memory(own)
    assert (memory.nbytes, memory.readonly, memory.address) == (16, False, own.device_ctypes_pointer.value)


(first, second)[MPI.COMM_WORLD.rank](MPI.COMM_WORLD)
both(MPI.COMM_WORLD)
print("exchanged", flush=True)
