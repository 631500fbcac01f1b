# What programs for Numba bring along goes wrong: names, settings, types, options, kernels that travel.

from mutants.tree import Mutant

TRAVEL = "python/treadle/kernels/travel.py"


def of(file, name):
    return f"tests/{file}.py::{name}"


MUTANTS = [
    Mutant(
        "expressions_have_no_types_of_their_own",
        "src/infer/phases.h",
        "if (type->isRuntime())",
        "if (type->isArray())",
        "tests/tools/test_report.py::test_types_are_those_of_the_source",
    ),
    Mutant("classes_have_their_bases_signatures", "python/treadle/inspection.py",
           'hasattr(owner.__init__, "__code__")', "False",
           of("names/test_inspection", "test_signatures")),
    Mutant("programs_settings_do_not_count", "src/support/settings.cpp", "SettingSource::Program); !text.empty())",
           "SettingSource::Program); text == \"never\")", of("compiling/test_config", "test_takes_effect_at_once")),
    Mutant("limits_of_open_devices_stay", "src/runtime/runtime.cpp", "= now.pendingRatio;", "= 0.25;",
           of("compiling/test_config", "test_takes_effect_at_once")),
    Mutant("exchange_settings_are_read_once", "src/python/interop/interface_settings.cpp", "now != version)",
           "now != version && false)", of("compiling/test_config", "test_the_interfaces_settings_too")),
    Mutant("grids_of_127_blocks_are_enough", "src/python/launch/launcher_object.cpp", "enough = 128;", "enough = 127;",
           "tests/cuda/test_warnings.py::test_grids_of_fewer_than_128_blocks"),
    Mutant("copies_are_warned_of_though_switched_off", "src/python/launch/launcher_object.cpp",
           "wantsPerformanceWarnings(Setting::ImplicitCopyWarnings)", "true",
           "tests/cuda/test_warnings.py::test_the_warning_about_copies_can_be_switched_off"),
    Mutant("unaligned_arrays_fit_as_well", "src/launch/overload_resolution.cpp",
           "from->isUnaligned() == to->isUnaligned();", "true;",
           of("types/test_type_classes", "TestUnalignedArrays::test_others_are_preferred")),
    Mutant("errors_of_imports_are_attribute_errors", "python/treadle/absent.py", '== "IMPORT_FROM"', '== "NOP"',
           of("names/test_numba_names", "test_absent_names_say_what_to_use[numba.cuda]")),
    Mutant("imported_names_are_forgotten", TRAVEL, 'for above in ("", f"import {names}")', 'for above in ("", "")',
           of("compiling/test_travel", "TestAnotherProcess::test_globals_constants_and_helpers")),
    Mutant("rebound_globals_go_unnoticed", TRAVEL, "before.digest() != now.digest()", "False",
           of("compiling/test_travel", "TestHere::test_rebound_globals_make_another")),
    Mutant("restored_kernels_are_not_kept", TRAVEL, "_latest.append(known)", "pass",
           of("compiling/test_travel", "TestAnotherProcess::test_it_is_compiled_once")),
    Mutant("handlers_are_asked_in_order", "python/treadle/kernels/extended.py",
           "in reversed(self.dispatcher.options.extensions)", "in self.dispatcher.options.extensions",
           of("compiling/test_compile_options", "TestExtensions::test_they_get_types_and_the_stream")),
    Mutant("versions_of_ptx_share_machines", "src/codegen/ptx/ptx_backend.cpp",
           "machines.take(gpu.processor + features +", "machines.take(std::string(gpu.processor) +",
           of("compiling/test_compile_options", "TestAssembler::test_features")),
]  # fmt: skip
