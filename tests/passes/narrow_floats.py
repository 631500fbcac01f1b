"""Variables of float64 that only hold values of float32 become such; a constant with more digits prevents that."""

from treadle import cuda


@cuda.jit
def half(x, out):
    i = cuda.grid(1)
    value = x[i] if x[i] > 0 else 0.5
    out[i] = value


# CHECK-LABEL: == half
# CHECK: narrow floats
# CHECK: var value.3: float32
# CHECK: value.3 = (gt({{.*}}, float64 0) ? {{t.[0-9]+}} : float32 0.5)
# CHECK-NEXT: store out.1[i.2] = value.3


@cuda.jit
def tenth(x, out):
    i = cuda.grid(1)
    value = x[i] if x[i] > 0 else 0.1
    out[i] = value


# CHECK-LABEL: == tenth
# CHECK-NOT: narrow floats
# CHECK: var value.3: float64
# CHECK: value.3 = (gt({{.*}}, float64 0) ? convert:float64({{t.[0-9]+}}) : float64 0.1)
# CHECK-NEXT: store out.1[i.2] = convert:float32(value.3)


REPORTS = [(kernel, "void(float32[::1], float32[::1])") for kernel in (half, tenth)]
