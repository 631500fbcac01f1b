"""The host's own accesses to device memory: ordered after everything that may still write it."""

import threading

import numpy as np
import remote
from treadle import cuda


def test_the_host_waits_for_what_other_threads_launch_on_default_streams():
    @cuda.jit
    def spin(begun, flag, x):
        begun[0] = 1
        while flag[0] == 0:
            cuda.threadfence_system()
        for i in range(x.size):
            x[i] = 3

    looks = {
        "host_view": lambda x: remote.seen(x)[2],
        "assignment": lambda x: x.__setitem__(1, 9) or x.copy_to_host()[2],
    }
    for look in looks.values():
        begun, flag, x = cuda.mapped_array(1, np.int32), cuda.mapped_array(1, np.int32), cuda.to_device(np.zeros(8))
        begun[0] = flag[0] = 0
        other = threading.Thread(target=lambda: spin[1, 1](begun, flag, x))  # noqa: B023
        other.start()
        while begun[0] == 0:
            pass
        threading.Timer(0.05, flag.__setitem__, (0, 1)).start()
        assert look(x) == 3
        other.join()
