# Defects of warps as vectors of 16 lanes, and of integers of 64 bits that are computed in 32.

from mutants.tree import Mutant

HALVES = "src/passes/grid/warp_halves.cpp"
BACKEND = "src/codegen/cpu/cpu_backend.cpp"
NARROW = "src/codegen/narrow_integers.cpp"
HALVED = "tests/machine_code/test_lanes.py::test_number_of_lanes[16]"
CONVERSIONS = "tests/machine_code/test_processors.py::test_kernels[long_conversions-x86-64-v3]"
ARITHMETIC = "src/codegen/arithmetic.cpp"
DIVISORS = "tests/kernels/test_kernels.py::test_result[uniform_divisors]"
INTEGERS = "tests/kernels/test_kernels.py::test_result[narrow_integers]"

MUTANTS = [
    Mutant(
        "halves_shuffle",
        HALVES,
        "showsWarps(node.as<WarpOp>().op)",
        "node.as<WarpOp>().op == WarpOperation::ActiveMask",
        HALVED,
    ),
    Mutant(
        "halves_have_active_masks",
        HALVES,
        "showsWarps(node.as<WarpOp>().op)",
        "isSynchronizing(node.as<WarpOp>().op)",
        HALVED,
    ),
    Mutant("halves_number_their_lanes", "src/builtins/operations.inc", '"laneid", Lane', '"laneid", Thread', HALVED),
    Mutant("halves_print", HALVES, "return traits(node.kind).showsWarps;", "return traits(node.kind).fails;", HALVED),
    Mutant(
        "halves_call_functions_of_warps",
        HALVES,
        "none_of(withCallees(kernel),",
        "none_of(std::vector{&kernel},",
        HALVED,
    ),
    Mutant(
        "only_small_kernels_are_halved",
        BACKEND,
        "wanted == 0 && isLarge",
        "wanted == 0 && !isLarge",
        "tests/machine_code/test_lanes.py::test_large_kernels_get_16",
    ),
    Mutant(
        "halves_share_places_across_barriers",
        "src/codegen/cpu/lanes/warp_identity.cpp",
        "b.CreateUDiv(warp.linear, b.getInt32(laneCount()))",
        "b.CreateUDiv(warp.linear, b.getInt32(32))",
        HALVED,
    ),
    Mutant(
        "context_of_half_the_warps",
        "src/codegen/cpu/lanes/warp_program.h",
        "return 1024 / lanes;",
        "return 1024 / 32;",
        HALVED,
    ),
    Mutant(
        "sets_repeat_every_4_lanes",
        "src/codegen/cpu/lanes/lane_sets.cpp",
        "uint8_t(1 << lane % 8)",
        "uint8_t(1 << lane % 4)",
        "tests/machine_code/test_lanes.py::test_sets_out_of_numbers",
    ),
    Mutant(
        "sets_of_the_first_bytes",
        "src/codegen/cpu/lanes/lane_sets.cpp",
        "int(lane / 16 * 16 + lane / 8)",
        "int(lane / 16 * 16)",
        "tests/machine_code/test_lanes.py::test_sets_out_of_numbers",
    ),
    Mutant("low_bits_of_any_result", NARROW, "return fitsInt32(bounds.result) ?", "return true ?", INTEGERS),
    Mutant("unsigned_results_have_a_sign", NARROW, "wide, word->isSigned()));", "wide, true));", INTEGERS),
    Mutant(
        "counts_of_shifts_up_to_63", NARROW, "bounds.operands[1].high > 31", "bounds.operands[1].high > 63", INTEGERS
    ),
    Mutant("huge_numbers_are_negative", NARROW, "|| bounds.hasHuge)", ")", INTEGERS),
    Mutant(
        "large_numbers_compared_as_words",
        NARROW,
        "return bounds.all(fitsInt32) ? types::int32()",
        "return fitsInt32(bounds.operands[0]) ? types::int32()",
        INTEGERS,
    ),
    Mutant("unsigned_operands_have_a_sign", NARROW, "word, isa<SExtInst>(value));", "word, true);", INTEGERS),
    Mutant(
        "quotients_just_below_the_integer",
        "src/codegen/cpu/lanes/warp_values.cpp",
        "ConstantFP::get(wide, 0.5));",
        "ConstantFP::get(wide, 0.0));",
        DIVISORS,
    ),
    Mutant(
        "divisors_are_signed",
        "src/codegen/cpu/lanes/warp_values.cpp",
        "b.CreateUIToFP(right, b.getDoubleTy())",
        "b.CreateSIToFP(right, b.getDoubleTy())",
        DIVISORS,
    ),
    Mutant(
        "large_quotients_are_signed",
        "src/codegen/cpu/lanes/warp_values.cpp",
        "return b.CreateFPToUI(quotient, left->getType());",
        "return b.CreateFPToSI(quotient, left->getType());",
        DIVISORS,
    ),
    Mutant(
        "remainders_are_quotients",
        ARITHMETIC,
        "return isRemainder ? b.CreateSub(x, b.CreateMul(quotient, y)) : quotient;",
        "return quotient;",
        DIVISORS,
    ),
    Mutant(
        "longs_have_no_sign",
        ARITHMETIC,
        "high = b.CreateXor(high, bits(0x80000000));",
        "high = b.CreateXor(high, bits(0));",
        CONVERSIONS,
    ),
    Mutant(
        "longs_are_rounded_twice",
        ARITHMETIC,
        "0x1p84 + 0x1p63 + 0x1p52 : 0x1p84",
        "0x1p84 + 0x1p63 : 0x1p84",
        CONVERSIONS,
    ),
    Mutant(
        "halves_of_longs_are_truncated",
        ARITHMETIC,
        "b.CreateUnaryIntrinsic(Intrinsic::floor, b.CreateFMul(whole, number(0x1p-32)))",
        "b.CreateUnaryIntrinsic(Intrinsic::trunc, b.CreateFMul(whole, number(0x1p-32)))",
        CONVERSIONS,
    ),
    Mutant("longs_are_floored", ARITHMETIC, "Intrinsic::trunc, value);", "Intrinsic::floor, value);", CONVERSIONS),
    Mutant("only_longs_of_52_bits", ARITHMETIC, "isSigned ? 0x1.8p52 : 0x1p52", "0x1p52", CONVERSIONS),
    Mutant(
        "bits_of_negative_numbers_in_words",
        NARROW,
        "return fitsUint32(bounds.operands[0]) ?",
        "return bounds.operands[0].high <= int64_t(UINT32_MAX) ?",
        INTEGERS,
    ),
    Mutant(
        "fewer_zeros_than_bits",
        "src/passes/ranges/interval.cpp",
        "return {0, int64_t(type->bits())};",
        "return {0, 31};",
        INTEGERS,
    ),
]
