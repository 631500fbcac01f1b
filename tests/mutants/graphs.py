# Defects of captures and graphs, of this library and of others, and of bound launches.

from mutants.tree import Mutant

CUDA = "src/device/cuda"
CAPTURES = f"{CUDA}/captures.cpp"
STREAM = f"{CUDA}/cuda_stream_capture.cpp"
CPU = "src/device/cpu/cpu_capture.cpp"
BOUND = "src/python/launch/bound_object.cpp"


def captures(name):
    return f"tests/cuda/test_captures.py::test_{name}"


def graphs(name):
    return f"tests/streams/test_graphs.py::test_{name}"


def lifetimes(name):
    return f"tests/streams/test_graph_lifetimes.py::test_{name}"


def bound(name):
    return f"tests/launches/test_bound_launches.py::test_{name}"


MUTANTS = [
    # Captures of other software.
    Mutant(
        "captures_are_not_seen",
        CAPTURES,
        "  if (status == CaptureStatus::None)\n    return nullptr;",
        "  return nullptr;",
        captures("launches_become_nodes_of_the_graph"),
    ),
    Mutant(
        "graphs_keep_nothing",
        STREAM,
        "    owner.captures.keep(*capture, uses);\n",
        "    return;\n",
        captures("a_graph_keeps_what_it_uses_until_it_is_destroyed"),
    ),
    Mutant(
        "graphs_that_are_gone_keep_all",
        CAPTURES,
        "  owner.unused.splice(owner.unused.end(), owner.kept, kept->place);\n",
        "",
        captures("a_graph_keeps_what_it_uses_until_it_is_destroyed"),
    ),
    Mutant(
        "graphs_of_others_keep_in_ours",
        CAPTURES,
        "  if (capture.isOwn) {",
        "  if (capture.graph) {",
        captures("a_graph_keeps_what_it_uses_until_it_is_destroyed"),
    ),
    Mutant(
        "a_captured_stream_is_waited_for",
        f"{CUDA}/cuda_stream.cpp",
        '  if (place->isCaptured())\n    failCaptured("wait for a stream", adviceOnWaits);\n',
        "",
        captures("what_would_wait_is_refused_and_leaves_the_capture_intact"),
    ),
    Mutant(
        "host_arrays_are_staged_in_captures",
        "src/launch/submission.cpp",
        "  if (submission.stream.isCaptured())\n    refuseHostArrays();\n",
        "",
        captures("what_would_wait_is_refused_and_leaves_the_capture_intact"),
    ),
    Mutant(
        "memory_is_made_in_the_mode_of_the_thread",
        f"{CUDA}/cuda_device.cpp",
        '  const CaptureRelaxed relaxed(context.driver);\n  const std::string operation = "allocate " + '
        'std::to_string(bytes) + " bytes";\n  relaxed.check(context, operation);\n',
        '  const std::string operation = "allocate";\n',
        captures("memory_and_kernels_are_made_and_dropped_during_a_capture"),
    ),
    Mutant(
        "modules_are_loaded_in_the_mode_of_the_thread",
        f"{CUDA}/code/cuda_module.cpp",
        '  const CaptureRelaxed relaxed(context.driver);\n  relaxed.check(context, "load " + what);\n',
        "",
        captures("memory_and_kernels_are_made_and_dropped_during_a_capture"),
    ),
    Mutant(
        "what_is_not_relaxed_is_done",
        f"{CUDA}/driver/context.h",
        "{ context.check(result, operation); }",
        "{ static_cast<void>(context), static_cast<void>(operation); }",
        captures("what_captures_forbid_is_not_done_where_the_driver_does_not_relax_them"),
    ),
    Mutant(
        "events_are_asked_in_the_mode_of_the_thread",
        f"{CUDA}/timeline.cpp",
        "      relaxed.emplace(home.context.driver);\n",
        "      relaxed.reset();\n",
        captures("memory_and_kernels_are_made_and_dropped_during_a_capture"),
    ),
    Mutant(
        "the_default_stream_is_marked_beside_captures",
        f"{CUDA}/timeline.cpp",
        "!(isLegacy && home.captures.haveBeen())",
        "isLegacy",
        captures("a_blocking_stream_that_is_captured_is_spared_by_the_default_stream"),
    ),
    Mutant(
        "old_drivers_load_in_captures",
        "src/launch/dispatcher.cpp",
        "    if (!device.code().loadsInCaptures() && stream.isCaptured())",
        "    if (device.code().loadsInCaptures() && stream.isCaptured())",
        captures("old_drivers_load_no_kernels_in_captures"),
    ),
    Mutant(
        "streams_outside_join",
        "src/memory/use_order.cpp",
        "    if (!isCaptured || other->isCaptured())\n",
        "",
        captures("arrays_whose_stream_is_not_captured"),
    ),
    # Graphs of this library, on GPUs.
    Mutant(
        "graphs_end_while_they_run",
        STREAM,
        "  place->addEnding({.position = advance(), .owners = {kept}});",
        "  advance();",
        captures("a_graph_that_is_dropped_while_it_runs"),
    ),
    Mutant(
        "barriers_of_graphs_are_not_zeroed",
        STREAM,
        '  context.check(context.driver.memsetD8Async(word, 0, sizeof(uint32_t), place->options.handle), "make a grid '
        'barrier");\n',
        "",
        captures("grids_that_synchronise_in_a_graph"),
    ),
    Mutant(
        "callbacks_are_dropped_at_once",
        STREAM,
        "  owner.captures.keep(capture, {{kept}});\n",
        "",
        captures("callbacks_of_a_graph_live_with_it"),
    ),
    Mutant(
        "checks_of_graphs_are_not_read",
        STREAM,
        "    capture.checked.push_back({kernel, request.owners->origin()});\n",
        "    return;\n",
        captures("checks_in_a_graph_are_read_behind_each_replay"),
    ),
    # On every device.
    Mutant(
        "replays_are_no_uses",
        "src/device/graph.cpp",
        "    one->use(point);\n",
        "    (void)one;\n",
        graphs("the_host_waits_for_replays_of_memory_that_it_reads"),
    ),
    Mutant(
        "graphs_use_closed_memory",
        "src/device/graph.cpp",
        "    one->checkAlive();\n",
        "    (void)one;\n",
        "tests/memory/test_closed_memory.py::test_graphs_do_not_replay_on_closed_memory",
    ),
    Mutant(
        "graphs_outlive_resets",
        "src/device/graph.cpp",
        "  if (generation != device.generation())",
        "  if (generation > device.generation())",
        lifetimes("a_reset_ends_graphs"),
    ),
    Mutant(
        "streams_stand_in_for_ever",
        "src/device/device.cpp",
        "  captureStreams.erase(std::next(found).base());\n",
        "",
        graphs("after_the_block_default_streams_are_themselves_again"),
    ),
    Mutant(
        "streams_stand_in_for_other_threads",
        "src/device/device.cpp",
        "std::ranges::find(captureStreams.rbegin(), captureStreams.rend(), thread, &ThreadCapture::thread);",
        "captureStreams.rbegin();",
        graphs("other_streams_and_threads_are_not_captured"),
    ),
    Mutant(
        "copies_are_not_diverted",
        "src/runtime/named_stream.cpp",
        "  if (Stream *const captureStream = device.captureStream()) [[unlikely]]\n    return *captureStream;\n",
        "",
        graphs("copies_and_fills_are_captured"),
    ),
    Mutant(
        "lists_keep_nothing",
        CPU,
        "  uses.add(more);\n",
        "",
        lifetimes("a_graph_keeps_the_memory_that_it_uses"),
    ),
    Mutant(
        "streams_need_not_lead_back",
        CPU,
        "    if (own[i] < members[i].clock[i])",
        "    if (own[i] > members[i].clock[i])",
        graphs("a_stream_that_does_not_lead_back_is_an_error"),
    ),
    Mutant(
        "joined_streams_go_on",
        CPU,
        "    stream->setCapture(shared_from_this());\n",
        "",
        graphs("streams_join_by_events"),
    ),
    Mutant(
        "failures_of_lists_have_no_kernel",
        CPU,
        "    } catch (...) {\n      queue.reports->addFailure(queue.name, position, work->origin);\n",
        "    } catch (...) {\n      return;\n",
        graphs("checks_are_told_by_the_next_wait"),
    ),
    # Bound launches.
    Mutant(
        "exchanges_are_not_noticed",
        BOUND,
        "  bound.isExchanged = true;\n",
        "",
        bound("calls_launch_and_exchanged_arguments_count"),
    ),
    Mutant(
        "exchanged_numbers_are_not_kept",
        BOUND,
        "  bound.block.assign(",
        "  if (bound.block.empty())\n    bound.block.assign(",
        bound("calls_launch_and_exchanged_arguments_count"),
    ),
    Mutant(
        "what_a_running_call_uses_is_dropped",
        BOUND,
        "  if (bound.inUse != 0) {",
        "  if (bound.inUse == 1000) {",
        bound("arrays_that_are_exchanged_during_a_call_stay"),
    ),
    Mutant(
        "defaults_are_not_bound",
        BOUND,
        "missing > 0 && missing <= available;",
        "missing < 0 && missing <= available;",
        bound("defaults"),
    ),
    Mutant(
        "bound_launches_outlive_recompile",
        BOUND,
        "launcher.kernel->dispatcher->isCurrent(*bound.launch, launcher.launch)",
        "true",
        bound("recompiled_and_reset_kernels"),
    ),
]
