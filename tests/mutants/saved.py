# Defects of files of images: which image a program takes of them, and their headers.

from mutants.tree import Mutant

CHOICE = "src/runtime/chosen_images.cpp"
CHECK = "src/capi/launch_check.cpp"
HEADER = "python/treadle/kernels/cpp_header.py"


def saved(name):
    return f"tests/capi/test_saved.py::test_{name}"


MUTANTS = [
    Mutant(
        "the_least_level_is_taken",
        CHOICE,
        "if (!best || *use > *useOf(best->image.target, own))",
        "if (!best || *use < *useOf(best->image.target, own))",
        saved("a_cpp_program_runs_kernels_of_a_file"),
    ),
    Mutant(
        "missing_instructions_are_no_reason",
        CHOICE,
        "  if (!missingFeatures(made, own).empty())\n",
        "  if (false)\n",
        saved("processors_that_lack_instructions_are_refused_by_their_names"),
    ),
    Mutant(
        "newer_gpus_are_no_reason",
        CHOICE,
        "made.computeCapability <= own.computeCapability ?",
        "true ?",
        saved("code_for_an_older_gpu_is_taken"),
    ),
    Mutant(
        "only_the_first_image_is_tried",
        CHECK,
        "    if (!code->otherwise)\n",
        "    if (true)\n",
        saved("a_cpp_program_runs_kernels_of_a_file"),
    ),
    Mutant(
        "interfaces_are_not_compared",
        "src/border/image_file.cpp",
        "  if (interface != imageInterface)\n",
        "  if (false)\n",
        saved("files_of_another_interface_are_refused"),
    ),
    Mutant(
        "captured_arrays_are_saved",
        "src/launch/saved_images.cpp",
        "    if (!array.name.empty())\n",
        "    if (false)\n",
        saved("what_cannot_be_saved"),
    ),
    Mutant(
        "one_of_several_kernels_is_found",
        "src/capi/images.cpp",
        "  if (image.kernels.size() == 1)\n",
        "  if (true)\n",
        saved("a_cpp_program_runs_kernels_of_a_file"),
    ),
    Mutant(
        "headers_read_numbers_that_are_not_given",
        HEADER,
        '"if ($name) {"',
        '"if ($name || true) {"',
        saved("a_cpp_program_runs_kernels_of_a_file"),
    ),
    Mutant(
        "headers_leave_nones_out",
        HEADER,
        'return [(name, "", ["$argument.kind = TREADLE_ARGUMENT_NONE;"])]',
        "return []",
        saved("a_cpp_program_runs_kernels_of_a_file"),
    ),
    Mutant(
        "headers_have_words_of_cpp",
        "python/treadle/kernels/cpp_names.py",
        "    if name in _KEYWORDS or name in _MACROS or",
        "    if name in _MACROS or",
        saved("a_cpp_program_runs_kernels_of_a_file"),
    ),
]
