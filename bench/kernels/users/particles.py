# Particles in CUDA Python: as arrays of shape (n, 3), as records, and in cells.
import math

from treadle import cuda, float32


@cuda.jit
def move_n3(dt, position, velocity):
    i = cuda.grid(1)
    if i < position.shape[0]:
        for axis in range(3):
            position[i, axis] += velocity[i, axis] * dt
            if position[i, axis] < 0:
                position[i, axis] = -position[i, axis]
                velocity[i, axis] = -velocity[i, axis]
            elif position[i, axis] > 1:
                position[i, axis] = 2 - position[i, axis]
                velocity[i, axis] = -velocity[i, axis]


@cuda.jit
def move_records(dt, particles):
    i = cuda.grid(1)
    if i < particles.size:
        p = particles[i]
        p.vy -= float32(9.81) * dt
        p.x += p.vx * dt
        p.y += p.vy * dt
        p.z += p.vz * dt
        if p.y < 0:
            p.y = -p.y
            p.vy = -p.vy


@cuda.jit
def energy(particles, out):
    i = cuda.grid(1)
    if i < particles.size:
        p = particles[i]
        out[i] = 0.5 * p.mass * (p.vx**2 + p.vy**2 + p.vz**2)


@cuda.jit
def normalise(vectors):
    i = cuda.grid(1)
    if i < vectors.shape[0]:
        x = vectors[i, 0]
        y = vectors[i, 1]
        z = vectors[i, 2]
        length = math.sqrt(x * x + y * y + z * z)
        if length > 0:
            vectors[i, 0] = x / length
            vectors[i, 1] = y / length
            vectors[i, 2] = z / length


@cuda.jit
def lennard_jones(cutoff, neighbours, position, force):
    i = cuda.grid(1)
    if i < position.shape[0]:
        fx = 0.0
        fy = 0.0
        fz = 0.0
        for k in range(neighbours.shape[1]):
            j = neighbours[i, k]
            if j < 0:
                break
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < cutoff * cutoff:
                r6 = 1.0 / (r2 * r2 * r2)
                f = 24.0 * r6 * (2.0 * r6 - 1.0) / r2
                fx += f * dx
                fy += f * dy
                fz += f * dz
        force[i, 0] = fx
        force[i, 1] = fy
        force[i, 2] = fz
