# Miscompilations of warps on the CPU: values at their boundaries, accesses that barriers order, loops that are turned
# inside out.

from mutants.cooperation import by_hand
from mutants.tree import Mutant

COLLECTIVES = "src/codegen/cpu/warp/warp_collectives.cpp"
ALIGNMENT = "src/codegen/cpu/lanes/warp_alignment.cpp"
REGIONS = "src/codegen/cpu/warp/block_regions.cpp"
STATEMENTS = "src/passes/rewrites/barrier_statements.cpp"
PLAN = "src/passes/grid/block_plan.cpp"
STRIDED = "src/passes/grid/strided_loops.cpp"
STRIDES = "src/codegen/cpu/warp/warp_strides.cpp"
SHAPES = "src/codegen/cpu/lanes/warp_shapes.cpp"
LAUNCH = "src/device/cpu/cpu_launch.cpp"


def kernel(name):
    """`name`: the name of a file in tests/kernels."""
    return f"tests/kernels/test_kernels.py::test_result[{name}]"


MUTANTS = [
    Mutant(
        "rows_of_any_block_are_whole",
        "src/codegen/cpu/lanes/warp_identity.cpp",
        "axis == 0 && program.analysis.facts.fullWarps &&",
        "axis == 0 &&",
        "tests/kernels/test_kernels.py::test_result[warps_of_a_grid]",
    ),
    # Warp boundaries.
    Mutant(
        "edge_within_warp",
        ALIGNMENT,
        "extractBitsAsZExtValue(Log2_32(laneCount()), 0)",
        "extractBitsAsZExtValue(Log2_32(laneCount()) - 1, 0)",
        by_hand("both_arms_read_each_other"),
    ),
    Mutant(
        "shift_by_4_is_uniform",
        ALIGNMENT,
        "value.uge(Log2_32(laneCount())) && value.ult",
        "value.uge(4) && value.ult",
        kernel("warp_edges"),
    ),
    Mutant(
        "low_bits_of_half_warp",
        ALIGNMENT,
        "(value + 1).isPowerOf2() && value.uge(laneCount() - 1)",
        "(value + 1).isPowerOf2() && value.uge(15)",
        kernel("warp_edges"),
    ),
    Mutant(
        "half_warps_divided",
        ALIGNMENT,
        "value.isPowerOf2() && value.uge(laneCount())",
        "value.isPowerOf2() && value.uge(laneCount() / 2)",
        kernel("warp_edges"),
    ),
    Mutant(
        "le_at_32",
        ALIGNMENT,
        "lanesBelow == last ? std::optional<Leaf>(b.CreateICmpSLE",
        "lanesBelow == 0 ? std::optional<Leaf>(b.CreateICmpSLE",
        kernel("warp_edges"),
    ),
    # Accesses ordered by barriers.
    Mutant(
        "predicate_not_kept_across_regions",
        PLAN,
        "if (isBlock || atStart)",
        "if (atStart)",
        kernel("warp_edges"),
    ),
    Mutant(
        "operand_after_barrier",
        STATEMENTS,
        "i + 1 < last ? kept(statements, value) : value;",
        "value;",
        kernel("warp_edges"),
    ),
    Mutant(
        "match_any_ignores_members",
        COLLECTIVES,
        "      named = b.CreateAnd(named, b.CreateExtractElement(masks, leader));",
        "",
        kernel("warp_edges"),
    ),
    Mutant(
        "printed_as_workers_finish",
        LAUNCH,
        "  std::ranges::stable_sort(printed, {}, &PrintedText::block);\n",
        "  std::ranges::reverse(printed);\n",
        kernel("kernel_print"),
    ),
    Mutant(
        "aligned_where_one_side_is",
        SHAPES,
        "a.isAligned && b.isAligned",
        "a.isAligned || b.isAligned",
        kernel("warp_edges"),
    ),
    # Loops turned inside out.
    Mutant(
        "strided_loop_carries",
        STRIDED,
        "return !written.anyCommon(live.head) &&",
        "return",
        kernel("strided_loops"),
    ),
    Mutant(
        "strided_step_past_stop",
        STRIDES,
        "b.CreateICmpUGT(left, bounds.step)",
        "b.CreateICmpSGT(b.CreateSub(left, bounds.step), b.getIntN(left->getType()->getIntegerBitWidth(), 32))",
        kernel("strided_loops"),
    ),
    Mutant(
        "strided_lanes_behind_stop",
        STRIDES,
        "lanesNearer(start, b.CreateBinaryIntrinsic(Intrinsic::usub_sat, stride.left, above))",
        "lanesNearer(start, stride.left)",
        kernel("strided_loops"),
    ),
    Mutant(
        "strided_start_of_earlier_region",
        STRIDES,
        "const Leaf start = identity(operationOf(loop.first), loop.slot->type);",
        "const Leaf start = readSlot(*e->frame, *loop.slot, {0, 1}).front();",
        kernel("strided_loops"),
    ),
    Mutant(
        "guard_without_its_last_warp",
        PLAN,
        "return {right, isInclusive ? 1u : 0u};",
        "return {right, 0};",
        kernel("warp_edges"),
    ),
    Mutant(
        "guard_of_rows",
        REGIONS,
        "b.CreateSelect(b.CreateICmpEQ(rows, b.getInt64(1)), some, b.getInt64(1024));",
        "some; (void)rows;",
        kernel("warp_edges"),
    ),
    # In PTX.
    Mutant(
        "barrier_behind_break_is_aligned",
        "src/passes/analyses/divergent_barriers.cpp",
        "isDivergent || divergentLoops.contains(&statement);",
        "isDivergent;",
        "tests/kernels/test_kernels.py::test_ptx[barriers_apart]",
    ),
]
