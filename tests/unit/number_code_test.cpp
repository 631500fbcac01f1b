// Number codes: every name that NumPy and the struct module have for a number type means that type.
#include "types/names/number_code.h"

#include <gtest/gtest.h>

using namespace treadle;

namespace {

TEST(NumberCode, FormatsOfBuffers) {
  EXPECT_EQ(numberOfFormat("i", 4), NumberCode::Int32);
  EXPECT_EQ(numberOfFormat("<d", 8), NumberCode::Float64);
  EXPECT_EQ(numberOfFormat("?", 1), NumberCode::Bool);
  EXPECT_EQ(numberOfFormat("c", 1), NumberCode::UInt8);
  EXPECT_EQ(numberOfFormat("n", 8), NumberCode::Int64);
  EXPECT_EQ(numberOfFormat("N", 8), NumberCode::UInt64);
  EXPECT_EQ(numberOfFormat("e", 2), NumberCode::Float16);
  EXPECT_EQ(numberOfFormat("Zf", 8), NumberCode::Complex64);
  EXPECT_EQ(numberOfFormat("Zd", 16), NumberCode::Complex128);
  EXPECT_EQ(numberOfFormat(nullptr, 1), NumberCode::UInt8);
}

TEST(NumberCode, TheItemsSizeDecidesTheWidthOfALong) {
  EXPECT_EQ(numberOfFormat("=l", 4), NumberCode::Int32);
  EXPECT_EQ(numberOfFormat("@l", 8), NumberCode::Int64);
  EXPECT_EQ(numberOfFormat("<L", 4), NumberCode::UInt32);
}

TEST(NumberCode, FormatsThatAreNoNumbers) {
  for (const char *format : {"", "<", "Z", "Zi", "ii", "s", "g", ">i", "T{i:a:}"})
    EXPECT_EQ(numberOfFormat(format, 4), NumberCode::None) << format;
  EXPECT_EQ(numberOfFormat(nullptr, 2), NumberCode::None);
  EXPECT_EQ(numberOfFormat("i", 3), NumberCode::None);
}

TEST(NumberCode, NumPysTypeNumbersAreThoseOfItsCharacters) {
  EXPECT_EQ(numberOfNumpyType(0), NumberCode::Bool);
  EXPECT_EQ(numberOfNumpyType(12), NumberCode::Float64);
  EXPECT_EQ(numberOfNumpyType(13), NumberCode::None) << "long double";
  EXPECT_EQ(numberOfNumpyType(15), NumberCode::Complex128);
  EXPECT_EQ(numberOfNumpyType(16), NumberCode::None);
  EXPECT_EQ(numberOfNumpyType(22), NumberCode::None) << "timedelta64";
  EXPECT_EQ(numberOfNumpyType(23), NumberCode::Float16);
  EXPECT_EQ(numberOfNumpyType(24), NumberCode::None);
  EXPECT_EQ(numberOfNumpyType(-1), NumberCode::None);
}

TEST(NumberCode, LettersAndBytesNameOneRow) {
  for (const NumberRow &row : numberRows)
    EXPECT_EQ(numberWith(row.letter, row.bytes), row.code);
  EXPECT_EQ(numberWith('f', 1), NumberCode::None);
  EXPECT_EQ(numberWith('c', 4), NumberCode::None);
}

} // namespace
