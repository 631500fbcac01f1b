# Fresh processes, started in turns: their total wall time, or the milliseconds that they print.
import os
import statistics
import subprocess
import time

from harness import ENVIRONMENT, ROOT


def run_once(command, printed, environment):
    """Milliseconds: those that the process prints on its last line, or from its start to its end."""
    start = time.perf_counter()
    process = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **ENVIRONMENT, **(environment or {})},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    elapsed = 1e3 * (time.perf_counter() - start)
    if process.returncode != 0:
        raise OSError(f"{command[0]} failed: {process.stderr.strip().splitlines()[-1:]}")
    return float(process.stdout.split()[-1]) if printed else elapsed


def medians(commands, repetitions, printed=False, environment=None):
    """The median milliseconds of every command of {label: command}; each round runs all of them once."""
    found = {label: [] for label in commands}
    for _ in range(repetitions + 1):
        for label, command in commands.items():
            found[label].append(run_once(command, printed, environment))
    # In the first round files are not cached yet.
    return {label: statistics.median(times[1:]) for label, times in found.items()}
