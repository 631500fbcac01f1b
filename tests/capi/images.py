"""Makes an image file of each kernel here, for the device of TREADLE_DEVICE, in the folder that is the argument."""

import sys
from pathlib import Path

from treadle import _hooks, cuda, float32

FLOATS = "float32[::1]"
KERNELS = {
    "axpy": f"void({FLOATS}, {FLOATS}, {FLOATS}, float32)",
    "guarded": f"void({FLOATS}, {FLOATS}, {FLOATS}, float32)",
    "minus": f"void({FLOATS}, {FLOATS}, {FLOATS}, float32)",
    "numbers": f"void({FLOATS}, int8, uint16, int64, float64, complex64, boolean)",
    "sum_rows": "void(float32[:, ::1], float32[::1])",
    "strided": "void(float32[:, :], float32)",
    "tuples": "void(Tuple((int32, float32[::1])), Optional(float32))",
    "checked": f"void({FLOATS}, int64)",
}


def axpy(x, y, out, a):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a * x[i] + y[i]


def minus(x, y, out, a):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a * x[i] - y[i]


def guarded(x, y, out, a):
    i = cuda.grid(1)
    if i < out.shape[0] and i < x.shape[0] and i < y.shape[0]:
        out[i] = a * x[i] + y[i]


def numbers(out, a, b, c, d, e, f):
    if cuda.grid(1) == 0:
        out[0] = a
        out[1] = b
        out[2] = c
        out[3] = d
        out[4] = e.real
        out[5] = e.imag
        out[6] = 1 if f else 2


def sum_rows(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        out[i] = total


def strided(x, value):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] = value + float32(i) * 10 + float32(j)


def tuples(pair, value):
    if cuda.grid(1) == 0:
        pair[1][0] = pair[0]
        if value is not None:
            pair[1][1] = value
        else:
            pair[1][1] = -1


def checked(out, i):
    if cuda.grid(1) == 0:
        out[i] = 1


def main():
    folder = Path(sys.argv[1])
    _hooks.record_images(str(folder))
    for number, (name, signature) in enumerate(KERNELS.items()):
        cuda.jit(signature, debug=name == "checked", opt=name != "checked")(globals()[name])
        (folder / f"{number}.image").rename(folder / f"{name}.image")
    (folder / "raw.ptx").write_text(PTX)


# out[i] = value * i for i < n; parameters of 8, 4, 1 and 8 bytes, with a gap before the last.
PTX = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 out, .param .f32 value, .param .u8 n, .param .u64 first)
{
    .reg .pred %p;
    .reg .b16 %h;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [out];
    ld.param.f32 %f1, [value];
    ld.param.u8 %h, [n];
    ld.param.u64 %d4, [first];
    cvt.u32.u16 %r1, %h;
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra DONE;
    cvta.to.global.u64 %d2, %d1;
    cvt.u32.u64 %r3, %d4;
    add.u32 %r3, %r3, %r2;
    cvt.rn.f32.u32 %f2, %r3;
    mul.f32 %f2, %f2, %f1;
    mul.wide.u32 %d3, %r2, 4;
    add.u64 %d2, %d2, %d3;
    st.global.f32 [%d2], %f2;
DONE:
    ret;
}
"""

if __name__ == "__main__":
    main()
