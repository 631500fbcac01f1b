# Defects of several devices: peers, copies from one to the other, resets of one of them.

from mutants.tree import Mutant

PEERS = "src/device/peers.cpp"
ORDER = "src/memory/use_order.cpp"
ACROSS = "src/memory/copy_across.cpp"
ARGUMENTS = "src/launch/peer_arguments.cpp"
STREAM = "src/device/cuda/cuda_stream.cpp"
DRIVER = "src/device/cuda/peer_memory.cpp"
GRAPH = "src/device/graph.cpp"


def gpus(name):
    return f"tests/cuda/test_peers.py::test_{name}"


def order(name):
    return f"tests/cuda/test_peer_order.py::test_{name}"


def of_each(name):
    return f"tests/cuda/test_one_of_each.py::test_{name}"


def several(name):
    return f"tests/contexts/test_several_devices.py::test_{name}"


def peers(name):
    return f"tests/contexts/test_peer_arrays.py::test_{name}"


MUTANTS = [
    # What is enabled.
    Mutant("peers_outlast_resets", PEERS,
           "one.ownGeneration == owner.generation() && one.generation == one.peer->generation()", "true",
           peers("peers")),
    Mutant("peers_outlast_resets_of_the_peer", PEERS, " && one.generation == one.peer->generation()", "",
           peers("peers")),
    Mutant("peers_are_enabled_again", PEERS, "peers.areEnabled(peer) || !parts.peers->openPeer(peer)",
           "!parts.peers->openPeer(peer)",
           peers("peers")),
    Mutant("peers_that_cannot_be", PEERS, "if (!canAccess(peer))", "if (false)", peers("peers")),
    Mutant("access_that_others_have_enabled", DRIVER,
           "  if (result == Result::PeerAccessAlreadyEnabled)\n    return false;\n", "",
           gpus("what_other_software_has_enabled")),
    Mutant("peers_flags_are_ignored", "python/treadle/devices/peers.py", "if index(flags) != 0:",
           "if False:", peers("peers")),
    # Which arrays are taken.
    Mutant("captured_arrays_of_peers_are_refused", ARGUMENTS, "if (!device.reaches(buffer->device(), buffer->kind()))",
           "if (&device != &buffer->device())", several("captured_device_arrays")),
    Mutant("tuples_count_as_one_leaf", ARGUMENTS, "seen += own.size();", "++seen;",
           several("arrays_of_the_wrong_device_are_refused_by_name")),
    Mutant("arrays_of_the_host_count_as_devices", ARGUMENTS, " && !leaves[leaf].isOnHost && ", " && ",
           several("arrays_of_the_wrong_device_are_refused_by_name")),
    Mutant("peers_arrays_are_not_looked_at_again", ARGUMENTS, "    buffer.checkAlive();\n", "",
           peers("a_reset_while_the_kernel_is_compiled")),
    # Order and lifetime.
    Mutant("launches_do_not_come_behind_peers", ORDER, "    comeBehind(peer.defaultStream());\n", "    return;\n",
           order("the_order_of_both_devices_work")),
    Mutant("work_on_non_blocking_streams_is_ordered", ORDER, "stream.isBlocking() && !stream.isCaptured()",
           "!stream.isCaptured()", gpus("calls_of_launches_after_a_switch")),
    Mutant("users_are_not_noted", ORDER, "  stream.device().usesMemoryOf(peer);\n", "",
           peers("a_reset_waits_for_the_peers_that_use_its_memory")),
    Mutant("users_are_not_looked_at", PEERS, "    user->noteProgress();\n", "    static_cast<void>(user);\n",
           order("a_flush_learns_that_peers_are_done")),
    Mutant("memory_outlives_a_reset", "src/memory/memory_manager.cpp", "  loseRest();\n}", "}",
           order("memory_that_a_lost_peer_has_not_finished_with_does_not_outlive_a_reset")),
    Mutant("events_of_the_waiting_device", STREAM, "theirs.heldBeside(event->generation)",
           "theirs.heldBeside(context.generation())",
           order("a_stream_waits_for_another_devices_event_whatever_was_reset")),
    Mutant("time_between_devices", "src/runtime/event.cpp", "if (&end.context != &context)", "if (false)",
           several("an_event_of_another_device_is_waited_for")),
    Mutant("lost_gpus_end_streams_of_the_cpu", "src/device/cpu/stream_queue.cpp",
           "  try {\n    awaitOthers(work); // throws if another device is lost\n",
           "  awaitOthers(work);\n  try {\n",
           of_each("a_gpu_is_lost_that_a_stream_of_the_cpu_waits_for")),
    Mutant("captures_of_other_kinds", "src/device/cpu/cpu_stream.cpp",
           "if (dynamic_cast<const CapturePoints *>(point.timeline.get()))", "if (false)",
           of_each("events_of_captures_are_places_in_a_graph_of_the_other_kind_of_device")),
    # Graphs.
    Mutant("graphs_forget_peers", "src/launch/submission.cpp", "buffer->device(); &device != &own)",
           "buffer->device(); &device != &own && false)",
           peers("peers_arrays_in_bound_launches_and_graphs")),
    Mutant("replays_do_not_come_behind_peers", GRAPH, "  comeBehindPeers(stream);\n  stream.replay",
           "  stream.replay", peers("peers_arrays_in_bound_launches_and_graphs")),
    Mutant("replays_do_not_go_ahead_of_peers", GRAPH,
           "      peer->defaultStream().wait(stream.record(false).point);\n",
           "      static_cast<void>(peer);\n", peers("peers_arrays_in_bound_launches_and_graphs")),
    Mutant("captures_of_another_device_are_ended", "src/device/cuda/timeline.cpp", "haveBeenAnywhere()", "haveBeen()",
           gpus("a_capture_goes_on_while_another_device_is_used")),
    # Copies.
    Mutant("copies_do_not_come_behind_the_source", ACROSS, "  order.comeBehindUses(*from.owner);\n", "",
           order("copies_and_the_work_around_them")),
    Mutant("sources_are_used_at_once", ACROSS, "  order.lead(source.defaultStream());\n", "",
           order("copies_and_the_work_around_them")),
    Mutant("sources_are_reused_at_once", ACROSS, "  from.owner->use(turn.stream.last());\n", "",
           order("memory_lives_until_peers_and_copies_have_used_it")),
    Mutant("copies_across_in_captures", ACROSS, "if (turn.stream.isCaptured())", "if (false)",
           gpus("captured_streams_take_no_copies_between_devices")),
    Mutant("copies_need_memory_to_pack_in", ACROSS, "if (error.result() != CudaResult::OutOfMemory)", "if (true)",
           gpus("copies_without_memory_for_packing_go_through_the_host")),
    Mutant("rows_are_never_few", ACROSS, "shape.places() <= few || ", "", gpus("calls_of_copies")),
    Mutant("memory_of_the_host_is_a_gpus", "src/memory/copy.cpp", "      source.location = Location::Pageable;\n",
           "      source.location = Location::Device;\n", several("copies_between_devices")),
]  # fmt: skip
