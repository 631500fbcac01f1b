# Defects of what Python computes while kernels are compiled: values of other places, arrays that nothing reads.

from mutants.tree import Mutant

COMPILATION = "src/infer/instances/compilation.cpp"
ASSIGNMENTS = "src/infer/statements/assignments.cpp"
PYTHON = "python/treadle/source/compile_time.py"


def sentence(name):
    return f"tests/language/test_consteval.py::{name}"


MUTANTS = [
    Mutant(
        "python_computes_once_for_all_values",
        COMPILATION,
        "    appendValue(key, one.value);\n",
        "",
        sentence("test_each_thread_has_them"),
    ),
    Mutant(
        "functions_that_python_tells_apart_are_one",
        COMPILATION,
        "  if (left.scope->hasConsteval())\n    return false;\n",
        "",
        sentence("test_what_python_tells_apart"),
    ),
    Mutant(
        "arrays_that_only_python_reads_are_kept",
        ASSIGNMENTS,
        "!node.isNeeded && node.pinnedTo == noNode && !isPlain(value)",
        "false",
        "tests/language/test_consteval_memory.py::test_arrays_that_only_python_reads_are_not_kept",
    ),
    Mutant(
        "a_block_forgets_what_it_changes_under_a_condition",
        PYTHON,
        "(isinstance(name.ctx, _ast.Load) or name.id not in always)",
        "isinstance(name.ctx, _ast.Load)",
        sentence("test_blocks_leave_what_they_do_not_assign"),
    ),
    Mutant(
        "values_of_run_time_equal_nothing_while_compiling",
        PYTHON,
        "        if type(other) is not type(self._type):\n            raise _not_known(self)\n",
        "",
        sentence("test_refused"),
    ),
]
