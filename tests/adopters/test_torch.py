"""PyTorch's tensors on the CPU: by its exchange table as arguments, by DLPack in both directions."""

import gc

import numpy as np
import pytest
import treadle
from adopters.kernels import copy
from treadle import cuda

NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
HELD = "bfloat16 complex32 float8_e4m3fn float8_e5m2 float8_e8m0fnu".split()


@cuda.jit
def add(x, value):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] += value


def bits(torch, tensor):
    return tensor.view(torch.uint8).numpy().tobytes()


def test_it_has_an_exchange_table(torch):
    """Or all tests here would go another way."""
    assert hasattr(torch.Tensor, "__dlpack_c_exchange_api__")


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arguments(torch, dtype):
    x = torch.ones(6, dtype=getattr(torch, dtype))
    out = torch.zeros(6, dtype=getattr(torch, dtype))
    copy[1, 32](x, out)
    assert torch.equal(x, out)


def test_arguments_of_any_layout(torch):
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    model = base.clone()
    for view in (lambda x: x, lambda x: x.T, lambda x: x[1:3, ::2], lambda x: x[:, 3:4], lambda x: x[:0]):
        add[(1, 1), (8, 8)](view(base), 1)
        view(model).add_(1)
        assert torch.equal(base, model)
    expanded = torch.arange(6.0).expand(4, 6)
    out = torch.zeros(24)
    copy[1, 32](expanded.reshape(-1), out)
    assert torch.equal(out.reshape(4, 6), expanded)


@pytest.mark.parametrize("dtype", [*NUMBERS, *HELD])
def test_from_torch_and_back(torch, dtype):
    tensor = torch.arange(8).to(getattr(torch, dtype))
    x = treadle.from_dlpack(tensor)
    assert x.device_ctypes_pointer.value == tensor.data_ptr() and x.shape == (8,)
    assert x._type.name == dtype
    assert x.copy_to_host().tobytes() == bits(torch, tensor)
    back = torch.from_dlpack(x)
    assert back.data_ptr() == tensor.data_ptr() and back.dtype == tensor.dtype
    assert bits(torch, back) == bits(torch, tensor)


@pytest.mark.parametrize("dtype", HELD)
def test_elements_that_kernels_do_not_have(torch, dtype):
    tensor = torch.zeros(8, dtype=getattr(torch, dtype))
    with pytest.raises(TypeError, match=f"arrays can hold {dtype}, but kernels do not have it"):
        copy[1, 32](tensor, torch.zeros(8))


@pytest.mark.parametrize("use", ["argument", "import"])
@pytest.mark.parametrize(
    "make, remedy",
    [
        (lambda torch: torch.ones(4, requires_grad=True), "detach()"),
        (lambda torch: torch.nn.Parameter(torch.ones(4)), "detach()"),
        (lambda torch: torch.ones(4, dtype=torch.complex64).conj(), "resolve_conj()"),
        (lambda torch: torch.ones(4, dtype=torch.complex64).conj().imag, "resolve_neg()"),
        (lambda torch: torch.ones(4).to_sparse(), "to_dense()"),
    ],
    ids=["requires_grad", "parameter", "conjugated", "negated", "sparse"],
)
def test_tensors_that_are_more_than_memory_are_refused(torch, use, make, remedy):
    tensor = make(torch)
    with pytest.raises((TypeError, BufferError, RuntimeError)) as found:
        if use == "import":
            treadle.from_dlpack(tensor)
        else:
            copy[1, 32](tensor, torch.zeros(4, dtype=tensor.dtype))
    assert remedy in str(found.value)


def test_gradients_of_results(torch):
    """What the remedy does."""
    tensor = torch.ones(2, 3, requires_grad=True)
    add[(1, 1), (8, 8)](tensor.detach(), 1)
    assert tensor.tolist() == [[2] * 3] * 2


def test_who_dies_first(torch):
    tensor = torch.arange(4.0)
    x = treadle.from_dlpack(tensor)
    del tensor
    gc.collect()
    junk = [torch.full((4,), 9.0) for _ in range(100)]
    assert x.copy_to_host().tolist() == [0, 1, 2, 3] and len(junk) == 100
    back = torch.from_dlpack(x[1:])
    del x
    gc.collect()
    junk = [cuda.to_device(np.full(4, 9.0, np.float32)) for _ in range(100)]
    assert back.tolist() == [1, 2, 3] and len(junk) == 100


def test_empty_and_scalar_tensors(torch):
    for tensor in (torch.zeros(0, 3), torch.tensor(2.5), torch.zeros(1, 1)):
        x = treadle.from_dlpack(tensor)
        assert x.shape == tuple(tensor.shape)
        assert torch.equal(torch.from_dlpack(x), tensor)


def test_our_arrays_in_torch(torch):
    x = cuda.to_device(np.arange(12.0).reshape(3, 4))
    tensor = torch.from_dlpack(x[:, ::2])
    tensor += 1
    assert x.copy_to_host().tolist() == [[1, 1, 3, 3], [5, 5, 7, 7], [9, 9, 11, 11]]
    assert tensor.stride() == (4, 2)


def test_results_of_a_pipeline(torch):
    """Both libraries work on one array in turn."""
    tensor = torch.zeros(4, 5)
    for step in range(10):
        add[(1, 1), (8, 8)](tensor, step)
        tensor.mul_(2)
    expected = 0
    for step in range(10):
        expected = (expected + step) * 2
    assert torch.equal(tensor, torch.full((4, 5), float(expected)))
