"""Numbers of streams, under the names of `numba.cuda.cudadrv.drvapi`."""

from treadle.absent import reporter

__all__ = ["CU_STREAM_DEFAULT", "CU_STREAM_LEGACY", "CU_STREAM_PER_THREAD"]

CU_STREAM_DEFAULT, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD = range(3)

__getattr__ = reporter(__name__)
