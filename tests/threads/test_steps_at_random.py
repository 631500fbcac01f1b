"""Launches, drops, allocations, forks, interrupts, resets and callbacks, in seeded order on several threads.

Each run is a child process with a time limit, which prints its seed when it fails; where the failure depends on the
timing of threads, the same seed need not fail again.
"""

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")

PROGRAM = """
import gc, os, random, signal, sys, threading, traceback, warnings
import numpy as np
from treadle import cuda
from treadle.cuda.cudadrv.driver import CudaAPIError

warnings.simplefilter("ignore")  # Python's own, about forks with threads
seed, steps = int(sys.argv[1]), int(sys.argv[2])
CONTEXT_IS_DESTROYED = 709
# Those that have begun and those that have ended, on all threads: each ends what is queued on all streams, at some
# moment in between.
interrupts, resets = ([], []), ([], [])
handled = 0
# What the kernel of `interrupt` waits for: memory that a stream may use, and memory that only the host has.
ends = []


def now():
    return *map(len, interrupts), *map(len, resets)


def is_calm_since(before):
    begun, ended, resets_begun, resets_ended = before
    return before == now() and begun == ended and resets_begun == resets_ended


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit(debug=True)
def beyond(x):
    x[x.size] = 1


@cuda.jit
def wait_for_ever(x):
    while cuda.atomic.add(x, 0, 0) == 0:
        pass


def on_interrupt(*_):
    global handled
    handled += 1
    raise KeyboardInterrupt


def ignore_lost_interrupts(unraisable):
    # Python drops what a handler raises in the middle of a callback of the garbage collector: there is no other Ctrl-C.
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
    end_waiting()


def end_waiting():
    for flag in ends:
        flag[0] = 1


def compile_something(number):
    scope = {"cuda": cuda, "np": np}
    exec(f"@cuda.jit\\ndef kernel(x):\\n    x[0] = {number}\\nkernel[1, 1](np.zeros(2))", scope)


class Worker:
    # `arrays`: (device array, what each of its elements is, `now()` when it was made).
    def __init__(self, seed, forks):
        self.random = random.Random(seed)
        self.forks = forks
        self.forget()

    def forget(self):
        self.arrays, self.streams = [], [cuda.stream(), cuda.stream(nonblocking=True)]

    def any_stream(self):
        return self.random.choice([0, *self.streams])

    def allocate(self):
        before, stream = now(), self.any_stream()
        array = cuda.to_device(np.zeros(self.random.choice([10, 3000, 40_000])), stream=stream)
        if stream:
            stream.synchronize()
        self.arrays.append([array, 0, before])

    def launch(self):
        if not self.arrays:
            return
        stream, one = self.any_stream(), self.random.choice(self.arrays)
        for _ in range(self.random.randrange(1, 4)):
            add[160, 256, stream](one[0], 1)
            one[1] += 1
        self.put_behind(stream, [0, *self.streams])  # so that the next use may be on another one

    def put_behind(self, stream, others):
        moment = cuda.event()
        moment.record(stream)
        for other in others:
            moment.wait(other)

    def launch_and_drop(self):
        stream = self.random.choice(self.streams)
        array = cuda.device_array(self.random.choice([10, 3000]), stream=stream)
        add[12, 256, stream](array, 1)

    def look(self):
        if not self.arrays:
            return
        array, expected, before = self.random.choice(self.arrays)
        # Not on the stream that it was made on, which knows nothing of others once it was replaced.
        found = array.copy_to_host(stream=self.random.choice(self.streams))
        assert not is_calm_since(before) or (found == expected).all(), (found.min(), found.max(), expected)

    def drop(self):
        if self.arrays:
            self.arrays.pop(self.random.randrange(len(self.arrays)))

    def fail(self):
        before, stream = now(), cuda.stream(nonblocking=True)
        beyond[1, 1, stream](cuda.device_array(4, stream=stream))
        try:
            stream.synchronize()
        except IndexError:
            return
        assert not is_calm_since(before), "nothing was raised"

    def compile(self):
        compile_something(self.random.randrange(10**6))

    def call_back(self):
        called = threading.Event()
        self.random.choice(self.streams).add_callback(lambda *_: called.set())
        assert called.wait(200), "the callback was not called"

    def renew(self):
        number, stream = self.random.randrange(2), cuda.stream(nonblocking=self.random.random() < 0.5)
        self.put_behind(self.streams[number], [stream])
        self.streams[number] = stream

    def clean(self):
        context = cuda.current_context()
        for stream in self.streams:
            stream.synchronize()
        self.random.choice([context.deallocations.clear, context.memory_manager.trim, gc.collect])()

    def fork(self):
        if not self.forks:
            return
        child = os.fork()
        if child:
            status = os.waitpid(child, 0)[1]
            assert status == 0, f"a child ended with {status}"
            return
        signal.alarm(200)
        status = 1
        try:
            self.forks = False
            # What was queued in the parent never runs here, and nothing waits for it.
            self.attempt(self.copy_all)
            self.arrays = []
            for entries in (*interrupts, *resets):
                entries.clear()
            for _ in range(12):
                self.step()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def copy_all(self):
        for array, *_ in self.arrays:
            array.copy_to_host()

    def interrupt(self):
        # Ctrl-C at any moment of whatever is going on: raised in the main thread, once. It ends the kernel where the
        # thread waits for it, and not where it comes between the launch and the wait.
        global ends
        if threading.current_thread() is not threading.main_thread():
            return
        delay = self.random.choice([0, 0.001, 0.01, 0.05])
        wait = self.random.choice([self.wait, self.compile, self.launch, self.wait_at_once])
        ends = [cuda.mapped_array(1, np.int32), np.zeros(1, np.int32)]
        ends[0][0] = 0
        interrupts[0].append(1)
        before = handled
        sender = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        try:
            sender.start()
            while handled < before + 1:
                self.attempt(wait)
                self.attempt(self.allocate)
        except KeyboardInterrupt:
            end_waiting()
        sender.join()
        assert handled == before + 1, "the handler was called more than once"
        interrupts[1].append(1)
        self.arrays = []

    def wait(self):
        stream = self.random.choice(self.streams)
        wait_for_ever[1, 1, stream](ends[0])
        stream.synchronize()

    def wait_at_once(self):
        wait_for_ever[1, 1](ends[1])

    def reset(self):
        if self.random.random() < 0.3:
            resets[0].append(1)
            try:
                cuda.current_context().reset()
            finally:
                resets[1].append(1)

    def step(self):
        step = self.random.choice([
            self.allocate, self.allocate, self.launch, self.launch, self.launch, self.launch_and_drop, self.look,
            self.look, self.drop, self.fail, self.call_back, self.renew, self.clean, self.fork, self.interrupt,
            self.reset, self.compile,
        ])
        self.arrays = [each for each in self.arrays if is_calm_since(each[2])]
        self.attempt(step)

    def attempt(self, step):
        before = now()
        try:
            step()
        except CudaAPIError as error:
            # Another thread, or this one, has reset the device.
            assert error.code == CONTEXT_IS_DESTROYED, error
            self.forget_safely()
        except KeyboardInterrupt:
            if threading.current_thread() is threading.main_thread():
                raise
            # The main thread's Ctrl-C ends what other threads wait for.
            assert not is_calm_since(before)

    def forget_safely(self):
        while True:
            try:
                return self.forget()
            except CudaAPIError as error:
                assert error.code == CONTEXT_IS_DESTROYED, error


def work(worker):
    try:
        for _ in range(steps):
            worker.step()
    except BaseException:
        print("seed", seed, flush=True)
        traceback.print_exc()
        os._exit(1)


signal.signal(signal.SIGINT, on_interrupt)
sys.unraisablehook = ignore_lost_interrupts
# Compiled and imported before any thread forks: a module that another thread is importing is never ready in the child.
add[1, 1](np.zeros(1), 1)
compile_something(1)
wait_for_ever[1, 1](np.ones(1, np.int32))
cuda.current_context().memory_manager.trim()
cuda.mapped_array(1, np.int32)
try:
    beyond[1, 1](np.zeros(1))
except IndexError:
    pass
workers = [Worker(seed * 10 + number, forks=number != 2) for number in range(3)]
threads = [threading.Thread(target=work, args=(worker,)) for worker in workers[1:]]
for thread in threads:
    thread.start()
work(workers[0])
for thread in threads:
    thread.join()
exec("")  # Python kills itself at the end where the last exec() was interrupted
"""


@pytest.mark.parametrize("seed", range(2))
def test_threads_do_all_of_it_at_once(run_python, seed):
    assert run_python(PROGRAM, str(seed), "60", timeout=250) == ""


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10, 30))
def test_threads_do_all_of_it_for_long(run_python, seed):
    assert run_python(PROGRAM, str(seed), "300", timeout=600) == ""
