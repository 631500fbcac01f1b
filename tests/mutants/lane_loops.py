# Defects of loops that lanes run one after the other.

from mutants.tree import Mutant

LOOPS = "src/codegen/cpu/warp/warp_lane_loops.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[rows_one_by_one]"

MUTANTS = [
    Mutant(
        "rows_never_begin_below_zero",
        LOOPS,
        "  emit(false);\n  b.CreateBr(done);",
        "  emit(true);\n  b.CreateBr(done);",
        TEST,
    ),
    Mutant(
        "bools_of_lanes_are_bits_in_memory",
        "src/codegen/cpu/lanes/lane_table.h",
        "isBool(vector->getType()->getScalarType()->isIntegerTy(1))",
        "isBool(false)",
        TEST,
    ),
    Mutant(
        "lanes_compute_in_turn",
        LOOPS,
        " ||\n           (node.kind == typed::StmtKind::While && computes(node.as<typed::While>()));",
        ";",
        TEST,
    ),
    Mutant(
        "lanes_alone_ask_which_thread_they_are",
        LOOPS,
        " && !effects.readsClock && !effects.isOfThread;",
        " && !effects.readsClock;",
        TEST,
    ),
    Mutant(
        "rows_a_known_distance_apart_are_read_lane_by_lane",
        LOOPS,
        "!isUniform(bounds.start) && !bounds.start.isAffine();",
        "!isUniform(bounds.start);",
        TEST,
    ),
    Mutant(
        "results_stay_in_the_loop",
        LOOPS,
        "results &= joins(loop).after;",
        "results.reset();",
        TEST,
    ),
    Mutant(
        "chains_are_followed_together",
        LOOPS,
        "return anyNode(*statement.test, follows) || anyNode(statement.body, follows);",
        "return false && anyNode(*statement.test, follows);",
        "tests/machine_code/test_processors.py",
    ),
    Mutant(
        "tests_of_chains_have_no_variables",
        LOOPS,
        "const Uses::Part rounds = uses.ofRounds(loop);",
        "const Uses::Part rounds = loop.kind == typed::StmtKind::While ? uses.of(loop.as<typed::While>().body)\n"
        "                                                              : uses.ofRounds(loop);",
        "tests/machine_code/test_processors.py",
    ),
    Mutant(
        "searches_by_halves_are_chains",
        LOOPS,
        "return !anyNode(body, isMuch, isOther);",
        "(void)isOther;\n  return !anyNode(body, isMuch);",
        "tests/machine_code/test_processors.py",
    ),
]
