"""Devices, memory and errors under the import paths of Numba's `numba.cuda.cudadrv`.

Everything here is also in `treadle.cuda`, `treadle.errors` and on `cuda.current_context()`.
"""

from treadle.cuda.cudadrv import devicearray, devices, driver, drvapi, enums, error, libs, nvvm, runtime

__all__ = ["devicearray", "devices", "driver", "drvapi", "enums", "error", "libs", "nvvm", "runtime"]
