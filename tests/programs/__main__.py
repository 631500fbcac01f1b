# python -m programs SEED: shows a program, and where Treadle differs from the model (run in tests/).

import sys

from programs import generator, worker

program = generator.make(int(sys.argv[1]))
print(f"{program.source}\n# launches (blocks, block shape, kernels): {program.launches}, {program.layout}")
result = worker.work(program.seed)
print("\n".join(result.get("differences", [])) or result)
