# Miscompilations of cooperating threads: barriers that do not wait, lanes counted twice or not at all, collectives that
# read the wrong lanes.

from mutants.tree import Mutant

CONTROL = "src/codegen/cpu/warp/warp_control.cpp"
LOOPS = "src/codegen/cpu/warp/warp_loops.cpp"
WAITING = "src/codegen/cpu/warp/fiber_calls.cpp"
COLLECTIVES = "src/codegen/cpu/warp/warp_collectives.cpp"
PLACES = "src/codegen/cpu/lanes/warp_arrays.cpp"
ATOMICS = "src/codegen/cpu/lanes/warp_atomics.cpp"
CALLS = "src/codegen/cpu/warp/warp_calls.cpp"
REGIONS = "src/codegen/cpu/warp/block_regions.cpp"
KERNEL = "src/codegen/cpu/warp/cpu_kernel.cpp"
BLOCK = "src/device/cpu/threads/block_fibers.cpp"
FIBER = "src/device/cpu/threads/fiber.cpp"
GRID = "src/device/cpu/threads/grid_fibers.cpp"
STATEMENTS = "src/passes/rewrites/barrier_statements.cpp"
PLAN = "src/passes/grid/block_plan.cpp"
PURITY = "src/typed/purity.cpp"
COPIES = "src/passes/rewrites/tree_copy.cpp"
DIVERGENT = "src/passes/analyses/divergent_barriers.cpp"
REPORTS = "src/codegen/cpu/lanes/warp_reports.cpp"


COOPERATION = "tests/cooperation/test_cooperation.py"


def by_hand(name):
    return f"{COOPERATION}::test_by_hand[{name}]"


def position(name):
    """`name`: the name of the construct, the position and the kind of condition."""
    return f"{COOPERATION}::test_construct_at_position[{name}]"


def kernel(name, what="result"):
    return f"tests/kernels/test_kernels.py::test_{what}[{name}]"


MUTANTS = [
    # Divergence: which lanes continue, with which masks.
    Mutant(
        "barrier_for_lanes_elsewhere",
        WAITING,
        "values{bitsOf(b, maskOrAll()), aliveBits()};",
        "values{aliveBits(), aliveBits()};",
        position("syncthreads-ifs_in_turn-varying"),
    ),
    Mutant(
        "lanes_never_part",
        WAITING,
        "{ return !mask || partial == 0; }",
        "{ return true; }",
        position("syncthreads-ifs_in_turn-varying"),
    ),
    Mutant(
        "parted_lanes_stay_in_loops",
        WAITING,
        "      keep(loop->live);\n      keep(loop->iteration);",
        "",
        position("syncthreads-after_continue-varying"),
    ),
    Mutant(
        "parted_lanes_stay_in_function",
        WAITING,
        "    keep(data.alive);",
        "",
        by_hand("producer_and_consumer_arms"),
    ),
    Mutant(
        "parted_lanes_stay_in_callers",
        WAITING,
        "for (Frame *frame = e->frame; frame; frame = frame->caller) {",
        "for (Frame *frame = e->frame; frame; frame = nullptr) {",
        by_hand("functions_deep"),
    ),
    Mutant(
        "caller_forgets_divergence",
        CALLS,
        "  if (divergences != divergedBefore)\n    leaveDiverged(before);",
        "",
        position("syncthreads-device_function_return-varying"),
    ),
    Mutant(
        "else_runs_for_parted_lanes",
        CONTROL,
        "    if (divergences != divergedBefore)\n      recomputeMask(before);\n    arm(sets",
        "    (void)divergedBefore;\n    arm(sets",
        by_hand("producer_and_consumer_arms"),
    ),
    Mutant(
        "outer_arms_hold_all_lanes",
        WAITING,
        "{ return !mask || partial == 0; }",
        "{ return !mask || partial <= 1; }",
        by_hand("producer_and_consumer_arms"),
    ),
    Mutant(
        "else_clause_holds_all_lanes",
        LOOPS,
        "    const Scoped<unsigned> some(partial, partial + 1);\n    emitUnder(lanes, &joins(statement).after,",
        "    emitUnder(lanes, &joins(statement).after,",
        by_hand("barrier_in_else_of_loop"),
    ),
    Mutant(
        "divergent_loop_holds_all_lanes",
        LOOPS,
        "isPartial(loop.isDivergent) {",
        "isPartial(false) {",
        position("syncthreads-do_while-affine"),
    ),
    Mutant(
        "nobody_returned_from_function",
        CONTROL,
        "const bool mayWait = e->frame->caller != nullptr || !storage(*e->frame).loops.empty();",
        "const bool mayWait = false;",
        position("syncthreads-device_function_return-varying"),
    ),
    Mutant(
        "collective_of_lanes_here",
        COLLECTIVES,
        "  if (!program.analysis.usesFibers && isSynchronizing(op.op) && !isWholeFiber())",
        "  if (false)",
        by_hand("both_arms_read_each_other"),
    ),
    # Barriers between fibers.
    Mutant(
        "barrier_does_not_wait",
        BLOCK,
        "  barrierCall = asked;\n",
        "  if (here == alive)\n    return here;\n  barrierCall = asked;\n",
        by_hand("producer_and_consumer_warps"),
    ),
    Mutant(
        "exited_lanes_still_counted",
        BLOCK,
        "  aliveThreads -= count(exited);",
        "",
        by_hand("returns_deep_in_loops"),
    ),
    Mutant(
        "votes_of_lanes_elsewhere",
        BLOCK,
        "count(barrierCall.votes & strand.lanes);",
        "count(barrierCall.votes);",
        by_hand("count_meets_count_elsewhere"),
    ),
    Mutant(
        "votes_of_last_barrier_kept",
        BLOCK,
        "  waitingThreads = votes = 0;\n}\n\n/// Resumes",
        "  waitingThreads = 0;\n}\n\n/// Resumes",
        by_hand("count_meets_count_elsewhere"),
    ),
    Mutant(
        "and_of_some_threads",
        BLOCK,
        "kind == BarrierCall::And ? votes == aliveThreads",
        "kind == BarrierCall::And ? votes != 0",
        position("syncthreads_and-both_arms-warp"),
    ),
    Mutant(
        "result_of_other_barrier",
        COLLECTIVES,
        "{b.getInt32(unsigned(statement.barrier)), votes}",
        "{b.getInt32(unsigned(BarrierKind::Or)), votes}",
        by_hand("count_meets_count_elsewhere"),
    ),
    # Barriers of a block that runs as loops over its warps.
    Mutant(
        "and_starts_at_zero",
        REGIONS,
        "b.CreateStore(b.getInt32(statement.barrier == BarrierKind::And), result);",
        "b.CreateStore(b.getInt32(0), result);",
        by_hand("and_in_if"),
    ),
    Mutant(
        "count_of_absent_lanes",
        REGIONS,
        "b.CreateUnaryIntrinsic(Intrinsic::ctpop, yes)",
        "b.CreateUnaryIntrinsic(Intrinsic::ctpop, votes)",
        by_hand("count_in_expression"),
    ),
    Mutant(
        "and_of_absent_lanes",
        REGIONS,
        "flag(b.CreateICmpEQ(yes, there))",
        "flag(b.CreateICmpEQ(votes, b.getInt32(~0u)))",
        by_hand("and_in_if"),
    ),
    Mutant(
        "count_of_last_warp",
        REGIONS,
        "after = b.CreateAdd(before, b.CreateUnaryIntrinsic",
        "after = b.CreateAdd(b.getInt32(0), b.CreateUnaryIntrinsic",
        by_hand("count_in_expression"),
    ),
    Mutant(
        "break_of_block_continues",
        REGIONS,
        "e.builder.CreateBr(loops.back().exit);",
        "e.builder.CreateBr(loops.back().next);",
        position("grid_sync-after_break-grid"),
    ),
    Mutant(
        "assigned_twice_made_again",
        PLAN,
        "uses.assignments(*assign.slot) != 1",
        "uses.assignments(*assign.slot) == 0",
        position("syncthreads-one_arm-block"),
    ),
    # Statements that run once per block.
    Mutant(
        "effects_once_for_the_block",
        PLAN,
        "return !effects.writes && !effects.meets",
        "return !effects.meets",
        kernel("conditions_of_barriers"),
    ),
    Mutant(
        "region_assigns_for_the_block",
        PLAN,
        "return !assignsBlockSlot(statement) &&\n             (loop",
        "return (loop",
        kernel("conditions_of_barriers"),
    ),
    Mutant(
        "local_arrays_of_the_block",
        PURITY,
        "found.isOfThread |= expression.type && expression.type->isArray() &&"
        " expression.type->space() == Space::Local;",
        "",
        kernel("conditions_of_barriers"),
    ),
    Mutant(
        "effects_of_calls_forgotten",
        PURITY,
        "found |= expression.as<Call>().callee->effects;",
        "found.assigns |= expression.as<Call>().callee->effects.assigns;",
        kernel("conditions_of_barriers"),
    ),
    Mutant(
        "block_without_threads_goes_on",
        REGIONS,
        "b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), left), b.getInt32(0)), some, end);",
        "b.CreateICmpUGE(b.CreateLoad(b.getInt32Ty(), left), b.getInt32(0)), some, end);",
        by_hand("endless_loop_left_by_return"),
    ),
    Mutant(
        "threads_behind_a_guard_are_not_left",
        REGIONS,
        "forEachWarp(left ? nullptr : threadsOf(activation, statements),",
        "forEachWarp(threadsOf(activation, statements),",
        kernel("conditions_of_barriers"),
    ),
    Mutant(
        "block_level_failure_of_the_first_block",
        REPORTS,
        "coordinates.push_back(e->mulLeaves(onAxis(Position::BlockIdx), onAxis(Position::BlockDim)).value);",
        "coordinates.push_back(onAxis(Position::BlockIdx).value);",
        kernel("raise_in_debug"),
    ),
    Mutant(
        "stack_limit_of_a_failed_fiber",
        "src/device/cpu/threads/worker_memory.h",
        "    arena.useStack(stackBase);",
        "    if (!arena.stackLimit)\n      arena.useStack(stackBase);",
        "tests/launches/test_launch.py::test_after_a_failure_on_a_fiber_recursion_knows_the_threads_own_stack",
    ),
    # Copies of functions, and barriers that a warp reaches diverged.
    Mutant(
        "shared_array_of_each_copy",
        COPIES,
        "if (array.type->space() == Space::Local)",
        "if (array.type->space() == Space::Shared)\n        array.id += 100 * uint32_t(out.slots.size());\n      else",
        kernel("arrays_of_functions"),
    ),
    Mutant(
        "aligned_barrier_behind_an_arm",
        DIVERGENT,
        "      barriers.insert(&statement);\n",
        "      if (isDivergent || state->returnsApart)\n        barriers.insert(&statement);\n",
        kernel("barriers_apart", "ptx"),
    ),
    Mutant(
        "aligned_barrier_of_a_function_left_apart",
        DIVERGENT,
        "someApart |= isDivergent || state->returnsApart;",
        "someApart |= isDivergent;",
        kernel("barriers_apart", "ptx"),
    ),
    # Operations that must be statements.
    Mutant(
        "conditional_with_barrier_swapped",
        STATEMENTS,
        "choice.span, test, then, otherwise));",
        "choice.span, test, otherwise, then));",
        by_hand("call_in_conditional_expression"),
    ),
    Mutant(
        "block_that_never_ends_stays_current",
        BLOCK,
        "    running->fiber->resume(this);\n    current() = nullptr;\n",
        "    running->fiber->resume(this);\n",
        "tests/threads/test_interrupt.py::test_interrupt",
    ),
    # The grid.
    Mutant(
        "grid_barrier_of_fibers_skipped",
        BLOCK,
        "    GridFibers::current()->waitForGrid();",
        "    ;",
        by_hand("grid_sync_in_both_arms"),
    ),
    Mutant(
        "grid_barrier_of_regions_skipped",
        GRID,
        '"C" void treadle_cpu_grid_barrier() { treadle::cpu::GridFibers::current()->waitForGrid(); }',
        '"C" void treadle_cpu_grid_barrier() {}',
        position("grid_sync-top-warp"),
    ),
    # Collectives: which lanes take part.
    Mutant(
        "gather_ignores_other_strands",
        BLOCK,
        "if ((asked.members & (elsewhere | (alive & ~here))) == 0)",
        "if ((asked.members & (alive & ~here)) == 0)",
        by_hand("both_arms_read_each_other"),
    ),
    Mutant(
        "gather_ignores_inactive_lanes",
        BLOCK,
        "if ((asked.members & (elsewhere | (alive & ~here))) == 0)",
        "if ((asked.members & elsewhere) == 0)",
        by_hand("both_arms_read_each_other"),
    ),
    Mutant(
        "gather_keeps_own_values",
        BLOCK,
        "std::memcpy(strand->gathered + place, other->given + place,",
        "std::memcpy(strand->gathered + place, strand->given + place,",
        by_hand("both_arms_read_each_other"),
    ),
    Mutant(
        "gather_waits_for_exited_lanes",
        BLOCK,
        "strand->gather.members & warp.alive;",
        "strand->gather.members;",
        position("ballot-if_in_loop-varying-meet"),
    ),
    Mutant(
        "gathered_lanes_missing",
        BLOCK,
        "strand->answer = uint64_t(members) << 32 | strand->lanes;",
        "strand->answer = uint64_t(strand->lanes) << 32 | strand->lanes;",
        position("ballot-if_in_loop-varying-meet"),
    ),
    Mutant(
        "vote_of_inactive_lanes",
        COLLECTIVES,
        ": b.CreateAnd(there, bitsOf(b, model.splat(operands[1])));",
        ": bitsOf(b, model.splat(operands[1]));",
        by_hand("votes_name_lanes_that_exited"),
    ),
    Mutant(
        "vote_of_all_where_uniform",
        COLLECTIVES,
        "? b.CreateSelect(operands[1].value, there, b.getInt32(0))",
        "? b.CreateSelect(operands[1].value, b.getInt32(~0u), b.getInt32(0))",
        by_hand("ballot_of_all"),
    ),
    Mutant(
        "ballot_ignores_members",
        COLLECTIVES,
        "Value *yes = b.CreateAnd(shaped(votes), v[0]);",
        "Value *yes = shaped(votes);",
        by_hand("halves_at_one_place"),
    ),
    Mutant(
        "all_ignores_members",
        COLLECTIVES,
        "Value *no = b.CreateAnd(shaped(b.CreateAnd(there, b.CreateNot(votes))), v[0]);",
        "Value *no = shaped(b.CreateAnd(there, b.CreateNot(votes)));",
        by_hand("halves_at_one_place"),
    ),
    Mutant(
        "equal_only_where_true",
        COLLECTIVES,
        "all : b.CreateOr(none, all);",
        "all : all;",
        by_hand("halves_at_one_place"),
    ),
    # Collectives: which lane is read.
    Mutant(
        "shuffle_reads_first_lane",
        COLLECTIVES,
        "return b.CreateExtractElement(vector, step.value);",
        "return b.CreateExtractElement(vector, uint64_t(0));",
        by_hand("shfl_uniform_lane"),
    ),
    Mutant(
        "shuffle_index_leaves_segment",
        COLLECTIVES,
        "return {b.CreateOr(first, b.CreateAnd(step, within)), nullptr};",
        "return {step, nullptr};",
        by_hand("widths"),
    ),
    Mutant(
        "shuffle_up_reads_above",
        COLLECTIVES,
        "source = b.CreateSub(lane, step);",
        "source = b.CreateAnd(b.CreateAdd(lane, step), b.CreateVectorSplat(warpLanes, b.getInt32(31)));",
        by_hand("inclusive_scan"),
    ),
    Mutant(
        "shuffle_up_enters_other_segment",
        COLLECTIVES,
        "*first = b.CreateAnd(lane, b.CreateNot(within)),",
        "*first = Constant::getNullValue(lane->getType()),",
        by_hand("width_at_run_time"),
    ),
    Mutant(
        "shuffle_down_enters_other_segment",
        COLLECTIVES,
        "*last = b.CreateOr(lane, within);",
        "*last = b.CreateVectorSplat(warpLanes, b.getInt32(31));",
        by_hand("widths"),
    ),
    Mutant(
        "shuffle_xor_as_or",
        COLLECTIVES,
        "source = b.CreateXor(lane, step);",
        "source = b.CreateOr(lane, step);",
        by_hand("butterfly"),
    ),
    Mutant(
        "match_any_forgets_value",
        COLLECTIVES,
        "Value *group = b.CreateAnd(named, sameValue), *answered",
        "Value *group = named, *answered",
        by_hand("groups_by_value"),
    ),
    Mutant(
        "match_all_with_one_that_differs",
        COLLECTIVES,
        "b.CreateSelect(b.CreateICmpEQ(group, named), named, b.getInt32(0));",
        "b.CreateSelect(b.CreateICmpNE(group, b.getInt32(0)), named, b.getInt32(0));",
        by_hand("match_all_and_types"),
    ),
    # Atomic operations of a diverged warp.
    Mutant(
        "atomic_for_inactive_lanes",
        ATOMICS,
        "mask ? bitsOf(b, mask) : b.getInt32(0), left);",
        "mask ? bitsOf(b, Constant::getAllOnesValue(mask->getType())) : b.getInt32(0), left);",
        by_hand("slots_by_atomic"),
    ),
    Mutant(
        "atomic_gives_new_value",
        ATOMICS,
        "old->write(lane.number, before);",
        "old->write(lane.number, action.operand);",
        by_hand("slots_by_atomic"),
    ),
    # Memory of a block and of its warps.
    Mutant(
        "warps_share_local_arrays",
        PLACES,
        "base = b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(warpIndex(), e->int64(int64_t(warpBytes))));",
        "(void)warpIndex();",
        by_hand("local_array_across_barriers"),
    ),
    Mutant(
        "dynamic_memory_over_static",
        KERNEL,
        "ConstantInt::get(emission.dynamicOffset->getValueType(), emission.sharedBytes));",
        "ConstantInt::get(emission.dynamicOffset->getValueType(), 0));",
        by_hand("dynamic_beside_static"),
    ),
    Mutant(
        "frames_of_split_lanes_lost",
        FIBER,
        "    copyFrames(other->frames.data(), other->position, other->frameBytes());",
        "    ;",
        by_hand("values_alive_across_barriers"),
    ),
]
