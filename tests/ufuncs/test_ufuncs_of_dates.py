"""`vectorize` and `guvectorize` of dates and durations. NumPy computes what is expected."""

import numpy as np
import pytest
from treadle import cuda, guvectorize, int64, types, vectorize

DAYS, HOURS, SECONDS = types.NPDatetime("D"), types.NPTimedelta("h"), types.NPTimedelta("s")
dates = np.array(["2020-02-28", "NaT", "1969-07-20", "2024-12-31"], "M8[D]")


@pytest.mark.parametrize(
    "signatures", [(), [(DAYS, DAYS)], [SECONDS(DAYS, DAYS)], [HOURS(types.NPDatetime("ms"), DAYS)]]
)
def test_dates_and_durations(signatures):
    since = vectorize(signatures, target="cuda")(lambda date, start: date - start)
    returned = getattr(signatures[0], "return_type", None) if signatures else None
    result = np.dtype("m8[D]") if returned is None else np.dtype(str(returned))
    for start in (
        np.datetime64("2000-01-01", "D"),
        dates[::-1],
        np.datetime64("1999-03", "M"),
        np.datetime64("NaT", "D"),
    ):
        for given in (dates, cuda.to_device(dates)):
            found = since(given, start)
            found = found if given is dates else found.copy_to_host()
            np.testing.assert_array_equal(found, dates - start)
            assert found.dtype == result
    out = cuda.device_array(4, "m8[m]")
    assert since(dates, dates[0], out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), dates - dates[0])
    found = since(dates, dates[0], where=np.array([True, False, True, True]), out=np.zeros(4, "m8[h]"))
    np.testing.assert_array_equal(found, np.where([True, False, True, True], dates - dates[0], np.timedelta64(0, "h")))
    with pytest.raises(TypeError, match="cannot cast the result"):
        since(dates, dates, out=np.zeros(4, np.int32))


def test_durations_are_summed_up():
    total = vectorize([SECONDS(SECONDS, SECONDS)], target="cuda")(lambda a, b: a + b)
    values = np.arange(300).astype("m8[s]").reshape(20, 15)
    np.testing.assert_array_equal(total.reduce(values, axis=1), values.sum(axis=1))
    np.testing.assert_array_equal(total.reduce(cuda.to_device(values), axis=0).copy_to_host(), values.sum(axis=0))
    assert total.reduce(values.ravel(), initial=np.timedelta64(1, "m")) == values.sum() + np.timedelta64(60, "s")
    assert vectorize(lambda a, b: a + b).reduce(values.ravel()).dtype == values.dtype
    values[3, 4] = "NaT"
    assert np.isnat(total.reduce(values.ravel()))


def test_functions_of_a_date_and_a_number():
    later = vectorize(lambda date, days: date + np.timedelta64(days, "D"))
    np.testing.assert_array_equal(later(cuda.to_device(dates), 3).copy_to_host(), dates + 3)
    year = vectorize([int64(DAYS)])(lambda date: int(np.datetime64(date, "Y")) + 1970)
    np.testing.assert_array_equal(year(dates[[0, 2, 3]]), [2020, 1969, 2024])
    count = vectorize([int64(SECONDS)])(lambda span: int(span))
    for spans in (np.arange(3).astype("m8[m]"), np.arange(3).astype("m8[D]")):
        assert count(spans).tolist() == spans.astype("m8[s]").astype(int).tolist()
    with pytest.raises(TypeError, match="no signature takes operands of types int64"):
        year(np.arange(3))


@pytest.mark.parametrize("signatures", [[], [(DAYS[:], DAYS, types.NPTimedelta("D")[:])]])
def test_rows_of_dates(signatures):
    @guvectorize(signatures, "(n),()->(n)", target="cuda")
    def time_left(row, deadline, left):
        for k, date in enumerate(row):
            left[k] = deadline - date if date < deadline else date - date

    table = np.stack([dates, dates[::-1], np.roll(dates, 1)])
    deadlines = np.array(["2021-01-01", "NaT", "1950-06-30"], "M8[D]")[:, None]
    wanted = np.where(table < deadlines, deadlines - table, table - table)
    left = np.ones(table.shape, "m8[D]")
    assert time_left(table, deadlines[:, 0], left) is left
    np.testing.assert_array_equal(left, wanted)
    one = time_left(cuda.to_device(table[:1]), deadlines[0, 0], cuda.to_device(left[:1]))
    np.testing.assert_array_equal(one.copy_to_host(), wanted[:1])
    assert np.isnat(wanted).any(axis=1).all()
    assert (wanted[0] > np.timedelta64(0)).any()
