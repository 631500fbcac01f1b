# Inputs and results of the kernels over particles.
import numpy as np

from users.common import integers, kernel, uniform

FIELDS = ("x", "y", "z", "vx", "vy", "vz", "mass", "charge")
PARTICLE = np.dtype([(field, np.float32) for field in FIELDS])


def _particles(n):
    return uniform(n, len(FIELDS)).view(PARTICLE)[:, 0]


def move_n3(n=1_000_000):
    position, velocity, dt = uniform(n, 3), uniform(n, 3, low=-1, seed=2), np.float32(0.05)

    def reference():
        moved = position.astype(np.float64) + velocity * np.float64(dt)
        outside = (moved < 0) | (moved > 1)
        moved = np.where(moved < 0, -moved, np.where(moved > 1, 2 - moved, moved))
        return [moved, np.where(outside, -velocity, velocity)]

    # One that comes to rest at the wall but for rounding is reflected or not.
    return kernel(
        "move_n3",
        (dt, position, velocity),
        outputs=(1, 2),
        restored=(1, 2),
        extents=(n,),
        reference=reference,
        tolerance=1e-6,
        may_differ=1e-5,
    )


def move_records(n=1_000_000):
    particles, dt = _particles(n), np.float32(0.05)

    def reference():
        x, y, z, vx, vy, vz, mass, charge = (particles[field].astype(np.float64) for field in FIELDS)
        vy = vy - np.float32(9.81) * np.float64(dt)
        x, y, z = x + vx * dt, y + vy * dt, z + vz * dt
        y, vy = np.abs(y), np.where(y < 0, -vy, vy)
        return [np.stack([x, y, z, vx, vy, vz, mass, charge], axis=1)]

    return kernel(
        "move_records",
        (dt, particles),
        restored=(1,),
        extents=(n,),
        reference=reference,
        tolerance=1e-6,
        may_differ=1e-5,
    )


def energy(n=1_000_000):
    particles = _particles(n)

    def reference():
        mass, *velocity = (particles[field].astype(np.float64) for field in ("mass", "vx", "vy", "vz"))
        return [0.5 * mass * sum(v * v for v in velocity)]

    arguments = (particles, np.zeros(n, np.float32))
    return kernel("energy", arguments, extents=(n,), reference=reference, tolerance=1e-6)


def normalise(n=2_000_000):
    vectors = uniform(n, 3, low=-1)

    def reference():
        wide = vectors.astype(np.float64)
        return [wide / np.linalg.norm(wide, axis=1, keepdims=True)]

    return kernel("normalise", (vectors,), restored=(0,), extents=(n,), reference=reference, tolerance=1e-6)


def lennard_jones(n=20_000, most=40):
    # Jittered places of a lattice, each with up to 40 others from around its own number; -1 ends a row.
    side = round(n ** (1 / 3)) + 1
    places = np.stack(np.unravel_index(np.arange(n), (side, side, side)), axis=1)
    position = places * 1.2 + uniform(n, 3, dtype=np.float64, low=-0.1, high=0.1)
    neighbours = (np.arange(n)[:, None] + 1 + np.argsort(uniform(n, 200), axis=1)[:, :most]) % n
    neighbours[np.arange(most) >= integers(n, dtype=np.int64, low=10, high=most + 1)[:, None]] = -1
    cutoff = np.float64(9.0)

    def reference():
        others = np.where(neighbours < 0, (np.arange(n)[:, None] + 1) % n, neighbours)
        away = position[:, None, :] - position[others]
        r2 = (away * away).sum(axis=2)
        r6 = 1 / (r2 * r2 * r2)
        f = np.where((neighbours >= 0) & (r2 < cutoff**2), 24 * r6 * (2 * r6 - 1) / r2, 0)
        return [(f[:, :, None] * away).sum(axis=1)]

    return kernel(
        "lennard_jones",
        (cutoff, neighbours.astype(np.int32), position, np.zeros((n, 3))),
        extents=(n, most),
        threads=(n,),
        reference=reference,
        tolerance=1e-12,
    )


KERNELS = {
    "move_n3": (move_n3, {"n": 300}),
    "move_records": (move_records, {"n": 300}),
    "energy": (energy, {"n": 300}),
    "normalise": (normalise, {"n": 300}),
    "lennard_jones": (lennard_jones, {"n": 400, "most": 20}),
}
