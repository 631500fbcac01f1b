# One-line defects, each of which must turn a named test red.

from mutants import adopting, cooperation, cuda, interchange, language, order, runtime, signals, waiting, warps

MUTANTS = [
    *language.MUTANTS, *order.MUTANTS, *cooperation.MUTANTS, *warps.MUTANTS, *waiting.MUTANTS, *runtime.MUTANTS,
    *signals.MUTANTS, *cuda.MUTANTS, *interchange.MUTANTS, *adopting.MUTANTS,
]  # fmt: skip
