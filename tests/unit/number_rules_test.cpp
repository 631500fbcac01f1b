// NumberRules: tables of both rule sets.
#include "types/number_rules.h"

#include <gtest/gtest.h>

#include <limits>

namespace treadle {

using enum BinaryOperator;

namespace {

const NumberRules numba(RuleSet::Numba), cudaPython(RuleSet::CudaPython);

const Type *named(std::string_view name) {
  for (const Type *type : {types::boolean(), types::int8(), types::int16(), types::int32(), types::int64(),
                           types::uint8(), types::uint16(), types::uint32(), types::uint64(), types::float16(),
                           types::float32(), types::float64(), types::complex64(), types::complex128()})
    if (type->name() == name)
      return type;
  ADD_FAILURE() << "no type " << name;
  return nullptr;
}

Operand typed(std::string_view name) { return {named(name)}; }
Operand literal(int64_t value) { return {types::int64(), true, value}; }
Operand literal(double value) { return {types::float64(), true, 0, value}; }

std::string nameOf(const Type *type) { return type ? type->name() : "-"; }

struct Row {
  BinaryOperator op;
  const char *left, *right, *result;
};

void check(const NumberRules &rules, const Row &row) {
  const OperationTypes types = rules.binary(row.op, typed(row.left), typed(row.right));
  EXPECT_EQ(nameOf(types.result), row.result) << row.left << " op" << int(row.op) << " " << row.right;
}

} // namespace

TEST(NumbaRules, Arithmetic) {
  for (const Row &row : std::initializer_list<Row>{
           {Add, "int32", "int32", "int64"},          {Add, "uint8", "uint16", "uint64"},
           {Mul, "int64", "uint64", "int64"},         {Sub, "bool", "bool", "int64"},
           {Add, "uint32", "bool", "int64"},          {Add, "float32", "int64", "float64"},
           {Add, "float32", "int16", "float32"},      {Add, "float32", "uint8", "float32"},
           {Add, "float32", "uint16", "float64"},     {Add, "float32", "int32", "float64"},
           {Add, "float32", "float64", "float64"},    {Mul, "complex64", "float32", "complex64"},
           {Mul, "complex64", "int64", "complex128"}, {Mul, "complex64", "float64", "complex128"},
           {TrueDiv, "int8", "int8", "float64"},      {TrueDiv, "int8", "float32", "float32"},
           {FloorDiv, "int32", "uint64", "int64"},    {FloorDiv, "float32", "float32", "float32"},
           {FloorDiv, "complex64", "float32", "-"},   {Mod, "complex64", "complex64", "-"},
           {Mod, "uint8", "uint8", "uint64"},         {Pow, "float32", "int64", "float32"},
           {Pow, "int32", "int32", "int64"},          {Pow, "int64", "float32", "float64"},
           {Pow, "complex64", "int64", "complex128"}})
    check(numba, row);
}

TEST(NumbaRules, Halves) {
  for (const Row &row : std::initializer_list<Row>{{Add, "float16", "float16", "float16"},
                                                   {Sub, "float16", "int8", "float16"},
                                                   {Mul, "uint8", "float16", "float16"},
                                                   {TrueDiv, "float16", "bool", "float16"},
                                                   {FloorDiv, "float16", "float16", "float16"},
                                                   {Mod, "float16", "int16", "float32"},
                                                   {Add, "float16", "uint16", "float64"},
                                                   {Add, "float16", "int32", "float64"},
                                                   {Add, "float16", "float32", "float32"},
                                                   {Add, "float16", "float64", "float64"},
                                                   {Add, "float16", "complex64", "complex64"},
                                                   {Pow, "float16", "int64", "float16"},
                                                   {And, "float16", "int8", "-"}})
    check(numba, row);
  EXPECT_EQ(numba.binary(Add, typed("float16"), literal(0.5)).result, types::float64());
  EXPECT_EQ(numba.binary(FloorDiv, typed("float16"), typed("float16")).computed, types::float32());
  EXPECT_EQ(numba.binary(Pow, typed("float16"), typed("int64")).operand, types::float32());
  EXPECT_EQ(numba.unary(UnaryOperator::Negative, typed("float16")).result, types::float16());
  EXPECT_EQ(numba.abs(typed("float16")).result, types::float16());
  EXPECT_EQ(numba.mathFloat(typed("float16")), types::float32());
}

TEST(NumbaRules, Bits) {
  for (const Row &row : std::initializer_list<Row>{{And, "int32", "int32", "int32"},
                                                   {Or, "int8", "uint16", "uint16"},
                                                   {Xor, "uint32", "int32", "int32"},
                                                   {And, "bool", "bool", "bool"},
                                                   {And, "bool", "int8", "int8"},
                                                   {And, "float32", "int8", "-"},
                                                   {LShift, "int8", "int64", "int64"},
                                                   {LShift, "uint8", "int64", "uint64"},
                                                   {RShift, "bool", "int8", "int64"},
                                                   {RShift, "int8", "float32", "-"}})
    check(numba, row);
}

TEST(NumbaRules, IntegerPowersOfFloatsMultiply) {
  const OperationTypes types = numba.binary(Pow, typed("float32"), typed("uint8"));
  EXPECT_EQ(types.operand, types::float32());
  EXPECT_EQ(types.count, types::int64());
  EXPECT_EQ(numba.binary(Pow, typed("float32"), typed("float32")).count, nullptr);
}

TEST(NumbaRules, LiteralsHaveTheirOwnType) {
  EXPECT_EQ(numba.binary(Add, typed("float32"), literal(0.5)).result, types::float64());
  EXPECT_EQ(numba.binary(Add, typed("int8"), literal(int64_t(1))).result, types::int64());
}

TEST(NumbaRules, Unary) {
  EXPECT_EQ(numba.unary(UnaryOperator::Negative, typed("uint8")).result, types::uint64());
  EXPECT_EQ(numba.unary(UnaryOperator::Negative, typed("uint8")).operand, types::uint8()); // widened afterwards
  EXPECT_EQ(numba.unary(UnaryOperator::Negative, typed("bool")).operand, types::int64());
  EXPECT_EQ(numba.unary(UnaryOperator::Positive, typed("bool")).result, types::int64());
  EXPECT_EQ(numba.unary(UnaryOperator::Invert, typed("int16")).result, types::int16());
  EXPECT_EQ(numba.unary(UnaryOperator::Invert, typed("float32")).result, nullptr);
  EXPECT_EQ(numba.unary(UnaryOperator::Not, typed("float32")).result, types::boolean());
  EXPECT_EQ(numba.abs(typed("complex64")).result, types::float32());
  EXPECT_EQ(numba.abs(typed("int8")).result, types::int8());
}

TEST(NumbaRules, Functions) {
  EXPECT_EQ(numba.mathFloat(typed("int8")), types::float64());
  EXPECT_EQ(numba.mathFloat(typed("float32")), types::float32());
  EXPECT_EQ(numba.mathFloat(typed("float32"), typed("int64")), types::float64());
  EXPECT_EQ(numba.mathFloat(typed("complex64")), nullptr);
  EXPECT_EQ(numba.roundingResult(typed("float32")), types::int64());
  EXPECT_EQ(numba.minMax(typed("int64"), typed("float32")).result, types::float64());
  EXPECT_EQ(numba.minMax(typed("int32"), typed("int32")).result, types::int32());
  EXPECT_FALSE(numba.minMax(typed("complex64"), typed("int32")));
}

TEST(NumbaRules, Range) {
  auto counter = [](Operand start, Operand stop, Operand step) {
    return nameOf(numba.rangeCounter(start, stop, step));
  };
  EXPECT_EQ(counter(typed("int32"), typed("int32"), typed("int32")), "int32");
  EXPECT_EQ(counter(typed("int32"), typed("int64"), typed("int32")), "int64");
  EXPECT_EQ(counter(literal(int64_t(0)), typed("int32"), typed("int32")), "int64");
  EXPECT_EQ(counter(typed("uint64"), typed("uint64"), typed("uint64")), "uint64");
  EXPECT_EQ(counter(typed("int8"), typed("uint32"), typed("int8")), "int64");
  EXPECT_EQ(counter(typed("float32"), typed("int8"), typed("int8")), "-");
}

TEST(NumberRules, Unify) {
  struct Case {
    const char *left, *right, *result;
  };
  for (const Case &one :
       {Case{"int64", "float32", "float64"}, Case{"int32", "int64", "int64"}, Case{"int8", "uint8", "int16"},
        Case{"int64", "uint64", "float64"}, Case{"int16", "float32", "float32"}, Case{"bool", "int8", "int8"},
        Case{"bool", "float32", "float32"}, Case{"complex64", "int32", "complex128"},
        Case{"complex64", "float32", "complex64"}, Case{"uint32", "int8", "int64"}}) {
    EXPECT_EQ(nameOf(numba.unify(named(one.left), named(one.right))), one.result) << one.left << " " << one.right;
    EXPECT_EQ(numba.unify(named(one.right), named(one.left)), numba.unify(named(one.left), named(one.right)));
  }
}

TEST(NumberRules, UnifyOthers) {
  const Type *contiguous = types::array(types::float32(), {.ndim = 2});
  const Type *fortran = types::array(types::float32(), {.ndim = 2, .layout = Layout::F});
  EXPECT_EQ(nameOf(numba.unify(contiguous, fortran)), "array(float32, 2d, A)");
  EXPECT_EQ(numba.unify(contiguous, types::array(types::float64(), {.ndim = 2})), nullptr);
  EXPECT_EQ(nameOf(numba.unify(types::none(), types::int32())), "Optional(int32)");
  EXPECT_EQ(nameOf(numba.unify(types::optional(types::int32()), types::float32())), "Optional(float64)");
  EXPECT_EQ(nameOf(numba.unify(types::uniTuple(types::int32(), 2), types::uniTuple(types::int64(), 2))),
            "UniTuple(int64 x 2)");
  EXPECT_EQ(numba.unify(types::uniTuple(types::int32(), 2), types::uniTuple(types::int32(), 3)), nullptr);
  EXPECT_EQ(numba.unify(types::builtin("math.sin"), types::builtin("math.cos")), nullptr);
}

TEST(CudaPythonRules, Arithmetic) {
  for (const Row &row : std::initializer_list<Row>{{Add, "int32", "int32", "int32"},
                                                   {Add, "int64", "float32", "float32"},
                                                   {Add, "uint32", "int32", "uint32"},
                                                   {Add, "int8", "uint8", "uint8"},
                                                   {Mul, "float64", "complex64", "complex128"},
                                                   {Sub, "bool", "bool", "bool"},
                                                   {Mul, "bool", "int8", "int8"},
                                                   {FloorDiv, "int8", "int8", "int32"},
                                                   {FloorDiv, "uint8", "uint8", "uint32"},
                                                   {FloorDiv, "float64", "float64", "int64"},
                                                   {FloorDiv, "float32", "int64", "int32"},
                                                   {FloorDiv, "bool", "bool", "int32"},
                                                   {Mod, "int8", "int16", "int16"},
                                                   {TrueDiv, "int32", "int32", "float32"},
                                                   {TrueDiv, "int64", "float32", "float64"},
                                                   {TrueDiv, "int8", "int8", "float32"},
                                                   {TrueDiv, "complex64", "float32", "complex64"},
                                                   {And, "int8", "int32", "int32"},
                                                   {And, "float32", "int32", "-"},
                                                   {RShift, "int8", "uint16", "uint16"},
                                                   {Pow, "int32", "float32", "float32"},
                                                   {Pow, "int32", "int8", "int32"}})
    check(cudaPython, row);
}

TEST(CudaPythonRules, Halves) {
  for (const Row &row : std::initializer_list<Row>{{Add, "float16", "int64", "float16"},
                                                   {Mul, "bool", "float16", "float16"},
                                                   {Sub, "float16", "float32", "float32"},
                                                   {TrueDiv, "float16", "float16", "float32"},
                                                   {TrueDiv, "float16", "int64", "float64"},
                                                   {FloorDiv, "float16", "int8", "int32"},
                                                   {Mod, "float16", "uint64", "float16"},
                                                   {Pow, "float16", "float64", "float64"}})
    check(cudaPython, row);
  EXPECT_EQ(cudaPython.binary(Add, typed("float16"), literal(0.1)).result, types::float16());
  EXPECT_EQ(cudaPython.binary(Add, typed("float16"), literal(65519.0)).result, types::float64());
  EXPECT_EQ(cudaPython.binary(TrueDiv, typed("float16"), literal(int64_t(2048))).result, types::float32());
  EXPECT_EQ(cudaPython.binary(TrueDiv, typed("float16"), literal(int64_t(2049))).result, types::float64());
  EXPECT_EQ(cudaPython.binary(TrueDiv, typed("float16"), literal(int64_t(1) << 40)).result, types::float64());
  EXPECT_EQ(cudaPython.binary(FloorDiv, typed("float16"), typed("float16")).computed, types::float64());
}

TEST(CudaPythonRules, LiteralsAdoptTheirNeighboursType) {
  EXPECT_EQ(cudaPython.binary(Mul, typed("float32"), literal(0.1)).result, types::float32());
  EXPECT_EQ(cudaPython.binary(Mul, typed("float32"), literal(1e300)).result, types::float64());
  EXPECT_EQ(cudaPython.binary(Add, typed("int8"), literal(int64_t(100))).result, types::int8());
  EXPECT_EQ(cudaPython.binary(Add, typed("int8"), literal(int64_t(200))).result, types::int64());
  EXPECT_EQ(cudaPython.binary(Add, typed("uint32"), literal(int64_t(-1))).result, types::int64());
  EXPECT_EQ(cudaPython.binary(Add, typed("int32"), literal(0.5)).result, types::float64());
  EXPECT_EQ(cudaPython.binary(Add, typed("bool"), literal(int64_t(1))).result, types::int64());
  EXPECT_EQ(cudaPython.binary(TrueDiv, typed("int32"), literal(int64_t(2))).result, types::float32());
  EXPECT_EQ(cudaPython.binary(TrueDiv, literal(1.0), typed("float32")).result, types::float32());
  EXPECT_EQ(cudaPython.binary(Add, literal(int64_t(1)), literal(int64_t(2))).result, types::int64());
}

TEST(CudaPythonRules, BoolsAreComputedAsIntegers) {
  const OperationTypes types = cudaPython.binary(Add, typed("bool"), typed("bool"));
  EXPECT_EQ(types.computed, types::int32());
  EXPECT_EQ(types.result, types::boolean());
  EXPECT_EQ(cudaPython.binary(And, typed("bool"), typed("bool")).computed, nullptr);
}

TEST(CudaPythonRules, FloorDivisionConvertsBeforeItWidens) {
  const OperationTypes types = cudaPython.binary(FloorDiv, typed("uint8"), typed("int8"));
  EXPECT_EQ(types.operand, types::uint8());
  EXPECT_EQ(types.computed, types::uint32());
  EXPECT_EQ(types.result, types::uint32());
}

TEST(CudaPythonRules, FunctionsAndRange) {
  EXPECT_EQ(cudaPython.mathFloat(typed("int32")), types::float32());
  EXPECT_EQ(cudaPython.mathFloat(typed("int64")), types::float64());
  EXPECT_EQ(cudaPython.mathFloat(typed("float32"), literal(int64_t(2))), types::float32());
  EXPECT_EQ(cudaPython.roundingResult(typed("float32")), types::float32());
  EXPECT_EQ(cudaPython.roundingResult(typed("int32")), types::float32());
  EXPECT_EQ(cudaPython.rangeCounter(literal(int64_t(0)), typed("int32"), literal(int64_t(1))), types::int32());
  EXPECT_EQ(cudaPython.rangeCounter(literal(int64_t(0)), literal(int64_t(9)), literal(int64_t(1))), types::int64());
  EXPECT_EQ(cudaPython.rangeCounter(literal(int64_t(-1)), typed("uint8"), literal(int64_t(1))), types::int64());
  EXPECT_EQ(cudaPython.unary(UnaryOperator::Negative, typed("uint8")).result, types::uint8());
}

TEST(NumberRules, ComparisonsOfIntegersAreExact) {
  for (const NumberRules &rules : {numba, cudaPython}) {
    const OperationTypes mixed = rules.compare(CompareOperator::Less, typed("int64"), typed("uint64"));
    EXPECT_EQ(mixed.operand, nullptr);
    EXPECT_EQ(mixed.result, types::boolean());
    EXPECT_EQ(rules.compare(CompareOperator::Less, typed("int64"), typed("uint32")).operand, types::int64());
    EXPECT_EQ(rules.compare(CompareOperator::Less, typed("complex64"), typed("int8")).result, nullptr);
    EXPECT_EQ(rules.compare(CompareOperator::Equal, typed("complex64"), typed("int8")).operand, types::complex64());
  }
  EXPECT_EQ(numba.compare(CompareOperator::Less, typed("float32"), literal(0.5)).operand, types::float64());
  EXPECT_EQ(cudaPython.compare(CompareOperator::Less, typed("float32"), literal(0.5)).operand, types::float32());
}

TEST(NumberRules, ConversionRanks) {
  struct Case {
    const char *from, *to;
    Conversion rank;
  };
  for (const Case &one :
       {Case{"int8", "int8", Conversion::Exact}, Case{"int8", "int64", Conversion::Promote},
        Case{"uint8", "int16", Conversion::Safe}, Case{"uint8", "int8", Conversion::Unsafe},
        Case{"int64", "float64", Conversion::Safe}, Case{"int32", "float32", Conversion::Unsafe},
        Case{"int16", "float32", Conversion::Safe}, Case{"uint16", "float32", Conversion::Safe},
        Case{"float32", "float64", Conversion::Promote}, Case{"float64", "float32", Conversion::Unsafe},
        Case{"float32", "complex64", Conversion::Safe}, Case{"float64", "complex64", Conversion::Unsafe},
        Case{"complex64", "complex128", Conversion::Promote}, Case{"complex64", "float64", Conversion::None},
        Case{"bool", "float64", Conversion::Safe}, Case{"int8", "bool", Conversion::Unsafe}})
    EXPECT_EQ(NumberRules::conversion(named(one.from), named(one.to)), one.rank) << one.from << " " << one.to;
  const Type *contiguous = types::array(types::float32(), {.ndim = 2});
  const Type *any = types::array(types::float32(), {.ndim = 2, .layout = Layout::Any});
  const Type *readOnly = types::array(types::float32(), {.ndim = 2, .readOnly = true});
  EXPECT_EQ(NumberRules::conversion(contiguous, any), Conversion::Safe);
  EXPECT_EQ(NumberRules::conversion(any, contiguous), Conversion::None);
  EXPECT_EQ(NumberRules::conversion(readOnly, contiguous), Conversion::None);
  EXPECT_EQ(NumberRules::conversion(types::none(), types::optional(types::int8())), Conversion::Promote);
}

TEST(NumberRules, LossOfInformation) {
  auto loses = [](std::string_view from, std::string_view to) {
    return NumberRules::losesInformation(named(from), named(to));
  };
  EXPECT_TRUE(loses("float32", "int64"));
  EXPECT_TRUE(loses("int64", "int32"));
  EXPECT_TRUE(loses("float64", "float32"));
  EXPECT_TRUE(loses("int64", "float32"));
  EXPECT_TRUE(loses("int32", "bool"));
  EXPECT_FALSE(loses("int32", "int64"));
  EXPECT_FALSE(loses("int32", "float64"));
  EXPECT_FALSE(loses("bool", "int8"));
  EXPECT_FALSE(loses("float32", "complex64"));
}

} // namespace treadle
