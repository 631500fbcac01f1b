"""The part of Numba for the CPU that the programs use, for environments without Numba: functions stay Python's."""

import treadle


class _Dispatcher:
    """What Numba's decorators make."""

    def __init__(self, function, options):
        self.py_func = function
        self.targetoptions = options

    def __call__(self, *arguments):
        return self.py_func(*arguments)


def njit(*arguments, **options):
    """A decorator, or the decorated function."""
    if arguments and callable(arguments[0]):
        return _Dispatcher(arguments[0], options)
    return lambda function: _Dispatcher(function, options)


jit = njit


def __getattr__(name):
    return getattr(treadle, name)
