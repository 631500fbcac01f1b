"""The cases by name: functions that launch kernels of numba-cuda and compare with NumPy."""

CASES = {}


def case(function):
    assert function.__name__ not in CASES, function.__name__
    CASES[function.__name__] = function
    return function
