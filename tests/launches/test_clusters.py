"""Clusters of blocks: the fifth item of launches, who is who, the barrier, the shared memory of other blocks."""

import pickle

import numpy as np
import pytest
import stand_in
from treadle import cuda, errors, float32, int32

THREADS = 64


@cuda.jit
def who(out):
    block = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
    if cuda.threadIdx.x == 0:
        out[block, 0] = cuda.cluster.block_rank()
        out[block, 1] = cuda.cluster.num_blocks()
        out[block, 2] = cuda.cluster.block_index.x
        out[block, 3] = cuda.cluster.block_index.y
        out[block, 4] = cuda.cluster.block_index.z
        out[block, 5] = cuda.cluster.dim_blocks.x
        out[block, 6] = cuda.cluster.dim_blocks.y
        out[block, 7] = cuda.cluster.dim_blocks.z
        out[block, 8] = cuda.cluster.clusterIdx.x
        out[block, 9] = cuda.cluster.clusterIdx.y
        out[block, 10] = cuda.cluster.clusterIdx.z
        out[block, 11] = cuda.cluster.gridDim.x
        out[block, 12] = cuda.cluster.gridDim.y
        out[block, 13] = cuda.cluster.gridDim.z


@pytest.mark.parametrize("cluster", [None, 2, (2, 3), (1, 3, 2), (4, 1, 2), (2, 3, 2)])
def test_who_is_who(cluster):
    grid = (4, 6, 2)
    found = cuda.to_device(np.full((48, 14), -1, np.int32))
    who[grid, 32, 0, 0, cluster](found)
    extent = np.ones(3, int)
    extent[: np.size(cluster)] = cluster or 1
    expected = []
    for z, y, x in np.ndindex(grid[::-1]):
        place = np.array((x, y, z))
        within = place % extent
        rank = within[0] + extent[0] * (within[1] + extent[1] * within[2])
        expected.append([rank, extent.prod(), *within, *extent, *(place // extent), *(grid // extent)])
    assert found.copy_to_host().tolist() == np.array(expected).tolist()


@cuda.jit
def rotate(x, out):
    """Each block gives what its neighbour in the cluster has, in reverse."""
    mine = cuda.shared.array(THREADS, float32)
    thread = cuda.threadIdx.x
    mine[thread] = x[cuda.grid(1)]
    cuda.cluster.sync()
    theirs = cuda.cluster.map_shared_rank(mine, (cuda.cluster.block_rank() + 1) % cuda.cluster.num_blocks())
    out[cuda.grid(1)] = theirs[THREADS - 1 - thread]
    cuda.cluster.sync()


@cuda.jit
def rotate_dynamic(x, out):
    mine = cuda.shared.array(0, float32)
    thread = cuda.threadIdx.x
    mine[thread] = x[cuda.grid(1)]
    cuda.intrin.cluster_sync()
    rank = (cuda.intrin.cluster_ctarank() + 1) % cuda.intrin.cluster_nctarank()
    out[cuda.grid(1)] = cuda.intrin.mapa(mine, rank)[THREADS - 1 - thread]
    cuda.intrin.cluster_sync()


@pytest.mark.parametrize("kernel, shared", [(rotate, 0), (rotate_dynamic, 4 * THREADS)])
@pytest.mark.parametrize("blocks", [None, 1, 2, 4, 8, 12, 16])
def test_the_shared_memory_of_a_neighbour(kernel, shared, blocks):
    x = np.arange(48 * THREADS, dtype=np.float32)
    out = cuda.to_device(np.zeros_like(x))
    kernel[48, THREADS, 0, shared, blocks](x, out)
    by_cluster = x.reshape(-1, blocks or 1, THREADS)
    assert np.array_equal(out.copy_to_host(), np.roll(by_cluster, -1, axis=1)[:, :, ::-1].ravel())


@cuda.jit
def histogram(values, bins):
    """Bins are spread over the blocks of a cluster; atomic operations reach all of them."""
    mine = cuda.shared.array(16, int32)
    if cuda.threadIdx.x < 16:
        mine[cuda.threadIdx.x] = 0
    cuda.cluster.sync()
    value = values[cuda.grid(1)]
    cuda.atomic.add(cuda.cluster.map_shared_rank(mine, value // 16), value % 16, 1)
    cuda.cluster.sync()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(bins, 16 * cuda.cluster.block_rank() + cuda.threadIdx.x, mine[cuda.threadIdx.x])


def test_atomic_operations_on_other_blocks():
    values = np.random.default_rng(3).integers(0, 64, 16 * 128).astype(np.int32)
    bins = cuda.to_device(np.zeros(64, np.int32))
    histogram[16, 128, 0, 0, 4](values, bins)
    assert np.array_equal(bins.copy_to_host(), np.bincount(values, minlength=64))


@cuda.jit
def passed_on(out, rounds):
    """What a block has stored is another one's in the next round: nothing of it may be remembered."""
    mine = cuda.shared.array(32, int32)
    thread = cuda.threadIdx.x
    mine[thread] = cuda.cluster.block_rank()
    cuda.cluster.sync()
    for _ in range(rounds):
        next_one = (cuda.cluster.block_rank() + 1) % cuda.cluster.num_blocks()
        given = mine[thread]
        cuda.cluster.sync()
        cuda.cluster.map_shared_rank(mine, next_one)[thread] = given
        cuda.cluster.sync()
    out[cuda.grid(1)] = mine[thread]


def test_stores_into_other_blocks():
    for rounds in (0, 1, 5):
        out = cuda.to_device(np.full(8 * 32, -1, np.int32))
        passed_on[8, 32, 0, 0, 4](out, rounds)
        expected = [(block % 4 - rounds) % 4 for block in range(8) for _ in range(32)]
        assert out.copy_to_host().tolist() == expected


@cuda.jit
def given_by_neighbours(out):
    """A thread's own element, which only threads of the other block store."""
    mine = cuda.shared.array(32, int32)
    thread = cuda.threadIdx.x
    mine[thread] = 1
    cuda.cluster.sync()
    theirs = cuda.cluster.map_shared_rank(mine, 1 - cuda.cluster.block_rank())
    theirs[thread] = 10 + cuda.cluster.block_rank()
    cuda.cluster.sync()
    out[cuda.grid(1)] = mine[thread]


def test_what_neighbours_store_is_seen():
    out = cuda.to_device(np.zeros(4 * 32, np.int32))
    given_by_neighbours[4, 32, 0, 0, 2](out)
    assert out.copy_to_host().reshape(4, 32)[:, 9].tolist() == [11, 10, 11, 10]


def test_a_blocks_own_memory_under_two_names():
    @cuda.jit
    def renamed(out, rank):
        mine = cuda.shared.array(32, int32)
        thread = cuda.threadIdx.x
        mine[thread] = 1
        cuda.cluster.map_shared_rank(mine, rank)[thread] = 5
        out[cuda.grid(1)] = mine[thread]
        theirs = cuda.cluster.map_shared_rank(mine, rank)
        theirs[thread] = 6
        mine[thread] += 1
        out[cuda.grid(1)] += 10 * theirs[thread]

    out = cuda.to_device(np.zeros(64, np.int32))
    renamed[2, 32](out, 0)
    assert (out.copy_to_host() == 75).all()


@cuda.jit(device=True)
def own_rank():
    return cuda.cluster.block_rank()


def test_only_device_functions_know():
    @cuda.jit
    def ranks(out):
        out[cuda.grid(1)] = own_rank()

    out = cuda.to_device(np.zeros(8 * 4, np.int32))
    ranks[8, 4, 0, 0, 4](out)
    assert out.copy_to_host().reshape(8, 4)[:, 1].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    with pytest.raises(errors.UnsupportedError, match="clusters need compute capability 9.0 or later"):
        cuda.compile_ptx(ranks, (int32[::1],), cc=(8, 0))


@pytest.mark.skipif(stand_in.is_under_test(), reason="on a GPU it is undefined")
def test_a_rank_that_no_block_has():
    @cuda.jit
    def beyond(out, rank):
        mine = cuda.shared.array(1, int32)
        mine[0] = cuda.blockIdx.x
        cuda.cluster.sync()
        out[cuda.blockIdx.x] = cuda.cluster.map_shared_rank(mine, rank)[0]
        cuda.cluster.sync()

    for rank in (2, 1 << 30, -1):
        out = np.zeros(4, np.int32)
        beyond[4, 1, 0, 0, 2](out, rank)
        assert out.tolist() == [1, 1, 3, 3]


@cuda.jit
def step_by_step(x, out):
    mine = cuda.shared.array(THREADS, float32)
    cuda.intrin.cluster_arrive_relaxed()
    cuda.intrin.cluster_wait()
    mine[cuda.threadIdx.x] = x[cuda.grid(1)]
    cuda.intrin.cluster_arrive()
    doubled = 2 * x[cuda.grid(1)]
    cuda.intrin.cluster_wait()
    other = cuda.intrin.mapa(mine, cuda.intrin.cluster_nctarank() - 1 - cuda.intrin.block_idx_in_cluster())
    out[cuda.grid(1)] = other[cuda.threadIdx.x] + doubled
    cuda.intrin.cluster_arrive()
    cuda.intrin.cluster_wait()


def test_arrivals_and_waits():
    x = np.arange(12 * THREADS, dtype=np.float32)
    out = cuda.to_device(np.zeros_like(x))
    step_by_step[12, THREADS, 0, 0, 3](x, out)
    assert np.array_equal(out.copy_to_host(), x.reshape(4, 3, THREADS)[:, ::-1].ravel() + 2 * x)


@cuda.jit
def without_the_first(out):
    """Blocks that return early are not waited for, and neither are threads."""
    if cuda.cluster.block_rank() == 0:
        return
    mine = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        mine[0] = 10 * cuda.blockIdx.x
    if cuda.threadIdx.x >= 32:
        return
    cuda.cluster.sync()
    other = cuda.cluster.map_shared_rank(mine, 3 - cuda.cluster.block_rank())
    out[cuda.blockIdx.x * 32 + cuda.threadIdx.x] = other[0]
    cuda.cluster.sync()


def test_who_has_returned_is_not_waited_for():
    out = cuda.to_device(np.full(6 * 32, -1, np.int32))
    without_the_first[6, 64, 0, 0, 3](out)
    assert out.copy_to_host().reshape(6, 32)[:, 7].tolist() == [-1, 20, 10, -1, 50, 40]


@cuda.jit
def apart(out):
    """The lanes of a warp come to barriers of the cluster in different places."""
    mine = cuda.shared.array(32, int32)
    mine[cuda.threadIdx.x] = cuda.threadIdx.x + 100 * cuda.blockIdx.x
    if cuda.threadIdx.x % 2 == 0:
        cuda.cluster.sync()
    else:
        cuda.cluster.sync()
    out[cuda.grid(1)] = cuda.cluster.map_shared_rank(mine, 1 - cuda.cluster.block_rank())[31 - cuda.threadIdx.x]
    cuda.cluster.sync()


def test_lanes_that_are_apart():
    out = cuda.to_device(np.zeros(4 * 32, np.int32))
    apart[4, 32, 0, 0, 2](out)
    expected = [31 - thread + 100 * (block ^ 1) for block in range(4) for thread in range(32)]
    assert out.copy_to_host().tolist() == expected


@cuda.jit
def clusters_and_the_grid(x, out):
    mine = cuda.shared.array(32, int32)
    mine[cuda.threadIdx.x] = x[cuda.grid(1)]
    cuda.cluster.sync()
    theirs = cuda.cluster.map_shared_rank(mine, 1 - cuda.cluster.block_rank())
    x[cuda.grid(1)] = theirs[cuda.threadIdx.x]
    cuda.cg.this_grid().sync()
    out[cuda.grid(1)] = x[(cuda.grid(1) + 64) % x.size]
    cuda.cluster.sync()


def test_with_a_barrier_of_the_grid():
    x = np.arange(8 * 32, dtype=np.int32)
    swapped = x.reshape(4, 2, 32)[:, ::-1].ravel()
    given, out = cuda.to_device(x), cuda.to_device(np.zeros_like(x))
    clusters_and_the_grid[8, 32, 0, 0, 2](given, out)
    assert np.array_equal(out.copy_to_host(), np.roll(swapped, -64))


@cuda.jit(device=True)
def sum_of_all(partial):
    """Of one number of each block, in a function that does not know the array."""
    total = 0
    for rank in range(cuda.cluster.num_blocks()):
        total += cuda.cluster.map_shared_rank(partial, rank)[0]
    return total


@cuda.jit
def sums(x, out):
    partial = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        partial[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(partial, 0, x[cuda.grid(1)])
    cuda.cluster.sync()
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = sum_of_all(partial)
    cuda.cluster.sync()


def test_in_device_functions_and_on_streams():
    x = np.arange(8 * 64, dtype=np.int32)
    stream = cuda.stream()
    given, out = cuda.to_device(x, stream=stream), cuda.device_array(8, np.int32, stream=stream)
    sums[8, 64, stream, 0, (4,)](given, out)
    expected = x.reshape(2, 4 * 64).sum(axis=1).repeat(4)
    assert np.array_equal(out.copy_to_host(stream=stream), expected)


def test_kernels_that_do_not_ask_for_their_cluster():
    @cuda.jit
    def fill(out):
        out[cuda.grid(1)] = cuda.blockIdx.x

    out = cuda.to_device(np.zeros(64, np.int32))
    fill[8, 8, 0, 0, 8](out)
    assert out.copy_to_host().tolist() == [i // 8 for i in range(64)]


@pytest.mark.parametrize(
    "grid, cluster, error, said",
    [
        (5, 2, ValueError, "gridDim.x is 5, which is no multiple of the cluster's 2"),
        ((4, 6), (2, 4), ValueError, "gridDim.y is 6, which is no multiple of the cluster's 4"),
        (32, 17, ValueError, "cluster.x is 17; the limit is 16"),
        ((8, 8), (8, 4), ValueError, "a cluster of 8 x 4 x 1 has 32 blocks; the limit is 16"),
        (8, 0, ValueError, "cluster.x is 0; every dimension must be at least 1"),
        (8, (1, 1, 1, 1), ValueError, "the cluster must have 1 to 3 dimensions, found 4"),
        (8, "2", TypeError, "the cluster must be an integer, found '2'"),
        (8, 1.5, TypeError, "the cluster must be an integer, found 1.5"),
    ],
)
def test_wrong_clusters(grid, cluster, error, said):
    with pytest.raises(error, match=said):
        who[grid, 32, 0, 0, cluster]


def test_launch_bounds_count_for_clusters():
    @cuda.jit(launch_bounds=(64, 1, 4))
    def bounded(out):
        out[cuda.grid(1)] = cuda.cluster.num_blocks()

    out = cuda.to_device(np.zeros(8 * 32, np.int32))
    bounded[8, 32, 0, 0, 4](out)
    assert (out.copy_to_host() == 4).all()
    with pytest.raises(ValueError, match="has 8 blocks; the kernel's launch_bounds allow 4"):
        bounded[8, 32, 0, 0, 8]


def test_launchers_say_their_cluster():
    launcher = who[(4, 2), 32, 0, 16, (2, 2)]
    assert launcher.cluster == (2, 2, 1) and repr(launcher) == "<who[(4, 2, 1), (32, 1, 1), 0, 16, (2, 2, 1)]>"
    assert who.configure((4, 2), 32, sharedmem=16, cluster=(2, 2)) is launcher
    assert who[4, 32].cluster is None and who[4, 32, 0, 0, None].cluster is None
    assert who[(4, 2), 32, 0, 16, (2, 1)] is not launcher and who[(4, 2), 32, 0, 16] is not launcher
    assert pickle.loads(pickle.dumps(launcher)).cluster == (2, 2, 1)


@pytest.mark.parametrize("given", ["a number", "an array of the grid", "a rank that is no integer"])
def test_what_has_no_other_block(given):
    @cuda.jit
    def wrong(out):
        mine = cuda.shared.array(4, float32)
        if given == "a number":
            cuda.cluster.map_shared_rank(3, 0)
        elif given == "an array of the grid":
            cuda.cluster.map_shared_rank(out, 0)
        else:
            out[0] = cuda.cluster.map_shared_rank(mine, 1.5)[0]

    said = "an integer: the rank of a block" if given == "a rank that is no integer" else "a shared array"
    with pytest.raises(errors.TypingError, match=said):
        wrong[1, 1](cuda.to_device(np.zeros(4, np.float32)))


def test_ptx(assemble):
    signature = (float32[::1], float32[::1])
    for kernel, words in (
        (rotate, ("barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;", "mapa.u64", "%cluster_ctarank")),
        (step_by_step, ("barrier.cluster.arrive.relaxed;", "barrier.cluster.arrive;", "barrier.cluster.wait.aligned;")),
    ):
        ptx = cuda.compile_ptx(kernel, signature, cc=(9, 0))[0]
        assert all(word in ptx for word in words), ptx
        assemble(ptx, "sm_90")
    for kernel in (who, apart, passed_on):
        types = (int32[:, ::1],) if kernel is who else (int32[::1], int32)[: 1 + (kernel is passed_on)]
        assemble(cuda.compile_ptx(kernel, types, cc=(9, 0))[0], "sm_90")


def test_gpus_without_clusters():
    with pytest.raises(errors.UnsupportedError, match="clusters need compute capability 9.0 or later") as caught:
        cuda.compile_ptx(rotate, (float32[::1], float32[::1]), cc=(8, 9))
    assert caught.value.found == "8.9"
