# Defects of the C API: handles that outlive their objects, arguments that nobody checks, structs written too far.

from mutants.tree import Mutant

HANDLES = "src/capi/handles.cpp"
TABLE = "src/capi/handles.h"
CALL = "src/capi/api_call.cpp"
STRUCTS = "src/capi/sized_struct.h"
CHECK = "src/capi/launch_check.cpp"
LAUNCH = "src/capi/launches.cpp"
KERNEL = "src/capi/kernel_code.cpp"
ARRAYS = "src/capi/arrays.cpp"
EXCHANGE = "src/capi/array_exchange.cpp"
DESCRIPTION = "src/capi/array_description.cpp"
IMAGES = "src/capi/images.cpp"
MEMORY = "src/capi/memory.cpp"
REPEATED = "src/launch/repeated_launch.h"
OWN = "src/capi/kernel_launches.h"
CALL_H = "src/capi/api_call.h"
SAVED = "tests/capi/test_saved.py"


def case(name, device="cpu"):
    return f"tests/capi/test_capi.py::test_case[{device}-{name}]"


MUTANTS = [
    Mutant("handles_of_another_kind_are_taken", TABLE, "!= value || kindOf(value) != kind)", "!= value)",
           case("handles")),
    Mutant("a_slot_gives_the_same_handle_again", HANDLES, "++slot.generation <<", "1 <<", case("handles")),
    Mutant("freed_handles_are_found", HANDLES, "compare_exchange_strong(expected, 0,",
           "compare_exchange_strong(expected, value,", case("handles")),
    Mutant("errors_are_of_the_process", CALL, "constinit thread_local LastError lastError;",
           "constinit LastError lastError;", case("errors_of_threads")),
    Mutant("the_kind_of_a_queued_failure_is_lost", CALL, "    withCause(error.failure, take);",
           "    take(Cause{TREADLE_ERROR_DEVICE, error.what()});", case("failed_checks")),
    Mutant("small_structs_are_taken", STRUCTS, "size < firstSize<T> ||", "", case("sizes_of_structs")),
    Mutant("fields_of_later_versions_are_ignored", STRUCTS, "if (bytes[i] != 0)", "if (false)", case("later_versions")),
    Mutant("integers_wrap", CHECK, "value < range.least || (value > 0 && uint64_t(value) > range.most)", "false",
           case("numbers")),
    Mutant("layouts_are_not_checked", CHECK, "fitsLayout(array, wanted.layout()) && !(", "!(",
           case("arrays_that_do_not_fit")),
    Mutant("read_only_arrays_are_written", CHECK, "!(array.isReadOnly && parameter.writes)", "true",
           case("read_only_arguments")),
    Mutant("cpu_images_do_not_say_what_they_write", "src/codegen/cpu/cpu_backend.cpp",
           "  image.writes = writtenLeaves(kernel, image.parameters.leaves);\n", "", case("read_only_arguments")),
    Mutant("facts_are_believed", CHECK, "    if (!lack.fact)\n      return *code;\n    if (!code",
           "    if (code)\n      return *code;\n    if (!code", case("facts")),
    Mutant("the_shape_of_blocks_is_no_fact", CHECK,
           "lackOfLaunch(has, assumed, image.ignoredFacts())",
           "lackOfLaunch(has, assumed, Facts::blockShapeKey())", case("facts", "cuda")),
    Mutant("kernels_end_with_their_handles", KERNEL, "  std::erase_if(looked, hasRun);", "  looked.clear();",
           case("axpy")),
    Mutant("raw_parameters_have_no_gaps", LAUNCH, "used = (used + alignment - 1) / alignment * alignment;", "",
           case("raw_kernels", "cuda")),
    Mutant("damaged_images_are_other_errors", IMAGES, "    failImage(error.what());", "    throw;",
           case("wrong_images")),
    Mutant("owners_are_not_retained", EXCHANGE, "  given.retain(given.owner);\n", "", case("imported")),
    Mutant("masks_of_descriptions_are_dropped", EXCHANGE,
           "if (given.mask || (given.flags & TREADLE_ARRAY_HAS_MASK) != 0)", "if (false)", case("refused_imports")),
    Mutant("exports_are_always_writable", DESCRIPTION, "(array.isReadOnly ? TREADLE_ARRAY_READ_ONLY : 0)", "0",
           case("read_only")),
    Mutant("consumers_streams_are_not_shown", EXCHANGE,
           "consumer ? &found<StreamObject>(consumer, \"consumer\").named : nullptr", "nullptr",
           case("streams_of_arrays", "cuda")),
    Mutant("pieces_reach_beyond_their_memory", MEMORY, "!isPiece(offset, bytes, whole))", "offset + bytes > whole)",
           case("memory")),
    Mutant("any_offset_will_do", ARRAYS, "!areAligned(view.data, view.strided(), element->alignment()))", "false)",
           case("over_memory")),
    Mutant("freed_arrays_are_launched_on_again", LAUNCH, "given.kind != TREADLE_ARGUMENT_ARRAY ||", "true ||",
           case("repeated_launches_of_what_is_freed")),
    Mutant("other_arguments_are_the_same_launch", REPEATED,
           "areEqual(key.data(), other.data(), key.size())", "true",
           case("repeated_launches")),
    Mutant("other_configs_are_the_same_launch", OWN,
           "!areEqual(&slot.config, &config, sizeof config)", "false",
           case("repeated_launches")),
    Mutant("kernels_have_one_repeated_launch", OWN, "slot.kernel != kernel", "slot.kernel == 0",
           case("repeated_launches_of_many_kernels")),
    Mutant("changed_descriptions_are_the_array_itself", DESCRIPTION, "std::memcmp(&own, &given, sizeof own) == 0",
           "true", case("own_descriptions")),
    Mutant("arrays_with_two_handles_go_with_the_first", CALL_H, "  object.give();\n", "", case("own_descriptions")),
    Mutant("files_have_no_launch_bounds", LAUNCH, "{image.maxThreads, image.maxClusterBlocks}", "{}",
           f"{SAVED}::test_names_of_parameters_and_bounds_of_launches_are_in_files[cpu]"),
    Mutant("names_of_items_are_of_their_tuple", KERNEL, 'fmt::format("{}[{}]", name, position)', "name",
           f"{SAVED}::test_names_of_parameters_and_bounds_of_launches_are_in_files[cpu]"),
    Mutant("anything_is_read_as_a_file", "src/support/files/owned_file.cpp", "if (!S_ISREG(state.st_mode))",
           "if (S_ISSOCK(state.st_mode))", case("wrong_images")),
]  # fmt: skip
