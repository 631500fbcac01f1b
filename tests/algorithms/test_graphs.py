"""Graph searches with atomics: breadth first with a queue, shortest paths, components, and a hash table."""

from collections import deque

import numpy as np
import pytest
from treadle import cuda, int32

EMPTY = -1
QUEUE = 64


@cuda.jit
def expand(starts, targets, distance, visited, frontier, size, following, tail, level):
    """The next frontier: the first thread to mark a vertex puts it into the queue."""
    i = cuda.grid(1)
    if i < size:
        vertex = frontier[i]
        for e in range(starts[vertex], starts[vertex + 1]):
            neighbour = targets[e]
            if cuda.atomic.cas(visited, neighbour, 0, 1) == 0:
                distance[neighbour] = level
                place = cuda.atomic.add(tail, 0, 1)
                following[place] = neighbour


@cuda.jit
def expand_by_blocks(starts, targets, distance, frontier, size, following, tail, level):
    """As above, with a queue per block that is copied out at once; distances are the marks."""
    queue = cuda.shared.array(QUEUE, int32)
    length = cuda.shared.array(2, int32)
    if cuda.threadIdx.x == 0:
        length[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < size:
        vertex = frontier[i]
        for e in range(starts[vertex], starts[vertex + 1]):
            neighbour = targets[e]
            if distance[neighbour] == -1 and cuda.atomic.compare_and_swap(distance[neighbour:], -1, level) == -1:
                place = cuda.atomic.add(length, 0, 1)
                if place < QUEUE:
                    queue[place] = neighbour
                else:
                    following[cuda.atomic.add(tail, 0, 1)] = neighbour
    cuda.syncthreads()
    count = min(length[0], QUEUE)
    if cuda.threadIdx.x == 0:
        length[1] = cuda.atomic.add(tail, 0, count)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, count, cuda.blockDim.x):
        following[length[1] + k] = queue[k]


@cuda.jit
def search_in_one_launch(starts, targets, distance, frontier, following, sizes):
    """All levels in one grid: sizes[k % 3] is the length of level k's queue."""
    grid = cuda.cg.this_grid()
    level = 0
    while sizes[level % 3] > 0:
        if cuda.grid(1) == 0:
            sizes[(level + 2) % 3] = 0
        for i in range(cuda.grid(1), sizes[level % 3], cuda.gridsize(1)):
            vertex = frontier[i]
            for e in range(starts[vertex], starts[vertex + 1]):
                neighbour = targets[e]
                if cuda.atomic.cas(distance, neighbour, -1, level + 1) == -1:
                    following[cuda.atomic.add(sizes, (level + 1) % 3, 1)] = neighbour
        grid.sync()
        frontier, following = following, frontier
        level += 1


@cuda.jit
def relax(starts, targets, weights, cost, changed):
    """One round of Bellman-Ford."""
    vertex = cuda.grid(1)
    if vertex < starts.size - 1 and cost[vertex] < 1 << 30:
        for e in range(starts[vertex], starts[vertex + 1]):
            found = cost[vertex] + weights[e]
            if found < cuda.atomic.min(cost, targets[e], found):
                changed[0] = 1


@cuda.jit
def spread_labels(starts, targets, label, changed):
    """Each component takes its smallest number: labels propagate along edges and, by pointer jumping, along labels."""
    vertex = cuda.grid(1)
    if vertex >= label.size:
        return
    mine = label[vertex]
    for e in range(starts[vertex], starts[vertex + 1]):
        mine = min(mine, label[targets[e]])
    while label[mine] < mine:
        mine = label[mine]
    if mine < cuda.atomic.min(label, vertex, mine):
        changed[0] = 1


@cuda.jit(device=True)
def first_slot(key, slots):
    key = (key ^ (key >> 16)) * 0x45D9F3B
    key = (key ^ (key >> 16)) & 0x7FFFFFFF
    return key % slots


@cuda.jit
def insert(table, counts, keys):
    """Open addressing: a slot belongs to the key that takes it first."""
    i = cuda.grid(1)
    if i >= keys.size:
        return
    key = keys[i]
    slot = first_slot(key, table.size)
    while True:
        before = cuda.atomic.cas(table, slot, EMPTY, key)
        is_new = before == EMPTY
        if is_new or before == key:
            cuda.atomic.add(counts, slot, 1)
            return
        slot += 1
        if slot == table.size:
            slot = 0


@cuda.jit
def look_up(table, counts, keys, found):
    i = cuda.grid(1)
    if i < keys.size:
        slot = first_slot(keys[i], table.size)
        result = 0
        while table[slot] != EMPTY:
            if table[slot] == keys[i]:
                result = counts[slot]
                break
            slot = (slot + 1) % table.size
        found[i] = result


LINKS = "int64[::1], int32[::1]"
PTX = [
    (expand, f"({LINKS}, int32[::1], int32[::1], int32[::1], int64, int32[::1], int32[::1], int64)"),
    (expand_by_blocks, f"({LINKS}, int32[::1], int32[::1], int64, int32[::1], int32[::1], int64)"),
    (search_in_one_launch, f"({LINKS}, int32[::1], int32[::1], int32[::1], int32[::1])"),
    (relax, f"({LINKS}, int64[::1], int64[::1], int32[::1])"),
    (spread_labels, f"({LINKS}, int32[::1], int32[::1])"),
    (insert, "(int64[::1], int32[::1], int64[::1])"),
    (look_up, "(int64[::1], int32[::1], int64[::1], int32[::1])"),
]


def make_graph(vertices, edges):
    """The start of each vertex's neighbours, and the neighbours; edges are bidirectional."""
    ends = np.random.default_rng(vertices + edges).integers(0, vertices, (edges, 2))
    ends = np.concatenate([ends, ends[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    starts = np.searchsorted(ends[:, 0], np.arange(vertices + 1))
    return starts, ends[:, 1].astype(np.int32)


def search(starts, targets, source):
    distance = np.full(starts.size - 1, -1, np.int32)
    distance[source] = 0
    queue = deque([source])
    while queue:
        vertex = queue.popleft()
        for neighbour in targets[starts[vertex] : starts[vertex + 1]]:
            if distance[neighbour] < 0:
                distance[neighbour] = distance[vertex] + 1
                queue.append(neighbour)
    return distance


def search_by_levels(starts, targets, source, threads, by_blocks):
    vertices = starts.size - 1
    distance, visited = np.full(vertices, -1, np.int32), np.zeros(vertices, np.int32)
    frontier, following = np.zeros(vertices, np.int32), np.zeros(vertices, np.int32)
    tail = np.zeros(1, np.int32)
    distance[source], visited[source], frontier[0] = 0, 1, source
    size, level = 1, 0
    while size:
        level += 1
        tail[0] = 0
        blocks = -(-size // threads)
        if by_blocks:
            expand_by_blocks[blocks, threads](starts, targets, distance, frontier, size, following, tail, level)
        else:
            expand[blocks, threads](starts, targets, distance, visited, frontier, size, following, tail, level)
        assert len(set(following[: tail[0]])) == tail[0]
        frontier, following, size = following, frontier, int(tail[0])
    return distance


GRAPHS = [(1, 0), (40, 60), (1000, 900), (3000, 12_000)]


@pytest.mark.parametrize("by_blocks", [False, True], ids=["one queue", "queues of blocks"])
@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize(("vertices", "edges"), GRAPHS)
def test_breadth_first(vertices, edges, threads, by_blocks):
    starts, targets = make_graph(vertices, edges)
    found = search_by_levels(starts, targets, vertices // 2, threads, by_blocks)
    np.testing.assert_array_equal(found, search(starts, targets, vertices // 2))


@pytest.mark.parametrize(("blocks", "threads"), [(1, 32), (3, 50), (8, 128)])
@pytest.mark.parametrize(("vertices", "edges"), GRAPHS)
def test_breadth_first_in_one_launch(vertices, edges, blocks, threads):
    starts, targets = make_graph(vertices, edges)
    distance = np.full(vertices, -1, np.int32)
    frontier, following = np.zeros(vertices, np.int32), np.zeros(vertices, np.int32)
    distance[0], sizes = 0, np.array([1, 0, 0], np.int32)
    search_in_one_launch[blocks, threads](starts, targets, distance, frontier, following, sizes)
    np.testing.assert_array_equal(distance, search(starts, targets, 0))


def repeat_until_unchanged(kernel, vertices, threads, *arguments):
    changed = np.ones(1, np.int32)
    rounds = 0
    while changed[0]:
        changed[0] = 0
        kernel[-(-vertices // threads), threads](*arguments, changed)
        rounds += 1
        assert rounds <= vertices + 1


@pytest.mark.parametrize("threads", [32, 100])
@pytest.mark.parametrize(("vertices", "edges"), GRAPHS)
def test_shortest_paths(vertices, edges, threads):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    starts, targets = make_graph(vertices, edges)
    # SciPy would add the weights of parallel edges, so the weight depends on the vertices alone.
    sources = np.repeat(np.arange(vertices), np.diff(starts))
    weights = 1 + (sources * 31 + targets * 17) % 23
    cost = np.full(vertices, 1 << 30)
    cost[0] = 0
    repeat_until_unchanged(relax, vertices, threads, starts, targets, weights, cost)
    _, first = np.unique(sources * vertices + targets, return_index=True)
    matrix = csr_array((weights[first], (sources[first], targets[first])), (vertices, vertices))
    expected = dijkstra(matrix, indices=0)
    np.testing.assert_array_equal(np.where(cost == 1 << 30, np.inf, cost), expected)


@pytest.mark.parametrize("threads", [32, 100])
@pytest.mark.parametrize(("vertices", "edges"), GRAPHS)
def test_components(vertices, edges, threads):
    starts, targets = make_graph(vertices, edges)
    label = np.arange(vertices, dtype=np.int32)
    repeat_until_unchanged(spread_labels, vertices, threads, starts, targets, label)
    expected = np.full(vertices, -1)
    for vertex in range(vertices):
        if expected[vertex] < 0:
            expected[search(starts, targets, vertex) >= 0] = vertex
    np.testing.assert_array_equal(label, expected)


@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize(("size", "different"), [(100, 1), (1000, 300), (2000, 2000)])
def test_hash_table(size, different, threads):
    rng = np.random.default_rng(size)
    pool = rng.choice(1 << 40, different, replace=False)
    keys = rng.choice(pool, size)
    table, counts = np.full(2500, EMPTY, np.int64), np.zeros(2500, np.int32)
    insert[-(-size // threads), threads](table, counts, keys)
    unique, expected = np.unique(keys, return_counts=True)
    np.testing.assert_array_equal(np.sort(table[table != EMPTY]), unique)
    asked = np.concatenate([unique, (1 << 41) + np.arange(50)])
    found = np.zeros(asked.size, np.int32)
    look_up[-(-asked.size // threads), threads](table, counts, asked, found)
    np.testing.assert_array_equal(found, [*expected, *[0] * 50])
