"""The rules of the SIMT model, each with a kernel whose result shows whether the rule holds."""

import math

import numpy as np
import pytest

from cooperation.simt_model import Deadlock, launch
from cooperation.simt_source import load
from cooperation.simt_warp import Undefined, source_lane

ORDERS = ("up", "down", 1, 2, 3)


def run(body, threads=32, *, blocks=1, before="", count=None, **options):
    """What a kernel with this body leaves in `out`: one element per thread, or `count` elements."""
    size = math.prod(threads) if isinstance(threads, tuple) else threads
    out = np.full(count or blocks * size, -1, options.pop("dtype", np.int64))
    head = "def kernel(out):\n    tid = cuda.threadIdx.x\n    lane = cuda.laneid\n    i = cuda.grid(1)\n"
    text = before + head + "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    launch(text, blocks, threads, [out], **options)
    return out.tolist()


@pytest.mark.parametrize("order", ORDERS)
def test_a_barrier_makes_all_threads_wait(order):
    body = "sh = cuda.shared.array(64, int64)\nsh[tid] = tid * 2\ncuda.syncthreads()\nout[tid] = sh[63 - tid]"
    assert run(body, 64, order=order) == [2 * (63 - t) for t in range(64)]


def test_orders_differ():
    """Without a barrier the model shows a race: what is read depends on the order."""
    body = "sh = cuda.shared.array(64, int64)\nsh[tid] = -5\ncuda.syncthreads()\nsh[tid] = tid\nout[tid] = sh[63 - tid]"
    assert len({tuple(run(body, 64, order=order)) for order in ORDERS}) == len(ORDERS)


@pytest.mark.parametrize("order", ORDERS)
def test_barriers_at_different_places_are_one(order):
    body = """
sh = cuda.shared.array(64, int64)
if tid % 3 == 0:
    sh[0] = 5 if tid == 33 else sh[0]
    cuda.syncthreads()
else:
    cuda.syncthreads()
    out[tid] = sh[0]
"""
    assert run(body, 64, order=order)[1::3] == [5] * 21


@pytest.mark.parametrize("order", ORDERS)
def test_a_barrier_does_not_wait_for_threads_that_exited(order):
    body = "if tid == 3:\n    return\nout[tid] = cuda.syncthreads_count(True)"
    assert run(body, 40, order=order) == [39] * 3 + [-1] + [39] * 36


def test_the_exit_of_the_last_missing_thread_ends_a_barrier():
    """The last missing thread exits while all others already wait."""
    body = "for k in range(tid * 3):\n    pass\nif tid == 7:\n    return\ncuda.syncthreads()\nout[tid] = 1"
    assert run(body, 8, order="up", spin=True) == [1] * 7 + [-1]


def test_votes_of_a_barrier_come_from_all_that_wait():
    body = """
if tid % 2 == 0:
    out[tid] = cuda.syncthreads_count(tid < 10)
else:
    out[tid] = cuda.syncthreads_count(tid > 60) + 100
"""
    assert run(body, 64) == [7, 107] * 32


@pytest.mark.parametrize("name, votes, expected", [
    ("and", "tid < 40", 1), ("and", "tid != 20", 0), ("or", "tid == 20", 1), ("or", "tid > 40", 0),
])  # fmt: skip
def test_and_and_or_over_the_block(name, votes, expected):
    assert run(f"out[tid] = cuda.syncthreads_{name}({votes})", 40) == [expected] * 40


def test_blocks_have_barriers_and_shared_arrays_of_their_own():
    body = """
sh = cuda.shared.array(1, int64)
if cuda.blockIdx.x == 1:
    return
if tid == 0:
    sh[0] = cuda.blockIdx.x
cuda.syncthreads()
out[i] = sh[0]
"""
    assert run(body, 4, blocks=3) == [0] * 4 + [-1] * 4 + [2] * 4


def test_different_kinds_of_barriers_do_not_meet():
    with pytest.raises(Undefined, match="barrier, barrier count"):
        run("if tid == 0:\n    cuda.syncthreads()\nelse:\n    cuda.syncthreads_count(True)")


@pytest.mark.parametrize("order", ORDERS)
def test_a_barrier_of_the_grid_makes_all_blocks_wait(order):
    body = """
if tid == 3:
    return
out[i] = i
cuda.cg.this_grid().sync()
got = out[(i + 8) % 24] if tid != 3 else 0
g = cuda.cg.this_grid()
g.sync()
out[i] = got
"""
    got = run(body, 8, blocks=3, order=order)
    assert [v for k, v in enumerate(got) if k % 8 != 3] == [(k + 8) % 24 for k in range(24) if k % 8 != 3]


@pytest.mark.parametrize("order", ORDERS)
def test_a_collective_waits_for_the_lanes_in_its_mask_and_no_others(order):
    body = """
sh = cuda.shared.array(32, int64)
if lane < 8:
    sh[lane] = lane
    cuda.syncwarp(0xFF)
    out[lane] = sh[7 - lane]
cuda.syncwarp()
"""
    assert run(body, order=order)[:8] == list(range(7, -1, -1))


def test_collectives_at_different_places_are_one():
    body = """
if lane % 2 == 0:
    out[lane] = cuda.ballot_sync(0xFFFFFFFF, lane < 4)
else:
    out[lane] = cuda.ballot_sync(0xFFFFFFFF, lane < 6) + 100
"""
    assert run(body) == [0b101111, 0b101111 + 100] * 16


def test_a_mask_may_name_lanes_that_exited_or_never_were():
    body = "if lane == 2:\n    return\nout[lane] = cuda.ballot_sync(0xFFFFFFFF, True)"
    assert run(body, 5) == [0b11011] * 2 + [-1] + [0b11011] * 2


def test_the_exit_of_a_lane_ends_a_collective():
    body = "for k in range(lane * 3):\n    pass\nif lane == 7:\n    return\nout[lane] = cuda.any_sync(0xFF, lane == 6)"
    assert run(body, 8, order="up", spin=True) == [1] * 7 + [-1]


def test_groups_with_different_masks_at_one_place_are_apart():
    body = "m = 0xFFFF if lane < 16 else 0xFFFF0000\nout[lane] = cuda.ballot_sync(m, lane % 16 < 2) & 0xFFFFFFFF"
    assert run(body) == [0b11] * 16 + [0b11 << 16] * 16


def test_warps_are_apart():
    assert run("out[tid] = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, tid < 40))", 64) == [32] * 32 + [8] * 32


def test_warps_follow_the_number_of_a_thread_in_its_block():
    body = """
t = tid + 8 * cuda.threadIdx.y
out[t] = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, cuda.threadIdx.y < 5)) * 100 + lane
"""
    assert run(body, (8, 8)) == [3200 + t for t in range(32)] + [800 + t for t in range(32)]


def test_a_lane_must_be_in_its_mask():
    with pytest.raises(Undefined, match="lane 4 is not in its mask"):
        run("cuda.syncwarp(0xF)", 5)


def test_a_shuffle_must_not_read_a_lane_that_is_not_there():
    with pytest.raises(Undefined, match="lane 0 reads lane 8"):
        run("out[lane] = cuda.shfl_down_sync(0xFF, lane, 8)", 8)


@pytest.mark.parametrize("op, step, width, expected", [
    ("shfl", 5, 32, [5] * 8), ("shfl", 37, 32, [5] * 8), ("shfl", -1, 32, [31] * 8),
    ("shfl", 5, 4, [1, 1, 1, 1, 5, 5, 5, 5]), ("shfl_up", 2, 32, [0, 1, 0, 1, 2, 3, 4, 5]),
    ("shfl_up", 2, 4, [0, 1, 0, 1, 4, 5, 4, 5]), ("shfl_down", 2, 32, [2, 3, 4, 5, 6, 7, 8, 9]),
    ("shfl_down", 2, 4, [2, 3, 2, 3, 6, 7, 6, 7]), ("shfl_xor", 3, 32, [3, 2, 1, 0, 7, 6, 5, 4]),
    ("shfl_xor", 4, 4, [0, 1, 2, 3, 0, 1, 2, 3]), ("shfl_xor", 12, 8, [0, 1, 2, 3, 4, 5, 6, 7]),
])  # fmt: skip
def test_the_lane_that_a_shuffle_reads(op, step, width, expected):
    """Outside its segment a lane keeps its own value; shfl_xor may read from earlier segments."""
    assert [source_lane(op, lane, step, width) for lane in range(8)] == expected
    assert run(f"out[lane] = cuda.{op}_sync(0xFFFFFFFF, lane, {step}, {width})")[:8] == expected


@pytest.mark.parametrize("op, votes, expected", [
    ("all", "lane < 32", 1), ("all", "lane != 5", 0), ("any", "lane == 5", 1), ("any", "lane == 40", 0),
    ("eq", "lane < 40", 1), ("eq", "lane > 40", 1), ("eq", "lane == 5", 0),
])  # fmt: skip
def test_votes_of_a_warp(op, votes, expected):
    assert run(f"out[lane] = cuda.{op}_sync(0xFFFFFFFF, {votes})") == [expected] * 32


def test_match():
    assert run("out[lane] = cuda.match_any_sync(0xFF, lane % 3)", 8) == [0x49, 0x92, 0x24, 0x49, 0x92, 0x24, 0x49, 0x92]
    body = "m, same = cuda.match_all_sync(0xFF, {0})\nout[lane] = m * 10 + same"
    assert run(body.format("7"), 8) == [2551] * 8
    assert run(body.format("lane // 7"), 8) == [0] * 8


def test_activemask_names_the_lanes_at_one_place():
    assert run("if lane < 5:\n    out[lane] = cuda.activemask()\nelse:\n    out[lane] = cuda.activemask()", 8) == [
        *[0b11111] * 5,
        *[0b11100000] * 3,
    ]


def test_results_of_32_bits_have_a_sign():
    assert run("out[lane] = cuda.ballot_sync(0xFFFFFFFF, lane == 31)") == [-(2**31)] * 32
    assert run("out[lane] = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, True)) + cuda.popc(-1)") == [96] * 32


@pytest.mark.parametrize("body, waits", [
    ("if tid < 20:\n    cuda.syncthreads()\ncuda.syncwarp()", r"line \d+: barrier: threads \[0, 1, 2"),
    ("if lane < 4:\n    cuda.all_sync(0xFF, True)\nelse:\n    cuda.any_sync(0xFF, True)", "all 0x000000ff"),
    ("if lane < 4:\n    cuda.syncwarp(0xFF)\nelse:\n    cuda.syncwarp(0xFE)", "syncwarp 0x000000fe"),
    ("if tid < 4:\n    cuda.cg.this_grid().sync()\nelse:\n    cuda.syncthreads()", "grid: threads"),
])  # fmt: skip
@pytest.mark.parametrize("order", ORDERS)
def test_deadlock(body, waits, order):
    with pytest.raises(Deadlock, match=waits):
        run(body, 8 if "0xF" in body else 32, order=order)


def test_threads_that_never_end_are_a_deadlock():
    with pytest.raises(Deadlock, match="no end"):
        run("while cuda.atomic.add(out, 0, 0) < 0:\n    pass", 2, spin=True, limit=1000)


@pytest.mark.parametrize("order", ORDERS)
def test_threads_that_spin_let_others_go_on(order):
    body = """
if tid == {0}:
    while cuda.atomic.add(out, 1, 0) < 0:
        pass
    out[0] = out[1] + 1
elif tid == {1}:
    cuda.atomic.exch(out, 1, 40)
"""
    assert run(body.format(0, 1), 2, spin=True, order=order) == [41, 40]
    assert run(body.format(1, 0), 2, spin=True, order=order) == [41, 40]


def test_device_functions_take_part():
    before = "def swap(sh, tid):\n    sh[tid] = tid\n    cuda.syncthreads()\n    return sh[7 - tid]\n"
    body = "sh = cuda.shared.array(8, int32)\nif tid < 8:\n    out[tid] = swap(sh, tid) + 1"
    assert run(body, 8, before=before) == [8, 7, 6, 5, 4, 3, 2, 1]


def test_a_shared_array_is_one_for_each_place():
    before = "def make():\n    return cuda.shared.array(2, int32)\n"
    body = """
a = make()
b = cuda.shared.array(2, int32)
a[tid] = tid + 1
b[tid] = tid + 10
for k in range(2):
    a = make()
out[tid] = a[tid] + b[tid]
"""
    assert run(body, 2, before=before) == [11, 13]


def test_dynamic_shared_memory_is_one_for_all():
    body = """
words = cuda.shared.array(0, int32)
wide = cuda.shared.array((0,), int64)
words[tid] = tid + 1
cuda.syncthreads()
out[tid] = wide[0] if tid == 0 else words.size * 10 + wide.size
"""
    assert run(body, 4, shared=20) == [(2 << 32) + 1, 52, 52, 52]


@pytest.mark.parametrize("call, start, element, after, old", [
    ("add(out, 0, 7)", 5, "int32", 12, 5), ("sub(out, 0, 7)", 5, "uint32", 2**32 - 2, 5),
    ("add(out, 0, 1)", 2**31 - 1, "int32", -(2**31), 2**31 - 1), ("and_(out, 0, 6)", 5, "int64", 4, 5),
    ("or_(out, 0, 6)", 5, "int64", 7, 5), ("xor(out, 0, 6)", 5, "int64", 3, 5), ("exch(out, 0, 9)", 5, "int64", 9, 5),
    ("inc(out, 0, 6)", 5, "uint32", 6, 5), ("inc(out, 0, 5)", 5, "uint32", 0, 5), ("dec(out, 0, 6)", 0, "uint32", 6, 0),
    ("dec(out, 0, 6)", 7, "uint32", 6, 7), ("dec(out, 0, 6)", 6, "uint32", 5, 6), ("max(out, 0, 6)", 5, "int32", 6, 5),
    ("min(out, 0, 6)", 5, "int32", 5, 5), ("cas(out, 0, 5, 8)", 5, "int32", 8, 5),
    ("cas(out, 0, 4, 8)", 5, "int32", 5, 5),
    ("compare_and_swap(out, 5, 8)", 5, "int32", 8, 5), ("nanmax(out, 0, 2.5)", math.nan, "float32", 2.5, math.nan),
    ("max(out, 0, 2.5)", math.nan, "float32", math.nan, math.nan), ("min(out, 0, np.nan)", 2.5, "float64", 2.5, 2.5),
    ("nanmin(out, 0, 1.5)", 2.5, "float64", 1.5, 2.5),
])  # fmt: skip
def test_atomic_operations_give_the_old_value(call, start, element, after, old):
    out, seen = np.array([start], element), np.zeros(1, element)
    launch(f"def kernel(out, seen):\n    seen[0] = cuda.atomic.{call}\n", 1, 1, [out, seen])
    np.testing.assert_array_equal([out[0], seen[0]], np.array([after, old], element))


@pytest.mark.parametrize("expression, value", [
    ("cuda.popc(-1)", 64), ("cuda.popc(int32(-1))", 32), ("cuda.clz(int32(1))", 31), ("cuda.clz(1)", 63),
    ("cuda.clz(0)", 64), ("cuda.ffs(0)", 0), ("cuda.ffs(8)", 4), ("cuda.ffs(int32(-2147483648))", 32),
    ("cuda.brev(int32(1)) >> 31", 1), ("cuda.brev(1) >> 63", 1), ("cuda.selp(tid == 0, 4, 5)", 4),
    ("cuda.lanemask_lt() + 5", 5), ("cuda.warpsize", 32), ("int32(2147483648)", -(2**31)),
    ("cuda.const.array_like(np.arange(3, 6))[1]", 4), ("cuda.local.array((2, 3), int32).shape[1]", 3),
    ("cuda.fma(1.0 + 2.0 ** -52, 1.0 - 2.0 ** -52, -1.0) * 2.0 ** 104", -1), ("cuda.gridsize(1) + cuda.gridDim.x", 2),
    ("cuda.fma(float32(3.0), float32(0.5), float32(1.0)) * 2", 5),
])  # fmt: skip
def test_values(expression, value):
    assert run(f"out[0] = {expression}", 1) == [value]


def test_memory_that_was_not_written_has_no_certain_contents():
    body = "sh = cuda.shared.array(8, int64)\nout[tid] = sh[tid]"
    assert len({tuple(run(body, 8, order=order)) for order in ORDERS}) == len(ORDERS)


def test_loaded_source_serves_many_launches():
    functions = load("def kernel(out):\n    sh = cuda.shared.array(1, int64)\n    sh[0] = 3\n    out[0] += sh[0]\n")
    out = np.zeros(1, np.int64)
    for _ in range(2):
        launch(functions, 1, 1, [out])
    assert out[0] == 6
