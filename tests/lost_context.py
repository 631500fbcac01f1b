"""A plugin for tests on a GPU (`-p tests.lost_context -n 8`): a worker whose context a kernel has ended does not go on.

CUDA allows nothing in a process after a kernel's fault, so that all later tests would fail as well. pytest-xdist starts
another worker in its place, and names the test that would have been next as one that has crashed.

TREADLE_FAILURES names a file that gets each failure at once: a run that is cut off prints no summary.
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
    if not report.failed:
        return
    failed.append(report.nodeid)
    path = os.environ.get("TREADLE_FAILURES")
    if path and "PYTEST_XDIST_WORKER" not in os.environ:
        crash = getattr(report.longrepr, "reprcrash", None)
        with open(path, "a") as file:
            file.write(f"{report.nodeid} ({report.when}): {crash.message if crash else report.longrepr}\n\n")


def pytest_runtest_logfinish(nodeid):
    if nodeid in failed and "PYTEST_XDIST_WORKER" in os.environ and is_lost():
        os._exit(1)
