# Particles as records of 20 fields, taken out of their array and written through; kernels travel by pickle.
import enum
import math
import pickle

import numpy as np
from treadle import cuda


class State(enum.IntEnum):
    FREE = 0
    CAUGHT = 3
    LOST = -2


AXES = "xyz"
particle = np.dtype(
    [(name, np.float64) for name in ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az", "mass", "charge", "radius")]
    + [("state", np.int8), ("kind", np.uint16), ("hits", np.int32), ("born", "m8[ms]"), ("age", "m8[us]")]
    + [("trail", np.float32, (3, 2)), ("spin", np.complex64), ("weight", np.float16)]
)
assert len(particle.names) == 20


@cuda.jit
def pull(particles, softening):
    i = cuda.grid(1)
    if i >= particles.shape[0]:
        return
    p = particles[i]
    p["ax"], p["ay"], p.az = 0.0, 0.0, 0.0
    for j in range(particles.shape[0]):
        if j == i:
            continue
        q = particles[j]
        dx, dy, dz = q.x - p.x, q["y"] - p["y"], q.z - p.z
        f = q.mass / (dx * dx + dy * dy + dz * dz + softening) ** 1.5
        p.ax += f * dx
        p["ay"] += f * dy
        particles[i]["az"] += f * dz


@cuda.jit
def move(particles, h, step):
    i = cuda.grid(1)
    if i < particles.shape[0]:
        r = particles[i]
        r.vx += h * r.ax
        r.vy += h * r.ay
        r.vz += h * r.az
        r["x"] += h * r["vx"]
        r["y"] += h * r["vy"]
        r["z"] += h * r["vz"]
        r.hits += 1
        r.age += step
        r.trail[r.hits % 3, 0] = r.x
        r.trail[r.hits % 3][1] = r.y
        r.spin *= 1j
        r.weight = r.weight * 2 + r.kind
        if math.hypot(r.x, r.y) > 2:
            r.state = State.LOST
        elif r.state == State.FREE and r.age > r.born:
            r.state = State.CAUGHT


def host_step(p, h, step):
    place = np.stack([p[a] for a in AXES])
    d = place[:, None, :] - place[:, :, None]
    f = p["mass"] / ((d * d).sum(axis=0) + 0.1) ** 1.5
    for k, a in enumerate(AXES):
        p["a" + a] = (f * d[k]).sum(axis=1)
        p["v" + a] += h * p["a" + a]
        p[a] += h * p["v" + a]
    p["hits"] += 1
    p["age"] += step
    p["spin"] *= 1j
    p["weight"] = p["weight"] * 2 + p["kind"]
    lost = np.hypot(p["x"], p["y"]) > 2
    p["state"] = np.where(lost, -2, np.where((p["state"] == 0) & (p["age"] > p["born"]), 3, p["state"]))


rng = np.random.default_rng(8)
start = np.zeros(20, particle)
for name in ("x", "y", "z", "vx", "vy", "vz", "mass", "charge"):
    start[name] = rng.uniform(0.1, 2, 20)
start["kind"], start["weight"], start["spin"], start["born"] = np.arange(20), 0.5, 1 + 2j, np.arange(20)
expected, device = start.copy(), cuda.to_device(start)
kernels = [pickle.loads(pickle.dumps(k)) for k in (pull, move)]
for _ in range(3):
    kernels[0][1, 32](device, 0.1)
    kernels[1][1, 32](device, 0.01, np.timedelta64(4, "ms"))
    host_step(expected, 0.01, np.timedelta64(4, "ms"))
found = device.copy_to_host()
for name in particle.names:
    if name == "trail":
        np.testing.assert_allclose(found["trail"][:, 0], np.stack([expected["x"], expected["y"]], axis=1), rtol=1e-5)
    elif particle[name].kind in "fc":
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5 if particle[name].itemsize < 16 else 1e-12)
    else:
        np.testing.assert_array_equal(found[name], expected[name], name)
