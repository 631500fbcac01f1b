# Miscompilations of the language: wrong masks, wrong signs, wrong memory, lost barriers.

from mutants.tree import Mutant

MUTANTS: list[Mutant] = []
