# Programs that tests start. At a time limit all that they have started ends with them: forks, orphans, their children.

import os
import signal
import subprocess
import time
import uuid
from pathlib import Path

# In the environment of every program: the marks of the runs that it is part of.
_MARKS = "TREADLE_TEST_RUNS"


def run(command, timeout, env=None, **options):
    """As subprocess.run, with the output as text. TimeoutExpired once all processes of the program are gone."""
    environment = dict(os.environ if env is None else env)
    mark = uuid.uuid4().hex
    environment[_MARKS] = f"{environment.get(_MARKS, '')}:{mark}"
    try:
        return subprocess.run(command, timeout=timeout, env=environment, capture_output=True, text=True, **options)
    except BaseException:
        # One may fork while it is looked for, and dies some time after the signal.
        while _kill_marked(mark):
            time.sleep(0.01)
        raise


def python_path(*folders):
    """PYTHONPATH with `folders` first, for a program that imports the package that this process was given."""
    return os.pathsep.join(filter(None, [*map(str, folders), os.environ.get("PYTHONPATH")]))


def _kill_marked(mark):
    """How many there were."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
                found += 1
        except OSError:  # it has ended, or is another user's
            continue
    return found
