# Brownian motion: a generator for each thread, positions as complex numbers, a class that owns its states and streams.
import math
import queue

import numpy as np
from treadle import cuda, float64
from treadle.cuda.random import (
    create_xoroshiro128p_states,
    xoroshiro128p_dtype,
    xoroshiro128p_normal_float64,
    xoroshiro128p_uniform_float64,
)


class Ensemble:
    STEPS = 3

    def __init__(self, n, seed):
        self.stream = cuda.stream()
        self.n = n
        self.states = create_xoroshiro128p_states(n, seed=seed, stream=self.stream)
        self.places = cuda.device_array(n, np.complex128, stream=self.stream)
        self.places[:] = 0
        self.log = queue.Queue()

    def __len__(self):
        return self.n

    @staticmethod
    @cuda.jit
    def step(states, places, sigma, steps):
        i = cuda.grid(1)
        if i < places.size:
            z = places[i]
            for _ in range(steps):
                length = sigma * xoroshiro128p_normal_float64(states, i)
                angle = 2 * math.pi * xoroshiro128p_uniform_float64(states, i)
                z += length * (math.cos(angle) + 1j * math.sin(angle))
            places[i] = z

    def run(self, sigma):
        blocks = int(np.ceil(len(self) / 64))
        self.step[blocks, 64, self.stream](self.states, self.places, sigma, self.STEPS)
        self.stream.add_callback(lambda stream, status, arg: self.log.put(arg), sigma)
        return self

    def mean_square(self):
        distance = cuda.device_array(self.n, np.float64, stream=self.stream)
        squares.forall(self.n, stream=self.stream)(self.places, distance)
        return sum_of(distance, stream=self.stream) / self.n


@cuda.jit
def squares(z, out):
    i = cuda.grid(1)
    if i < z.size:
        out[i] = (z[i] * z[i].conjugate()).real


@cuda.reduce
def sum_of(a, b):
    return a + b


@cuda.jit
def replay(states, numbers):
    i = cuda.grid(1)
    own = cuda.local.array(2, float64)
    for k in range(numbers.shape[1]):
        own[0] = xoroshiro128p_normal_float64(states, i)
        own[1] = xoroshiro128p_uniform_float64(states, i)
        numbers[i, k, 0], numbers[i, k, 1] = own[0], own[1]


n = 100
ensemble = Ensemble(n, seed=99).run(0.5).run(0.25)
ensemble.stream.synchronize()
assert [ensemble.log.get(timeout=60) for _ in range(2)] == [0.5, 0.25] and ensemble.states.dtype == xoroshiro128p_dtype

numbers = np.zeros((n, 6, 2))
replay[1, n](create_xoroshiro128p_states(n, seed=99), numbers)
length = numbers[:, :, 0] * np.repeat([0.5, 0.25], 3)
expected = (length * np.exp(2j * np.pi * numbers[:, :, 1])).sum(axis=1)
np.testing.assert_allclose(ensemble.places.copy_to_host(), expected, rtol=1e-12)
np.testing.assert_allclose(ensemble.mean_square(), (np.abs(expected) ** 2).mean())
assert len(np.unique(numbers)) == numbers.size and ((numbers[:, :, 1] >= 0) & (numbers[:, :, 1] < 1)).all()
assert abs(numbers[:, :, 0].mean()) < 0.2 and abs(numbers[:, :, 0].std() - 1) < 0.15
