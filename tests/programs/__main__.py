"""python -m programs KIND SEED [smallest]: shows a program and what Treadle gets wrong, or the smallest one found with
which Treadle fails in the same way (run in tests/). KIND: numbers, effects, exchanges, arrays, mutations, or
"mutations effects"."""

import sys

import children

from programs.smallest import judge_of, smallest

*kinds, seed = (word for word in sys.argv[1:] if word != "smallest")
judge, item = judge_of(kinds[0]), [kinds[1], int(seed)] if len(kinds) > 1 else int(seed)
if "smallest" in sys.argv:
    problem, way, source = smallest(judge, item) or sys.exit("nothing is wrong")
    print(f"# {problem}; {way}\n{source}")
else:
    program = judge.make(item)
    print(f"{program.source}\n# {program}")
    ((_, result),) = children.run(judge.__name__, [item], limit=600.0, environment=judge.environment_of(item))
    print("\n".join(result.get("differences", [])) or result)
