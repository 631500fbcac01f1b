# Defects of compiled code that is kept between processes: answers that are not compared, keys that leave something out.

from mutants.tree import Mutant

NAMES = "src/border/recorded_names.cpp"
CACHE = "src/launch/code_cache.cpp"
PROGRAM = "src/python/launch/python_program.cpp"
DISPATCHER = "src/launch/dispatcher.cpp"
KEYS = "python/treadle/source_keys.py"


def kept(name):
    return f"tests/python/test_code_cache.py::test_{name}"


def changed(name):
    return f"tests/python/test_code_cache_changes.py::test_{name}"


MUTANTS = [
    Mutant(
        "numbers_do_not_count",
        NAMES,
        "  add(value.integer);\n",
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
        "    add(handles.numberOf(*value.devicePointer));\n",
        "",
        changed("captured_device_arrays_that_shared_memory"),
    ),
    Mutant(
        "sources_of_helpers_do_not_count",
        NAMES,
        "    digested.add(source);\n",
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
        NAMES,
        "isHandle ? uint64_t(handles.numberOf(type.handle())) : type.handle()",
        "type.handle()",
        kept("a_later_process_finds_what_one_has_compiled_AB1"),
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
        " + text + dumps(code, _MARSHAL_VERSION)",
        " + text",
        changed("a_kernel_that_has_moved_in_its_file"),
    ),
    Mutant(
        "texts_do_not_count",
        KEYS,
        " + text + dumps(code, _MARSHAL_VERSION)",
        " + dumps(code, _MARSHAL_VERSION)",
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
        "src/support/disk_store.cpp",
        "  if (std::memcmp(&header, &expected, sizeof header) != 0)\n",
        "  if (false)\n",
        kept("damaged_entries"),
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
        kept("stats_tell_what_was_found_AB2_A15"),
    ),
]
