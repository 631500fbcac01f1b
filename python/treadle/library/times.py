"""Dates and durations of NumPy, as NumPy computes with them. NaT is the smallest int64."""

import math

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import refuse, ticks, time_of, unit, unit_factor, unit_named
from treadle.library.integer_functions import magnitude
from treadle.types import float64, int64

_NAT = -9223372036854775808
_MONTH, _WEEK, _DAY, _NONE = 1, 2, 3, 13


def _days_of_months(months):
    """Days from 1970-01-01 to the first of a month, which is counted from January 1970."""
    year = 1970 + months // 12
    month = months % 12
    # Years begin in March, so that the leap day is the last.
    if month < 2:
        year -= 1
        shifted = month + 10
    else:
        shifted = month - 2
    era = year // 400
    in_era = year - era * 400
    return era * 146097 + in_era * 365 + in_era // 4 - in_era // 100 + (153 * shifted + 2) // 5 - 719468


def _months_of_days(days):
    """The month, counted from January 1970, of a day counted from its first."""
    z = days + 719468
    era = z // 146097
    in_era = z - era * 146097
    years = (in_era - in_era // 1460 + in_era // 36524 - in_era // 146096) // 365
    of_year = in_era - (365 * years + years // 4 - years // 100)
    shifted = (5 * of_year + 2) // 153
    year = years + era * 400 + (1 if shifted >= 10 else 0)
    month = shifted + 2 if shifted < 10 else shifted - 10
    return (year - 1970) * 12 + month


def _finer(count, coarse, fine):
    """A count of a unit in a finer one."""
    if unit_factor(coarse, fine) == 0:
        refuse("these units of time have no common one that fits 64 bits")
        return count
    return count * unit_factor(coarse, fine)


def _coarser(count, fine, coarse):
    """A count of a unit in a coarser one, rounded down; that may be longer than 64 bits of the fine one."""
    if unit_factor(coarse, fine) == 0:
        return int64(-1 if count < 0 else 0)
    return count // unit_factor(coarse, fine)


def _date_in(count, given, wanted):
    """A date's count in another unit: earlier or later, rounded down."""
    if count == _NAT:
        return int64(_NAT)
    if given in (wanted, _NONE) or wanted == _NONE:
        return count
    if given <= _MONTH:
        months = _finer(count, given, _MONTH)
        if wanted <= _MONTH:
            return _coarser(months, _MONTH, wanted)
        if wanted == _WEEK:
            return _days_of_months(months) // 7
        return _finer(_days_of_months(months), _DAY, wanted)
    if wanted <= _MONTH:
        if given == _WEEK:
            return _coarser(_months_of_days(count * 7), _MONTH, wanted)
        return _coarser(_months_of_days(_coarser(count, given, _DAY)), _MONTH, wanted)
    if given < wanted:
        return _finer(count, given, wanted)
    return _coarser(count, given, wanted)


def _duration_in(count, given, wanted):
    """A duration's count in another unit, rounded down where that is coarser, as NumPy's."""
    if given in (wanted, _NONE) or wanted == _NONE:
        return count
    if (given <= _MONTH) != (wanted <= _MONTH):
        refuse("years and months have no fixed number of days: these units do not go together")
        return count
    if count == _NAT:
        return int64(_NAT)
    if given < wanted:
        return _finer(count, given, wanted)
    return _coarser(count, given, wanted)


@provides("time.cast")
def cast(x, wanted):
    """A date or duration in the unit of a type of elements; an integer as a count of it."""
    if isinstance(x, int):
        return time_of(int64(x), True, unit(wanted))
    if isinstance(x, np.datetime64):
        return time_of(_date_in(ticks(x), unit(x), unit(wanted)), False, unit(wanted))
    if isinstance(x, np.timedelta64):
        return time_of(_duration_in(ticks(x), unit(x), unit(wanted)), True, unit(wanted))
    refuse("only a date or a duration can be stored into an array of them")
    return None


def _common(x, y):
    """The unit in which two times are computed: the finer one; that of the other where one has none."""
    one, other = unit(x), unit(y)
    if one == _NONE:
        return other
    if other == _NONE:
        return one
    return max(one, other)


def _ticks_in(x, wanted):
    if isinstance(x, np.datetime64):
        return _date_in(ticks(x), unit(x), wanted)
    return _duration_in(ticks(x), unit(x), wanted)


def _added(x, y):
    # -_NAT is _NAT.
    return int64(_NAT) if x == _NAT or y == _NAT else x + y


@provides("time.add", "time.iadd")
def add(x, y):
    """x + y: two durations, or a date and a duration; integers count in the unit of the other."""
    if isinstance(x, int):
        return add(time_of(int64(x), True, unit(y)), y)
    if isinstance(y, int):
        return add(x, time_of(int64(y), True, unit(x)))
    if not isinstance(x, (np.datetime64, np.timedelta64)) or not isinstance(y, (np.datetime64, np.timedelta64)):
        refuse("only dates, durations and integers can be added")
        return x
    if isinstance(x, np.datetime64) and isinstance(y, np.datetime64):
        refuse("two dates cannot be added", "a date and a duration")
        return x
    if isinstance(x, np.timedelta64) and isinstance(y, np.timedelta64):
        return time_of(_added(_ticks_in(x, _common(x, y)), _ticks_in(y, _common(x, y))), True, _common(x, y))
    if isinstance(x, np.datetime64):
        # A date in days cannot add or subtract months; one in months becomes one in days.
        if unit(y) <= _MONTH and unit(x) > _MONTH and unit(x) != _NONE:
            refuse("years and months have no fixed number of days: these units do not go together")
            return x
        return time_of(_added(_ticks_in(x, _common(x, y)), _ticks_in(y, _common(x, y))), False, _common(x, y))
    return add(y, x)


@provides("time.sub", "time.isub")
def sub(x, y):
    """x - y: of two dates a duration."""
    if isinstance(x, int):
        return sub(time_of(int64(x), True, unit(y)), y)
    if isinstance(y, int):
        return sub(x, time_of(int64(y), True, unit(x)))
    if not isinstance(x, (np.datetime64, np.timedelta64)) or not isinstance(y, (np.datetime64, np.timedelta64)):
        refuse("only dates, durations and integers can be subtracted")
        return x
    if isinstance(x, np.datetime64) and isinstance(y, np.datetime64):
        return time_of(_added(_ticks_in(x, _common(x, y)), -_ticks_in(y, _common(x, y))), True, _common(x, y))
    if isinstance(y, np.datetime64):
        refuse("a date cannot be subtracted from a duration")
        return x
    return add(x, time_of(-ticks(y), True, unit(y)))


@provides("time.mul", "time.imul")
def mul(x, y):
    """A duration times a number, in its unit; of floats the part before the point."""
    if isinstance(x, np.timedelta64):
        if not isinstance(y, (int, float)):
            refuse("a duration can be multiplied by a real number")
            return x
        if isinstance(y, float):
            return time_of(_truncated(ticks(x), float64(ticks(x)) * float64(y)), True, unit(x))
        return time_of(ticks(x) if ticks(x) == _NAT else ticks(x) * int64(y), True, unit(x))
    if not isinstance(y, np.timedelta64):
        refuse("dates cannot be multiplied")
        return x
    return mul(y, x)


def _truncated(count, value):
    if count == _NAT or math.isnan(value) or math.isinf(value):
        return int64(_NAT)
    return int64(value)


@provides("time.truediv", "time.itruediv")
def truediv(x, y):
    """A duration divided by a number, in its unit, towards zero; by a duration a float64."""
    if not isinstance(x, np.timedelta64):
        refuse("only durations can be divided")
        return x
    if isinstance(y, np.timedelta64):
        one, other = _ticks_in(x, _common(x, y)), _ticks_in(y, _common(x, y))
        if one == _NAT or other == _NAT:
            return float64(math.nan)
        return float64(one) / float64(other)
    if isinstance(y, float):
        return time_of(_truncated(ticks(x), float64(ticks(x)) / float64(y)), True, unit(x))
    if not isinstance(y, int) or isinstance(y, (bool, np.bool_)):
        refuse("a duration can be divided by an integer, a float or a duration")
        return x
    return time_of(_divided(ticks(x), int64(y)), True, unit(x))


def _divided(count, divisor):
    if count == _NAT or divisor == 0:
        return int64(_NAT)
    quotient = int64(magnitude(count) // magnitude(divisor))
    return quotient if (count < 0) == (divisor < 0) else -quotient


@provides("time.floordiv", "time.ifloordiv")
def floordiv(x, y):
    """A duration divided by a number, in its unit, towards zero, as NumPy does it; by a duration an int64, rounded
    down, 0 where there is no result."""
    if not isinstance(x, np.timedelta64):
        refuse("only durations can be divided")
        return x
    if isinstance(y, np.timedelta64):
        one, other = _ticks_in(x, _common(x, y)), _ticks_in(y, _common(x, y))
        if one == _NAT or other == _NAT or other == 0:
            return int64(0)
        return one // other
    return truediv(x, y)


@provides("time.mod", "time.imod")
def mod(x, y):
    """What is left of a duration after division by another; it has the divisor's sign."""
    if not isinstance(x, np.timedelta64) or not isinstance(y, np.timedelta64):
        refuse("the remainder is that of two durations")
        return x
    one, other = _ticks_in(x, _common(x, y)), _ticks_in(y, _common(x, y))
    if one == _NAT or other == _NAT or other == 0:
        return time_of(int64(_NAT), True, _common(x, y))
    return time_of(one % other, True, _common(x, y))


@provides(
    *(f"time.{name}" for name in ("pow", "ipow", "lshift", "ilshift", "rshift", "irshift")),
    *(f"time.{name}" for name in ("and_", "iand", "or_", "ior", "xor", "ixor")),
)
def without_meaning(x, y):
    """Operators that are undefined for times."""
    refuse("dates and durations have no powers and no bits", "their counts: int(t)")
    return x


@provides("time.invert")
def invert(x):
    """~x, which is undefined for times."""
    refuse("dates and durations have no powers and no bits", "their counts: int(t)")
    return x


@provides("time.neg")
def neg(x):
    """-x, of a duration."""
    if not isinstance(x, np.timedelta64):
        refuse("dates have no negatives")
        return x
    return time_of(ticks(x) if ticks(x) == _NAT else -ticks(x), True, unit(x))


@provides("time.pos")
def pos(x):
    """+x, of a duration."""
    if not isinstance(x, np.timedelta64):
        refuse("dates have no signs")
        return x
    return time_of(ticks(x), True, unit(x))


@provides("time.abs", "time.absolute")
def absolute(x):
    """The length of a duration."""
    if not isinstance(x, np.timedelta64):
        refuse("dates have no signs")
        return x
    return neg(x) if ticks(x) < 0 else time_of(ticks(x), True, unit(x))


@provides("time.sign")
def sign(x):
    """A duration of 1, 0 or -1 units."""
    if not isinstance(x, np.timedelta64):
        refuse("dates have no signs")
        return x
    if ticks(x) == _NAT:
        return time_of(int64(_NAT), True, unit(x))
    return time_of(int64(1 if ticks(x) > 0 else -1 if ticks(x) < 0 else 0), True, unit(x))


@provides("time.bool")
def truth(x):
    """Whether it is not 0. NaT is true."""
    return ticks(x) != 0


@provides("time.int", "time.int64")
def count(x):
    """The count of its unit."""
    return ticks(x)


@provides("numpy.isnat", elementwise=True)
def isnat(x):
    """Whether it is no time."""
    return ticks(x) == _NAT


@provides("time.eq", "time.equal")
def eq(x, y):
    """x == y; nothing equals NaT."""
    one, other = _compared(x, y)
    return one == other and one != _NAT


@provides("time.ne", "time.not_equal")
def ne(x, y):
    """x != y; NaT differs from everything."""
    one, other = _compared(x, y)
    return one != other or one == _NAT


def _compared(x, y):
    """Both counts in one unit."""
    if not isinstance(x, (np.datetime64, np.timedelta64)) or not isinstance(y, (np.datetime64, np.timedelta64)):
        refuse("times can be compared with times only")
        return int64(0), int64(0)
    if isinstance(x, np.datetime64) != isinstance(y, np.datetime64):
        refuse("a date cannot be compared with a duration")
        return int64(0), int64(0)
    return _ticks_in(x, _common(x, y)), _ticks_in(y, _common(x, y))


@provides("time.lt", "time.less")
def lt(x, y):
    """x < y; false with NaT."""
    one, other = _compared(x, y)
    return one < other and one != _NAT and other != _NAT


@provides("time.le", "time.less_equal")
def le(x, y):
    """x <= y; false with NaT."""
    one, other = _compared(x, y)
    return one <= other and one != _NAT and other != _NAT


@provides("time.gt", "time.greater")
def gt(x, y):
    """x > y; false with NaT."""
    return lt(y, x)


@provides("time.ge", "time.greater_equal")
def ge(x, y):
    """x >= y; false with NaT."""
    return le(y, x)


@provides("time.min")
def least(x, y):
    """The smaller one, as Python's min compares them."""
    return y if lt(y, x) else x


@provides("time.max")
def greatest(x, y):
    """The larger one, as Python's max compares them."""
    return y if lt(x, y) else x


@provides("numpy.timedelta64")
def timedelta64(value, unit_name=None):
    """A duration of so many units; of a duration, the same in another unit."""
    if isinstance(value, np.timedelta64):
        if unit_name is None:
            return value
        return time_of(_duration_in(ticks(value), unit(value), unit_named(unit_name)), True, unit_named(unit_name))
    if isinstance(value, str):
        if value != "NaT":
            refuse("np.timedelta64() of a text in kernels knows 'NaT' only")
            return value
        return time_of(int64(_NAT), True, _NONE)
    if not isinstance(value, int):
        refuse("np.timedelta64() in kernels takes an integer or a duration")
        return value
    if unit_name is None:
        return time_of(int64(value), True, _NONE)
    return time_of(int64(value), True, unit_named(unit_name))


@provides("numpy.datetime64")
def datetime64(value, unit_name=None):
    """A date in another unit, or so many units after 1970 began."""
    if isinstance(value, np.datetime64):
        if unit_name is None:
            return value
        return time_of(_date_in(ticks(value), unit(value), unit_named(unit_name)), False, unit_named(unit_name))
    if isinstance(value, str):
        if value != "NaT":
            refuse("np.datetime64() of a text in kernels knows 'NaT' only", "", "make it outside of the kernel")
            return value
        return time_of(int64(_NAT), False, _NONE)
    if not isinstance(value, int) or unit_name is None:
        refuse("np.datetime64() in kernels takes a date, or an integer and a unit")
        return value
    return time_of(int64(value), False, unit_named(unit_name))
