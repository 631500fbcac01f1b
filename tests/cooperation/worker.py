"""The child of these tests: runs one case, or one random kernel, on the model and on Treadle, and compares."""

import functools
import tempfile
import warnings

import numpy as np
import sources

from cooperation import kernels_cases, kernels_special, random_kernels, simt_model, simt_source

ORDERS = ("up", "down", 7)


@functools.cache
def _named(make):
    return {case.name: case for case in make()}


def case_named(name):
    for make in (kernels_cases.product, kernels_special.cases, kernels_special.spinning_cases):
        if name in _named(make):
            return _named(make)[name]
    return _named(kernels_cases.whole_product)[name]


def launch_model(case, functions, number, **options):
    """The arrays after a launch."""
    arguments, shared = case.arguments(number)
    blocks, shape, _ = case.launches[number]
    simt_model.launch(functions, blocks, shape, arguments, shared=shared, spin=case.spin, **options)
    return [a for a in arguments if isinstance(a, np.ndarray)]


def launch_treadle(case, kernel, number):
    arguments, shared = case.arguments(number)
    blocks, shape, _ = case.launches[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel[blocks, shape, 0, shared](*arguments)
    return [a for a in arguments if isinstance(a, np.ndarray)]


def differences(names, expected, found):
    lines = []
    for name, want, have in zip(names, expected, found):
        where = np.flatnonzero(want != have)
        if where.size:
            shown = ", ".join(f"[{k}] {have.flat[k]!r} instead of {want.flat[k]!r}" for k in where[:4])
            lines.append(f"{name}: {where.size} of {want.size} differ: {shown}")
    return lines


ARRAYS = ("out", "data", "acc", "tot")


def compare(case):
    """Lines that say in which launches Treadle and the model differ."""
    functions = simt_source.load(case.source, case.spin)
    expected = [launch_model(case, functions, number) for number in range(len(case.launches))]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        kernel = sources.load(case.source, folder).kernel
        for number, launch in enumerate(case.launches):
            found = launch_treadle(case, kernel, number)
            lines += [f"{launch}: {line}" for line in differences(ARRAYS, expected[number], found)]
    return lines


def in_other_orders(case):
    """Launches in which the model's result depends on the order of threads: such a kernel has a race."""
    functions = simt_source.load(case.source, case.spin)
    lines = []
    for number, launch in enumerate(case.launches):
        first, *rest = (launch_model(case, functions, number, order=order) for order in ORDERS)
        lines += [f"{launch}: {line}" for other in rest for line in differences(ARRAYS, first, other)]
    return lines


def when_alone(case):
    """What changes where no thread waits for others and collectives have one lane only."""
    functions = simt_source.load(case.source, case.spin)
    lines = []
    for number in range(len(case.launches)):
        try:
            found = launch_model(case, functions, number, alone=True)
        except simt_model.Deadlock:
            return ["a loop does not end"]
        lines += differences(ARRAYS, launch_model(case, functions, number), found)
    return lines


def work(item):
    """`item`: {"case": name}, {"races": name}, {"alone": name} or {"seed": of a random kernel}."""
    if "case" in item:
        return {"differences": compare(case_named(item["case"]))}
    if "races" in item:
        return {"differences": in_other_orders(case_named(item["races"]))}
    if "alone" in item:
        return {"differences": when_alone(case_named(item["alone"]))}
    made = random_kernels.make(item["seed"])
    try:
        races = in_other_orders(made.case)
    except (simt_model.Deadlock, simt_model.Undefined) as reason:
        return {"rejected": type(reason).__name__}
    if races:
        return {"rejected": "race"}
    return {"differences": compare(made.case), "used": made.used}
