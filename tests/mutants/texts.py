# Mistakes with texts and f-strings: characters that are lost, wrong orders, wrong ends.

from mutants.tree import Mutant

CHARACTERS = "src/infer/values/characters.cpp"
FORMAT = "src/infer/expressions/formatting.cpp"
CONSTANTS = "tests/language/test_constant_texts.py::"


def characters(name):
    return f"tests/language/test_characters.py::{name}"


MUTANTS = [
    Mutant(
        "texts_are_greater_where_they_are_less",
        CHARACTERS,
        "      std::swap(both[0], both[1]);\n",
        "      std::swap(both[0], both[0]);\n",
        characters("test_comparisons"),
    ),
    Mutant(
        "names_take_the_shorter_of_two_texts",
        "src/types/conversions.cpp",
        "left->items().size() < right->items().size() ? right : left;",
        "left->items().size() < right->items().size() ? left : right;",
        characters("test_names_take_the_longer_of_two_types"),
    ),
    Mutant(
        "elements_keep_what_lies_behind_a_shorter_text",
        "src/infer/values/array_access.cpp",
        "  for (size_t i = 0; i < codes.size(); ++i)\n    store(",
        "  for (size_t i = 0; i + 1 < codes.size(); ++i)\n    store(",
        characters("test_elements_are_copied_cut_off_and_filled_up"),
    ),
    Mutant(
        "the_end_of_a_text_is_no_place",
        CHARACTERS,
        "place == PartPlace::Start ? 0 : width;",
        "place == PartPlace::Start ? 0 : width - 1;",
        characters("test_as_in_python"),
    ),
    Mutant(
        "zeros_at_the_end_of_constant_bytes_do_not_count",
        CHARACTERS,
        "  if (knownText(*text))\n",
        "  if (knownText(*text) && false)\n",
        CONSTANTS + "test_zeros_at_the_end_of_constant_bytes_count",
    ),
    Mutant(
        "what_makes_a_constant_longer_is_cut_off",
        CHARACTERS,
        "  codes.resize(width + size_t(isLonger));",
        "  codes.resize(width);",
        CONSTANTS + "test_long_constants_beside_short_texts",
    ),
    Mutant(
        "f_strings_forget_that_numbers_stand_on_the_left",
        FORMAT,
        'made += align == \'<\' ? "-" : "";',
        'made += align == \'>\' ? "-" : "";',
        "tests/language/test_f_strings.py::test_printed_as_in_python",
    ),
    Mutant(
        "infinities_have_spaces_in_front",
        FORMAT,
        "&& !std::isfinite(real) ?",
        "&& !std::isfinite(real) && spec.sign ?",
        "tests/language/test_f_strings.py::test_constants",
    ),
    Mutant(
        "bytes_are_numbers",
        "src/infer/values/comparisons.cpp",
        "(isText(first) && isNoText(second))",
        "(first.is(TypeKind::String) && isNoText(second))",
        characters("test_as_in_python"),
    ),
]
