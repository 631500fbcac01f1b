# python -m differential SEED: shows one program, the oracle's results, and the differences in Treadle (run in tests/).

import sys

from differential import generator, worker

program = generator.make(int(sys.argv[1]))
print(f"# rules {program.rules}, grid {program.grid}, block {program.block}")
print(f"# {program.inputs} {program.outputs}\n{program.source}")
result = worker.work(program.seed)
print("\n".join(result.get("differences", [])) or result)
