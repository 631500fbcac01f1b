"""`initialize_all`, under the name of `numba.cuda.initialize`."""


def initialize_all():
    """Does nothing: Treadle's functions need no registration."""
