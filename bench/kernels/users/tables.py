# Tables, graphs, queues and records in CUDA Python: group-by, joins, steps over sparse graphs, mixed records.
from treadle import cuda, int32, uint32


@cuda.jit
def group_by(keys, values, counts, sums, least, largest):
    i = cuda.grid(1)
    if i < keys.size:
        key = keys[i]
        cuda.atomic.add(counts, key, 1)
        cuda.atomic.add(sums, key, values[i])
        cuda.atomic.min(least, key, values[i])
        cuda.atomic.max(largest, key, values[i])


@cuda.jit
def join_sorted(keys, payload, wanted, out):
    i = cuda.grid(1)
    if i < wanted.size:
        low = 0
        high = keys.size - 1
        found = -1
        while low <= high:
            middle = (low + high) // 2
            if keys[middle] == wanted[i]:
                found = middle
                break
            if keys[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle - 1
        out[i] = payload[found] if found >= 0 else -1


@cuda.jit
def hash_probe(slots, payload, wanted, out):
    i = cuda.grid(1)
    if i < wanted.size:
        mask = slots.size - 1
        key = wanted[i]
        at = (uint32(key * 2654435761) >> 7) & mask
        while slots[at] != key and slots[at] != -1:
            at = (at + 1) & mask
        if slots[at] == key:
            out[i] = payload[at]
        else:
            out[i] = 0


@cuda.jit
def pagerank(damping, offsets, sources, degrees, rank, out):
    v = cuda.grid(1)
    n = out.size
    if v < n:
        total = 0.0
        for e in range(offsets[v], offsets[v + 1]):
            u = sources[e]
            total += rank[u] / degrees[u]
        out[v] = (1.0 - damping) / n + damping * total


@cuda.jit
def spread_labels(offsets, neighbours, labels, out, changed):
    v = cuda.grid(1)
    if v < labels.size:
        least = labels[v]
        for e in range(offsets[v], offsets[v + 1]):
            least = min(least, labels[neighbours[e]])
        out[v] = least
        if least != labels[v]:
            cuda.atomic.add(changed, 0, 1)


@cuda.jit
def bfs_level(level, offsets, neighbours, levels, more):
    v = cuda.grid(1)
    if v < levels.size and levels[v] == level:
        for e in range(offsets[v], offsets[v + 1]):
            w = neighbours[e]
            if levels[w] == -1:
                levels[w] = level + 1
                more[0] = 1


@cuda.jit
def triangles(offsets, neighbours, out):
    v = cuda.grid(1)
    if v < out.size:
        count = 0
        end = offsets[v + 1]
        for e in range(offsets[v], end):
            w = neighbours[e]
            a = e + 1
            b = offsets[w]
            while a < end and b < offsets[w + 1]:
                if neighbours[a] == neighbours[b]:
                    count += 1
                    a += 1
                    b += 1
                elif neighbours[a] < neighbours[b]:
                    a += 1
                else:
                    b += 1
        out[v] = count


@cuda.jit
def compact_ballot(limit, values, out, count):
    i = cuda.grid(1)
    lane = cuda.threadIdx.x % 32
    chosen = i < values.size and values[i] > limit
    votes = cuda.ballot_sync(0xFFFFFFFF, chosen)
    before = cuda.popc(uint32(votes) & uint32((1 << lane) - 1))
    first = 0
    if lane == 0:
        first = cuda.atomic.add(count, 0, cuda.popc(votes))
    first = cuda.shfl_sync(0xFFFFFFFF, first, 0)
    if chosen:
        out[first + before] = i


@cuda.jit
def two_queues(costs, small, large, ends):
    i = cuda.grid(1)
    if i < costs.size:
        if costs[i] < 16:
            at = cuda.atomic.add(ends, 0, 1)
            small[at] = i
        else:
            at = cuda.atomic.add(ends, 1, 1)
            large[at] = i


@cuda.jit
def fill_orders(orders, prices, filled):
    i = cuda.grid(1)
    if i < orders.size:
        price = prices[orders[i].stock]
        done = price <= orders[i].limit if orders[i].buys == 1 else price >= orders[i].limit
        if done and orders[i].open > 0:
            filled[i] = price * orders[i].open
            orders[i].open = 0
            orders[i].state = 2
        else:
            filled[i] = 0.0


@cuda.jit
def mean_readings(sensors, out):
    i = cuda.grid(1)
    if i < sensors.size:
        s = sensors[i]
        if s.status & 1:
            total = 0.0
            for k in range(4):
                total += s.gain * s.readings[k] + s.offset
            out[i] = total / 4
        else:
            out[i] = -1.0


@cuda.jit
def cell_counts(points, size, cells):
    i = cuda.grid(1)
    if i < points.shape[0]:
        x = int32(points[i, 0] * size)
        y = int32(points[i, 1] * size)
        cuda.atomic.add(cells, (y, x), 1)
