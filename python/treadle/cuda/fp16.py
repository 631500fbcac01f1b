"""Functions of float16 in kernels, as CUDA's half intrinsics: `from treadle.cuda import fp16`, or `cuda.fp16.hadd`.

Arguments are real numbers and are converted to float16; results are float16, those of comparisons bool. On the host
calling one raises RuntimeError.
"""

from treadle.absent import reporter
from treadle.intrinsics import Intrinsic

__getattr__ = reporter(__name__)


class HalfFunction(Intrinsic):
    """A function of float16. Implemented in treadle.library.half_functions."""

    def __init__(self, call, text):
        name = call.partition("(")[0]
        super().__init__(f"cuda.fp16.{name}", f"{call}: {text}.")

    def __reduce__(self):
        return self.__treadle_key__.rpartition(".")[2]  # by its name in this module


_UNORDERED = ", False where one is NaN"

hadd = HalfFunction("hadd(a, b)", "a + b")
hsub = HalfFunction("hsub(a, b)", "a - b")
hmul = HalfFunction("hmul(a, b)", "a * b")
hdiv = HalfFunction("hdiv(a, b)", "a / b")
hfma = HalfFunction("hfma(a, b, c)", "a * b + c, rounded once")
hneg = HalfFunction("hneg(a)", "-a")
habs = HalfFunction("habs(a)", "the absolute value")
hmax = HalfFunction("hmax(a, b)", "the larger operand, the one that is not NaN; 0.0 is larger than -0.0")
hmin = HalfFunction("hmin(a, b)", "the smaller operand, the one that is not NaN; -0.0 is smaller than 0.0")
heq = HalfFunction("heq(a, b)", "whether a == b" + _UNORDERED)
hne = HalfFunction("hne(a, b)", "whether a is below or above b" + _UNORDERED + ", where a != b is true")
hgt = HalfFunction("hgt(a, b)", "whether a > b" + _UNORDERED)
hge = HalfFunction("hge(a, b)", "whether a >= b" + _UNORDERED)
hlt = HalfFunction("hlt(a, b)", "whether a < b" + _UNORDERED)
hle = HalfFunction("hle(a, b)", "whether a <= b" + _UNORDERED)
hsin = HalfFunction("hsin(a)", "the sine of `a` radians")
hcos = HalfFunction("hcos(a)", "the cosine of `a` radians")
hlog = HalfFunction("hlog(a)", "the natural logarithm")
hlog2 = HalfFunction("hlog2(a)", "the logarithm to base 2")
hlog10 = HalfFunction("hlog10(a)", "the logarithm to base 10")
hexp = HalfFunction("hexp(a)", "e ** a")
hexp2 = HalfFunction("hexp2(a)", "2 ** a")
hexp10 = HalfFunction("hexp10(a)", "10 ** a")
hsqrt = HalfFunction("hsqrt(a)", "the square root")
hrsqrt = HalfFunction("hrsqrt(a)", "1 / the square root")
hrcp = HalfFunction("hrcp(a)", "1 / a")
hfloor = HalfFunction("hfloor(a)", "the largest whole number that is not above `a`")
hceil = HalfFunction("hceil(a)", "the smallest whole number that is not below `a`")
htrunc = HalfFunction("htrunc(a)", "`a` without its fraction")
hrint = HalfFunction("hrint(a)", "the whole number nearest to `a`, the even one of two")

__all__ = sorted(name for name, value in dict(globals()).items() if isinstance(value, HalfFunction))
