# An integrator whose kernel is made by the method that launches it, from functions handed in at run time.
import math

import numpy as np
from numba import cuda, jit


@jit(nopython=True)
def decay(t, y, rate):
    return -rate * y


@jit(nopython=True)
def logistic(t, y, rate):
    return rate * y * (1 - y)


class Integrator:
    def __init__(self, derivative, scheme="euler"):
        self.derivative = derivative
        self.scheme = scheme
        self.milliseconds = None

    def run(self, start, rates, steps, h):
        f, implicit = self.derivative, self.scheme == "midpoint"

        @cuda.jit
        def kernel(y, rates, steps, h):
            i = cuda.grid(1)
            if i >= y.shape[0]:
                return
            value, t = y[i], 0.0
            for _ in range(steps):
                if implicit:
                    half = value + 0.5 * h * f(t, value, rates[i])
                    value += h * f(t + 0.5 * h, half, rates[i])
                else:
                    value += h * f(t, value, rates[i])
                t += h
            y[i] = value

        begin, end = cuda.event(timing=True), cuda.event(timing=True)
        d_y, d_rates = cuda.to_device(start), cuda.to_device(rates)
        begin.record()
        kernel[math.ceil(start.size / 32), 32](d_y, d_rates, steps, h)
        end.record()
        end.synchronize()
        self.milliseconds = cuda.event_elapsed_time(begin, end)
        return d_y.copy_to_host()


start, rates = np.linspace(0.1, 0.9, 45), np.linspace(0.5, 2, 45)
for derivative in (decay, logistic):
    for scheme in ("euler", "midpoint"):
        integrator = Integrator(derivative, scheme)
        found = integrator.run(start, rates, 20, 0.05)
        expected = start.copy()
        for _ in range(20):
            if scheme == "midpoint":
                expected += 0.05 * derivative.py_func(
                    0, expected + 0.025 * derivative.py_func(0, expected, rates), rates
                )
            else:
                expected += 0.05 * derivative.py_func(0, expected, rates)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert integrator.milliseconds >= 0
