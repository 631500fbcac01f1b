# The child of the differential test of PTX: one seed, one program, the oracle and the PTX generator's code.

import tempfile
import warnings

import numpy as np
import treadle

from differential import generator, launch, ptx_code, worker

ALL_FACTS = {"offsets_fit_int32": True, "grid_fits_int32": True, "no_overlap": True, "aligned16": True}


def type_of(value):
    if not isinstance(value, np.ndarray):
        return {bool: treadle.boolean, int: treadle.int64, float: treadle.float64}.get(type(value)) or getattr(
            treadle, value.dtype.name
        )
    element = treadle.boolean if value.dtype == bool else getattr(treadle, value.dtype.name)
    return element[::1] if value.ndim == 1 else element[(slice(None),) * (value.ndim - 1) + (slice(None, None, 1),)]


def run(kernel, program, variant):
    """The arrays after a launch of the code made under the variant's options."""
    arguments = launch.arguments_of(program, variant["aliased"])
    signature = treadle._core.Signature([type_of(value) for value in arguments.values()], treadle.void)
    start = ptx_code.load(kernel, signature, variant["facts"], variant["opt"])
    start(program.grid, program.block, arguments)
    return {n: v for n, v in arguments.items() if hasattr(v, "dtype")}


def work(seed):
    """{"differences": [...], "ptx": texts for ptxas} or {"rejected": why}."""
    program = generator.make(seed)
    try:
        expected = {aliased: launch.run_oracle(program, aliased)[0] for aliased in (False, True)}
    except launch.Rejected as reason:
        return {"rejected": str(reason)}
    found, ptx = [], []
    variants = [
        {"facts": {}, "opt": 3, "aliased": True},
        {"facts": ALL_FACTS, "opt": 3, "aliased": False},
        {"facts": ALL_FACTS, "opt": 0, "aliased": False},
    ]
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        kernel = worker.load_program(program, folder).kernel
        for variant in variants:
            have = run(kernel, program, variant)
            want = expected[variant["aliased"]]
            found += [f"{variant}: {line}" for line in launch.differences(want, have)]
            signature = treadle._core.Signature(
                [type_of(v) for v in launch.arguments_of(program, False).values()], treadle.void
            )
            ptx.append(ptx_code.compiled(kernel, signature, "ptx", variant["facts"], variant["opt"]))
    return {"differences": found, "ptx": ptx}
