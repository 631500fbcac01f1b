# Recurrences in CUDA Python: filters, chunks of a thread, dynamic programming, differential equations, searches.
import math

from treadle import cuda, float32, int32

CHUNK = 64
LENGTH = 64
STEPS = 64
QUEENS = 10


@cuda.jit
def biquad_rows(b0, b1, b2, a1, a2, signals, out):
    row = cuda.grid(1)
    if row < signals.shape[0]:
        z1 = float32(0)
        z2 = float32(0)
        for k in range(signals.shape[1]):
            x = signals[row, k]
            y = b0 * x + z1
            z1 = b1 * x - a1 * y + z2
            z2 = b2 * x - a2 * y
            out[row, k] = y


@cuda.jit
def moving_average(alpha, prices, out):
    series = cuda.grid(1)
    if series < prices.shape[1]:
        mean = prices[0, series]
        out[0, series] = mean
        for t in range(1, prices.shape[0]):
            mean = alpha * prices[t, series] + (1 - alpha) * mean
            out[t, series] = mean


@cuda.jit
def kalman1(process, noise, measured, out):
    i = cuda.grid(1)
    if i < measured.shape[0]:
        estimate = 0.0
        variance = 1.0
        for k in range(measured.shape[1]):
            variance += process
            gain = variance / (variance + noise)
            estimate += gain * (measured[i, k] - estimate)
            variance *= 1.0 - gain
            out[i, k] = estimate


@cuda.jit
def running_max_chunks(values, out):
    start = cuda.grid(1) * CHUNK
    if start < values.size:
        largest = values[start]
        for i in range(start, min(start + CHUNK, values.size)):
            if values[i] > largest:
                largest = values[i]
            out[i] = largest


@cuda.jit
def longest_run(bits, out):
    chunk = cuda.grid(1)
    if chunk < out.size:
        longest = 0
        run = 0
        for i in range(chunk * CHUNK, (chunk + 1) * CHUNK):
            if bits[i] == 1:
                run += 1
                longest = max(longest, run)
            else:
                run = 0
        out[chunk] = longest


@cuda.jit
def needleman(first, second, gap, scores):
    table = cuda.shared.array((LENGTH + 1, LENGTH + 1), int32)
    pair = cuda.blockIdx.x
    t = cuda.threadIdx.x
    table[t + 1, 0] = (t + 1) * gap
    table[0, t + 1] = (t + 1) * gap
    if t == 0:
        table[0, 0] = 0
    cuda.syncthreads()
    for d in range(2 * LENGTH - 1):
        i = t
        j = d - t
        if 0 <= j < LENGTH:
            match = 1 if first[pair, i] == second[pair, j] else -1
            best = table[i, j] + match
            best = max(best, table[i, j + 1] + gap)
            best = max(best, table[i + 1, j] + gap)
            table[i + 1, j + 1] = best
        cuda.syncthreads()
    if t == 0:
        scores[pair] = table[LENGTH, LENGTH]


@cuda.jit
def viterbi_step(before, transitions, emissions, seen, after, origins):
    state, sequence = cuda.grid(2)
    if sequence < before.shape[0] and state < before.shape[1]:
        best = before[sequence, 0] + transitions[0, state]
        origin = 0
        for k in range(1, before.shape[1]):
            score = before[sequence, k] + transitions[k, state]
            if score > best:
                best = score
                origin = k
        after[sequence, state] = best + emissions[state, seen[sequence]]
        origins[sequence, state] = origin


@cuda.jit
def knapsack_row(weight, value, before, after):
    w = cuda.grid(1)
    if w < before.size:
        if w >= weight:
            after[w] = max(before[w], before[w - weight] + value)
        else:
            after[w] = before[w]


@cuda.jit(device=True)
def lorenz_slope(x, y, z):
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z


@cuda.jit
def lorenz(dt, steps, states):
    i = cuda.grid(1)
    if i < states.shape[0]:
        x = states[i, 0]
        y = states[i, 1]
        z = states[i, 2]
        for _ in range(steps):
            ax, ay, az = lorenz_slope(x, y, z)
            bx, by, bz = lorenz_slope(x + dt / 2 * ax, y + dt / 2 * ay, z + dt / 2 * az)
            cx, cy, cz = lorenz_slope(x + dt / 2 * bx, y + dt / 2 * by, z + dt / 2 * bz)
            dx, dy, dz = lorenz_slope(x + dt * cx, y + dt * cy, z + dt * cz)
            x += dt / 6 * (ax + 2 * bx + 2 * cx + dx)
            y += dt / 6 * (ay + 2 * by + 2 * cy + dy)
            z += dt / 6 * (az + 2 * bz + 2 * cz + dz)
        states[i, 0] = x
        states[i, 1] = y
        states[i, 2] = z


@cuda.jit
def queens(out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    columns = cuda.local.array(QUEENS, int32)
    columns[0] = i // QUEENS
    columns[1] = i % QUEENS
    if abs(columns[0] - columns[1]) < 2:
        out[i] = 0
        return
    count = 0
    row = 2
    columns[row] = -1
    while row >= 2:
        columns[row] += 1
        if columns[row] == QUEENS:
            row -= 1
            continue
        safe = True
        for k in range(row):
            away = columns[row] - columns[k]
            if away == 0 or away == row - k or away == k - row:
                safe = False
                break
        if safe:
            if row == QUEENS - 1:
                count += 1
            else:
                row += 1
                columns[row] = -1
    out[i] = count


@cuda.jit
def binomial_option(rate, volatility, price, strike, years, out):
    i = cuda.grid(1)
    if i < out.size:
        values = cuda.local.array(STEPS + 1, float32)
        dt = years[i] / float32(STEPS)
        up = math.exp(volatility * math.sqrt(dt))
        down = float32(1) / up
        p = (math.exp(rate * dt) - down) / (up - down)
        discount = math.exp(-rate * dt)
        s = price[i] * down ** float32(STEPS)
        for k in range(STEPS + 1):
            values[k] = max(strike[i] - s, float32(0))
            s *= up * up
        for step in range(STEPS, 0, -1):
            for k in range(step):
                values[k] = discount * (p * values[k + 1] + (float32(1) - p) * values[k])
        out[i] = values[0]


@cuda.jit
def prey_and_predators(dt, steps, rates, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        prey = 10.0
        predators = 5.0
        peak = prey
        for _ in range(steps):
            born = rates[i, 0] * prey
            eaten = rates[i, 1] * prey * predators
            grown = rates[i, 2] * prey * predators
            died = rates[i, 3] * predators
            prey += dt * (born - eaten)
            predators += dt * (grown - died)
            peak = max(peak, prey)
        out[i, 0] = prey
        out[i, 1] = predators
        out[i, 2] = peak
