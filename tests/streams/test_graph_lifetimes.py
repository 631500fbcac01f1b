# Graphs: what they keep alive and for how long, what ends them, and wrong uses.

import gc

import numpy as np
import pytest
from graph_cases import IMPLICIT, add, refused, values, x, zeros
from treadle import cuda
from treadle.cuda.cudadrv.driver import CudaAPIError

__all__ = ["x"]


def test_arrays_and_kernels_may_be_made_in_the_block(x):
    @cuda.jit
    def fresh(out, given):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = given[i] + 20

    with cuda.graph() as graph:
        between = cuda.device_array(100, np.float32)
        fresh[4, 32](between, x)
        x.copy_to_device(between)
    graph.replay()
    graph.replay()
    assert values(x) == 40


def test_a_graph_keeps_the_memory_that_it_uses(x):
    with cuda.graph() as graph:
        between = cuda.device_array(100, np.float32)
        between.copy_to_device(x)
        add[4, 32](between, 1)
        x.copy_to_device(between)
        del between
    gc.collect()
    cuda.current_context().deallocations.clear()  # what is free may be handed out from now on
    others = []
    for _ in range(10):
        others.append(cuda.to_device(np.full(100, -1, np.float32)))
        graph.replay()
    assert values(x) == 10
    assert all(values(other) == -1 for other in others)


def test_a_graph_keeps_its_kernels(x):
    def made():
        @cuda.jit
        def once(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] += 4

        once[4, 32](x)
        graph = cuda.graph()
        with graph:
            once[4, 32](x)
        once.recompile()
        return graph

    graph = made()
    gc.collect()
    cuda.synchronize()
    graph.replay()
    assert values(x) == 8


def test_memory_comes_back_with_the_graph(x):
    gc.collect()
    figures = cuda.current_context().memory_manager.figures
    large = 4 << 20
    before = figures()["live_bytes"]
    with cuda.graph() as graph:
        between = cuda.device_array(1 << 20, np.float32)
        add[1, 32](between, 1)
        del between
    gc.collect()
    assert figures()["live_bytes"] >= before + large
    graph.replay(graph.stream)
    graph.stream.synchronize()
    del graph
    gc.collect()
    cuda.synchronize()
    zeros()
    assert figures()["live_bytes"] < before + large


def test_a_graph_that_is_dropped_runs_to_its_end(x):
    with cuda.graph() as graph:
        for _ in range(20):
            add[4, 32](x, 1)
    stream = graph.stream
    for _ in range(10):
        graph.replay(stream)
    del graph
    stream.synchronize()
    assert values(x) == 200


def test_an_exception_in_the_block_leaves_no_graph(x):
    graph = cuda.graph()
    with pytest.raises(KeyError), graph:
        add[4, 32](x, 1)
        raise KeyError("mine")
    with pytest.raises(RuntimeError, match="capture has failed"):
        graph.replay()
    add[4, 32](x, 2)
    cuda.synchronize()
    add[4, 32, graph.stream](x, 2)
    graph.stream.synchronize()
    assert values(x) == 4


def test_wrong_uses(x):
    graph = cuda.graph()
    with pytest.raises(RuntimeError, match="no work yet"):
        graph.replay()
    with pytest.raises(RuntimeError, match="no work yet"):
        len(graph)
    with graph, pytest.raises(RuntimeError, match="still being captured"):
        graph.replay()
    with pytest.raises(RuntimeError, match="captured before"):
        graph.__enter__()
    graph.replay()  # of nothing
    graph.stream.synchronize()
    refused(IMPLICIT, cuda.graph(cuda.legacy_default_stream()).__enter__)
    with pytest.raises(TypeError, match="stream"):
        cuda.graph("main")


def test_a_reset_ends_graphs(x):
    with cuda.graph() as graph:
        add[4, 32](x, 1)
    graph.replay()
    cuda.current_context().reset()
    with pytest.raises(CudaAPIError, match="its device was reset after it was captured"):
        graph.replay(cuda.stream())
    y = zeros()
    add[4, 32](y, 1)
    assert values(y) == 1


def test_a_reset_during_a_capture(x):
    graph = cuda.graph()
    graph.__enter__()
    add[4, 32](x, 1)
    cuda.current_context().reset()
    with pytest.raises(CudaAPIError):
        graph.__exit__(None, None, None)
    y = zeros()
    add[4, 32](y, 1)
    assert values(y) == 1


def test_shows_what_it_is():
    graph = cuda.graph()
    assert repr(graph).startswith("<CUDA graph of <CUDA stream")
    assert graph
