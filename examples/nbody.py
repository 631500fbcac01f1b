# Gravity among n bodies, tiled through shared memory; the drift of the total energy says how good the steps are.
import math

import numpy as np
from treadle import cuda, float32

TILE = 256
SOFTENING = np.float32(0.05)


@cuda.jit
def accelerate(bodies, acceleration):
    """bodies holds x, y, z and mass in a row; each block walks through all of them a tile at a time."""
    tile = cuda.shared.array((4, TILE), float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    count = bodies.shape[0]
    x = y = z = ax = ay = az = float32(0.0)
    if i < count:
        x, y, z = bodies[i, 0], bodies[i, 1], bodies[i, 2]
    for start in range(0, count, TILE):
        for part in range(4):
            tile[part, thread] = bodies[start + thread, part] if start + thread < count else float32(0.0)
        cuda.syncthreads()
        for k in range(TILE):
            dx = tile[0, k] - x
            dy = tile[1, k] - y
            dz = tile[2, k] - z
            squared = dx * dx + dy * dy + dz * dz + SOFTENING * SOFTENING
            pull = tile[3, k] / (squared * math.sqrt(squared))
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        cuda.syncthreads()
    if i < count:
        acceleration[i, 0] = ax
        acceleration[i, 1] = ay
        acceleration[i, 2] = az


@cuda.jit
def kick(velocity, acceleration, time):
    i = cuda.grid(1)
    if i < velocity.shape[0]:
        for axis in range(3):
            velocity[i, axis] += time * acceleration[i, axis]


@cuda.jit
def drift(bodies, velocity, time):
    i = cuda.grid(1)
    if i < bodies.shape[0]:
        for axis in range(3):
            bodies[i, axis] += time * velocity[i, axis]


def simulate(bodies, velocity, steps, time_step=0.01):
    """Leapfrog steps over float32 arrays bodies (n, 4) and velocity (n, 3); returns both as they are afterwards."""
    bodies = cuda.to_device(bodies)
    velocity = cuda.to_device(velocity)
    acceleration = cuda.device_array(velocity.shape, np.float32)
    launch = (bodies.shape[0] + TILE - 1) // TILE, TILE
    whole, half = np.float32(time_step), np.float32(time_step / 2)
    accelerate[launch](bodies, acceleration)
    for _ in range(steps):
        kick[launch](velocity, acceleration, half)
        drift[launch](bodies, velocity, whole)
        accelerate[launch](bodies, acceleration)
        kick[launch](velocity, acceleration, half)
    return bodies.copy_to_host(), velocity.copy_to_host()


def accelerate_numpy(bodies):
    acceleration = np.empty((len(bodies), 3), np.float32)
    for chunk in range(0, len(bodies), TILE):
        away = bodies[None, :, :3] - bodies[chunk : chunk + TILE, None, :3]
        squared = (away * away).sum(axis=2) + SOFTENING * SOFTENING
        pull = bodies[:, 3] / (squared * np.sqrt(squared))
        acceleration[chunk : chunk + TILE] = (pull[:, :, None] * away).sum(axis=1)
    return acceleration


def simulate_numpy(bodies, velocity, steps, time_step=0.01):
    bodies, velocity = bodies.copy(), velocity.copy()
    whole, half = np.float32(time_step), np.float32(time_step / 2)
    acceleration = accelerate_numpy(bodies)
    for _ in range(steps):
        velocity += half * acceleration
        bodies[:, :3] += whole * velocity
        acceleration = accelerate_numpy(bodies)
        velocity += half * acceleration
    return bodies, velocity


def total_energy(bodies, velocity):
    """Kinetic and potential energy together, in double precision."""
    position, mass = bodies[:, :3].astype(np.float64), bodies[:, 3].astype(np.float64)
    energy = 0.5 * (mass * (velocity.astype(np.float64) ** 2).sum(axis=1)).sum()
    for i in range(len(mass)):
        away = position[i + 1 :] - position[i]
        squared = (away * away).sum(axis=1) + float(SOFTENING) ** 2
        energy -= (mass[i] * mass[i + 1 :] / np.sqrt(squared)).sum()
    return energy


def make_cluster(count=4096, seed=1):
    """A ball of equal masses, together 1, each moving at random, slower than it would have to to escape."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    bodies = np.empty((count, 4), np.float32)
    bodies[:, :3] = direction * np.cbrt(rng.random((count, 1)))
    bodies[:, 3] = 1.0 / count
    velocity = rng.normal(scale=0.4, size=(count, 3)).astype(np.float32)
    return bodies, velocity


def main(count=4096, steps=20):
    bodies, velocity = make_cluster(count)
    before = total_energy(bodies, velocity)
    after = total_energy(*simulate(bodies, velocity, steps))
    print(f"{count} bodies, {steps} steps: energy {before:.6f} -> {after:.6f}, drift {abs(after / before - 1):.1e}")


if __name__ == "__main__":
    main()
