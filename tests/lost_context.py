"""A plugin for tests on a GPU (`-p tests.lost_context -n 8`): a worker whose context a kernel has ended does not go on.

CUDA allows nothing in a process after a kernel's fault, so that all later tests would fail as well. pytest-xdist starts
another worker in its place, and names the test that would have been next as one that has crashed.
"""

import os


def is_lost():
    from treadle import cuda, errors

    try:
        cuda.synchronize()
    except errors.CudaAPIError:
        return True
    return False


failed = []


def pytest_runtest_logreport(report):
    if report.failed:
        failed.append(report.nodeid)


def pytest_runtest_logfinish(nodeid):
    if nodeid in failed and "PYTEST_XDIST_WORKER" in os.environ and is_lost():
        os._exit(1)
