"""Tensors of other libraries as arguments of kernels, by DLPack."""

import ctypes
import gc
import sys

import numpy as np
import pytest
from interop.producers import IS_COPIED, READ_ONLY, LegacyProducer, Producer, described
from interop.test_exchange_table import foreign_class
from treadle import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def sum_into(out, x):
    total = 0.0
    for row in range(x.shape[0]):
        for column in range(x.shape[1]):
            total += x[row, column] * (1 + 10 * row + column)
    out[0] = total


@pytest.mark.parametrize("kind", [Producer, LegacyProducer])
def test_kernels_use_the_memory_of_tensors(kind):
    producer = kind()
    double[1, 32](producer)
    assert list(producer.memory) == [2, 4, 6, 8, 10, 12]
    gc.collect()
    assert producer.deleted == 1


@pytest.mark.parametrize(
    "layout",
    [
        {"shape": (2, 3), "strides": (3, 1)},
        {"shape": (3, 2), "strides": (1, 3)},
        {"shape": (2, 3), "strides": (-3, -1), "byte_offset": 20},
        {"shape": (2, 3), "strides": (0, 1)},
        {"shape": (2, 3), "strides": None, "flags": READ_ONLY},
        {"shape": (0, 3), "strides": None, "data": None},
    ],
)
def test_tensors_of_any_layout(layout):
    def model(x):
        return sum(v * (1 + 10 * i + j) for i, row in enumerate(x) for j, v in enumerate(row))

    host = np.arange(1.0, 7)
    shape, strides = layout["shape"], layout["strides"]
    view = host.reshape(shape) if shape[0] else []
    if strides is not None:
        view = np.lib.stride_tricks.as_strided(
            host[layout.get("byte_offset", 0) // 4 :], shape, [8 * step for step in strides]
        )
    out = np.zeros(1)
    sum_into[1, 1](out, Producer(**layout))
    assert out[0] == model(view)


def test_read_only_tensors_cannot_be_written():
    from treadle import CompileError

    with pytest.raises(CompileError, match="read-only"):
        double[1, 32](Producer(flags=READ_ONLY))
    double[1, 32](Producer(flags=IS_COPIED))


@pytest.mark.parametrize(
    "producer, message",
    [
        (Producer(dtype=(4, 16, 1)), "arrays can hold bfloat16, but kernels do not have it"),
        (Producer(device=(2, 0)), "no device that TREADLE_DEVICE names has that memory"),
        (Producer(version=(2, 0)), "DLPack 2.0"),
        (Producer(shape=(2,), byte_offset=2), "multiples of 4 bytes"),
    ],
    ids=["type", "device", "version", "alignment"],
)
def test_what_cannot_be_an_argument_is_named(producer, message):
    with pytest.raises(TypeError, match=message) as found:
        double[1, 32](producer)
    assert "argument 1 ('x') is of type Producer" in str(found.value)
    assert producer.deleted == 1


def test_what_the_producer_raises_passes():
    class Refusing(Producer):
        def __dlpack__(self, **asked):
            raise BufferError("requires grad")

    with pytest.raises(BufferError, match="requires grad"):
        double[1, 32](Refusing())


def test_launches_on_streams_wait_as_for_any_memory_of_the_host():
    producer = Producer()
    stream = cuda.stream()
    for _ in range(3):
        double[1, 32, stream](producer)
    assert list(producer.memory) == [8, 16, 24, 32, 40, 48]


def test_in_tuples_and_under_jit_with_types():
    producer = Producer()

    @cuda.jit
    def first_of(pair):
        pair[1][0] = pair[0]

    first_of[1, 1]((7.0, producer))
    assert producer.memory[0] == 7


@pytest.mark.skipif("torch" not in sys.modules and not __import__("importlib").util.find_spec("torch"),
                    reason="torch is not installed")  # fmt: skip
def test_torch():
    import torch

    x = torch.arange(6, dtype=torch.float32)
    double[1, 32](x)
    assert x.tolist() == [0, 2, 4, 6, 8, 10]


MADE_FROM = ["table", "CUDA Array Interface", "DLPack", "buffer", "array interface"]


def with_protocols(names):
    """An object that has some of the protocols, each with memory of its own."""
    memory = {name: np.ones(4, np.float32) for name in MADE_FROM}
    table = foreign_class()
    members = {
        "table": {"__dlpack_c_exchange_api__": table.__dlpack_c_exchange_api__, "kept": table},
        "CUDA Array Interface": {"__cuda_array_interface__": described(memory["CUDA Array Interface"])},
        "DLPack": {name: getattr(memory["DLPack"], name) for name in ("__dlpack__", "__dlpack_device__")},
        "buffer": {},
        "array interface": {"__array_interface__": memory["array interface"].__array_interface__},
    }
    base = (ctypes.c_float * 4) if "buffer" in names else object
    made = type("Several", (base,), {key: value for name in names for key, value in members[name].items()})()
    if "buffer" in names:
        memory["buffer"] = np.frombuffer(made, np.float32)
        memory["buffer"][:] = 1
    if "table" in names:
        memory["table"][:] = 1
        made.given = 0
        made.producer = Producer(shape=(4,), data=memory["table"].ctypes.data)
    return made, memory


@pytest.mark.parametrize("first", range(len(MADE_FROM)), ids=MADE_FROM)
def test_the_first_protocol_that_an_object_has_is_used(first):
    several, memory = with_protocols(MADE_FROM[first:])
    double[1, 32](several)
    assert [name for name in MADE_FROM if memory[name][0] == 2] == [MADE_FROM[first]]
