# Mistakes with enumerations: members that are equal, true or found where Python's are not.

from mutants.tree import Mutant


def sentence(file, name):
    return f"tests/language/test_{file}.py::{name}"


MUTANTS = [
    Mutant(
        "members_of_different_classes_are_equal",
        "src/infer/values/members.cpp",
        "  if (left->type != right->type)\n",
        "  if (left->type != right->type && !left->type->isMember())\n",
        sentence("members", "test_values_of_run_time"),
    ),
    Mutant(
        "arguments_are_values_of_members",
        "src/python/launch/argument_reader.cpp",
        "    if (!kind.tupleClass)\n      return readInner",
        "    if (kind.tupleClass)\n      return readInner",
        sentence("members", "test_arguments_are_members"),
    ),
    Mutant(
        "values_that_no_member_has_pass",
        "src/infer/expressions/enumerations.cpp",
        "    tree.raiseWhere(operators.unaryValue(UnaryOperator::Not, isAny, span), message, span);",
        "    tree.raiseWhere(isAny, message, span);",
        sentence("members", "test_a_value_that_no_member_has_is_found_under_debug"),
    ),
    Mutant(
        "loops_run_over_composite_flags",
        "python/treadle/source/names.py",
        "_flags_in(kind), tuple(kind), *pairs)",
        "_flags_in(kind), tuple(kind.__members__.values()), *pairs)",
        sentence("members", "test_in_variables_and_loops"),
    ),
    Mutant(
        "own_truth_of_members_is_ignored",
        "src/infer/values/operators.cpp",
        "  members.checkTruth(*value);\n",
        "",
        sentence("enumerations", "test_what_only_python_knows_is_refused"),
    ),
    Mutant(
        "integers_are_no_members_of_an_int_enum",
        "src/infer/calls/type_calls.cpp",
        "    if (!of && maySeem(type, members.seenAs(*wanted)))\n      return std::nullopt;\n",
        "",
        sentence("enumerations", "test_what_only_python_knows_is_refused"),
    ),
    Mutant(
        "inverted_flags_are_negative",
        "src/infer/expressions/enumerations.cpp",
        "tree.integer(types::int64(), bits & ~*known, span);",
        "tree.integer(types::int64(), ~*known, span);",
        sentence("members", "test_values_of_run_time"),
    ),
    Mutant(
        "each_member_asks_for_its_type",
        "src/python/names/captured_value.cpp",
        "  if (const auto found = memberTypes.find(handle); found != memberTypes.end())\n    return found->second;\n",
        "",
        sentence("enumerations", "test_a_compilation_asks_once_for_the_type_of_all_members"),
    ),
]
