# One-line defects, each of which must turn a named test red.

from mutants import cooperation, cuda, interchange, language, library, order, runtime, signals, waiting, warps

MUTANTS = [
    *language.MUTANTS, *library.MUTANTS, *order.MUTANTS, *cooperation.MUTANTS, *warps.MUTANTS, *waiting.MUTANTS,
    *runtime.MUTANTS, *signals.MUTANTS, *cuda.MUTANTS, *interchange.MUTANTS,
]  # fmt: skip
