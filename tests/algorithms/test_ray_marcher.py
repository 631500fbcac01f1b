"""A ray marcher: each pixel's ray advances by spheres until a surface is near, in float32, with a break."""

import math

import numpy as np
import pytest
from treadle import cuda, float32, int32

RADIUS = np.float32(1.0)
RING = np.float32(1.6)
TUBE = np.float32(0.25)
FLOOR = np.float32(1.2)
NEAR = np.float32(1e-3)
FAR = np.float32(20.0)
STEP = np.float32(1e-2)
HALF = np.float32(0.5)
CAMERA = (np.float32(0.3), np.float32(0.8), np.float32(-4.0))
LIGHT = (np.float32(-0.48), np.float32(0.8), np.float32(-0.36))
LIMIT = 100


@cuda.jit(device=True)
def distance(x, y, z):
    """The distance to a ball in a ring above a floor."""
    ball = math.sqrt(x * x + y * y + z * z) - RADIUS
    from_ring = math.sqrt(x * x + z * z) - RING
    ring = math.sqrt(from_ring * from_ring + y * y) - TUBE
    return min(ball, ring, y + FLOOR)


@cuda.jit(device=True)
def normalized(vector):
    x, y, z = vector
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@cuda.jit(device=True)
def normal(x, y, z):
    dx = distance(x + STEP, y, z) - distance(x - STEP, y, z)
    dy = distance(x, y + STEP, z) - distance(x, y - STEP, z)
    dz = distance(x, y, z + STEP) - distance(x, y, z - STEP)
    return normalized((dx, dy, dz))


@cuda.jit(device=True)
def march(origin, direction):
    """The length of the ray and its number of steps; -1.0 if nothing stops it."""
    travelled = float32(0)
    steps = int32(0)
    while travelled < FAR:
        x = origin[0] + travelled * direction[0]
        y = origin[1] + travelled * direction[1]
        z = origin[2] + travelled * direction[2]
        near = distance(x, y, z)
        if near < NEAR:
            break
        travelled += near
        steps += 1
        if steps >= LIMIT:
            return float32(-1), steps
    else:
        travelled = float32(-1)
    return travelled, steps


@cuda.jit
def render(depth, steps, shade):
    column, row = cuda.grid(2)
    height, width = depth.shape
    if column >= width or row >= height:
        return
    right = (float32(column) - float32(width) * HALF) / float32(height)
    up = (float32(height) * HALF - float32(row)) / float32(height)
    direction = normalized((right, up, float32(1)))
    far, count = march(CAMERA, direction)
    depth[row, column] = far
    steps[row, column] = count
    if far < 0:
        shade[row, column] = 0
        return
    x, y, z = CAMERA[0] + far * direction[0], CAMERA[1] + far * direction[1], CAMERA[2] + far * direction[2]
    nx, ny, nz = normal(x, y, z)
    shade[row, column] = max(float32(0), nx * LIGHT[0] + ny * LIGHT[1] + nz * LIGHT[2])


PTX = [(render, "(float32[:, ::1], int32[:, ::1], float32[:, ::1])")]


def distance_numpy(x, y, z):
    ball = np.sqrt(x * x + y * y + z * z) - RADIUS
    from_ring = np.sqrt(x * x + z * z) - RING
    ring = np.sqrt(from_ring * from_ring + y * y) - TUBE
    return np.minimum(np.minimum(ball, ring), y + FLOOR)


def render_numpy(height, width):
    row, column = np.mgrid[0:height, 0:width].astype(np.float32)
    direction = np.stack([(column - width * HALF) / height, (height * HALF - row) / height, np.ones_like(row)])
    direction /= np.sqrt((direction * direction).sum(0))
    travelled, steps = np.zeros((height, width), np.float32), np.zeros((height, width), np.int32)
    running, hit = np.ones((height, width), bool), np.zeros((height, width), bool)
    origin = np.array(CAMERA)[:, None, None]
    while running.any():
        near = distance_numpy(*(origin + travelled * direction))
        hit |= running & (near < NEAR)
        running &= ~hit
        travelled[running] += near[running]
        steps[running] += 1
        running &= (travelled < FAR) & (steps < LIMIT)
    x, y, z = origin + travelled * direction
    slope = np.stack(
        [
            distance_numpy(x + STEP, y, z) - distance_numpy(x - STEP, y, z),
            distance_numpy(x, y + STEP, z) - distance_numpy(x, y - STEP, z),
            distance_numpy(x, y, z + STEP) - distance_numpy(x, y, z - STEP),
        ]
    )
    slope /= np.sqrt((slope * slope).sum(0))
    shade = np.maximum(0, (slope * np.array(LIGHT)[:, None, None]).sum(0))
    return np.where(hit, travelled, np.float32(-1)), steps, np.where(hit, shade, 0)


@pytest.mark.parametrize("block", [(16, 16), (32, 8), (13, 3), (64, 1)])
@pytest.mark.parametrize("size", [(48, 64), (61, 85), (1, 1)])
def test_picture(size, block):
    depth, steps, shade = np.zeros(size, np.float32), np.zeros(size, np.int32), np.zeros(size, np.float32)
    render[(-(-size[1] // block[0]), -(-size[0] // block[1])), block](depth, steps, shade)
    far, taken, light = render_numpy(*size)
    # On an edge, rounding may move a pixel from one surface to another, or change its steps by one.
    few = 0.01 * depth.size
    assert np.count_nonzero((depth < 0) != (far < 0)) <= few
    assert np.count_nonzero(~np.isclose(depth, far, rtol=0, atol=5e-3)) <= few
    assert np.count_nonzero(np.abs(steps - taken) > 1) <= few
    assert np.count_nonzero(~np.isclose(shade, light, rtol=0, atol=2e-2)) <= few
    if depth.size > 1:
        assert (far < 0).any()
        assert len(np.unique(taken)) > 15
