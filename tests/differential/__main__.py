# python -m differential SEED: shows one program, the oracle's results, and the differences in Treadle (run in tests/).

import sys

import children

from differential import generator, worker

program = generator.make(int(sys.argv[1]))
environment = worker.environment_of(program.seed)
print(f"# rules {program.rules}, grid {program.grid}, block {program.block}, PTX with {environment}")
print(f"# {program.inputs} {program.outputs}\n{program.source}")
((_, result),) = children.run("differential.worker", [program.seed], limit=600.0, environment=environment)
print("\n".join(result.get("differences", [])) or result)
