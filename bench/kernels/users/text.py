# Bytes and texts in CUDA Python: a thread for each byte, record or pair of words.
from treadle import cuda, int32, uint32

LENGTH = 16


@cuda.jit
def upper(text, out):
    i = cuda.grid(1)
    if i < text.size:
        c = text[i]
        if 97 <= c <= 122:
            c -= 32
        out[i] = c


@cuda.jit
def find(text, pattern, out):
    i = cuda.grid(1)
    if i < text.size - pattern.size + 1:
        j = 0
        while j < pattern.size and text[i + j] == pattern[j]:
            j += 1
        out[i] = j == pattern.size


@cuda.jit
def fnv(records, out):
    i = cuda.grid(1)
    if i < records.shape[0]:
        h = uint32(2166136261)
        for k in range(records.shape[1]):
            h = uint32((h ^ records[i, k]) * 16777619)
        out[i] = h


@cuda.jit
def levenshtein(first, second, out):
    i = cuda.grid(1)
    if i < first.shape[0]:
        row = cuda.local.array(LENGTH + 1, int32)
        for k in range(LENGTH + 1):
            row[k] = k
        for j in range(LENGTH):
            diagonal = row[0]
            row[0] = j + 1
            for k in range(LENGTH):
                cost = 0 if first[i, j] == second[i, k] else 1
                best = min(min(row[k], row[k + 1]) + 1, diagonal + cost)
                diagonal = row[k + 1]
                row[k + 1] = best
        out[i] = row[LENGTH]


@cuda.jit
def words(text, count):
    i = cuda.grid(1)
    if i < text.size:
        before = 32
        if i > 0:
            before = text[i - 1]
        if text[i] != 32 and before == 32:
            cuda.atomic.add(count, 0, 1)


@cuda.jit
def hamming(codes, wanted, out):
    i = cuda.grid(1)
    if i < codes.shape[0]:
        differing = 0
        for k in range(codes.shape[1]):
            differing += cuda.popc(codes[i, k] ^ wanted[k])
        out[i] = differing
