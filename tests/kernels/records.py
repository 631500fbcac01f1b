# Records: fields by attribute, name and position; arrays and records in them; packed ones; in every kind of memory.
import numpy as np
from treadle import cuda, from_dtype

particle = np.dtype([("mass", "f4"), ("id", "i8"), ("at", "f4", (3,)), ("spin", [("up", "?"), ("z", "c8")])])
aligned = np.dtype(particle.descr, align=True)
packed = np.dtype([("tag", "u1"), ("x", "f4"), ("y", "f8"), ("z", "c16"), ("n", "i2", (2, 2))])
pair = np.dtype([("low", "f4"), ("high", "f4")])
spread = np.dtype({"names": ["b", "a"], "formats": ["i4", "f8"], "offsets": [12, 0], "itemsize": 24})


@cuda.jit
def move(r, out):
    i = cuda.grid(1)
    if i >= r.size:
        return
    p = r[i]
    p.mass += 1
    p["id"] = i * 2 + r[i]["mass"]
    r[i - r.size].at[1] = p.mass + r.at[i - r.size, 0]
    r["spin"].up[i] = not p.spin.up
    r[i].spin["z"] += 2 + 1j
    for axis in range(3):
        out[i] += p["at"][axis]
    p.at[2] = p[0]
    out[i] += p.spin.z.imag + (1000 if p.spin.up else 0)


def move_expected(r, out):
    r["mass"] += 1
    r["id"] = np.arange(r.size) * 2 + r["mass"].astype("i8")
    r["at"][:, 1] = r["mass"] + r["at"][:, 0]
    r["spin"]["up"] = ~r["spin"]["up"]
    r["spin"]["z"] += np.complex64(2 + 1j)
    out[:] = r["at"].sum(1) + r["spin"]["z"].imag + r["spin"]["up"] * 1000
    r["at"][:, 2] = r["mass"]


@cuda.jit
def of_packed(r, out):
    i = cuda.grid(1)
    if i < len(r):
        out[i] = r[i].x + r.y[i] + r[i].z.real + r[i].n[1, -1] + r[i].tag
        r[i].x = out[i]
        r.n[i, 0, 1] -= 3
        r[i]["z"] = complex(i, -i)


@cuda.jit
def whole(to, taken, n):
    i = cuda.grid(1)
    if i < n:
        to[i] = taken[n - 1 - i]


@cuda.jit(device=True)
def larger(one, other):
    return one if one.high > other.high else other


@cuda.jit
def through_functions(r, out):
    i = cuda.grid(1)
    if i + 1 < r.size:
        best = larger(r[i], r[i + 1])
        out[i] = best.high
        best.low = -1


@cuda.jit
def in_block_memory(out):
    shared = cuda.shared.array(64, dtype=pair)
    mine = cuda.local.array((2, 2), pair)
    i = cuda.threadIdx.x
    for j in range(2):
        for k in range(2):
            mine[j, k].low = i
            mine[j][k]["high"] = 10 * j + k
    shared[i] = mine[1, i % 2]
    cuda.syncthreads()
    other = shared[63 - i]
    out[i] = other
    out[i].high += shared.low[i]


table = np.zeros(4, spread)
table["a"], table["b"] = [0.5, 1.5, 2.5, 3.5], [1, 2, 3, 4]


@cuda.jit
def captured(out):
    i = cuda.grid(1)
    out[i] = table[i % 4].a * table.b[i % 4]


@cuda.jit
def single(r, n, out):
    r.mass = n
    r["at"][2] = n + 1
    out[0] = r["id"] + r[2][2]


@cuda.jit
def every(r, total):
    for one in r:
        total[0] += one.low
    for i, one in enumerate(r):
        total[1] += i * one.high


@cuda.jit
def add(r, row):
    i = cuda.grid(1)
    cuda.atomic.add(r["id"], i % 4, 1)
    cuda.atomic.add(r.at, (i % 2 - 2, 1), 2)
    cuda.atomic.max(r["mass"], np.uint64(1), i)
    cuda.atomic.sub(r[0].at, -1, 1)
    row[i] = cuda.atomic.exch(r["id"], 5, i)


P, PACKED, PAIR = from_dtype(particle), from_dtype(packed), from_dtype(pair)
PTX = [
    (move, (P[:], "float32[:]")),
    (of_packed, (PACKED[::1], "float64[::1]")),
    (whole, (P[::1], P[:], "int64")),
    (through_functions, (PAIR[::1], "float32[::1]")),
    (in_block_memory, (PAIR[::1],)),
    (captured, ("float64[::1]",)),
    (every, (PAIR[::1], "float64[::1]")),
    (add, (from_dtype(aligned)[::1], "int64[::1]")),
]


def particles(n):
    r = np.zeros(n, particle)
    r["mass"], r["id"], r["at"] = np.arange(n), -1, np.arange(3 * n).reshape(n, 3)
    r["spin"]["up"] = np.arange(n) % 3 == 0
    return r


def run():
    for view in (lambda r: r, lambda r: r[::-1], lambda r: r[::2]):
        have, want = particles(70), particles(70)
        out, expected = np.zeros(70, "f4"), np.zeros(70, "f4")
        move[3, 32](view(have), out[: view(have).size])
        move_expected(view(want), expected[: view(want).size])
        assert have.tobytes() == want.tobytes()
        assert out.tolist() == expected.tolist()

    r = np.zeros(50, packed)
    r["x"], r["y"], r["z"], r["n"], r["tag"] = np.arange(50), 0.25, 1 + 2j, np.arange(4).reshape(2, 2), 7
    out = np.zeros(50)
    of_packed[2, 32](r, out)
    assert out.tolist() == (np.arange(50) + 0.25 + 1 + 3 + 7).tolist() == r["x"].tolist()
    assert r["z"].tolist() == [complex(i, -i) for i in range(50)]
    assert r["n"][:, 0, 1].tolist() == [-2] * 50 and r["n"][:, 1].tolist() == [[2, 3]] * 50

    taken, to = particles(40), np.zeros(40, particle)
    whole[2, 32](to, taken, 40)
    assert to.tobytes() == taken[::-1].tobytes()

    r = np.zeros(33, pair)
    r["high"] = np.arange(33) % 5
    out = np.zeros(33, "f4")
    through_functions[2, 32](r, out)
    highs = (np.arange(33) % 5).tolist()
    chosen = {i if highs[i] > highs[i + 1] else i + 1 for i in range(32)}
    assert out[:32].tolist() == [max(highs[i : i + 2]) for i in range(32)]
    assert r["low"].tolist() == [-1.0 if i in chosen else 0.0 for i in range(33)]

    out = np.zeros(64, pair)
    in_block_memory[1, 64](out)
    assert out.tolist() == [(63 - i, 10 + (63 - i) % 2 + i) for i in range(64)]

    out = np.zeros(32)
    captured[1, 32](out)
    assert out.tolist() == [(i % 4 + 0.5) * (i % 4 + 1) for i in range(32)]

    one, out = particles(3), np.zeros(1)
    single[1, 1](one[1], 5, out)
    assert (one[1]["mass"], one[1]["at"][2], out[0]) == (5, 6, 5)
    alone = one[2].copy()
    single[1, 1](alone, 8, out)
    assert (alone["mass"], one[2]["mass"]) == (8, 2)

    r, total = np.array([(1, 2), (3, 4), (5, 6)], pair), np.zeros(2)
    every[1, 1](r, total)
    assert total.tolist() == [9, 16]

    r, row = np.zeros(6, aligned), np.zeros(64, "i8")
    add[2, 32](r, row)
    assert r["id"][:4].tolist() == [16] * 4
    assert r["at"][4:, 1].tolist() == [64, 64]
    assert r["mass"].tolist() == [0, 63, 0, 0, 0, 0] and r["at"][0, 2] == -64
    assert sorted([*row, r["id"][5]]) == [0, *range(64)]
