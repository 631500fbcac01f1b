# Whether launches cost the same however many there were before: patterns of programs that run for hours
# (tests/soak_patterns.py), on the CPU device and on a CUDA driver that does nothing.
import json
import os
import subprocess
import sys

import peers
from harness import ROOT, Report, parse

TENTHS, PARTS = 10, 20
LIMIT = 1.05

WORK = """
import json, sys, time
import soak_patterns
from treadle import cuda

turns, tenths, parts = map(int, sys.argv[1:4])

def part(turn):
    begin = time.thread_time()
    for _ in range(turns):
        turn()
    return (time.thread_time() - begin) / turns

for pattern in soak_patterns.PATTERNS:
    if sys.argv[4] == "cuda" and pattern in soak_patterns.WITH_GRAPHS:
        continue  # the driver that does nothing has none
    turn = pattern()
    part(turn)
    costs = []
    for _ in range(tenths):
        costs.append(min(part(turn) for _ in range(parts)))  # what other programs disturb least
        cuda.synchronize()
    print(json.dumps([pattern.__name__, costs]), flush=True)
"""


def measured(environment, kind, turns):
    paths = os.pathsep.join([str(ROOT / "tests"), *filter(None, sys.path)])
    command = [sys.executable, "-c", WORK, str(turns), str(TENTHS), str(PARTS), kind]
    environment = {**os.environ, "PYTHONPATH": paths, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return map(json.loads, done.stdout.splitlines())


def say(report, label, found):
    table, worst = [], 0.0
    for name, costs in found:
        ratio = costs[-1] / costs[0]
        worst = max(worst, ratio)
        table.append([name, *(f"{1e6 * cost:.2f}" for cost in (costs[0], costs[-1])), f"{ratio:.3f}"])
    report.say(f"\n{label}: us of the launching thread's processor time for a turn, least in the first and last tenth")
    report.table(["", "first", "last", "ratio"], table)
    report.goal(f"{label}: the largest ratio of the last tenth to the first", worst, LIMIT, at_least=False)


def main():
    arguments = parse("What launches cost after many others.")
    report = Report("soak", "costs of launches after many others", arguments)
    turns = 2 if arguments.tiny else 100
    report.say(f"{TENTHS * PARTS * turns} turns of each")
    for label, kind, environment in (
        ("CPU device", "cpu", {"TREADLE_DEVICE": "cpu", "TREADLE_CPU_THREADS": "1"}),
        ("CUDA, a driver that does nothing", "cuda", peers.on_driver(peers.NULL_DRIVER)),
    ):
        try:
            say(report, label, list(measured(environment, kind, turns)))
        except RuntimeError as error:
            report.fail(label, error)
    report.close()


if __name__ == "__main__":
    main()
