# What a larger program keeps in a module: `cuda` exported again, sizes, a device function, settings set elsewhere.
from treadle import cuda, float32, float64  # noqa: F401

HAS_GPU = cuda.is_available()
DEVICE = cuda.get_current_device()
MAX_THREADS = DEVICE.MAX_THREADS_PER_BLOCK
BORDERS = None
FACTOR = 1.0


def blocks_for(n, threads):
    return (n + threads - 1) // threads
