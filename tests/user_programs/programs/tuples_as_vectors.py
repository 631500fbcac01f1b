# A ray tracer whose vectors are tuples; rows of a matrix by name; states written as slices, from the end as well.
import math

import numpy as np
from treadle import cuda

SPHERES = (((0.0, 0.0, 5.0), 1.0, (1.0, 0.2, 0.1)), ((1.5, 0.5, 6.0), 0.7, (0.1, 0.9, 0.4)))


@cuda.jit(device=True, inline=True)
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@cuda.jit(device=True)
def add(a, b, scale=1.0):
    ax, ay, az = a
    return (ax + scale * b[0], ay + scale * b[1], az + scale * b[2])


@cuda.jit(device=True)
def turned(rows, v):
    return dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)


@cuda.jit(device=True)
def hit(origin, direction, sphere):
    centre, radius, color = sphere
    oc = add(origin, centre, -1.0)
    b = dot(oc, direction)
    root = b * b - dot(oc, oc) + radius**2
    if root < 0:
        return math.inf, color
    return -b - math.sqrt(root), color


@cuda.jit
def render(R, states, image):
    i, j = cuda.grid(2)
    if i >= image.shape[0] or j >= image.shape[1]:
        return
    R0, R1, R2 = R[0, :], R[1, :], R[2, :]
    direction = turned((R0, R1, R2), ((j - 4) / 8.0, (i - 3) / 8.0, 1.0))
    length = math.sqrt(dot(direction, direction))
    direction = (direction[0] / length, direction[1] / length, direction[2] / length)
    nearest = (math.inf, (0.0, 0.0, 0.0))
    for sphere in SPHERES:
        distance, color = hit((0.0, 0.0, 0.0), direction, sphere)
        if distance < nearest[0]:
            nearest = (distance, color)
    image[i, j, :] = nearest[1]
    state = states[i, j]
    if nearest[0] < math.inf:
        vx, vy, vz = add((0.0, 0.0, 0.0), direction, nearest[0])
        state[3:6] = vx, vy, vz
        state[-1] = nearest[0]
    state[0:3] = direction
    (r, g, b) = image[i, j, 0:3]
    state[6] = max(r, g, b)
    states[i, j, -2] = np.float32(np.sum(state[0:3] * state[0:3]))


angle = 0.1
R = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
states, image = cuda.to_device(np.zeros((6, 9, 9))), cuda.device_array((6, 9, 3), np.float16)
render[(1, 2), (8, 8)](R, states, image)
states, image = states.copy_to_host(), image.copy_to_host()

for i, j in np.ndindex(6, 9):
    d = R @ [(j - 4) / 8, (i - 3) / 8, 1.0]
    d /= np.linalg.norm(d)
    best, best_color = math.inf, (0, 0, 0)
    for centre, radius, color in SPHERES:
        b = -np.dot(centre, d)
        root = b * b - np.dot(centre, centre) + radius**2
        if root >= 0 and -b - math.sqrt(root) < best:
            best, best_color = -b - math.sqrt(root), color
    np.testing.assert_array_equal(image[i, j], np.array(best_color, np.float16))
    expected = np.zeros(9)
    expected[:3], expected[6], expected[7] = d, max(np.array(best_color, np.float16)), 1
    if best < math.inf:
        expected[3:6], expected[8] = d * best, best
    np.testing.assert_allclose(states[i, j], expected, rtol=1e-6, atol=1e-12)
assert (states[:, :, 8] > 0).any() and (states[:, :, 8] == 0).any()
