# Graphs: what is captured runs at each replay, and only then; what would wait is refused and leaves the capture intact.

import gc
import threading

import numpy as np
import pytest
from graph_cases import CAPTURED_EVENT, UNJOINED, UNSUPPORTED, add, checked, refused, scale, together, values, x, zeros
from treadle import cuda

__all__ = ["x"]


def test_the_work_runs_at_each_replay_only(x):
    with cuda.graph() as graph:
        add[4, 32](x, 1)
        scale[4, 32](x, 2)
    assert len(graph) == 2
    assert values(x) == 0
    for expected in (2, 6, 14):
        graph.replay()
        assert values(x) == expected


def test_the_host_waits_for_replays_of_memory_that_it_reads(x):
    with cuda.graph() as graph:
        for _ in range(20):  # a replay takes longer than the call that begins it
            add[4, 32](x, 1)
    for _ in range(50):
        graph.replay(graph.stream)
    assert x[5] == 1000
    for _ in range(50):
        graph.replay(graph.stream)
    assert np.asarray(x)[0] == 2000
    for _ in range(50):
        graph.replay()
    assert x.copy_to_host()[0] == 3000


def test_a_replay_has_its_place_in_the_order_of_its_stream(x):
    stream = cuda.stream()
    with cuda.graph(stream) as graph:
        add[4, 32](x, 1)
    other = cuda.stream()
    for where in (stream, other, cuda.default_stream()):
        scale[4, 32, where](x, 0)
        graph.replay(where)
        scale[4, 32, where](x, 10)
        graph.replay(where)
        where.synchronize()
        assert values(x) == 11


def test_launches_that_name_the_stream_and_those_that_name_none_are_captured_in_their_order(x):
    stream = cuda.stream()
    with cuda.graph(stream) as graph:
        add[4, 32, stream](x, 3)
        scale[4, 32](x, 2)
        add[4, 32, cuda.per_thread_default_stream()](x, 1)
        add[4, 32, cuda.legacy_default_stream()](x, 1)
    graph.replay()
    assert stream.synchronize() is None
    assert values(x) == 8


def test_other_streams_and_threads_are_not_captured(x):
    y, z = zeros(), zeros()
    other = cuda.stream(nonblocking=True)
    with cuda.graph() as graph:
        add[4, 32](x, 1)
        add[4, 32, other](y, 1)
        thread = threading.Thread(target=lambda: add[4, 32](z, 1))
        thread.start()
        thread.join()
    cuda.synchronize()
    assert (values(x), values(y), values(z)) == (0, 1, 1)
    graph.replay()
    cuda.synchronize()
    assert (values(x), values(y), values(z)) == (1, 1, 1)


def test_after_the_block_default_streams_are_themselves_again(x):
    launch = add[4, 32]
    for _ in range(4):
        launch(x, 0)  # prepared
    with cuda.graph() as graph:
        for _ in range(4):
            launch(x, 1)
    launch(x, 10)
    assert values(x) == 10
    graph.replay()
    cuda.synchronize()
    assert values(x) == 14
    for _ in range(4):
        launch(x, 1)
    assert values(x) == 18


def test_streams_join_by_events(x):
    y = zeros()
    main, side = cuda.stream(), cuda.stream()
    fork, join = cuda.event(), cuda.event()
    with cuda.graph(main) as graph:
        add[4, 32, main](x, 1)
        fork.record(main)
        fork.wait(side)
        add[4, 32, side](y, 5)
        join.record(side)
        scale[4, 32, main](x, 3)
        join.wait(main)
        y.copy_to_device(x, stream=main)
    add[4, 32, side](y, 2)  # no part of it any more
    side.synchronize()
    assert values(y) == 2
    graph.replay()
    main.synchronize()
    assert (values(x), values(y)) == (3, 3)


def test_a_stream_that_does_not_lead_back_is_an_error(x):
    main, side = cuda.stream(), cuda.stream()
    fork = cuda.event()
    graph = cuda.graph(main)
    graph.__enter__()
    fork.record(main)
    fork.wait(side)
    add[4, 32, side](x, 1)
    refused(UNJOINED, graph.__exit__, None, None, None)
    with pytest.raises(RuntimeError, match="capture has failed"):
        graph.replay()
    for stream in (main, side):
        add[4, 32, stream](x, 1)
        stream.synchronize()
    assert values(x) == 2


def test_events_of_a_capture_are_no_points_to_wait_for(x):
    event = cuda.event()
    with cuda.graph() as graph:
        add[4, 32](x, 1)
        event.record()
        refused(CAPTURED_EVENT, event.synchronize)
    refused(CAPTURED_EVENT, event.synchronize)
    refused(CAPTURED_EVENT, event.wait, cuda.stream())
    graph.replay(graph.stream)
    event.record(graph.stream)
    event.synchronize()
    assert values(x) == 1


def test_what_would_wait_is_refused_and_the_capture_goes_on(x):
    y = cuda.to_device(np.ones(100, np.float32))
    host = np.zeros(100, np.float32)
    event = cuda.event()
    event.record(cuda.stream())
    with cuda.graph() as graph:
        add[4, 32](x, 1)
        refused(UNSUPPORTED, x.copy_to_host)
        refused(UNSUPPORTED, x.copy_to_device, host)
        refused(UNSUPPORTED, cuda.to_device, host)
        refused(UNSUPPORTED, add[4, 32], host, 1)
        refused(UNSUPPORTED, cuda.synchronize)
        refused(UNSUPPORTED, cuda.default_stream().synchronize)
        refused(UNSUPPORTED, graph.stream.synchronize)
        refused(UNSUPPORTED, cuda.graph(graph.stream).__enter__)
        event.synchronize()
        assert y.copy_to_host(stream=cuda.stream(nonblocking=True))[0] == 1
        scale[4, 32](x, 5)
    assert (host == 0).all()
    graph.replay()
    assert values(x) == 5


def test_copies_and_fills_are_captured(x):
    y, wide = zeros(), cuda.to_device(np.zeros((10, 20), np.float32))
    pinned = cuda.pinned_array(100, np.float32)
    pinned[:] = 7
    result = cuda.pinned_array(100, np.float32)
    result[:] = 0
    with cuda.graph() as graph:
        x.copy_to_device(pinned)
        add[4, 32](x, 1)
        y.copy_to_device(x)
        scale[4, 32](y, 2)
        y.copy_to_host(result)
        wide[:, ::2]._copy_from(y.reshape(10, 10), graph.stream)
    assert (result == 0).all()
    assert values(x) == 0
    graph.replay(graph.stream)
    graph.stream.synchronize()
    assert (result == 16).all()
    assert values(x) == 8
    assert (wide.copy_to_host()[:, ::2] == 16).all()
    pinned[:] = 1
    graph.replay(graph.stream)
    graph.stream.synchronize()
    assert (result == 4).all()


def test_mapped_memory_is_an_argument(x):
    mapped = cuda.mapped_array(100, np.float32)
    mapped[:] = 3
    with cuda.graph() as graph:
        add[4, 32](mapped, 1)
    assert (mapped == 3).all()
    graph.replay(graph.stream)
    graph.stream.synchronize()
    assert (mapped == 4).all()


def test_grids_that_synchronise(x):
    y = zeros(256)
    together[4, 64](y)
    with cuda.graph() as graph:
        together[4, 64](y)
        together[4, 64](y)
    for _ in range(5):
        graph.replay()
    together[4, 64](y)
    graph.replay(cuda.default_stream())
    host = y.copy_to_host()
    assert (host[1:] == 14).all()
    assert host[0] == 15


def test_checks_are_told_by_the_next_wait(x):
    checked[1, 1](x, 0)
    with cuda.graph() as graph:
        checked[1, 1](x, 1)
        checked[1, 1](x, 100)
        checked[1, 1](x, 2)
    graph.replay(graph.stream)
    with pytest.raises(IndexError, match="checked"):
        graph.stream.synchronize()
    graph.stream.synchronize()
    assert x[2] == 1
    graph.replay(graph.stream)
    with pytest.raises(IndexError, match="checked"):
        graph.stream.synchronize()


def test_callbacks_are_called_at_each_replay(x):
    called = threading.Semaphore(0)
    with cuda.graph() as graph:
        add[4, 32](x, 1)
        graph.stream.add_callback(lambda stream, status, arg: called.release(), None)
    assert not called.acquire(timeout=0.05)
    for _ in range(3):
        graph.replay(graph.stream)
        graph.stream.synchronize()
        assert called.acquire(timeout=10)
    assert not called.acquire(timeout=0.05)


def test_graphs_within_graphs(x):
    with cuda.graph() as inner:
        add[4, 32](x, 1)
        scale[4, 32](x, 2)
    with cuda.graph() as outer:
        inner.replay(cuda.default_stream())
        add[4, 32](x, 100)
        inner.replay(cuda.default_stream())
    assert values(x) == 0
    del inner
    gc.collect()
    outer.replay()
    assert values(x) == 206


def test_captures_of_one_thread_nest(x):
    y = zeros()
    with cuda.graph() as outer:
        add[4, 32](x, 1)
        with cuda.graph() as inner:
            add[4, 32](y, 1)
        add[4, 32](x, 1)
    assert (len(outer), len(inner)) == (2, 1)
    outer.replay()
    assert (values(x), values(y)) == (2, 0)


def test_threads_capture_at_once():
    arrays = [zeros() for _ in range(4)]
    graphs = {}
    add[4, 32](zeros(), 0)

    def capture(number):
        with cuda.graph() as graph:
            for _ in range(20):
                add[4, 32](arrays[number], number)
        graphs[number] = graph

    threads = [threading.Thread(target=capture, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for graph in graphs.values():
        graph.replay()
        graph.replay()
    cuda.synchronize()
    assert [values(array) for array in arrays] == [0, 40, 80, 120]


def test_a_default_stream_of_the_thread_can_be_captured(x):
    stream = cuda.per_thread_default_stream()
    with cuda.graph(stream) as graph:
        add[4, 32](x, 1)
        add[4, 32, stream](x, 1)
    graph.replay()
    stream.synchronize()
    assert values(x) == 2


def test_numbers_are_those_of_the_capture_and_contents_those_of_the_replay(x):
    value = 3
    with cuda.graph() as graph:
        add[4, 32](x, value)
    value = 1000
    x.copy_to_device(np.full(100, 50, np.float32))
    graph.replay()
    assert values(x) == 53
