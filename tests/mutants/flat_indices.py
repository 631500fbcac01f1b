# Defects of flat indices that are taken apart: warps that are not within one row, and values that are not the first's.

from mutants.tree import Mutant

PASS = "src/passes/rewrites/flat_indices.cpp"
FIRST = "src/codegen/cpu/lanes/warp_values.cpp"
RESULT = "tests/kernels/test_kernels.py::test_result[flat_indices]"
REMAINDERS = "src/passes/rewrites/remainders.cpp"
OF_REMAINDERS = "tests/passes/test_passes.py::test_report[remainders]"
REPORT = "tests/passes/test_passes.py::test_report[flat_indices]"

MUTANTS = [
    Mutant(
        "rows_have_no_end",
        PASS,
        "            compare(Operation::Lt, copy.copy(*division.divisor))};",
        "            compare(Operation::Ge, copy.nodes.integer(remainder.type, 0, span))};",
        RESULT,
    ),
    Mutant(
        "rows_have_no_beginning",
        PASS,
        "    return {compare(Operation::Ge, copy.nodes.integer(remainder.type, 0, span)),",
        "    return {compare(Operation::Lt, copy.copy(*division.divisor)),",
        RESULT,
    ),
    Mutant(
        "idle_threads_come_first",
        FIRST,
        "  if (mask)\n    lane = b.CreateAnd(",
        "  if (false)\n    lane = b.CreateAnd(",
        RESULT,
    ),
    Mutant("dividends_of_any_sign", PASS, "ranges.of(dividend).isNonNegative() && ", "", REPORT),
    Mutant("divisors_change", PASS, " &&\n           region.isFixed(divisor)", "", REPORT),
    Mutant(
        "rows_of_both_versions_are_one_variable",
        "src/passes/rewrites/doubled_statements.cpp",
        "    own.reset(liveness.before(*doubled.statements.front()));\n",
        "    own.reset();\n",
        REPORT,
    ),
    Mutant(
        "divisions_that_differ_are_one",
        PASS,
        "return areSame(*one.dividend, dividend) && areSame(*one.divisor, divisor);",
        "return areSame(*one.dividend, dividend);",
        RESULT,
    ),
    Mutant(
        "remainders_of_other_values",
        REMAINDERS,
        "readSlot(*difference.operands[0]) == quotient->dividend",
        "readSlot(*difference.operands[0])",
        OF_REMAINDERS,
    ),
    Mutant(
        "remainders_of_other_divisors",
        REMAINDERS,
        "isSameConstant(*product.operands[1 - position], *quotient->divisor))",
        "product.operands.size() == 2)",
        OF_REMAINDERS,
    ),
    Mutant(
        "remainders_of_values_that_change",
        REMAINDERS,
        "division.operands[1]->kind != ExprKind::Const || !isFixed(*dividend))",
        "division.operands[1]->kind != ExprKind::Const)",
        OF_REMAINDERS,
    ),
    Mutant(
        "remainders_by_hand_are_of_any_quotient",
        PASS,
        "areSame(*quotient->operands[1], *product.operands[1 - position]))",
        "product.operands.size() == 2)",
        RESULT,
    ),
]
