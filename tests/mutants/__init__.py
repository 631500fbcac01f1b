# One-line defects, each of which must turn a named test red.

from mutants import cooperation, language, runtime, waiting, warps

MUTANTS = [*language.MUTANTS, *cooperation.MUTANTS, *warps.MUTANTS, *waiting.MUTANTS, *runtime.MUTANTS]
