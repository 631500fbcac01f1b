# Defects of the cache of cubins.

from mutants.tree import Mutant

STORE = "src/support/files/disk_store.cpp"
CACHE = "src/device/cuda/driver/cubin_cache.cpp"


def kept(name):
    return f"tests/cuda/test_cubin_cache.py::test_{name}"


MUTANTS = [
    Mutant(
        "checksums_are_not_compared",
        STORE,
        "  if (std::memcmp(&header, &expected, sizeof header) != 0)\n",
        "  if (false)\n",
        kept("a_damaged_entry_is_made_anew"),
    ),
    Mutant(
        "values_are_not_in_the_checksum",
        STORE,
        "sizeof header), key, value})",
        "sizeof header), key})",
        kept("a_damaged_entry_is_made_anew"),
    ),
    Mutant(
        "others_may_write_entries",
        STORE,
        "!S_ISREG(state.st_mode) || !isTrusted(state) ||",
        "!S_ISREG(state.st_mode) ||",
        kept("an_entry_that_others_can_write_is_not_run"),
    ),
    Mutant(
        "others_may_write_to_the_folder",
        "src/support/files/owned_file.cpp",
        "  if (isOpenToOthers(state))\n",
        "  if (false)\n",
        kept("a_folder_that_others_can_write_to_is_not_used"),
    ),
    Mutant(
        "links_are_followed",
        STORE,
        "O_RDONLY | O_NOFOLLOW | O_NONBLOCK",
        "O_RDONLY | O_NONBLOCK",
        kept("links_are_not_followed"),
    ),
    Mutant(
        "what_ended_processes_left_stays",
        STORE,
        "time(nullptr) - state.st_mtime > oldTemporary",
        "false",
        kept("what_ended_processes_left_is_removed"),
    ),
    Mutant(
        "what_others_write_is_removed",
        STORE,
        "time(nullptr) - state.st_mtime > oldTemporary",
        "true",
        kept("what_ended_processes_left_is_removed"),
    ),
    Mutant(
        "the_newest_go_first",
        STORE,
        "std::ranges::sort(entries, isOlder);",
        "std::ranges::sort(entries, isOlder);\n    std::ranges::reverse(entries);",
        kept("what_was_used_longest_ago_goes"),
    ),
    Mutant(
        "a_use_is_not_noted",
        STORE,
        "    futimens(file, nullptr); // marks the time of last use\n",
        "    return value;\n",
        kept("what_was_used_longest_ago_goes"),
    ),
    Mutant(
        "the_capability_does_not_count",
        CACHE,
        "std::to_string(capability)",
        "std::to_string(0)",
        kept("the_code_of_another_capability_is_not_found_for_the_same_text"),
    ),
    Mutant(
        "the_driver_does_not_count", CACHE, '.append("\\n").append(build);', ";", kept("another_driver_makes_its_own")
    ),
    Mutant(
        "the_text_does_not_count",
        CACHE,
        'return key.append("\\n").append(ptx);',
        "return key;",
        kept("an_edited_kernel_is_another_entry"),
    ),
    Mutant(
        "code_that_is_not_taken_stays",
        CACHE,
        "    store.remove(key);\n",
        "    return nullptr;\n",
        kept("code_that_the_driver_does_not_take_is_made_anew"),
    ),
    Mutant(
        "linkers_may_not_fail",
        CACHE,
        "    return std::nullopt;\n  }\n}",
        "    throw;\n  }\n}",
        kept("where_nothing_can_be_linked_the_driver_compiles"),
    ),
    Mutant(
        "nothing_is_written",
        CACHE,
        "    store.putLater(key, [cubin",
        "    if (false)\n      store.putLater(key, [cubin",
        kept("a_later_process_finds_what_one_has_linked"),
    ),
    Mutant("it_cannot_be_switched_off", CACHE, "  if (!store.isUsed() || ", "  if (", kept("limit_0_keeps_nothing")),
    Mutant(
        "entries_are_for_everyone",
        STORE,
        "O_CLOEXEC, S_IRUSR | S_IWUSR));",
        "O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));",
        kept("a_later_process_finds_what_one_has_linked"),
    ),
    Mutant(
        "entries_keep_their_temporary_names",
        STORE,
        "renameat(folder, name.c_str(), folder, nameOf(key).c_str()) == 0;",
        "true;",
        kept("a_later_process_finds_what_one_has_linked"),
    ),
    Mutant(
        "the_trouble_with_a_folder_is_not_told",
        STORE,
        "    *trouble = why;\n",
        "    trouble->clear();\n",
        kept("a_folder_that_others_can_write_to_is_not_used"),
    ),
    Mutant(
        "the_limit_is_not_kept",
        STORE,
        "  if (bytes > place.limitBytes) {\n    std::ranges::sort",
        "  if (false) {\n    std::ranges::sort",
        kept("what_was_used_longest_ago_goes"),
    ),
]
