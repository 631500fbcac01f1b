# Defects of the compilation cache: answers that are not compared, keys that leave something out.

from mutants.tree import Mutant

NAMES = "src/border/recorded_names.cpp"
CACHE = "src/runtime/code_cache.cpp"
PROGRAM = "src/python/launch/python_program.cpp"
DISPATCHER = "src/launch/dispatcher.cpp"
KEYS = "python/treadle/source/keys.py"


def kept(name):
    return f"tests/compiling/test_code_cache.py::test_{name}"


def changed(name):
    return f"tests/compiling/test_code_cache_changes.py::test_{name}"


def between_builds(name):
    return f"tests/compiling/test_code_cache_builds.py::test_{name}"


MUTANTS = [
    Mutant(
        "edited_stages_are_kept",
        DISPATCHER,
        "!overload.identity.empty() && !request.replaced;",
        "!overload.identity.empty();",
        "tests/compiling/test_overridden_stages.py::test_an_edited_stage_runs_and_is_not_cached",
    ),
    Mutant(
        "edited_stages_are_for_all_functions",
        "src/runtime/stage_dump.cpp",
        "if (line != head)",
        "if (line.empty())",
        "tests/compiling/test_overridden_stages.py::test_other_kernels_are_compiled",
    ),
    Mutant(
        "the_compiler_library_does_not_count",
        "src/runtime/runtime.cpp",
        "  makers(*compilerId);\n",
        "",
        between_builds("builds_that_differ_in_one_library_share_nothing"),
    ),
    Mutant(
        "the_runtime_library_does_not_count",
        "src/runtime/runtime.cpp",
        "  makers(own);\n",
        "",
        between_builds("builds_that_differ_in_one_library_share_nothing"),
    ),
    Mutant(
        "the_extension_module_does_not_count",
        PROGRAM,
        "  makers(own);\n",
        "",
        between_builds("builds_that_differ_in_one_library_share_nothing"),
    ),
    Mutant(
        "what_finds_functions_does_not_count",
        PROGRAM,
        "  makers(digestOf({finder.c_str(), finder.size()}));\n",
        "",
        between_builds("another_way_of_finding_functions_in_texts_shares_nothing"),
    ),
    Mutant(
        "a_replaced_compiler_is_opened",
        "src/runtime/runtime.cpp",
        "  if (compilerId.value_or(id) != id)\n",
        "  if (false)\n",
        between_builds("a_compiler_that_was_replaced_meanwhile_is_refused"),
    ),
    Mutant(
        "what_is_being_written_is_not_waited_for",
        "src/support/files/disk_store.cpp",
        "  Background::instance().finish(this, name);\n  const OwnedFile folder",
        "  const OwnedFile folder",
        kept("what_was_just_compiled_is_found"),
    ),
    Mutant(
        "children_write_for_their_parents",
        "src/support/background.cpp",
        "  items.clear();\n",
        "",
        kept("a_forked_child_keeps_its_own_code"),
    ),
    Mutant(
        "places_in_cells_are_those_of_another_process",
        CACHE,
        "{ return text.find(cellFolder()) != std::string_view::npos; }",
        "{ return (void)text, false; }",
        kept("messages_about_cells_name_those_of_the_process"),
    ),
    Mutant(
        "numbers_do_not_count",
        NAMES,
        "  write(value.integer);\n",
        "",
        changed("a_changed_global"),
    ),
    Mutant(
        "contents_of_arrays_do_not_count",
        NAMES,
        "  if (value.data)\n",
        "  if (false)\n",
        changed("contents_of_a_captured_array"),
    ),
    Mutant(
        "shared_memory_does_not_count",
        NAMES,
        "    write(handles.numberOf(*value.devicePointer));\n",
        "",
        changed("captured_device_arrays_that_shared_memory"),
    ),
    Mutant(
        "sources_of_helpers_do_not_count",
        NAMES,
        "    digested.write(source);\n",
        "",
        changed("an_edited_helper_in_another_module"),
    ),
    Mutant(
        "answers_are_not_compared",
        NAMES,
        "    if (asked[answer(question.kind, *handle, question.name).place].answer != question.answer)\n",
        "    if (false)\n",
        changed("a_changed_global"),
    ),
    Mutant(
        "handles_count_as_they_are",
        "src/border/field_bytes.cpp",
        "isObject ? uint64_t(handles->numberOf(type.handle())) : type.handle()",
        "type.handle()",
        kept("a_later_process_finds_what_one_has_compiled"),
    ),
    Mutant(
        "what_python_runs_is_kept",
        NAMES,
        "  complete = false;\n  return names->evaluate",
        "  return names->evaluate",
        kept("code_that_python_runs_is_run_each_time"),
    ),
    Mutant(
        "the_first_array_stands_for_all",
        CACHE,
        "names.devicePointers()[place]",
        "names.devicePointers()[0]",
        changed("captured_device_arrays_are_those_of_the_process"),
    ),
    Mutant(
        "number_rules_do_not_count",
        CACHE,
        "  key(request.rules);\n",
        "",
        changed("number_rules"),
    ),
    Mutant(
        "debug_does_not_count",
        CACHE,
        "  key(request.options);\n",
        "",
        changed("options"),
    ),
    Mutant(
        "targets_do_not_count",
        CACHE,
        "  key(request.target);\n",
        "",
        changed("processors"),
    ),
    Mutant(
        "facts_do_not_count",
        CACHE,
        "  key(request.facts);\n",
        "",
        changed("facts_of_launches"),
    ),
    Mutant(
        "one_program_of_a_source_is_kept",
        CACHE,
        "all.size() < mostPrograms && other",
        "all.size() * mostPrograms < mostPrograms && other",
        changed("a_changed_global"),
    ),
    Mutant(
        "closures_share_entries",
        PROGRAM,
        "    (void)names.resolve(names.root(), utf8Of(name));\n",
        "    (void)name;\n",
        changed("closures_are_found_by_what_they_hold"),
    ),
    Mutant(
        "classes_of_exceptions_are_those_of_the_first_process",
        CACHE,
        "      image->raises[i].exceptionHandle = *handle;\n",
        "",
        kept("exceptions_are_of_the_classes_of_the_process"),
    ),
    Mutant(
        "warnings_are_told_once",
        CACHE,
        "  found.result.warnings = program.warnings;\n",
        "",
        kept("warnings_are_told_each_time"),
    ),
    Mutant(
        "later_variants_see_new_globals",
        PROGRAM,
        "  return inferWith(signature, *names).function;\n",
        "  return (void)names, infer(signature).result.function;\n",
        changed("another_variant_after_a_hit_is_inferred_from_what_names_meant_then"),
    ),
    Mutant(
        "instructions_do_not_count",
        KEYS,
        " + text + dumps(_placed(code), _MARSHAL_VERSION)",
        " + text",
        changed("a_kernel_that_has_moved_in_its_file"),
    ),
    Mutant(
        "texts_do_not_count",
        KEYS,
        " + text + dumps(_placed(code), _MARSHAL_VERSION)",
        " + dumps(_placed(code), _MARSHAL_VERSION)",
        changed("annotations_of_variables_count"),
    ),
    Mutant(
        "the_version_of_python_does_not_count",
        KEYS,
        'b"%x %d\\n" % (sys.hexversion, len(text))',
        'b"%x %d\\n" % (0, len(text))',
        changed("another_python"),
    ),
    Mutant(
        "what_follows_a_function_is_part_of_it",
        KEYS,
        "            if len(lines[number]) - len(content) <= depth:\n                break\n",
        "",
        kept("what_follows_the_function_makes_no_difference"),
    ),
    Mutant(
        "damaged_programs_are_used",
        "src/support/files/disk_store.cpp",
        "  if (std::memcmp(&header, &expected, sizeof header) != 0)\n",
        "  if (false)\n",
        kept("damage_that_can_be_read"),
    ),
    Mutant(
        "functions_cannot_stay_out",
        PROGRAM,
        "  if (!options.isKept || !cache.isUsed())",
        "  if (!cache.isUsed())",
        kept("switched_off"),
    ),
    Mutant(
        "hits_are_counted_as_misses",
        DISPATCHER,
        "  ++(isHit ? place->hits : place->misses);",
        "  ++place->misses;",
        kept("stats_tell_what_was_found"),
    ),
]
