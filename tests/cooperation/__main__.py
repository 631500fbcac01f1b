"""python -m cooperation NAME: a kernel, the model's results, the differences in Treadle (run in tests/)."""

import sys

from cooperation import worker

case = worker.case_named(sys.argv[1])
print(f"# {case.name}: launches (blocks, block shape, n) {case.launches}\n{case.source}")
expected, races = worker.in_every_order(case)
for launch, arrays in zip(case.launches, expected):
    print(launch, "a deadlock" if arrays is None else arrays[0].tolist())
print("\n".join(races) or "the same in every order of threads")
print("\n".join(worker.compare(case, expected)) or "Treadle agrees")
