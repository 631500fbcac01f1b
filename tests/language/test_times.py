# NumPy's dates and durations in kernels: all units, NaT, arithmetic, comparisons, conversions. NumPy is the oracle.

import operator
import warnings

import numpy as np
import pytest
from treadle import cuda, errors, types

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
OF_MONTHS = {"Y", "M"}
NAT = np.iinfo(np.int64).min

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def dates(unit):
    """Dates before and after 1970, at the ends of months and in leap years, as far as the unit reaches."""
    texts = ["1970-01-01", "1969-12-31", "2000-02-29", "1900-03-01", "2024-12-31", "1600-02-29", "2019-05-17", "NaT"]
    if unit in ("ps", "fs", "as"):
        counts = np.array([0, -1, 1, 86399, -86400, 10**15, 7, NAT])
        return counts.view(f"M8[{unit}]")
    if unit == "ns":
        texts[5] = "1700-02-28"
    return np.array(texts, "M8[D]").astype(f"M8[{unit}]")


def durations(unit):
    return np.array([0, 1, -1, 7, -25, 1000, -86399, NAT]).view(f"m8[{unit}]")


def launch(kernel, out, *args):
    kernel[1, 32](out, *args)
    return out


@cuda.jit
def subtract(out, x, y):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] - y[i]


@cuda.jit
def add(out, x, y):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + y[i]


@cuda.jit
def copy(out, x):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def compare(out, x, y):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] == y[i]
        out[1, i] = x[i] != y[i]
        out[2, i] = x[i] < y[i]
        out[3, i] = x[i] <= y[i]
        out[4, i] = x[i] > y[i]
        out[5, i] = x[i] >= y[i]


def together(x, y):
    """Both arrays, with 0 in place of what does not fit 64 bits in the finer of their units."""
    units = [np.datetime_data(array.dtype)[0] for array in (x, y)]
    return tuple(within(array, max(units, key=UNITS.index)) for array in (x, y))


def within(array, unit):
    kept = array.copy()
    for i, value in enumerate(array):
        try:
            fits = np.isnat(value) or value.astype(f"{array.dtype.str[1:3]}[{unit}]").astype(array.dtype) == value
        except OverflowError:
            fits = False
        if not fits:
            kept[i] = 0
    return kept


def have_common_unit(one, other):
    """NumPy counts no unit that is more than 2 ** 63 of another in that one."""
    try:
        np.promote_types(f"M8[{one}]", f"M8[{other}]")
    except OverflowError:
        return False
    return True


def pairs_of_units(kind):
    for one in UNITS:
        for other in UNITS:
            if kind == "duration" and (one in OF_MONTHS) != (other in OF_MONTHS):
                continue
            if have_common_unit(one, other):
                yield one, other


def wrapped(operation, x, y):
    """The operation as NumPy did it before 2.5, which raises where a result does not fit."""
    dtype = operation(x[:0], y[:0]).dtype
    unit = np.datetime_data(dtype)[0]
    numbers = [array.astype(f"{array.dtype.kind}8[{unit}]").view("i8") for array in (x, y)]
    result = operation(*numbers).view(dtype)
    result[np.isnat(x) | np.isnat(y)] = "NaT"
    return result


@pytest.mark.parametrize(("one", "other"), pairs_of_units("date"))
def test_differences_of_dates(one, other):
    x, y = together(dates(one), dates(other)[::-1].copy())
    expected = wrapped(operator.sub, x, y)
    found = launch(subtract, np.zeros_like(expected), x, y)
    np.testing.assert_array_equal(found.view("i8"), expected.view("i8"))


@pytest.mark.parametrize(("one", "other"), pairs_of_units("date"))
def test_dates_and_durations(one, other):
    x, y = dates(one), durations(other)
    if other in OF_MONTHS and one not in OF_MONTHS:
        with pytest.raises(errors.TypingError, match="years and months have no fixed number of days"):
            launch(add, dates(one), x, y)
        return
    x, y = together(x, y)
    for kernel, expected in ((add, wrapped(operator.add, x, y)), (subtract, wrapped(operator.sub, x, y))):
        found = launch(kernel, np.zeros_like(expected), x, y)
        np.testing.assert_array_equal(found.view("i8"), expected.view("i8"))
    expected = wrapped(operator.add, y, x)
    np.testing.assert_array_equal(launch(add, np.zeros_like(expected), y, x).view("i8"), expected.view("i8"))


@pytest.mark.parametrize(("one", "other"), pairs_of_units("duration"))
def test_durations(one, other):
    x, y = together(durations(one), durations(other)[::-1].copy())
    for kernel, expected in ((add, wrapped(operator.add, x, y)), (subtract, wrapped(operator.sub, x, y))):
        found = launch(kernel, np.zeros_like(expected), x, y)
        np.testing.assert_array_equal(found.view("i8"), expected.view("i8"))


@pytest.mark.share(every=4)
@pytest.mark.parametrize(("one", "other"), pairs_of_units("date"))
@pytest.mark.parametrize("make", [dates, durations])
def test_comparisons(one, other, make):
    if make is durations and (one in OF_MONTHS) != (other in OF_MONTHS):
        pytest.skip("such durations do not go together")
    x, y = together(make(one), make(other))
    y[:3] = y[:3][::-1]
    found = launch(compare, np.zeros((6, 8), bool), x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [x == y, x != y, x < y, x <= y, x > y, x >= y]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("one", "other"), pairs_of_units("date"))
def test_dates_are_stored_in_another_unit(one, other):
    # Rounding to a coarser unit loses digits; what must fit is the finer one.
    x = within(dates(one), other) if UNITS.index(other) > UNITS.index(one) else dates(one)
    expected = x.astype(f"M8[{other}]")
    found = launch(copy, np.zeros_like(expected), x)
    np.testing.assert_array_equal(found.view("i8"), expected.view("i8"))


@pytest.mark.parametrize(("one", "other"), pairs_of_units("duration"))
def test_durations_are_stored_in_another_unit(one, other):
    """Coarser ones are rounded down: -90 minutes are -2 hours."""
    x = durations(one)
    # NumPy's own rounding wraps at the lower end of int64.
    x = np.concatenate([x, -x[:-1], np.array([-90, 90, -(2**62), 2**63 - 1]).view(x.dtype)])
    if UNITS.index(other) > UNITS.index(one):
        x = within(x, other)
    expected = x.astype(f"m8[{other}]")
    found = launch(copy, np.zeros_like(expected), x)
    np.testing.assert_array_equal(found.view("i8"), expected.view("i8"))
    namespace = {"np": np, "cuda": cuda}
    lines = "    i = cuda.grid(1)\n    if i < x.size:\n"
    exec(f"def convert(out, x):\n{lines}        out[i] = np.timedelta64(x[i], {other!r})\n", namespace)
    found = launch(cuda.jit(namespace["convert"]), np.zeros_like(expected), x)
    np.testing.assert_array_equal(found.view("i8"), expected.view("i8"))


def test_divisors_at_the_ends_of_int64():
    ends = [-(2**63), -(2**63) + 1, -1, 0, 1, 2**63 - 1, 7]
    counts, divisors = (side.ravel() for side in np.meshgrid([*ends[1:], NAT], ends))

    @cuda.jit
    def divide(out, x, n):
        i = cuda.grid(1)
        if i < x.size:
            out[0, i], out[1, i] = x[i] // n[i], x[i] / n[i]

    x = counts.view("m8[s]")
    out = np.zeros((2, x.size), "m8[s]")
    divide[1, 64](out, x, divisors)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out.view("i8"), np.array([x // divisors, x / divisors]).view("i8"))


@cuda.jit
def calculate(out, ratio, count, x, y, factor, real):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] * factor[i]
        out[1, i] = factor[i] * x[i]
        out[2, i] = x[i] * real[i]
        out[3, i] = x[i] / factor[i]
        out[4, i] = x[i] / real[i]
        out[5, i] = x[i] // factor[i]
        out[6, i] = x[i] % y[i]
        out[7, i] = -x[i]
        out[8, i] = abs(x[i])
        out[9, i] = +x[i]
        out[10, i] = x[i] + 3
        out[11, i] = 3 - x[i]
        ratio[i] = x[i] / y[i]
        count[i] = x[i] // y[i]


def test_arithmetic_of_durations():
    x = np.array([0, 1, -1, 7, -25, 1000, -86399, NAT, 100, -100, 5]).view("m8[s]")
    y = np.array([5, 2, 3, -2, 4, 0, 60, 9, NAT, -7, 5]).view("m8[m]")
    factor = np.array([3, -2, 0, 5, 7, -1, 2, 3, 4, 0, 9])
    real = np.array([0.5, -2.5, 3.7, np.nan, 1e3, -0.3, 2.0, 1.0, np.inf, 0.1, 1.9])
    out, ratio, count = np.zeros((12, 11), "m8[s]"), np.zeros(11), np.zeros(11, "i8")
    calculate[1, 32](out, ratio, count, x, y, factor, real)
    with np.errstate(all="ignore"):
        expected = [
            x * factor, factor * x, x * real, x / factor, x / real, x // factor, x % y, -x, abs(x), +x, x + 3, 3 - x,
        ]  # fmt: skip
        for row, (found, wanted) in enumerate(zip(out, expected, strict=True)):
            assert wanted.dtype == "m8[s]"
            np.testing.assert_array_equal(found.view("i8"), wanted.view("i8"), str(row))
        np.testing.assert_array_equal(ratio, x / y)
        np.testing.assert_array_equal(count, x // y)


def test_values_that_kernels_are_given_and_capture():
    begin, step = np.datetime64("2024-02-28T12:00"), np.timedelta64(36, "h")

    @cuda.jit
    def kernel(out, first, every, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = first + every * i
            if i == 1:
                out[i] += step
            if i == 2:
                out[i] = begin
            if i == 3:
                out[i] = np.datetime64("NaT")

    out = np.zeros(6, "M8[s]")
    kernel[1, 32](out, np.datetime64("2024-02-27"), np.timedelta64(90, "m"), 6)
    expected = np.datetime64("2024-02-27") + np.timedelta64(90, "m") * np.arange(6)
    expected = expected.astype("M8[s]")
    expected[1] += step
    expected[2] = begin
    expected[3] = np.datetime64("NaT")
    np.testing.assert_array_equal(out, expected)


def test_types_of_arguments_are_told_apart():
    @cuda.jit
    def kernel(out, time):
        out[0] = isinstance(time, np.datetime64)
        out[1] = isinstance(time, types.NPTimedelta)
        out[2] = isinstance(time, (int, float, np.number))

    out = np.zeros(3, bool)
    for time, expected in ((np.datetime64(5, "D"), [1, 0, 0]), (np.timedelta64(5, "s"), [0, 1, 0]), (5, [0, 0, 1])):
        kernel[1, 1](out, time)
        assert out.tolist() == expected
    assert len(kernel.overloads) == 3
    kernel[1, 1](out, np.timedelta64(5, "h"))
    assert len(kernel.overloads) == 4


def test_memory_that_holds_them():
    captured = np.array(["2001-01-01", "2002-02-02"], "M8[D]")

    @cuda.jit
    def kernel(records, out, device):
        shared = cuda.shared.array(2, "M8[D]")
        own = cuda.local.array(2, np.dtype("m8[h]"))
        i = cuda.threadIdx.x
        shared[i] = captured[1 - i]
        own[i] = shared[i] - records[i].when
        cuda.syncthreads()
        records[i].when = shared[1 - i]
        records[i].took = own[i]
        out[i] = own[i]
        device[i] = device[i] + own[i]

    records = np.zeros(2, [("when", "M8[D]"), ("took", "m8[m]"), ("name", "S3")])
    records["when"] = ["2000-01-01", "2000-01-02"]
    before = records["when"].copy()
    out = np.zeros(2, "m8[s]")
    device = cuda.to_device(captured.astype("M8[h]"))
    kernel[1, 2](records, out, device)
    took = (captured[::-1] - before).astype("m8[h]")
    np.testing.assert_array_equal(records["when"], captured)
    np.testing.assert_array_equal(records["took"], took)
    np.testing.assert_array_equal(out, took)
    np.testing.assert_array_equal(device.copy_to_host(), captured.astype("M8[h]") + took)


def test_array_expressions_and_functions():
    @cuda.jit
    def kernel(x, y, out, flags, found):
        out[:] = x + y * 2
        flags[:] = (x < out) | np.isnat(x)
        found[0] = max(x[0], x[1])
        found[1] = min(x[0], x[1])
        x[1:] += np.timedelta64(1, "D")
        found[2] = np.datetime64(x[1], "Y")
        found[3] = np.datetime64(7, "h")

    x = np.array(["2000-01-31", "1999-12-31", "NaT", "2030-06-01"], "M8[D]")
    y = np.array([1, -1, 3, 40], "m8[h]")
    before, out, flags, found = x.copy(), np.zeros(4, "M8[h]"), np.zeros(4, bool), np.zeros(4, "M8[h]")
    kernel[1, 1](x, y, out, flags, found)
    np.testing.assert_array_equal(out, before + y * 2)
    np.testing.assert_array_equal(flags, (before < before + y * 2) | np.isnat(before))
    before[1:] += 1
    np.testing.assert_array_equal(x, before)
    expected = ["2000-01-31T00", "1999-12-31T00", "2000-01-01T00", "1970-01-01T07"]
    np.testing.assert_array_equal(found, np.array(expected, "M8[h]"))


def test_truth_and_counts():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = int(x[i]) if x[i] else -1

    x = np.array([0, 5, NAT, -3]).view("m8[ms]")
    out = np.zeros(4, "i8")
    kernel[1, 32](x, out)
    assert out.tolist() == [-1, 5, NAT, -3]


def test_signatures():
    unit = types.NPTimedelta("ms")
    signature = types.void(types.Array(types.NPDatetime("ms"), 1, "C"), unit)

    @cuda.jit(signature)
    def kernel(x, step):
        x[0] += step

    x = np.array(["2000-01-01"], "M8[ms]")
    kernel[1, 1](x, np.timedelta64(5, "ms"))
    assert x[0] == np.datetime64("2000-01-01T00:00:00.005")
    with pytest.raises(TypeError, match="No matching definition"):
        kernel[1, 1](x, np.timedelta64(5, "s"))
    with pytest.raises(ValueError, match="'week' is no unit of time|no type"):
        types.NPDatetime("week")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("d[0] + d[1]", "two dates cannot be added"),
        ("t[0] - d[0]", "a date cannot be subtracted from a duration"),
        ("d[0] * 2", "dates cannot be multiplied"),
        ("d[0] / 2", "only durations can be divided"),
        ("t[0] % 2", "the remainder is that of two durations"),
        ("-d[0]", "dates have no negatives"),
        ("t[0] + 1.5", "only dates, durations and integers can be added"),
        ("d[0] == t[0]", "a date cannot be compared with a duration"),
        ("t[0] < 3", "times can be compared with times only"),
        ("np.timedelta64(1.5, 's')", "takes an integer or a duration"),
        ("np.datetime64('2020-01-01')", "knows 'NaT' only"),
    ],
)
def test_mistakes(expression, message):
    scope = {"np": np}
    exec(f"def kernel(d, t):\n    x = {expression}\n", scope)  # noqa: S102
    with pytest.raises(errors.TypingError, match=message) as raised:
        cuda.jit(scope["kernel"])[1, 1](dates("D"), durations("D"))
    assert expression in str(raised.value)


@pytest.mark.parametrize(("one", "other"), [("Y", "as"), ("M", "as"), ("W", "as"), ("D", "fs"), ("h", "as")])
def test_units_without_a_common_one_are_refused(one, other):
    assert not have_common_unit(one, other)
    for kernel, x, y in ((subtract, dates(one), dates(other)), (add, dates(other), dates(one) - dates(one))):
        with pytest.raises(errors.TypingError, match="no common one that fits 64 bits|no fixed number of days"):
            launch(kernel, durations("s"), x, y)
    # The other way, which NumPy refuses as well, all that 64 bits of the fine unit reach is beside 1970 began.
    x = dates(other).view("i8")
    found = launch(copy, np.zeros(8, f"M8[{one}]"), dates(other)).view("i8")
    np.testing.assert_array_equal(found, np.where(x == NAT, NAT, np.where(x < 0, -1, 0)))


def test_units_with_a_multiple_are_refused():
    x = np.zeros(2, "M8[25s]")
    with pytest.raises(TypeError, match="kernels do not have it"):
        launch(copy, np.zeros(2, "M8[s]"), x)
    with pytest.raises(TypeError, match="convert it to a single unit"):
        launch(copy, np.zeros(2, "M8[s]"), np.timedelta64(1, "25s"))
