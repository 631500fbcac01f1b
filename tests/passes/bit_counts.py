"""Loops over the set bits of a number become counts of bits; what else happens in a loop keeps it."""

from treadle import cuda


@cuda.jit
def ones(x, out):
    word = x[0]
    count = 7
    while word != 0:
        word &= word - 1
        count += 3
    out[word] = count


# CHECK-LABEL: == ones
# CHECK: rules ({{.*}}): made a new tree
# CHECK-NEXT: {{^}}  bit counts
# CHECK: count.3 = int64 7
# CHECK-NEXT: count.3 = add(count.3, mul(popc(word.2), int64 3))
# CHECK-NEXT: word.2 = int64 0
# CHECK-NEXT: store out.1[word.2] = count.3


@cuda.jit
def length_and_ones(x, out):
    word = x[0]
    count = rounds = 0
    while word > 0:
        count += word & 1
        word >>= 1
        rounds += 1
    out[count] = rounds


# CHECK-LABEL: == length_and_ones
# CHECK: rules ({{.*}}): made a new tree
# CHECK: if gt([[WORD:word.[0-9]]], int64 0)
# CHECK-NEXT: add({{.*}}, popc([[WORD]]))
# CHECK-NEXT: add({{.*}}, mul(sub(int64 64, clz([[WORD]])), int64 1))
# CHECK-NEXT: [[WORD]] = int64 0
# CHECK-NEXT: store


@cuda.jit
def does_not_end_below_zero(x, out):
    word = x[0]
    count = 0
    while word != 0:
        word >>= 1
        count += 1
    out[0] = count


# CHECK-LABEL: == does_not_end_below_zero
# CHECK: rules ({{.*}}): changed nothing


@cuda.jit
def looks_after_the_shift(x, out):
    word = x[0]
    count = 0
    while word > 0:
        word >>= 1
        count += word & 1
    out[0] = count


# CHECK-LABEL: == looks_after_the_shift
# CHECK: rules ({{.*}}): changed nothing


@cuda.jit
def has_an_else_clause(x, out):
    word = x[0]
    count = 0
    while word > 0:
        word >>= 1
        count += 1
    else:
        count += 5
    out[0] = count


# CHECK-LABEL: == has_an_else_clause
# CHECK: rules ({{.*}}): changed nothing


KERNELS = (ones, length_and_ones, does_not_end_below_zero, looks_after_the_shift, has_an_else_clause)
REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in KERNELS]
