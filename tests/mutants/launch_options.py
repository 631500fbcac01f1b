# Defects of clusters, of occupancy, and of the options and compilations around launches.

from mutants.tree import Mutant

CONFIG = "src/device/launch_config.cpp"
FIBERS = "src/device/cpu/threads/grid_fibers.cpp"
IDENTITY = "src/codegen/cpu/lanes/warp_identity.cpp"
PTX = "src/codegen/ptx/ptx_warp.cpp"
STREAM = "src/device/cuda/cuda_stream.cpp"
DEVICE = "src/device/cuda/cuda_device.cpp"
MODULE = "src/device/cuda/code/cuda_module.cpp"
LINKER = "src/device/cuda/driver/linker.cpp"


def clusters(name):
    return f"tests/launches/test_clusters.py::test_{name}"


def options(name):
    return f"tests/launches/test_launch_options.py::{name}"


def on_cuda(name):
    return f"tests/cuda/test_launch_options.py::test_{name}"


MUTANTS = [
    # Launches of clusters.
    Mutant("grids_need_not_be_multiples_of_the_cluster", CONFIG,
           "    if (config.grid[axis] % config.cluster[axis] != 0)",
           "    if (config.grid[axis] < config.cluster[axis])",
           clusters("wrong_clusters")),
    Mutant("launch_bounds_do_not_count_for_clusters", CONFIG,
           "const bool isBound = bounds.clusterBlocks && ", "const bool isBound = false && ",
           clusters("launch_bounds_count_for_clusters")),
    Mutant("gpus_without_clusters_are_not_told_apart", DEVICE,
           "of(capabilityMajor) >= 9 ?", "of(capabilityMajor) >= 8 ?", on_cuda("gpus_without_clusters")),
    Mutant("the_cluster_is_not_told_to_the_driver", STREAM,
           "std::ranges::copy(config.cluster, attributes[attributeCount++].cluster);",
           "std::ranges::copy(config.cluster, attributes[attributeCount].cluster);",
           on_cuda("what_clusters_the_driver_is_told")),
    Mutant("large_clusters_are_allowed_at_each_launch", MODULE, "  allowsLargeClusters = true;\n", "",
           on_cuda("large_clusters_are_allowed_by_the_functions_attribute")),
    # Clusters on the CPU device.
    Mutant("the_clusters_barrier_waits_for_nobody", FIBERS,
           "  if (!running->cluster)\n    return;\n", "  return;\n", clusters("stores_into_other_blocks")),
    Mutant("blocks_that_have_ended_are_waited_for", FIBERS,
           "    cluster->barrier.finish();\n", "    (void)cluster;\n", clusters("who_has_returned_is_not_waited_for")),
    Mutant("blocks_of_a_cluster_share_their_memory", FIBERS,
           "size_t(rank) * request.geometry->clusterStride", "size_t(0) * rank * request.geometry->clusterStride",
           clusters("the_shared_memory_of_a_neighbour")),
    Mutant("clusters_lie_along_x_only", FIBERS,
           "y + rank / extent[0] % extent[1]", "y", clusters("who_is_who")),
    Mutant("ranks_count_y_fastest", IDENTITY,
           "b.CreateAdd(b.CreateMul(rows, clusterDim(0)), within(0))",
           "b.CreateAdd(b.CreateMul(within(0), clusterDim(1)), rows)", clusters("who_is_who")),
    Mutant("ranks_that_do_not_exist_lead_out_of_the_cluster", IDENTITY,
           "Value *peer = b.CreateBinaryIntrinsic(Intrinsic::umin, v[0], like(last, v[0]));", "Value *peer = v[0];",
           clusters("a_rank_that_no_block_has")),
    Mutant("kernels_that_ask_for_clusters_span_blocks", "src/passes/grid/block_spans.cpp",
           "function.hasHeapArrays ||\n      function.usesClusters)", "function.hasHeapArrays)",
           clusters("only_device_functions_know")),
    Mutant("device_functions_hide_clusters", "src/infer/inference.cpp",
           "    out.usesClusters |= callee->usesClusters;\n", "", clusters("only_device_functions_know")),
    # Clusters in PTX.
    Mutant("gpus_wait_without_arriving", PTX,
           "  if (statement.barrier == BarrierKind::Cluster)\n", "  if (false)\n", clusters("ptx")),
    Mutant("clusters_are_compiled_for_all_gpus", "src/codegen/ptx/ptx_generator.cpp",
           "request.target.computeCapability < 90)", "request.target.computeCapability < 80)",
           clusters("gpus_without_clusters")),
    # Occupancy and attributes.
    Mutant("the_carveout_of_zero_is_not_set", MODULE, "carveout >= 0)", "carveout > 0)",
           on_cuda("the_carveout_is_set_once_where_it_is_given")),
    Mutant("occupancy_ignores_flags", DEVICE,
           "                                                        query.flags),",
           "                                                        0),", on_cuda("flags")),
    Mutant("forall_asks_for_every_launch", "python/treadle/kernels/forall.py",
           "known = dispatcher._best_blocks[key] = dispatcher._best_block(types, self.sharedmem)",
           "known = dispatcher._best_block(types, self.sharedmem)",
           on_cuda("forall_asks_once_for_each_kind_of_arguments")),
    Mutant("recompiling_keeps_the_blocks_of_forall", "python/treadle/kernels/dispatcher.py",
           "        self._best_blocks.clear()\n", "", on_cuda("forall_asks_once_for_each_kind_of_arguments")),
    Mutant("the_profiler_is_not_stopped_after_errors", "python/treadle/devices/profiling.py",
           "    try:\n        yield\n    finally:\n        profile_stop()", "    yield\n    profile_stop()",
           on_cuda("profilers")),
    # Machine code.
    Mutant("links_are_never_ended", LINKER,
           "    if (context.isUsable())\n      context.driver.linkDestroy(handle);\n", "", on_cuda("links")),
    Mutant("half_of_the_text_is_linked", LINKER, "ptx.size() + 1", "ptx.size() / 2", on_cuda("links")),
    Mutant("programs_that_cannot_be_run_are_found", "python/treadle/kernels/toolkit.py",
           "            if os.access(path, os.X_OK):", "            if os.access(path, os.R_OK):",
           options("TestMachineCode::test_where_tools_are_looked_for")),
    Mutant("breakpoints_stop_without_a_debugger", "src/device/cpu/code/breakpoint.cpp",
           "  if (treadle::cpu::hasDebugger())\n", "",
           options("TestBreakpoints::test_nothing_happens_without_a_debugger")),
    Mutant("lanes_that_are_off_stop_the_debugger", "src/codegen/cpu/warp/warp_collectives.cpp",
           "  if (!mask)\n    return call();\n  BasicBlock *stop",
           "  if (mask)\n    return call();\n  BasicBlock *stop",
           options("TestBreakpoints::test_a_debugger_stops")),
]  # fmt: skip
