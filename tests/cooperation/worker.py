"""The child of these tests: runs one case on the model and on Treadle, and compares."""

import functools
import tempfile
import warnings

import numpy as np
import sources

from cooperation import kernels_cases, kernels_special, simt_model, simt_source

ORDERS = ("up", "down", 7)


@functools.cache
def _named(make):
    return {case.name: case for case in make()}


def case_named(name):
    for make in (
        kernels_cases.product,
        kernels_special.cases,
        kernels_special.deadlocks,
        kernels_special.spinning_cases,
    ):
        if name in _named(make):
            return _named(make)[name]
    return _named(kernels_cases.whole_product)[name]


def launch_model(case, functions, number, **options):
    """The arrays after a launch, or None if the threads wait for each other forever."""
    arguments, shared = case.arguments(number)
    blocks, shape, _ = case.launches[number]
    try:
        simt_model.launch(functions, blocks, shape, arguments, shared=shared, spin=case.spin, **options)
    except simt_model.Deadlock:
        return None
    return [a for a in arguments if isinstance(a, np.ndarray)]


def launch_treadle(case, kernel, number):
    arguments, shared = case.arguments(number)
    blocks, shape, _ = case.launches[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel[blocks, shape, 0, shared](*arguments)
    return [a for a in arguments if isinstance(a, np.ndarray)]


ARRAYS = ("out", "data", "acc", "tot")
DEADLOCK = "threads wait for"  # the start of Treadle's message


def differences(expected, found):
    if expected is None or found is None:
        return ["a deadlock, or none"] if expected is not found else []
    lines = []
    for name, want, have in zip(ARRAYS, expected, found):
        where = np.flatnonzero(want != have)
        if where.size:
            shown = ", ".join(f"[{k}] {have.flat[k]!r} instead of {want.flat[k]!r}" for k in where[:4])
            lines.append(f"{name}: {where.size} of {want.size} differ: {shown}")
    return lines


def compare(case, expected):
    """Lines that report the launches in which Treadle and the model differ. A deadlock must raise an error."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        kernel = sources.load(case.source, folder).kernel
        for number, launch in enumerate(case.launches):
            try:
                found = launch_treadle(case, kernel, number)
            except RuntimeError as error:
                if DEADLOCK not in str(error):
                    raise
                found = None
            lines += [f"{launch}: {line}" for line in differences(expected[number], found)]
    return lines


def in_every_order(case, apart=None):
    """(the model's result of each launch, lines for launches where the order of threads matters, which is a race).

    `apart`: a set that collects the lines of barriers at which lanes of a warp wait while others wait elsewhere.
    """
    functions = simt_source.load(case.source, case.spin)
    expected, lines = [], []
    for number, launch in enumerate(case.launches):
        first, *rest = (launch_model(case, functions, number, order=order, apart=apart) for order in ORDERS)
        lines += [f"{launch}: {line}" for other in rest for line in differences(first, other)]
        expected.append(first)
    return expected, lines


def in_order(case):
    """The model's result of each launch."""
    functions = simt_source.load(case.source, case.spin)
    return [launch_model(case, functions, number) for number in range(len(case.launches))]


def when_alone(case):
    """What changes if threads never wait and collectives have one lane only."""
    functions = simt_source.load(case.source, case.spin)
    lines = []
    for number, expected in enumerate(in_order(case)):
        lines += differences(expected, launch_model(case, functions, number, alone=True))
    return lines


def work(item):
    """`item`: {"case": name}, {"races": name} or {"alone": name}."""
    ((what, name),) = item.items()
    case = case_named(name)
    if what == "races":
        return {"differences": in_every_order(case)[1]}
    return {"differences": when_alone(case) if what == "alone" else compare(case, in_order(case))}
