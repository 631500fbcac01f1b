# One-line defects, each of which must turn a named test red.

from mutants import (
    adopting,
    arrays,
    computing,
    conditionals,
    cooperation,
    cuda,
    enumerations,
    forwarded_values,
    halves,
    inner_indices,
    interchange,
    lane_loops,
    lanes,
    language,
    library,
    masked_memory,
    narrow_slots,
    numbers,
    order,
    runtime,
    signals,
    texts,
    ufuncs,
    variables,
    waiting,
    warps,
)

MUTANTS = [
    *language.MUTANTS, *library.MUTANTS, *numbers.MUTANTS, *order.MUTANTS, *cooperation.MUTANTS, *warps.MUTANTS,
    *waiting.MUTANTS, *runtime.MUTANTS, *signals.MUTANTS, *cuda.MUTANTS, *interchange.MUTANTS, *ufuncs.MUTANTS,
    *adopting.MUTANTS, *arrays.MUTANTS, *halves.MUTANTS, *texts.MUTANTS, *enumerations.MUTANTS,
    *computing.MUTANTS, *conditionals.MUTANTS, *masked_memory.MUTANTS, *inner_indices.MUTANTS,
    *forwarded_values.MUTANTS,
    *lane_loops.MUTANTS, *narrow_slots.MUTANTS, *variables.MUTANTS, *lanes.MUTANTS,
]  # fmt: skip
