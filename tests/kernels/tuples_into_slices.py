# Slices and rows assigned from tuples: in order, nested, broadcast.
from typing import NamedTuple

import numpy as np
from treadle import cuda, float64

from kernels.harness import check


class Velocity(NamedTuple):
    x: float
    y: float
    z: float


@cuda.jit(device=True)
def moved(state, step):
    return state[0] + step, state[1] - step, state[2] * step


@cuda.jit
def vectors(states, out):
    i = cuda.grid(1)
    if i < states.shape[0]:
        state = states[i]
        vx, vy, vz = state[0] + 1, state[1] * 2, i
        state[3:6] = vx, vy, vz
        state[:3] = moved(state, 2)
        out[i, :] = state[3], 7, True
        out[i, ::-2] = state[-2:][0], state[5]


@cuda.jit
def named(states):
    i = cuda.grid(1)
    if i < states.shape[0]:
        v = Velocity(states[i, 1], states[i, 0], 3)
        states[i, 3:] = v
        states[i, 1:3] = v[::2]
        states[i][:1] = (v.y + v.z,)


@cuda.jit
def swapped(x):
    """The items are evaluated before the first element changes."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i, 0:3] = x[i, 2], x[i, 0], x[i, 1]
        x[i, 3:] = x[i, ::-1][:3][0], x[i, 4], x[i, 3]


@cuda.jit
def matrices(out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, :2] = (i, 1, 2), (3, 4 * i, 5)
        out[i, 2:4, 1:] = (6, 7), out[i, 1, :2]
        out[i, 2:4, 0] = 8, 9
        out[i, 4:] = ((1, i, 3),)
        out[i, 4:, :1] = ((out[i, 0, 0],), (2,))


@cuda.jit
def broadcast(out, x):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, :3] = (i,)
        out[i, 3:, :] = (7, i), (2, 3), x[i, :2]
        out[i, 2, ...] = (5, 6)
        out[i, :2, :] = x[i, 0], x[i, 1]
        out[i, 3:5, :1] = ((i + 1,),)
        out[i, 5:5, 0] = ()
        for row in out[i, 1:3]:
            row[:] = row[1], row[0]


@cuda.jit
def under_masks(x, out):
    local = cuda.local.array(3, float64)
    i = cuda.grid(1)
    if i < x.size:
        local[:] = 0, 1, 2
        if x[i] > 3:
            local[i % 2 : i % 2 + 2] = x[i], i
        else:
            local[:] = (x[i],)
        for _ in range(i % 3):
            local[:] = local[1], local[2], local[0]
        out[i] = local


@cuda.jit
def numbers(out, z):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, :3] = 3, True, i
        z[i, :2] = i, 1j * i + 0.5


PTX = [
    (vectors, "(float64[:, ::1], float64[:, ::1])"),
    (named, "(float64[:, :],)"),
    (swapped, "(float32[:, ::1],)"),
    (matrices, "(int64[:, :, ::1],)"),
    (broadcast, "(int64[:, :, ::1], int64[:, ::1])"),
    (under_masks, "(float64[::1], float64[:, ::1])"),
    (numbers, "(int8[:, :], complex64[:, ::1])"),
]


def run():
    n = 77
    x = np.arange(n * 6.0).reshape(n, 6) % 23
    check(vectors, 3, 32, x, np.zeros((n, 3)))
    check(named, 3, 32, x)
    check(named, 3, 32, np.asfortranarray(x)[::-1])
    check(swapped, 3, 32, x.astype(np.float32))
    check(matrices, 3, 32, np.zeros((n, 6, 3), np.int64))
    check(broadcast, 3, 32, np.zeros((n, 6, 2), np.int64), np.arange(n * 3).reshape(n, 3))
    check(under_masks, 3, 32, np.arange(n) % 7.0, np.zeros((n, 3)))
    check(numbers, 3, 32, np.zeros((n, 4), np.int8)[:, ::-1], np.zeros((n, 2), np.complex64))
