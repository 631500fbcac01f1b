"""Many threads: each signature compiles once, launches run concurrently, the GIL is free while a long one runs."""

import sys
import threading
import time
import types

import numpy as np
import processes
import pytest
from treadle import cuda
from treadle._core import compilation_counts

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"]


def in_threads(count, work):
    """Runs work(index) in that many threads that start together; raises the first exception that one of them raised."""
    barrier = threading.Barrier(count)
    errors = []

    def run(index):
        try:
            barrier.wait()
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_sixteen_threads_compile_32_signatures_once_each():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i]

    signatures = [(left, right) for left in DTYPES for right in DTYPES[:4]]
    results = {}

    def work(index):
        for step in range(len(signatures)):
            left, right = signatures[(step + 2 * index) % len(signatures)]
            out = np.zeros(64, left)
            kernel[2, 32](out, np.arange(64).astype(right))
            results[index, step] = out.tolist() == list(range(64))

    in_threads(16, work)
    assert len(results) == 16 * 32
    assert all(results.values())
    assert compilation_counts(kernel) == (32, 32)
    assert len(kernel.overloads) == 32


def test_threads_that_meet_a_compile_error_all_get_it():
    @cuda.jit
    def kernel(out):
        out[0] = unknown_name  # noqa: F821

    errors = []

    def work(_):
        with pytest.raises(NameError) as raised:
            kernel[1, 1](np.zeros(1))
        errors.append(str(raised.value))

    in_threads(8, work)
    assert len(errors) == 8
    assert len(set(errors)) == 1


def test_launches_of_many_threads_do_not_disturb_each_other():
    @cuda.jit
    def kernel(out, n):
        i = cuda.grid(1)
        part = cuda.shared.array(64, np.int64)
        t = cuda.threadIdx.x
        part[t] = i + n
        cuda.syncthreads()
        out[i] = part[63 - t]

    def work(index):
        for _ in range(50):
            out = np.zeros(64 * 100, np.int64)
            kernel[100, 64](out, index)
            expected = np.arange(6400).reshape(100, 64)[:, ::-1].ravel() + index
            assert np.array_equal(out, expected)

    in_threads(8, work)


@cuda.jit
def wait_for(flag, out):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass
    out[0] = 1


def test_other_threads_run_while_a_kernel_does():
    flag, out = np.zeros(1, np.int32), np.zeros(1)
    done = threading.Event()

    def launch():
        wait_for[1, 1](flag, out)
        done.set()

    thread = threading.Thread(target=launch, daemon=True)
    thread.start()
    # The kernel cannot end before this thread has run Python code: the other compiles, starts, and waits for the flag.
    time.sleep(0.2)
    assert not done.is_set()
    flag[0] = 1
    thread.join(30)
    assert done.is_set()
    assert out[0] == 1


FORK = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from treadle import cuda

@cuda.jit
def fill(a, v):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = v

big = np.zeros(1 << 20)
fill[4096, 256](big, 1.0)
assert big.min() == 1
child = os.fork()
fill[4096, 256](big, 2.0)
assert big.min() == 2
fill[1, 1](np.zeros(1, np.int8), 1)  # a new signature on both sides
if child == 0:
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(status)
"""


def test_fork():
    result = processes.run([sys.executable, "-c", FORK], 60)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


MULTIPROCESSING = """
import multiprocessing, warnings
warnings.simplefilter("ignore")
import numpy as np
from treadle import cuda

@cuda.jit
def fill(a, v):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = v

def work(value):
    a = np.zeros(1 << 18)
    fill[1024, 256](a, value)
    return a.min() == a.max() == value

if __name__ == "__main__":
    work(0.0)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert all(pool.map(work, [float(i) for i in range(12)]))
    print("done")
"""


def test_multiprocessing():
    result = processes.run([sys.executable, "-c", MULTIPROCESSING], 60)
    assert result.stdout == "done\n", result.stderr


EXIT = """
import threading
import numpy as np
from treadle import cuda

@cuda.jit
def spin(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

def work():
    spin[4, 32](np.zeros(1, np.int32))

threading.Thread(target=work, daemon=True).start()
{ending}
"""


@pytest.mark.parametrize(
    "ending",
    [
        "import time; time.sleep(0.5)",
        "",
        "import os, time; time.sleep(0.3); os._exit(0)",
    ],
)
def test_exit_while_a_kernel_runs(ending):
    code = EXIT.format(ending=ending)
    result = processes.run([sys.executable, "-c", code], 20)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_main_thread_may_launch_at_exit_whichever_thread_has_imported(run_python):
    code = """
import atexit, threading
def at_exit():
    kernel[1, 1](out)
    print(out[0])
atexit.register(at_exit)  # before Treadle's own handler is registered, so it runs after that
def load():
    global cuda, np
    import numpy as np
    from treadle import cuda
thread = threading.Thread(target=load)
thread.start()
thread.join()
@cuda.jit
def kernel(out):
    out[0] += 1
out = np.zeros(1)
kernel[1, 1](out)
"""
    assert run_python(code) == "2.0\n"


def test_thread_count_setting(run_python):
    code = "from treadle import cuda; print(cuda.get_current_device().MULTIPROCESSOR_COUNT)"
    assert run_python(code, TREADLE_CPU_THREADS="3") == "3\n"
    assert run_python(code, NUMBA_NUM_THREADS="5") == "5\n"
    failing = "from treadle import cuda\ntry: cuda.get_current_device().WARP_SIZE\nexcept ValueError as e: print(e)"
    assert run_python(failing, TREADLE_CPU_THREADS="-1").startswith("TREADLE_CPU_THREADS is -1; it must lie between")
    assert run_python(failing, TREADLE_CPU_THREADS="many").startswith("TREADLE_CPU_THREADS must be an integer")


def test_one_thread_is_enough(run_python):
    code = """
import numpy as np
from treadle import cuda
@cuda.jit
def fill(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = i
a = np.zeros(1 << 20)
fill[4096, 256](a)
print(bool((a == np.arange(1 << 20)).all()))
"""
    assert run_python(code, TREADLE_CPU_THREADS="1") == "True\n"
    assert run_python(code, TREADLE_CPU_THREADS="7") == "True\n"


def test_kernels_compile_in_threads_with_small_stacks(run_python):
    code = """
import threading
import numpy as np
from treadle import cuda
@cuda.jit
def increment(x):
    x[0] += 1
x = np.zeros(1)
threading.stack_size(256 * 1024)
thread = threading.Thread(target=lambda: increment[1, 1](x))
thread.start()
thread.join()
print(x[0])
"""
    assert run_python(code) == "1.0\n"


def test_a_stream_without_a_thread_says_so(run_python):
    """Where there is no address space left for a thread's stack."""
    code = """
import resource, sys
import numpy as np
from treadle import cuda
@cuda.jit
def increment(x):
    x[0] += 1
x = cuda.to_device(np.zeros(1))
increment[1, 1](x)
stream = cuda.stream()
used = int(open("/proc/self/statm").read().split()[0]) * 4096
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), before[1]))
try:
    increment[1, 1, stream](x)
except RuntimeError as error:
    resource.setrlimit(resource.RLIMIT_AS, before)
    print(type(error).__name__, error)
increment[1, 1, stream](x)
stream.synchronize()
print(x.copy_to_host()[0])
"""
    assert run_python(code) == (
        "RuntimeError the system gives no more threads, and a stream needs one (Resource temporarily unavailable): see "
        "the limits on threads (ulimit -u, a cgroup's pids.max) and on address space (ulimit -v)\n2.0\n"
    )


def test_a_launch_that_prints_gives_its_turn_back_before_python_writes(run_python):
    code = """
import sys
from treadle import cuda
@cuda.jit
def hello():
    print("hello")
class Output:
    def write(self, text):
        cuda.synchronize()
        hello_real.write(text)
    def flush(self):
        pass
hello_real = sys.stdout
sys.stdout = Output()
hello[1, 1]()
"""
    assert run_python(code) == "hello\n"


WAITING_BLOCKS = """
import numpy as np
from treadle import cuda


@cuda.jit
def released(flag, out):
    block = cuda.blockIdx.x
    if block == 0:
        start = cuda.globaltimer()
        while cuda.globaltimer() - start < 500_000_000:
            pass
        cuda.atomic.exch(flag, 0, 1)
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass
    out[block] = block


out = np.full(20000, -1, np.int32)
released[20000, 1](np.zeros(1, np.int32), out)
assert (out == np.arange(20000)).all()
"""


def test_many_workers_share_the_room_for_waiting_blocks(run_python):
    """Each block has stacks, of two mappings each; a process may have 65,530."""
    run_python(WAITING_BLOCKS, TREADLE_CPU_THREADS="16")


OTHERS_RUN_MEANWHILE = """
import sys, threading
from treadle import cuda

manager = cuda.current_context().memory_manager


def defers():
    with cuda.defer_cleanup():
        pass


def sets_limit():
    manager.deallocations.max_pending_count = 10


calls = [manager.deallocations.clear, manager.trim, defers, sets_limit]
sys.setswitchinterval(1000)  # a thread gives way only where it lets go of the GIL itself
for call in calls:
    may_run, runs = threading.Lock(), []
    may_run.acquire()

    def other():
        may_run.acquire()
        runs.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    may_run.release()
    while not runs:
        call()
    thread.join()
"""


def test_other_threads_run_while_memory_is_given_back(run_python):
    run_python(OTHERS_RUN_MEANWHILE)


IMPORTING = """
import importlib.abc, importlib.util, sys, threading, time
import numpy as np
from treadle import cuda

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in ("treadle.source.functions", "treadle.source.names"):
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        sys.meta_path.insert(0, self)
        execute = spec.loader.exec_module
        def slow(module):
            begun.set()
            time.sleep(0.3)
            execute(module)
        spec.loader.exec_module = slow
        return spec

begun = threading.Event()
sys.meta_path.insert(0, Slow())

@cuda.jit
def first(x):
    x[0] = 1

@cuda.jit
def second(x):
    x[0] = 2

x = np.zeros(1)
thread = threading.Thread(target=lambda: first[1, 1](np.zeros(1)))
thread.start()
begun.wait()
second[1, 1](x)
thread.join()
print(x[0])
"""


def test_compiling_waits_for_modules_that_another_thread_imports(run_python):
    assert run_python(IMPORTING) == "2.0\n"


def test_copies_while_another_thread_imports_the_classes_of_host_arrays(monkeypatch):
    monkeypatch.setitem(sys.modules, "treadle.devices.host_arrays", types.ModuleType("treadle.devices.host_arrays"))
    assert cuda.to_device(np.arange(3)).copy_to_host().tolist() == [0, 1, 2]
