# triad: out = x + factor * y, the kernel of the program in rust/.
from treadle import cuda


@cuda.jit("void(float64[::1], float64[::1], float64, float64[::1])")
def triad(x, y, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + factor * y[i]
