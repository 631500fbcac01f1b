# Defects of loops whose whole rounds have no masks.

from mutants.tree import Mutant

LOOPS = "src/codegen/cpu/warp/warp_loops.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[rounds_of_blocks]"

MUTANTS = [
    Mutant(
        "rounds_of_some_lanes_are_whole",
        LOOPS,
        "b.CreateCondBr(sets->isAll(more), whole, last);",
        "b.CreateCondBr(sets->isAny(more), whole, last);",
        TEST,
    ),
    Mutant(
        "first_rounds_are_whole",
        LOOPS,
        "b.CreateCondBr(sets->isAll(loop.bodyMask), whole, rest);",
        "b.CreateCondBr(sets->isAny(loop.bodyMask), whole, rest);",
        TEST,
    ),
    Mutant(
        "lanes_of_the_last_rounds_are_those_of_the_first",
        LOOPS,
        "  b.CreateStore(more, loop.live);\n  b.CreateBr(rest);",
        "  b.CreateBr(rest);",
        TEST,
    ),
    Mutant(
        "lanes_leave_whole_rounds",
        LOOPS,
        "return !exits.ofLoop() && !exits.byReturn &&",
        "return !exits.byReturn &&",
        TEST,
    ),
    Mutant(
        "functions_end_in_whole_rounds",
        LOOPS,
        "return !exits.ofLoop() && !exits.byReturn &&",
        "return !exits.ofLoop() &&",
        TEST,
    ),
]
