"""NumPy's functions of numbers, which are functions of the elements of arrays, too."""

from treadle.library import provides


@provides("numpy.where", elementwise=True)
def where(condition, x, y):
    """x where the condition holds, else y."""
    return x if condition else y


@provides("numpy.clip", elementwise=True)
def clip(a, a_min, a_max):
    """`a` within the bounds; NaN stays."""
    if a < a_min:
        return a_min
    if a > a_max:
        return a_max
    return a
