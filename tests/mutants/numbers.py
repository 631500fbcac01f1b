# Defects of what is written in CUDA Python: random numbers and reductions.

from mutants.tree import Mutant

RANDOM = "python/treadle/cuda/random.py"
REDUCTION = "python/treadle/kernels/reduction.py"


def numbers(name):
    return f"tests/randomness/test_random_numbers.py::{name}"


def reduction(name):
    return f"tests/ufuncs/test_reduction.py::{name}"


MUTANTS = [
    Mutant(
        "ties_of_the_product_are_ties",
        "src/codegen/power.cpp",
        "b.CreateAnd(isTie, isLost)",
        "b.CreateAnd(isLost, b.CreateNot(isLost))",
        "tests/language/test_round_to_digits.py::test_as_python",
    ),
    Mutant(
        "digits_beyond_the_number_are_rounded",
        "src/codegen/power.cpp",
        "ConstantFP::get(type, 0x1p53)",
        "ConstantFP::getInfinity(type)",
        "tests/language/test_round_to_digits.py::test_as_python",
    ),
    Mutant(
        "the_power_of_negative_zero_is_its_root",
        "src/codegen/power.cpp",
        "b.CreateFAdd(base, ConstantFP::getZero(base->getType()))",
        "base",
        "tests/math/test_exact_points.py::test_constant_exponents_are_rounded_once[0.5-numba-f64]",
    ),
    Mutant(
        "logarithms_of_powers_of_ten_by_one_factor",
        "src/math/own/logarithm.cpp",
        "lower = multiplyAdd(parts.exponent, F32(0x1.3509f8p-18f), lower);",
        "lower = multiplyAdd(parts.exponent, F32(0), lower);",
        "tests/math/test_exact_points.py",
    ),
    Mutant(
        "states_without_the_highest_jump",
        RANDOM,
        "for level in range(table.shape[0] - 2):",
        "for level in range(table.shape[0] - 3):",
        numbers("test_states_are_those_of_jumps_one_by_one[64-9223372036854775808-5]"),
    ),
    Mutant(
        "jumps_modulo_another_polynomial",
        RANDOM,
        "0x100653CED7F29F88A5FD66762F0E1C001",
        "0x100653CED7F29F88A5FD66762F0E1C003",
        numbers("test_states_far_ahead_by_a_matrix"),
    ),
    Mutant(
        "uniform_float32_is_cut_off",
        RANDOM,
        "float32(xoroshiro128p_next(states, index) >> 11) * _UNIT_FLOAT32",
        "float32(xoroshiro128p_next(states, index) >> 40) * float32(2.0**-24)",
        numbers("test_bits[uniform_float32-200]"),
    ),
    Mutant(
        "normal_float64_has_a_better_logarithm_than_numbas",
        RANDOM,
        "math.sqrt(-2.0 * math.log(radius))",
        "math.sqrt(-2.0 * math.log(float64(radius)))",
        numbers("test_normal_float64_has_a_logarithm_of_float32"),
    ),
    Mutant(
        "reduction_forgets_the_last_element_of_a_part_of_a_row",
        REDUCTION,
        "if full + lane < end:",
        "if full + lane < end - 1:",
        reduction("test_each_element_takes_part_once"),
    ),
    Mutant(
        "reduction_takes_the_initial_value_twice",
        REDUCTION,
        "if gridDim.x == 1:",
        "if blockIdx.x == 0:",
        reduction("test_the_initial_value_takes_part_once"),
    ),
    Mutant(
        "reduction_with_blocks_that_have_no_elements",
        REDUCTION,
        "return -(-size // (_WARPS * share)), share",
        "return blocks, share",
        reduction("test_every_grid_covers_its_array"),
    ),
    Mutant(
        "reduction_writes_what_is_left_of_lanes",
        REDUCTION,
        "left = min(left, half)",
        "left = left - half",
        reduction("test_sizes"),
    ),
]
