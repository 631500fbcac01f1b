"""Tensors of PyTorch's that are more than their memory says, by classes that behave as PyTorch's. tests/adopters has
the real ones."""

import sys
import types

import numpy as np
import pytest
import treadle
from interop.producers import Producer
from interop.test_exchange_table import foreign_class
from treadle import cuda

COMPLEX, FLOAT, INT = (5, 64, 1), (2, 32, 1), (0, 32, 1)


class State:
    """What PyTorch knows of a tensor beside its memory."""

    requires_grad = False
    layout = "torch.strided"
    conjugated = negated = False

    def is_conj(self):
        return self.conjugated

    def is_neg(self):
        return self.negated


class Tensor(State, Producer):
    """By DLPack's methods."""


def shown():
    """By the CUDA Array Interface alone."""

    class Shown(Tensor):
        __dlpack__ = __dlpack_device__ = None

        def __init__(self, dtype):
            number = {COMPLEX: np.complex64, FLOAT: np.float32, INT: np.int32}[dtype]
            self.array = cuda.to_device(np.ones(3, number))
            self.__cuda_array_interface__ = {**self.array.__cuda_array_interface__, "version": 2}

    return Shown


@pytest.fixture(params=["table", "methods", "interface"])
def tensor_class(request, monkeypatch):
    """A class of PyTorch's tensors, and how they are taken."""
    base = {
        "table": lambda: type("Tensor", (State, foreign_class()), {}),
        "methods": lambda: type("Tensor", (Tensor,), {}),
        "interface": shown,
    }[request.param]()
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=base))
    return base


@cuda.jit
def touch(x):
    x[0] = x[1]


def take(tensor, as_argument=True):
    """On every way in that there is."""
    if as_argument:
        touch[1, 1](tensor)
    elif getattr(tensor, "__dlpack__", None):
        treadle.from_dlpack(tensor)
    else:
        cuda.as_cuda_array(tensor)


@pytest.mark.parametrize("as_argument", [True, False])
@pytest.mark.parametrize(
    "state, dtype, remedy",
    [
        ({"requires_grad": True}, FLOAT, "detach"),
        ({"conjugated": True}, COMPLEX, "resolve_conj"),
        ({"negated": True}, FLOAT, "resolve_neg"),
    ],
)
def test_what_memory_does_not_say_is_refused(tensor_class, as_argument, state, dtype, remedy):
    tensor = tensor_class(dtype=dtype)
    vars(tensor).update(state)
    if not as_argument and not hasattr(type(tensor), "__dlpack__"):
        pytest.skip("from_dlpack takes no tensors by the table alone")
    with pytest.raises((TypeError, BufferError), match=rf"tensor.*{remedy}\(\)"):
        take(tensor, as_argument)


def test_plain_tensors_are_taken(tensor_class):
    for dtype in (COMPLEX, FLOAT, INT):
        take(tensor_class(dtype=dtype))


def test_layouts_without_strides_are_refused_before_the_producer_is_asked(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=Tensor))
    tensor = Tensor()
    tensor.layout = "torch.sparse_coo"
    with pytest.raises(BufferError, match=r"layout is torch.sparse_coo.*to_dense\(\)"):
        treadle.from_dlpack(tensor)
    assert tensor.asked == []


def test_a_table_that_fails_for_a_layout_is_explained(monkeypatch):
    from interop.test_exchange_table import own

    broken = type("Sparse", (State, foreign_class(give=own().give)), {"layout": "torch.sparse_csr"})
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=broken))
    with pytest.raises(TypeError, match=r"layout is torch.sparse_csr.*to_dense\(\)"):
        touch[1, 1](broken())


def test_errors_of_its_properties_pass(monkeypatch):
    class Broken(Tensor):
        @property
        def requires_grad(self):
            raise KeyError("mine")

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=Broken))
    with pytest.raises(KeyError, match="mine"):
        touch[1, 1](Broken())
