# Defects of what debuggers are told: types, places, lines, and what the driver and gdb are asked to keep.

from mutants.tree import Mutant

CPU = "src/codegen/cpu/warp/warp_debug.cpp"
INFO = "src/codegen/debug_info.cpp"
TYPES = "src/codegen/debug_types.cpp"
PTX = "src/codegen/ptx/ptx_variables.cpp"
LOG = "src/device/cuda/driver/jit_log.cpp"


def gdb(name):
    return f"tests/tools/test_gdb.py::test_{name}"


def described(name):
    return f"tests/compiling/test_debug_info.py::test_{name}"


def driver(name):
    return f"tests/cuda/test_debug_info.py::test_{name}"


MUTANTS = [
    Mutant("debug_unsigned_is_signed", TYPES, "number->isSigned() ? dwarf::DW_ATE_signed",
           "number->isSigned() || true ? dwarf::DW_ATE_signed", described("numbers")),
    Mutant("debug_fields_without_offsets", TYPES, "member(field.name, described, bytes, field.offset)",
           "member(field.name, described, bytes, 0)", described("records")),
    Mutant("debug_tuples_without_alignment", TYPES, "auto offset = uint32_t(alignTo(all.bytes, field.alignment))",
           "auto offset = uint32_t(all.bytes)", described("tuples_and_dates")),
    Mutant("debug_names_of_tuples_are_lost", TYPES, "isNamed ? std::string(type->itemNames()[i])",
           "isNamed && false ? std::string(type->itemNames()[i])", described("tuples_and_dates")),
    Mutant("debug_strides_before_shape", TYPES, "DebugArray::strides(ndim)));", "DebugArray::shape));",
           described("arrays")),
    Mutant("debug_library_has_variables", INFO, "slot->name.empty() || isLibrary ||",
           "slot->name.empty() || (isLibrary && false) ||",
           described("the_library_is_not_shown")),
    Mutant("debug_library_has_lines", INFO, "return function.isLibrary ? std::nullopt",
           "return function.isLibrary && false ? std::nullopt", described("the_library_is_not_shown")),
    Mutant("debug_types_are_apart", INFO, "group.front()->name == slot->name &&",
           "group.front()->name == slot->name && false &&", described("variables_of_several_types")),
    Mutant("debug_constants_are_left_out", INFO, "    if (!function.isLibrary)\n", "    if (false)\n",
           described("constants")),
    Mutant("debug_symbols_are_others", INFO, "getContext(), symbolOf(code))", 'getContext(), "other")',
           described("functions")),
    Mutant("debug_sections_for_lines", INFO, "options.debug ? Detail::Full : Detail::Lines", "Detail::Full",
           described("other_code_has_no_sections")),
    Mutant("debug_strides_are_not_written", PTX, "DebugArray::strides(type->ndim()) + 8 * axis", "0",
           described("arrays_have_what_numba_has")),
    Mutant("debug_printer_ignores_strides", "python/treadle/gdb_arrays.py", "offset + k * strides[0]", "offset",
           "tests/tools/test_gdb_arrays.py::test_elements_are_shown_by_their_strides"),
    Mutant("debug_driver_keeps_nothing", LOG, "if (hasDebugSections(code))", "if (hasDebugSections(code) && false)",
           driver("what_the_driver_keeps")),
    Mutant("debug_driver_keeps_no_lines", LOG, 'if (code.find("\\n\\t.loc\\t") != code.npos)',
           "if (false)", driver("what_the_driver_keeps")),
    Mutant("debug_lanes_share_a_place", CPU, "->bytes) * lane + offset", "->bytes) + offset",
           gdb("arrays_are_printed")),
    Mutant("debug_tag_is_the_first", CPU, "getInt32(watched.part + 1)", "getInt32(1)",
           gdb("warps_at_barriers_have_their_own")),
    Mutant("debug_warps_share_variables", "src/codegen/cpu/cpu_backend.cpp",
           "keepsVariables(request.options) && request.kernel.hasBarrier", "false",
           gdb("warps_at_barriers_have_their_own")),
    Mutant("debug_gdb_is_not_told", "src/device/cpu/code/code_loader.cpp",
           "debug = image.cpu().debug; !debug.object.empty())",
           "debug = image.cpu().debug; !debug.object.empty() && false)",
           gdb("arrays_are_printed")),
]  # fmt: skip
