# Mistakes in functions of the library: lost digits, wrong sides of branch cuts, wrong types.

from mutants.tree import Mutant

COMPLEX = "python/treadle/library/complex_functions.py"
MATH = "python/treadle/library/math_functions.py"
INTEGERS = "python/treadle/library/integer_functions.py"
NUMBERS = "python/treadle/library/number_functions.py"
TOTALS = "python/treadle/library/totals.py"
TIMES = "python/treadle/library/times.py"


def sentence(file, name):
    return f"tests/language/test_{file}.py::{name}"


MUTANTS = [
    Mutant(
        "durations_are_divided_by_bools",
        TIMES,
        "if not isinstance(y, int) or isinstance(y, (bool, np.bool_)):",
        "if not isinstance(y, int):",
        sentence("operators_of_times", "test_pairs[m8[s]]"),
    ),
    Mutant(
        "logarithm_cancels_beside_the_unit_circle",
        COMPLEX,
        "return 0.5 * math.log1p((both + low) + (one_rest + both_rest + low_rest))",
        "return 0.5 * math.log1p(high + 2.0 * large_high * large_low)",
        sentence("cmath", "test_errors_are_within_a_few_units_of_the_last_place_of_each_part"),
    ),
    Mutant(
        "square_root_from_the_other_side_of_its_cut",
        COMPLEX,
        "else (other, math.copysign(one, y))",
        "else (other, one if y >= 0 else -one)",
        sentence("cmath", "test_special_values_and_signs_of_zeros"),
    ),
    Mutant(
        "exponential_overflows_early",
        COMPLEX,
        "return math.exp(x - _LARGE64 if is_large else x), _EXP_LARGE64 if is_large else 1.0",
        "return math.exp(x), 1.0",
        sentence("cmath", "test_results_are_finite_where_only_the_exponential_overflows"),
    ),
    Mutant(
        "remainder_of_ties_to_odd",
        MATH,
        "if rest + rest >= divisor:",
        "if rest + rest > divisor:",
        sentence("math_library", "test_remainder_and_nextafter"),
    ),
    Mutant(
        "exponent_of_subnormal_numbers",
        MATH,
        "shift = int64(54)",
        "shift = int64(53)",
        sentence("math_library", "test_frexp_and_modf"),
    ),
    Mutant(
        "combinations_overflow_before_they_are_divided",
        INTEGERS,
        "ways = ways // common * (uint64(things - int64(step) + int64(1)) // (divisor // common))",
        "ways = ways * uint64(things - int64(step) + int64(1)) // divisor",
        sentence("math_library", "test_combinations_permutations_and_factorials"),
    ),
    Mutant(
        "bits_of_the_wrong_width",
        NUMBERS,
        "int64(popc(magnitude(x)))",
        "int64(popc(x))",
        sentence("numpy_numbers", "test_bits_of_integers"),
    ),
    Mutant(
        "total_in_the_width_of_the_items",
        TOTALS,
        "    if isinstance(start, int) and isinstance(zero, int):\n",
        "    if isinstance(start, int) and isinstance(zero, int):\n        return zero + typeof(zero)(start)\n",
        sentence("math_library", "test_sums_products_and_their_types"),
    ),
    Mutant(
        "small_integers_make_numpys_functions_wide",
        "src/infer/calls/number_calls.cpp",
        "type->bits() <= 16 ? 32 : 64;",
        "64;",
        sentence("numpy_numbers", "test_types_of_two_operands"),
    ),
    Mutant(
        "complex_numbers_are_nan_by_their_real_part",
        "python/treadle/library/numpy_arrays.py",
        "return math.isnan(x.real) or math.isnan(x.imag)",
        "return math.isnan(x.real)",
        "tests/language/test_reduction_matrix.py::test_reduction[nansum]",
    ),
    Mutant(
        "the_lower_bound_wins",
        "python/treadle/library/numpy_choices.py",
        "return _at_most(_at_least(a, a_min), a_max)",
        "return _at_least(_at_most(a, a_max), a_min)",
        "tests/language/test_numpy_matrix.py::test_function[clip]",
    ),
    Mutant(
        "integers_of_both_signs_share_a_sign",
        "python/treadle/library/numpy_numbers.py",
        "if isinstance(x, np.unsignedinteger) != isinstance(y, np.unsignedinteger):",
        "if False:",
        "tests/language/test_numpy_matrix.py::test_function[fmod]",
    ),
    Mutant(
        "steps_of_float32_in_halves",
        "python/treadle/library/numpy_floats.py",
        "    number = numpy_float(x, y)\n    return number(x), number(y)",
        "    return float32(x), float32(y)",
        "tests/language/test_numpy_matrix.py::test_function[nextafter]",
    ),
    Mutant(
        "durations_are_cut_off",
        TIMES,
        "    return _coarser(count, given, wanted)\n\n\n@",
        "    return _coarser(count, given, wanted) if count >= 0 else -_coarser(-count, given, wanted)\n\n\n@",
        sentence("times", "test_durations_are_stored_in_another_unit[m-h]"),
    ),
    Mutant(
        "gamma_of_negative_zero",
        "src/math/own/gamma.cpp",
        "result = x == 0 ? 1 / x : result;",
        "",
        "tests/math/test_math_kernels.py::test_function_within_cudas_bound[tgamma-f32]",
    ),
    Mutant(
        "leap_days_of_centuries",
        TIMES,
        "return era * 146097 + in_era * 365 + in_era // 4 - in_era // 100 + (153 * shifted + 2) // 5 - 719468",
        "return era * 146097 + in_era * 365 + in_era // 4 + (153 * shifted + 2) // 5 - 719468",
        sentence("times", "test_dates_are_stored_in_another_unit[M-D]"),
    ),
    Mutant(
        "nat_is_a_number",
        TIMES,
        "return int64(_NAT) if x == _NAT or y == _NAT else x + y",
        "return x + y",
        sentence("times", "test_dates_and_durations[D-D]"),
    ),
    Mutant(
        "dates_of_coarser_units_are_cut_off",
        TIMES,
        "    return count // unit_factor(coarse, fine)\n",
        "    return int64(count / unit_factor(coarse, fine))\n",
        sentence("times", "test_dates_are_stored_in_another_unit"),
    ),
    Mutant(
        "kernels_for_values_are_found_by_their_types",
        "src/launch/asked_values.cpp",
        "tokens.push() = bitsOf(launch.leaves.view()[leaf]);",
        "tokens.push() = leaf;",
        sentence("values_of_arguments", "test_launches_that_are_made_again_have_their_own_values"),
    ),
    Mutant(
        "arguments_behind_known_values_move_up",
        "src/infer/instances/slot_maker.cpp",
        "      if (request.keepsAllParameters)\n        addParameter(binding.type, node);\n      continue;",
        "      continue;",
        sentence("values_of_arguments", "test_parameters_stay_where_they_are"),
    ),
    Mutant(
        "device_functions_ask_for_the_first_argument",
        "src/infer/expressions/functions.cpp",
        "return whole.parameterRead(*positional[i]);",
        "return whole.parameterRead(*positional[0]);",
        sentence("values_of_arguments", "test_device_functions_ask_for_what_they_were_handed"),
    ),
]
