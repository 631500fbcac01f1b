# Points in polygons: loops over rows of arrays, global and shared, and over records of an array.
import numpy as np
from treadle import cuda, float64

CORNERS = np.array([[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]], [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]])
city = np.dtype([("place", "f8", (2,)), ("people", "i4"), ("founded", "M8[Y]")])


@cuda.jit(device=True)
def inside(ring, x, y):
    crossings = 0
    for k, corner in enumerate(ring):
        previous = ring[k - 1]
        if (corner[1] > y) != (previous[1] > y):
            at = (previous[0] - corner[0]) * (y - corner[1]) / (previous[1] - corner[1]) + corner[0]
            if x < at:
                crossings += 1
    return crossings % 2 == 1


@cuda.jit
def classify(cities, kinds, people):
    i = cuda.grid(1)
    if i < cities.size:
        kinds[i] = 0
        for k, ring in enumerate(CORNERS):
            if inside(ring, cities[i].place[0], cities[i]["place"][1]):
                kinds[i] += 1 << k
        if CORNERS[0][2][0] == 4.0:
            cuda.atomic.add(people, kinds[i], cities[i].people)


@cuda.jit
def means(cities, out, oldest):
    shared = cuda.shared.array(32, float64)
    i = cuda.threadIdx.x
    shared[i] = cities[i].people if i < cities.size else 0.0
    cuda.syncthreads()
    total = 0.0
    for x in shared:
        total += x
    out[i] = total / cities.size
    if i == 0:
        first = cities[0].founded
        for c in cities:
            if c.founded < first:
                first = c.founded
        oldest[0] = first


rng = np.random.default_rng(0)
cities = np.zeros(25, city)
cities["place"] = rng.uniform(-1, 5, (25, 2))
cities["people"] = rng.integers(1, 1000, 25)
cities["founded"] = np.datetime64("1100", "Y") + rng.integers(0, 800, 25)
kinds, people = np.zeros(25, np.uint8), np.zeros(4, np.int32)
classify[1, 32](cities, kinds, people)
x, y = cities["place"].T
expected = ((x > 0) & (x < 4) & (y > 0) & (y < 3)) * 1 + ((x > 1) & (x < 2) & (y > 1) & (y < 2)) * 2
np.testing.assert_array_equal(kinds, expected)
np.testing.assert_array_equal(people, np.bincount(expected, cities["people"], minlength=4))
out, oldest = np.zeros(32), np.zeros(1, "M8[D]")
means[1, 32](cities, out, oldest)
np.testing.assert_allclose(out, cities["people"].mean())
assert oldest[0] == cities["founded"].min()
