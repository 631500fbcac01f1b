# Trades in a table of dates, durations, enumerations and texts: what falls due, by day of the week and by state.
import enum

import numpy as np
from treadle import cuda, float64, guvectorize, int64


class Side(enum.Enum):
    BUY = "buy"
    SELL = "sell"


class Kind(enum.IntEnum):
    BOND = 1
    SHARE = 2
    CASH = 7


trade = np.dtype([("at", "M8[s]"), ("term", "m8[D]"), ("kind", "u1"), ("price", "f2"), ("ticker", "S4")])
DAY = np.timedelta64(1, "D")
EPOCH = np.datetime64("1970-01-05", "D")  # a Monday


def make(side):
    @cuda.jit
    def evaluate(trades, now, due, value, by_day):
        i = cuda.grid(1)
        if i >= trades.size:
            return
        t = trades[i]
        due[i] = t.at + t.term
        sign = 1 if side is Side.BUY else -1
        if t.kind == Kind.BOND:
            years = (due[i] - now) / np.timedelta64(365, "D")
            value[i] = sign * t.price * max(years, 0.0)
        elif t.kind in (Kind.SHARE, Kind.CASH):
            value[i] = sign * t.price
        else:
            value[i] = np.nan
        if np.isnat(due[i]):
            cuda.atomic.add(by_day, 7, 1)
        else:
            weekday = (np.datetime64(due[i], "D") - EPOCH) // DAY % 7
            cuda.atomic.add(by_day, weekday, 1)
        if side.value == "sell" and due[i] < now:
            value[i] = 0

    return evaluate


@guvectorize([(float64[:], int64[:], float64[:], float64[:])], "(n),(n),(k)->(k)", target="cuda")
def totals(values, kinds, before, sums):
    sums[:] = before
    for i in range(values.size):
        if not np.isnan(values[i]):
            sums[kinds[i]] += values[i]


rng = np.random.default_rng(10)
trades = np.zeros(60, trade)
trades["at"] = np.datetime64("2020-02-27T22:00:00") + rng.integers(0, 10**8, 60)
trades["term"] = rng.integers(0, 2000, 60)
trades["term"][5] = np.timedelta64("NaT")
trades["kind"], trades["price"] = rng.choice([1, 2, 7, 9], 60), rng.integers(1, 50, 60) / 4
now = np.datetime64("2022-06-01", "D")
for side, sign in ((Side.BUY, 1), (Side.SELL, -1)):
    due, value = cuda.device_array(60, "M8[s]"), cuda.device_array(60, np.float64)
    by_day = cuda.to_device(np.zeros(8, np.int32))
    make(side)[2, 32](cuda.to_device(trades), now, due, value, by_day)
    expected = trades["at"] + trades["term"]
    np.testing.assert_array_equal(due.copy_to_host(), expected)
    years = np.fmax((expected - now) / np.timedelta64(365, "D"), 0.0)
    price = trades["price"].astype(float) * sign
    kinds = [trades["kind"] == 1, (trades["kind"] == 2) | (trades["kind"] == 7)]
    worth = np.select(kinds, [price * years, price], np.nan)
    if side is Side.SELL:
        worth[expected < now] = 0
    np.testing.assert_allclose(value.copy_to_host(), worth)
    days = (expected.astype("M8[D]") - np.datetime64("1970-01-05")).astype(int) % 7
    weekdays = np.append(np.bincount(days[~np.isnat(expected)], minlength=7), 1)
    np.testing.assert_array_equal(by_day.copy_to_host(), weekdays)

    sums = totals(value, trades["kind"].astype(np.int64), np.zeros(10)).copy_to_host()
    known = ~np.isnan(worth)
    np.testing.assert_allclose(sums, np.bincount(trades["kind"][known], worth[known], minlength=10))
