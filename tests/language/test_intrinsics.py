# "CUDA Intrinsics": thread ids, sizes, barriers, shared memory.

import numpy as np
import pytest
from treadle import cuda, float32, int32


@pytest.mark.parametrize("base", ["threadIdx", "blockIdx", "blockDim", "gridDim"])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_ids_and_sizes_are_int32_and_right(rules, base, axis, result_type):
    namespace = {"cuda": cuda}
    exec(f"def read():\n    return cuda.{base}.{axis}\n", namespace)
    assert result_type(namespace["read"], "()") == "int32"
    device = cuda.jit(namespace["read"], device=True)

    @cuda.jit(rules=rules)
    def kernel(out):
        x, y, z = cuda.grid(3)
        out[x, y, z] = device()

    block, grid = (3, 2, 4), (2, 3, 2)
    out = np.full([b * g for b, g in zip(block, grid, strict=True)], -1)
    kernel[grid, block](out)
    k = "xyz".index(axis)
    place = np.indices(out.shape)[k]
    expected = {
        "threadIdx": place % block[k], "blockIdx": place // block[k],
        "blockDim": np.full(out.shape, block[k]), "gridDim": np.full(out.shape, grid[k]),
    }[base]  # fmt: skip
    np.testing.assert_array_equal(out, expected)


def test_grid_and_gridsize_are_64_bits_wide(result_type):
    assert result_type(lambda: cuda.grid(1), "()") == "int64"
    assert result_type(lambda: cuda.grid(3), "()") == "UniTuple(int64 x 3)"
    assert result_type(lambda: cuda.gridsize(2), "()") == "UniTuple(int64 x 2)"


def test_laneid_and_warpsize(rules, result_type):
    assert result_type(lambda: (cuda.laneid, cuda.warpsize), "()") == "UniTuple(int32 x 2)"


def test_syncthreads_is_a_barrier_of_the_block(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        shared = cuda.shared.array(64, int32)
        t = cuda.threadIdx.x
        shared[t] = t * t
        cuda.syncthreads()
        out[cuda.grid(1)] = shared[63 - t]

    out = np.zeros(128, np.int32)
    kernel[2, 64](out)
    np.testing.assert_array_equal(out, np.tile(np.arange(63, -1, -1) ** 2, 2))


def test_shared_arrays_belong_to_the_block(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        shared = cuda.shared.array((2, 3), dtype=float32)
        if cuda.threadIdx.x == 0:
            shared[1, 2] = cuda.blockIdx.x
        cuda.syncthreads()
        out[cuda.grid(1)] = shared[1, 2]

    out = np.zeros(320, np.float32)
    kernel[10, 32](out)
    np.testing.assert_array_equal(out, np.repeat(np.arange(10), 32))


def test_a_shared_array_outside_of_the_entry_block_is_one_array_of_the_kernel(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        t = cuda.threadIdx.x
        for turn in range(3):
            shared = cuda.shared.array(32, int32)
            if turn == 0:
                shared[t] = t
            else:
                shared[t] += 100
            cuda.syncthreads()
        out[t] = shared[t]

    out = np.zeros(32, np.int32)
    kernel[1, 32](out)
    np.testing.assert_array_equal(out, np.arange(32) + 200)


@pytest.mark.parametrize("dtype", [float32, np.float32, np.dtype("float32"), "float32", "f4"])
def test_shared_dtype_is_a_type_object_a_numpy_dtype_or_a_string(dtype):
    @cuda.jit
    def kernel(out):
        shared = cuda.shared.array(4, dtype)
        shared[0] = 0.1
        out[0] = shared[0]

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == np.float32(0.1)
