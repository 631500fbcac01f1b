# Defects of float16: numbers rounded twice, computed in too few digits, not known to the host, torn from their words.

from mutants.tree import Mutant

RULES = "src/types/number_rules.cpp"
FUNCTIONS = "python/treadle/library/half_functions.py"


def kernel(name):
    return f"tests/kernels/test_kernels.py::test_result[float16_{name}]"


MUTANTS = [
    Mutant(
        "bytes_of_halves_are_stored_from_their_register",
        "src/codegen/ptx/ptx_memory.cpp",
        "if (stored->getType()->isHalfTy() && address.alignment < 2)",
        "if (stored->getType()->isHalfTy() && address.alignment < 1)",
        "tests/kernels/test_kernels.py::test_ptx[float16_memory]",
    ),
    Mutant(
        "float64_is_rounded_twice",
        "src/codegen/arithmetic.cpp",
        "    value = roundedToOdd(value);",
        "    value = b.CreateFPTrunc(value, shaped(b.getFloatTy(), value));",
        kernel("conversions"),
    ),
    Mutant(
        "inexact_numbers_are_cut",
        "src/codegen/arithmetic.cpp",
        "ConstantInt::get(bitsType, 1));\n  return b.CreateBitCast(",
        "ConstantInt::get(bitsType, 0));\n  return b.CreateBitCast(",
        kernel("conversions"),
    ),
    Mutant(
        "halves_are_divided_as_halves",
        RULES,
        "    return {common, result, nullptr, types::float64()};",
        "    return {common, result, nullptr, nullptr};",
        kernel("arithmetic"),
    ),
    Mutant(
        "quotients_of_halves_are_those_of_float32",
        RULES,
        "nullptr, types::float64()}; // in float32",
        "nullptr, types::float32()}; // in float32",
        "tests/types/test_float16.py::test_quotients_of_halves_are_rounded_down_from_exact_ones",
    ),
    Mutant(
        "numpys_number_of_halves",
        "src/types/names/number_code.h",
        "half = 23",
        "half = 22",
        "tests/types/test_dtypes.py::TestFloat16::test_scalar_arguments",
    ),
    Mutant(
        "integers_adopt_float16_beyond_its_range",
        "src/types/number_sets.cpp",
        "partBits(type) == 16 && magnitude > 65504",
        "partBits(type) == 16 && magnitude > 1e30",
        "tests/types/test_float16.py::test_literals_adopt_it_where_they_fit",
    ),
    Mutant(
        "scalars_are_cut",
        "src/support/half.cpp",
        "(scaled + shift) - shift",
        "scaled",
        "tests/types/test_float16.py::test_given_signatures_convert_python_numbers",
    ),
    Mutant(
        "halves_are_swapped_in_words",
        "src/codegen/ptx/ptx_memory.cpp",
        "update.element->bits() == 16 && !isSum",
        "update.element->bits() == 8 && !isSum",
        "tests/kernels/test_kernels.py::test_ptx[float16_atomics]",
    ),
    Mutant(
        "shuffles_send_whole_numbers",
        "src/infer/calls/thread_calls.cpp",
        "value = tree.operation(Operation::Bitcast, types::int16(), {value}, span);",
        "value = tree.convert(value, types::int16());",
        kernel("memory"),
    ),
    Mutant(
        "fused_in_float32",
        FUNCTIONS,
        "float64(float16(a)) * float64(float16(b)) + float64(float16(c))",
        "float32(float16(a)) * float32(float16(b)) + float32(float16(c))",
        kernel("math"),
    ),
    Mutant(
        "larger_of_two_zeros_is_negative",
        FUNCTIONS,
        "bitcast(x, int16) & bitcast(y, int16)",
        "bitcast(x, int16) | bitcast(y, int16)",
        kernel("math"),
    ),
    Mutant(
        "not_equal_to_nan",
        FUNCTIONS,
        "return x < y or x > y",
        "return x != y",
        kernel("math"),
    ),
    Mutant(
        "halves_are_finite",
        "src/codegen/ptx/ptx_lane_model.cpp",
        "if (isLong)\n    whole = b.CreateFreeze(whole);",
        "",
        "tests/kernels/test_kernels.py::test_ptx[truncated_floats]",
    ),
]
