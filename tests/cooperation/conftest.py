"""A child process that runs the cases of this folder: a crash or hang is reported as a result."""

import select

import children
import pytest

LIMIT = 10.0  # seconds of processor time for one case


class Runner:
    def __init__(self, **environment):
        self.child = children.Child("cooperation.worker", environment)

    def __call__(self, item):
        """What `cooperation.worker.work` returns, or {"error": ...} or {"crash": ...}."""
        self.child.give(item)
        while not select.select([self.child.process.stdout], [], [], 0.2)[0]:
            if self.child.is_over(LIMIT):
                self.child.stop()
                return {"crash": f"no end after {LIMIT} s: {self.child.last_words()}"}
        return self.child.result()


@pytest.fixture(scope="session")
def run_case():
    runner = Runner()
    yield runner
    runner.child.stop()


@pytest.fixture(scope="session")
def run_case_on_one_worker():
    """Blocks that wait for other blocks have no second worker to run those meanwhile."""
    runner = Runner(TREADLE_CPU_THREADS="1")
    yield runner
    runner.child.stop()
