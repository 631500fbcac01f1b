# One random program: its arguments, its run by the oracle, and how results are compared.

import numpy as np
from oracle.kernel_code import statements_in
from oracle.kernel_run import Kernel, array_of, numpy_of, type_of
from oracle.kernel_values import Rejected

from programs.grammar import number_arrays as data


def arguments_of(program, aliased):
    """NumPy arguments in order. Aliased: two outputs share memory, offset by two elements."""
    named = data.arguments(program)
    if aliased:
        size = named["io"].size
        whole = np.concatenate([named["io"], named["jo"][:2]])
        named["io"], named["jo"] = whole[:size], whole[2:]
    return named


def translated(program, watch=None):
    """The program's kernel for the oracle. With a `Watch`, its runs detect races."""
    values = [array_of(v) if isinstance(v, np.ndarray) else v for v in arguments_of(program, False).values()]
    return Kernel(program.source, program.rules, [type_of(v) for v in values], watch)


def run_oracle(kernel, program, aliased):
    """The contents of the arrays after the launch of a translated kernel."""
    named = arguments_of(program, aliased)
    values = {n: array_of(v) if isinstance(v, np.ndarray) else v for n, v in named.items()}
    if aliased:
        size = values["io"].size
        whole = array_of(named["io"].base)
        values["io"], values["jo"] = whole.view(0, (size,), (1,)), whole.view(2, (size,), (1,))
    kernel(program.grid, program.block, *values.values())
    return {n: numpy_of(v) for n, v in values.items() if hasattr(v, "data")}


def differences(expected, found):
    """Lines that report where two results differ. Exact; see `expressions.py` for why floats are, too."""
    lines = []
    for name, want in expected.items():
        have = found[name]
        if want.dtype.names:
            lines += differences({f"{name}.{f}": want[f] for f in want.dtype.names},
                                 {f"{name}.{f}": have[f] for f in want.dtype.names})  # fmt: skip
            continue
        where = np.flatnonzero(~are_same(want, have))
        if where.size:
            shown = ", ".join(f"[{k}] {have.flat[k]!r} instead of {want.flat[k]!r}" for k in where[:4])
            lines.append(f"{name}: {where.size} of {want.size} differ: {shown}")
        rest = data.between(have)
        if rest is not None and (rest != np.array(data.FILLING).astype(have.dtype)).any():
            lines.append(f"{name}: written between its elements")
    return lines


def are_same(want, have):
    if want.dtype.kind == "c":
        return are_same(want.real, have.real) & are_same(want.imag, have.imag)
    if want.dtype.kind != "f":
        return want == have
    return (want == have) & (np.signbit(want) == np.signbit(have)) | np.isnan(want) & np.isnan(have)


def facts(program, kernel):
    """What a program exercised, for the counts."""
    kinds = statements_in(program.source)
    return {
        "statements": sum(kinds.values()) - kinds["FunctionDef"],
        "depth": kernel.mask_depth,
        "used": kernel.used(),
    }


__all__ = ["Rejected", "arguments_of", "differences", "facts", "run_oracle", "translated"]
