"""python -m cooperation NAME or SEED: a kernel, what the model gets, where Treadle differs (run in tests/)."""

import sys

from cooperation import random_kernels, simt_source, worker

wanted = sys.argv[1]
case = random_kernels.make(int(wanted)).case if wanted.isdigit() else worker.case_named(wanted)
print(f"# {case.name}: launches (blocks, block shape, n) {case.launches}\n{case.source}")
functions = simt_source.load(case.source, case.spin)
for number, launch in enumerate(case.launches):
    print(launch, worker.launch_model(case, functions, number)[0].tolist())
print("\n".join(worker.in_other_orders(case)) or "the same in every order of threads")
print("\n".join(worker.compare(case)) or "Treadle agrees")
