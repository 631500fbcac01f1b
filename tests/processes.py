# Programs that tests start. At a time limit all that they have started ends with them: forks, orphans, their children.

import os
import signal
import subprocess
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
        _kill_marked(mark)
        raise


def _kill_marked(mark):
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:  # it has ended, or is another user's
            continue
