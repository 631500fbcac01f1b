"""A million allocations, copies, views, streams and events, dropped in adversarial orders, leave nothing behind."""

import gc
import random
import resource
import threading

import numpy as np
import pytest
from treadle import cuda

pytestmark = pytest.mark.deep

THREADS, STEPS = 8, 62_500


@cuda.jit
def add(a, value):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += value


class Worker:
    """Makes and drops objects; `held` are the current ones, dropped from any position."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.held = []
        self.host = np.arange(600.0)
        self.records = np.zeros(20, [("x", "f4"), ("y", "f8", (2,))])
        self.made = 0

    def any_array(self):
        arrays = [one for one in self.held if isinstance(one, cuda.DeviceNDArray) and one.ndim == 1 and one.size > 4]
        return self.random.choice(arrays) if arrays else cuda.device_array(100)

    def allocate(self):
        return cuda.device_array(self.random.randrange(600), self.random.choice(["u1", "f4", "f8"]))

    def copy(self):
        device = cuda.to_device(self.host[: self.random.randrange(1, 600)])
        assert device.copy_to_host()[-1] == device.size - 1
        return device

    def view(self):
        array = self.any_array()
        return self.random.choice(
            [array[1:], array[::-2], array.reshape(-1, 1), array.bind(0), array.view(array.dtype)]
        )

    def record(self):
        return cuda.to_device(self.records)[self.random.randrange(20)]

    def window(self):
        return self.any_array().host_view()

    def cycle(self):
        loop = [self.any_array()]
        loop.append(loop)
        return loop

    def stream(self):
        stream = cuda.stream(nonblocking=self.random.random() < 0.5)
        event = cuda.event()
        event.record(stream)
        return (stream, event)

    def launch(self):
        stream = cuda.stream()
        array = cuda.to_device(self.host)
        add[1, 32, stream](array, 1)
        return stream if self.random.random() < 0.5 else array

    def mapped(self):
        return cuda.mapped_array(50)[self.random.randrange(20) :]

    def refused(self):
        try:
            cuda.device_array(1 << 50)
        except Exception as error:
            return error
        raise AssertionError

    def step(self):
        choices = [self.allocate] * 60 + [self.copy] * 15 + [self.view] * 30
        rare = [self.record, self.window, self.cycle, self.mapped, self.refused]
        self.held.append(self.random.choice(choices + rare)())
        self.made += 1
        while len(self.held) > 30:
            self.held.pop(self.random.randrange(len(self.held)))

    def run(self):
        for number in range(STEPS):
            self.step()
            if number % 500 == 0:
                self.held.append(self.stream())
                self.held.append(self.launch())
            if number % 5000 == 0:
                with cuda.defer_cleanup():
                    self.held.clear()
        self.held.clear()


def kibibytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run_all(seed):
    workers = [Worker(seed + number) for number in range(THREADS)]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(worker.made for worker in workers)


def test_nothing_is_left():
    manager = cuda.current_context().memory_manager
    gc.collect()
    before = manager.figures()["live_count"]
    first = run_all(0)
    after_first = kibibytes()
    second = run_all(100)
    grown = kibibytes() - after_first
    gc.collect()
    cuda.synchronize()
    cuda.device_array(1)  # frees what threads of streams have released
    manager.deallocations.clear()
    manager.trim()
    figures = manager.figures()
    assert first + second == 2 * THREADS * STEPS
    assert figures["live_count"] == before
    assert (figures["pending_count"], figures["pending_bytes"], figures["cached_bytes"]) == (0, 0, 0)
    assert grown < 64 << 10, f"the second half took {grown} KiB more"
