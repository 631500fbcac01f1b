# python -m fuzz SEED: shows one mutant and its result (run in tests/).

import sys

from fuzz import mutate, worker

seed = int(sys.argv[1])
program = mutate.make(seed)
print(f"# rules {program.rules}, grid {program.grid}, block {program.block}\n{program.source}")
print(worker.work(seed))
