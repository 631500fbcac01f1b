# One side of a benchmark in its own process: opens cases of a module in sides/, times them, saves their results.
"""Usage: worker.py MODULE. Reads a JSON command a line from stdin and answers each with one JSON line on stdout.

open {case, name, options}    module.open_case(name, **options), an object with run() and, where they are wanted,
                              reset() (before each run, not timed), outputs(), and measured(): the seconds that the
                              last run took by a clock of its own, in place of the wall time
time {case, seconds, least, batch}  seconds of wall and of CPU time per run
save {case, path}             the outputs to a .npz file
close {case}                  forgets the case and its arrays
versions                      what the module is made of
"""

import gc
import importlib
import json
import os
import sys
import time


class Server:
    def __init__(self, module):
        self.module = module
        self.cases = {}

    def open(self, case, name, options):
        start = time.perf_counter()
        self.cases[case] = self.module.open_case(name, **options)
        return {"seconds": time.perf_counter() - start}

    def time(self, case, seconds, least, batch):
        subject = self.cases[case]
        reset = getattr(subject, "reset", None)
        measured = getattr(subject, "measured", None)
        run = subject.run
        wall, cpu = [], []
        gc.collect()
        gc.disable()
        deadline = time.perf_counter() + seconds
        while len(wall) < least or time.perf_counter() < deadline:
            if reset:
                reset()
            cpu_start = time.process_time()
            start = time.perf_counter()
            for _ in range(batch):
                run()
            passed = time.perf_counter() - start
            wall.append((measured() if measured else passed) / batch)
            cpu.append((time.process_time() - cpu_start) / batch)
        gc.enable()
        return {"wall": wall, "cpu": cpu}

    def save(self, case, path):
        import numpy as np

        np.savez(path, *self.cases[case].outputs())
        return {}

    def close(self, case):
        del self.cases[case]
        return {}

    def versions(self):
        return {"versions": self.module.versions()}


def main():
    # Libraries may print to stdout; the answers use a separate descriptor.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    server = Server(importlib.import_module(f"sides.{sys.argv[1]}"))
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = getattr(server, command.pop("do"))(**command)
        except Exception as error:
            import traceback

            answer = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
