# Distances on the globe, with functions imported from a module for the CPU and turned into device functions.
import cpu_formulas
import numpy as np
from cpu_formulas import clip, haversine, nearest
from treadle import cuda, float64, vectorize

distance = cuda.jit(haversine, device=True, inline=True)
weight = cuda.jit(device=True)(cpu_formulas.weight)
cpu_formulas.clip = cuda.jit(clip, device=True)
closest = cuda.jit(nearest, device=True, fastmath=True)


def _kernel(places, centres, out, index):
    i = cuda.grid(1)
    if i < places.shape[0]:
        row = cuda.local.array(3, float64)
        for k in range(centres.shape[0]):
            row[k] = distance(places[i, 0], places[i, 1], centres[k, 0], centres[k, 1])
        index[i] = closest(row)
        out[i] = weight(row[index[i]], power=3) + weight(row[0], 5000.0)


kernel = cuda.jit()(_kernel)
gpu_clip = vectorize(["float64(float64, float64, float64)"], target="cuda")(clip)

rng = np.random.default_rng(9)
places = np.stack([rng.uniform(-80, 80, 40), rng.uniform(-180, 180, 40)], axis=1)
centres = np.array([[52.5, 13.4], [-33.9, 151.2], [40.7, -74.0]])
out, index = cuda.device_array(40, np.float64), cuda.device_array(40, np.int16)
kernel.forall(40)(cuda.to_device(places), np.asfortranarray(centres), out, index)

rows = np.array([[haversine(*p, *c) for c in centres] for p in places])
np.testing.assert_array_equal(index.copy_to_host(), rows.argmin(axis=1))
expected = np.clip(1 - rows.min(axis=1) / 1000, 0, 1) ** 3 + np.clip(1 - rows[:, 0] / 5000, 0, 1) ** 2
np.testing.assert_allclose(out.copy_to_host(), expected, rtol=1e-9, atol=1e-12)
np.testing.assert_array_equal(gpu_clip(out, 0.25, 0.5).copy_to_host(), np.clip(out.copy_to_host(), 0.25, 0.5))
