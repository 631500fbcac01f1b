"""python -m numba_launches NAME...: runs these cases, or all; prints each name when it is done."""

import sys
import traceback

from numba_launches import basics, exchange, hosts, launching, numbers, threads  # noqa: F401
from numba_launches.cases import CASES

failed = []
for name in sys.argv[1:] or CASES:
    try:
        CASES[name]()
        print(name, flush=True)
    except Exception:
        traceback.print_exc()
        failed.append(name)
sys.exit(f"failed: {' '.join(failed)}" if failed else 0)
