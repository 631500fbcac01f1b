"""For programs that import `numba.cuda.cudadrv.libs`: no part of a CUDA toolkit is needed."""

from treadle.absent import reporter

__getattr__ = reporter(__name__)


def test():
    """Prints where CUDA's libraries are expected, and returns True: none of the toolkit is needed."""
    print("Treadle needs the CUDA driver for GPUs (libcuda.so.1), and nothing of the CUDA toolkit")
    return True
