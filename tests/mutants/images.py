# Defects of linked code: how images are made, what loading them sets, and what is refused.

from mutants.tree import Mutant

LINKER = "src/codegen/cpu/machine/object_linker.cpp"
LOADER = "src/device/cpu/code/code_loader.cpp"
FEATURES = "src/device/cpu/code/cpu_features.cpp"


def loaded(name):
    return f"tests/compiling/test_loaded_images.py::test_{name}"


MUTANTS = [
    Mutant("tables_have_the_order_of_memory", LINKER, "orc::ExecutorAddr(next++)", "orc::ExecutorAddr(next)",
           "tests/compiling/test_images.py::test_images_are_equal_and_run_in_other_processes"),
    Mutant("constants_can_be_written", LOADER, "layout.bytes[LinkedLayout::Constants], PROT_READ)",
           "layout.bytes[LinkedLayout::Constants], PROT_READ | PROT_WRITE)",
           loaded("code_can_be_run_and_constants_read")),
    Mutant("words_are_set_elsewhere", LINKER, "block.getAddress() + edge.getOffset())",
           "block.getAddress() + edge.getOffset() + 8)", loaded("images_run_without_the_compiler")),
    Mutant("any_processor_will_do", LOADER, "  if (missing.empty())\n", "  if (true)\n",
           loaded("code_for_other_processors_is_refused")),
    Mutant("what_is_switched_off_is_needed", FEATURES, "feature.starts_with('+') && isNeed", "isNeed",
           loaded("what_code_does_without_is_no_need")),
    Mutant("chosen_processors_are_ignored", "src/device/cpu/code/host_target.cpp", "isChosen ? choose(",
           "isChosen && false ? choose(",
           "tests/launches/test_launch.py::test_processor_setting"),
    Mutant("floats_become_halves_as_doubles", "src/device/cpu/code/code_functions.cpp",
           '{"__truncsfhf2", address(&truncateToHalf)}', '{"__truncsfhf2", address(&truncateDoubleToHalf)}',
           loaded("code_for_older_processors_runs_without_the_compiler")),
    Mutant("debug_sections_lie_elsewhere", "src/device/cpu/code/debugger_code.cpp", "+ section.offset;",
           "+ section.offset + 4096;", "tests/tools/test_gdb.py::test_arrays_are_printed"),
]  # fmt: skip
