# Writes references.npz, computed with MPFR (the package gmpy2); needed only when points change.
"""python tests/math/generate_references.py [function ...]; of all functions if none is named"""

import sys

import gmpy2
import numpy as np
import points
import references

# Enough that rounding twice cannot differ from rounding once, except at exact ties, which stay exact.
WORKING = gmpy2.context(precision=300, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max())
TARGETS = {
    "f32": gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True),
    "f64": gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True),
}


_NAMES = {
    "fabs": abs,
    "pow": lambda base, exponent: base**exponent,
    # MPFR's NaN has no sign; ours is positive.
    "copysign": lambda magnitude, sign: gmpy2.copy_sign(magnitude, gmpy2.mpfr(1) if gmpy2.is_nan(sign) else sign),
    "ceil": gmpy2.rint_ceil,
    "floor": gmpy2.rint_floor,
    "trunc": gmpy2.rint_trunc,
    "tgamma": gmpy2.gamma,
    # MPFR gives the sign of gamma(x), too.
    "lgamma": lambda value: gmpy2.lgamma(value)[0],
}


def correctly_rounded(function, kind):
    exact = _NAMES.get(function) or getattr(gmpy2, function)
    operands = [side.astype(np.float64).tolist() for side in points.points(function, kind)]
    target = TARGETS[kind]
    results = []
    for values in zip(*operands, strict=True):
        gmpy2.set_context(WORKING)
        precise = exact(*(gmpy2.mpfr(value) for value in values))
        gmpy2.set_context(target)
        results.append(float(+precise))
    return np.array(results, dtype=np.float64).astype(points.FLOATS[kind])


def main():
    results = {}
    for function in sys.argv[1:] or points.FUNCTIONS:
        for kind in points.FLOATS:
            results[function, kind] = correctly_rounded(function, kind)
            print(function, kind, len(results[function, kind]), flush=True)
    references.store(results)
    for function, kind in results:
        completed = references.references(function, kind)
        same = completed.tobytes() == results[function, kind].tobytes()
        assert same or np.array_equal(completed, results[function, kind], equal_nan=True), (function, kind)
    print(references.FILE.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
