"""The time warping of tests/compat/programs as a function of PyTorch's autograd: its kernels take tensors."""

import sys
from pathlib import Path

import pytest
from treadle import redirect

PROGRAMS = Path(__file__).resolve().parents[1] / "compat/programs"


@pytest.fixture(scope="module")
def warp():
    """The program, redirected."""
    redirect.install()
    sys.path.insert(0, str(PROGRAMS))
    import time_warp

    yield time_warp
    sys.path.remove(str(PROGRAMS))
    del sys.modules["time_warp"]
    redirect.uninstall()


@pytest.fixture(scope="module")
def distance(torch, warp):
    """distance(costs, temperature, band) -> the warping distance of each pair, which autograd can differentiate."""

    class Distance(torch.autograd.Function):
        @staticmethod
        def forward(context, costs, temperature, band):
            pairs, rows, columns = costs.shape
            reached = costs.new_full((pairs, rows + 1, columns + 1), float("inf"))
            reached[:, 0, 0] = 0
            shares = costs.new_zeros((pairs, rows + 1, columns + 1, 3))
            launch = warp.walk_forward[pairs, warp.threads_for(rows, columns)]
            launch(costs.detach(), temperature, band, reached, shares)
            context.save_for_backward(shares)
            return reached[:, rows, columns]

        @staticmethod
        def backward(context, factors):
            (shares,) = context.saved_tensors
            through = torch.zeros_like(shares[..., 0], memory_format=torch.contiguous_format)
            pairs, rows, columns = through.shape
            warp.walk_back[pairs, warp.threads_for(rows - 1, columns - 1)](shares, factors, through)
            return through[:, :-1, :-1], None, None

    return Distance.apply


def by_torch(torch, costs, temperature):
    """The same distance out of PyTorch's own operations, from the definition of the smooth minimum."""
    reached = {}
    _, rows, columns = costs.shape
    for i in range(rows):
        for j in range(columns):
            before = [reached[k] for k in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if k in reached]
            reached[i, j] = costs[:, i, j]
            if before:
                sums = -torch.stack(before) / temperature
                reached[i, j] = reached[i, j] - temperature * torch.logsumexp(sums, 0)
    return reached[rows - 1, columns - 1]


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-4), ("float64", 1e-11)])
@pytest.mark.parametrize("sizes", [(1, 3), (12, 12), (35, 9)])
def test_values_and_gradients(torch, distance, sizes, dtype, tolerance):
    """Down to the points of one series, through operations of PyTorch before the distance and after it."""
    torch.manual_seed(sum(sizes))
    x, y = (torch.randn((3, n, 2), dtype=getattr(torch, dtype)) for n in sizes)
    results = []
    for measure in (lambda costs: distance(costs, 0.3, sum(sizes)), lambda costs: by_torch(torch, costs, 0.3)):
        points = x.clone().requires_grad_()
        found = measure(torch.cdist(points, y))
        (found * torch.tensor([1.0, -0.5, 2.0], dtype=found.dtype)).sum().backward()
        results.append((found.detach(), points.grad))
    for mine, theirs in zip(*results):
        assert mine.dtype == x.dtype and mine.abs().sum() > 0
        torch.testing.assert_close(mine, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("band", [99, 1])
def test_gradients_are_slopes(torch, distance, band):
    torch.manual_seed(band)
    costs = torch.rand((2, 6, 8), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda costs: distance(costs, 0.7, band), (costs,))


def test_costs_with_axes_in_another_order(torch, distance):
    """The kernels take a tensor that is not contiguous."""
    torch.manual_seed(7)
    costs = torch.rand((5, 9, 2), dtype=torch.float64)
    found = distance(costs.permute(2, 1, 0), 0.5, 99)
    torch.testing.assert_close(found, by_torch(torch, costs.permute(2, 1, 0), 0.5), rtol=1e-12, atol=0)


def test_a_tensor_of_the_host_is_no_cuda_array(torch, warp):
    with pytest.raises(TypeError, match="found a value of type Tensor, which treadle.from_dlpack takes"):
        warp.cuda.as_cuda_array(torch.ones(3))
