# Lanes of a warp diverge in the middle of an expression, in loops of the functions that it calls.
import numpy as np
from treadle import cuda

from kernels.harness import check, launch


@cuda.jit(device=True)
def rounds(own, first, value):
    # The loop reads what other threads might write: after some rounds, lanes that have left it go on.
    for _ in range(2):
        k = own[0]
        while k < first:
            k += 1
            if own[0]:
                continue
    return value


@cuda.jit
def test_of_a_loop(own, x, n):
    i = cuda.grid(1)
    for _ in range(6):
        k = 0
        while k < 3 and rounds(own[i], 2, n) <= x[i]:
            k += 1
            own[i, 7] += 1


@cuda.jit
def same_for_all(own, x, n):
    i = cuda.grid(1)
    if i % 3 != 1:
        k = 0
        while rounds(own[i], x[i], k) < n:
            k += 1
            cuda.atomic.add(own, (0, 6), 1)
    own[i, 7] += 1


@cuda.jit
def arms(own, x, n):
    i = cuda.grid(1)
    own[i, 7] = rounds(own[i], x[i], 1) if i % 3 == 0 else rounds(own[i], x[i], n) + (x[i] if i % 3 == 1 else 8)


@cuda.jit
def else_clause(own, x, n):
    i = cuda.grid(1)
    k = 0
    while k < i % 5 and rounds(own[i], x[i], n):
        k += 1
    else:
        cuda.atomic.add(own, (i, 7), rounds(own[i], x[i], 5))


@cuda.jit(device=True)
def turns(own, value):
    n = 3
    while True:
        n += 1
        if n > 5:
            break
        if own[1]:
            continue
    return value


@cuda.jit
def no_lane_is_left(own, x, n):
    # Where the last lanes of the loop diverge from those that have left it, the latter have nothing to store.
    i = cuda.grid(1)
    for _ in range(8 * i, 300):
        own[i, 6] = turns(own[i], n) + x[i] * 5
    own[i, 7] = own[i, 6]


@cuda.jit
def done_with_the_loop(own, x, n):
    # Where all lanes that still test diverge from those that have left the loop, the latter have its else clause left.
    i = cuda.grid(1)
    k = 0
    while turns(own[i], k) + x[i] < 8 * i:
        k += 1
    else:
        own[i, 7] += 1


@cuda.jit
def other_arm(own, x, n):
    # Where all lanes of the first arm diverge from the others, these have the second arm left.
    i = cuda.grid(1)
    for k in range(100):
        own[i, 7] += turns(own[i], n) if i % 2 else x[i] * i + turns(own[i], k)


@cuda.jit(device=True)
def counted(own, first):
    own[6] += 1
    return rounds(own, first, 0)


@cuda.jit(device=True)
def second(_, value):
    return value


@cuda.jit
def uniform_test(own, x, n):
    # All lanes leave the loop together, but in its test they diverge.
    i = cuda.grid(1)
    k = 0
    while k < n and second(counted(own[i], x[i]), k) >= 0:
        k += 1
    own[i, 7] = k


@cuda.jit(device=True)
def put(place, value):
    place[0] = value
    return value


@cuda.jit
def vote_in_a_test(own, n):
    # The even lanes are not in the test, in which the odd ones wait for them. As the else clause leaves the outer loop,
    # the vote is no statement of its own.
    i = cuda.grid(1)
    if i % 2:
        for _ in range(2):
            while put(own[40], cuda.ballot_sync(0xFFFFFFFF, n)) == 0:
                own[i, 5] += 1
            else:
                break
    else:
        own[i, 7] = own[40, 0]
        cuda.ballot_sync(0xFFFFFFFF, n)


PTX = [(test_of_a_loop, "(int64[:, ::1], int64[::1], int64)")]


def run():
    x = np.arange(64) % 20
    own = np.arange(512).reshape(64, 8) % 9
    for kernel in (test_of_a_loop, same_for_all, arms, else_clause):
        for first in (own, own * 0, own * 0 + 3, own * 30):
            check(kernel, 1, 40, first.copy(), x, 7)
    for kernel in (no_lane_is_left, done_with_the_loop, other_arm):
        check(kernel, 1, 20, own * 0, x * 0, 7)
    check(uniform_test, 1, 40, own * 0, x * 20, 7)
    found = launch(vote_in_a_test, 1, 32, own * 0 + 5, 1)[0]
    assert found[40, 0] == -1
    assert (found[:32, 7] == 5).all()
