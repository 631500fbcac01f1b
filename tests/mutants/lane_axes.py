# Defects of warps along other axes than x, and of workers' copies of tables.

from mutants.tree import Mutant

LAUNCH = "src/device/cpu/cpu_launch.cpp"
FACTS = "src/launch/launch_facts.cpp"
TABLES = "src/passes/grid/worker_tables.cpp"
ENTRY = "src/codegen/cpu/warp/cpu_kernel.cpp"
AXES = "tests/machine_code/test_lane_axis.py"
COPIES = "tests/machine_code/test_worker_tables.py"
REPORTS = "tests/passes/test_passes.py"

MUTANTS = [
    Mutant("blocks_keep_their_axes", LAUNCH, "  std::swap(config.block[0], config.block[facts.laneAxis]);\n", "", AXES),
    Mutant(
        "class_of_blocks_along_x",
        FACTS,
        "all.classes[axis] = blockClassOf(config.block, axis);",
        "all.classes[axis] = blockClassOf(config.block, 0);",
        AXES,
    ),
    Mutant(
        "guard_of_threads_along_x",
        "src/passes/grid/block_plan.cpp",
        "operationOf({Position::ThreadIdx, laneAxis})",
        "Operation::ThreadIdxX",
        AXES,
    ),
    Mutant(
        "warps_of_shuffles_along_y",
        "src/passes/grid/lane_axis.cpp",
        "  if (kernel.hasWarpOps || kernel.usesClusters)\n    return {};\n",
        "",
        REPORTS,
    ),
    Mutant(
        "tables_are_read",
        TABLES,
        "use.reads == use.updates + use.attributes",
        "use.reads >= use.updates + use.attributes",
        COPIES,
    ),
    Mutant(
        "tables_of_two_operations",
        TABLES,
        "use->isOther |= !op || (use->updates > 0 && use->op != op);",
        "use->isOther |= !op;",
        REPORTS,
    ),
    Mutant(
        "tables_of_kernels_with_fences",
        TABLES,
        "  if (!tables.empty() && publishes(kernel))\n    tables.clear();\n",
        "",
        REPORTS,
    ),
    Mutant(
        "large_tables_are_small",
        FACTS,
        "bytes <= Facts::tableBytes && bytes",
        "bytes <= 2 * Facts::tableBytes && bytes",
        COPIES,
    ),
    Mutant(
        "tables_for_few_threads",
        FACTS,
        "bytes / leaf.itemBytes <= threads / 2",
        "bytes / leaf.itemBytes <= threads",
        COPIES,
    ),
    Mutant(
        "zero_changes_nothing",
        "src/codegen/atomics.cpp",
        "    return ConstantFP::getNegativeZero(type);",
        "    return ConstantFP::getZero(type);",
        COPIES,
    ),
    Mutant(
        "maxima_begin_with_nan",
        "src/codegen/atomics.cpp",
        "    return ConstantFP::getInfinity(type, op == AtomicOperation::Max);",
        "    return ConstantFP::getNaN(type);",
        COPIES,
    ),
    Mutant(
        "maxima_of_numbers_begin_with_infinity",
        "src/codegen/atomics.cpp",
        "    return ConstantFP::getNaN(type);",
        "    return ConstantFP::getInfinity(type, op == AtomicOperation::NanMax);",
        COPIES,
    ),
    Mutant(
        "overlapping_tables",
        "src/passes/pipeline.cpp",
        "analysis.facts.tables == 0 || !analysis.facts.noOverlap ||",
        "analysis.facts.tables == 0 ||",
        COPIES,
    ),
    Mutant(
        "merged_by_exchange",
        ENTRY,
        "emitAtomic(b, {table.op, elementOf(table)->isSigned(), made}, into, true);",
        "emitAtomic(b, {AtomicOperation::Exchange, elementOf(table)->isSigned(), made}, into, true);",
        COPIES,
    ),
]
