# Functions of elements over whole arrays: Treadle's vectorize, Numba's for both cores, NumPy's own ufuncs.
import math
import platform

import numpy as np

from sides.common import launch_loop


def versions():
    return f"{MAKER.__name__.title()}, Python {platform.python_version()}, NumPy {np.__version__}"


def _maker():
    """What makes ufuncs in this process."""
    try:
        import treadle

        return treadle
    except ImportError:
        import numba

        return numba


MAKER = _maker()
R, V = 0.02, 0.30


def open_case(name, maker="", count=1 << 20, given=False):
    if name in ("arrays", "number", "out", "np.add", "np.add out", "np.sqrt"):
        return Small(name)
    function = NUMPY[name] if maker == "numpy" else COMPILED[name]
    return Large(name, function, count, given)


def inputs_of(name, count):
    random = np.random.default_rng(5)
    if name == "add":
        return [random.random(count), random.random(count)]
    return [random.uniform(5, 30, count), random.uniform(1, 100, count), random.uniform(0.25, 10, count)]


class Large:
    """One call with arrays of the host. `given`: the result goes to an array that is there, else to a new one."""

    def __init__(self, name, function, count, given):
        self.inputs = inputs_of(name, count)
        self.function = function
        self.more = {"out": np.empty(count)} if given else {}
        self.result = None

    def run(self):
        self.result = self.function(*self.inputs, **self.more)

    def outputs(self):
        return [self.result]


def add(x, y):
    return x + y


def tail(d):
    """The normal distribution, by the polynomial of CUDA's samples."""
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    value = 0.39894228040143267794 * math.exp(-0.5 * d * d) * series
    return 1.0 - value if d > 0 else value


def _compiled():
    helper = MAKER.njit(tail) if MAKER.__name__ == "numba" else MAKER.cuda.jit(tail, device=True)

    def black_scholes(price, strike, years):
        root = math.sqrt(years)
        d1 = (math.log(price / strike) + (R + 0.5 * V * V) * years) / (V * root)
        return price * helper(d1) - strike * math.exp(-R * years) * helper(d1 - V * root)

    made = MAKER.vectorize
    return {
        "add": made(["float64(float64, float64)"], target="parallel")(add),
        "Black-Scholes": made(["float64(float64, float64, float64)"], target="parallel")(black_scholes),
    }


COMPILED = _compiled()


def numpy_black_scholes(price, strike, years, out=None):
    def distribution(d):
        k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        value = 0.39894228040143267794 * np.exp(-0.5 * d * d) * series
        return np.where(d > 0, 1.0 - value, value)

    root = np.sqrt(years)
    d1 = (np.log(price / strike) + (R + 0.5 * V * V) * years) / (V * root)
    discount = strike * np.exp(-R * years)
    return np.subtract(price * distribution(d1), discount * distribution(d1 - V * root), out=out)


NUMPY = {"add": np.add, "Black-Scholes": numpy_black_scholes}


class Small:
    """LAUNCHES calls with device arrays of 16 elements."""

    CALLS = {
        "arrays": "f(x, y)",
        "number": "f(x, 2.0)",
        "out": "f(x, y, out=z)",
        "np.add": "add(x, y)",
        "np.add out": "add(x, y, out=z)",
        "np.sqrt": "sqrt(x)",
    }

    def __init__(self, name):
        from treadle import cuda

        x, y, z = (cuda.to_device(np.arange(16.0)) for _ in range(3))
        names = {"f": COMPILED["add"], "x": x, "y": y, "z": z, "add": np.add, "sqrt": np.sqrt}
        self.run = launch_loop(self.CALLS[name], names)
        self.result = eval(self.CALLS[name], dict(names))

    def outputs(self):
        return [self.result.copy_to_host()]
