# Codes in CUDA Python: bits, checksums, texts, dates, and small sorts.
from treadle import cuda, float32, int32, uint8, uint32, uint64

DIGITS = 8
SIZE = 16
SORTED = 512


@cuda.jit
def base64_encode(data, alphabet, out):
    i = cuda.grid(1)
    if 3 * i < data.size:
        word = (data[3 * i] << 16) | (data[3 * i + 1] << 8) | data[3 * i + 2]
        out[4 * i] = alphabet[(word >> 18) & 63]
        out[4 * i + 1] = alphabet[(word >> 12) & 63]
        out[4 * i + 2] = alphabet[(word >> 6) & 63]
        out[4 * i + 3] = alphabet[word & 63]


@cuda.jit
def utf8_lengths(text, offsets, out):
    i = cuda.grid(1)
    if i < out.size:
        length = 0
        for k in range(offsets[i], offsets[i + 1]):
            if (text[k] & 0xC0) != 0x80:
                length += 1
        out[i] = length


@cuda.jit
def parse_numbers(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        value = 0
        negative = False
        for k in range(DIGITS):
            c = fields[i, k]
            if c == 45:
                negative = True
            elif 48 <= c <= 57:
                value = 10 * value + c - 48
        out[i] = -value if negative else value


@cuda.jit
def tokens(classes, moves, lines, out):
    """How often the machine of `moves` enters its last state, in each line."""
    i = cuda.grid(1)
    if i < lines.shape[0]:
        state = 0
        count = 0
        for k in range(lines.shape[1]):
            state = moves[state, classes[lines[i, k]]]
            if state == moves.shape[0] - 1:
                count += 1
        out[i] = count


@cuda.jit
def civil_dates(days, year, month, day):
    i = cuda.grid(1)
    if i < days.size:
        z = days[i] + 719468
        era = z // 146097
        doe = z - era * 146097
        yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
        doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
        mp = (5 * doy + 2) // 153
        m = mp + 3 if mp < 10 else mp - 9
        year[i] = yoe + era * 400 + (1 if m <= 2 else 0)
        month[i] = m
        day[i] = doy - (153 * mp + 2) // 5 + 1


@cuda.jit
def weekdays(year, month, day, out):
    i = cuda.grid(1)
    if i < out.size:
        y = year[i]
        m = month[i]
        if m < 3:
            m += 12
            y -= 1
        out[i] = (day[i] + 13 * (m + 1) // 5 + y + y // 4 - y // 100 + y // 400) % 7


@cuda.jit(device=True)
def spread_bits(v):
    v = (v | (v << 16)) & uint32(0x030000FF)
    v = (v | (v << 8)) & uint32(0x0300F00F)
    v = (v | (v << 4)) & uint32(0x030C30C3)
    return (v | (v << 2)) & uint32(0x09249249)


@cuda.jit
def morton3(points, out):
    i = cuda.grid(1)
    if i < out.size:
        x = uint32(min(max(points[i, 0] * float32(1024), float32(0)), float32(1023)))
        y = uint32(min(max(points[i, 1] * float32(1024), float32(0)), float32(1023)))
        z = uint32(min(max(points[i, 2] * float32(1024), float32(0)), float32(1023)))
        out[i] = spread_bits(x) * 4 + spread_bits(y) * 2 + spread_bits(z)


@cuda.jit
def gray_decode(codes, out):
    i = cuda.grid(1)
    if i < codes.size:
        g = codes[i]
        value = g
        while g != 0:
            g >>= 1
            value ^= g
        out[i] = value


@cuda.jit
def reverse_bits(words, out):
    i = cuda.grid(1)
    if i < words.size:
        word = words[i]
        reverse = 0
        for _ in range(32):
            reverse = (reverse << 1) | (word & 1)
            word >>= 1
        out[i] = reverse


@cuda.jit
def crc32_rows(table, rows, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        crc = uint32(0xFFFFFFFF)
        for k in range(rows.shape[1]):
            crc = table[(crc ^ rows[i, k]) & 0xFF] ^ (crc >> uint32(8))
        out[i] = crc ^ uint32(0xFFFFFFFF)


@cuda.jit
def count_ones(words, out):
    i = cuda.grid(1)
    if i < words.size:
        word = words[i]
        count = 0
        while word:
            word &= word - uint64(1)
            count += 1
        out[i] = count


@cuda.jit
def sort_rows16(rows, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        row = cuda.local.array(SIZE, float32)
        for k in range(SIZE):
            value = rows[i, k]
            j = k - 1
            while j >= 0 and row[j] > value:
                row[j + 1] = row[j]
                j -= 1
            row[j + 1] = value
        for k in range(SIZE):
            out[i, k] = row[k]


@cuda.jit
def bitonic_sort(values, out):
    part = cuda.shared.array(SORTED, int32)
    start = cuda.blockIdx.x * SORTED
    t = cuda.threadIdx.x
    part[t] = values[start + t]
    part[t + SORTED // 2] = values[start + t + SORTED // 2]
    cuda.syncthreads()
    size = 2
    while size <= SORTED:
        stride = size // 2
        while stride > 0:
            low = 2 * t - (t & (stride - 1))
            high = low + stride
            upward = (low & size) == 0
            if (part[low] > part[high]) == upward:
                part[low], part[high] = part[high], part[low]
            cuda.syncthreads()
            stride //= 2
        size *= 2
    out[start + t] = part[t]
    out[start + t + SORTED // 2] = part[t + SORTED // 2]


@cuda.jit
def run_lengths(text, out):
    """A byte for each byte: how often it has come in a row, up to 255, looking back."""
    i = cuda.grid(1)
    if i < text.size:
        k = i
        while k > 0 and text[k - 1] == text[i] and i - k < 254:
            k -= 1
        out[i] = uint8(i - k + 1)
