// Argument packing and launch facts.
#include "border/image.h"
#include "launch/arg_pack.h"
#include "launch/launch_facts.h"
#include "runtime/variant_names.h"
#include "support/error.h"
#include "types/wanted_facts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace treadle {
namespace {

ArgumentLeaf integer(int64_t value) {
  ArgumentLeaf leaf{};
  leaf.kind = ArgumentLeaf::Kind::Signed;
  leaf.number = NumberCode::Int64;
  leaf.integer = value;
  return leaf;
}

ArgumentLeaf real(double value) {
  ArgumentLeaf leaf{};
  leaf.kind = ArgumentLeaf::Kind::Real;
  leaf.number = NumberCode::Float64;
  leaf.real = value;
  return leaf;
}

struct TestArray {
  ArgumentLeaf leaf{};
  std::vector<int64_t> shape, strides;
  TestArray(void *data, NumberCode number, std::vector<int64_t> extents, std::vector<int64_t> steps, Layout layout)
      : shape(std::move(extents)), strides(std::move(steps)) {
    leaf.kind = ArgumentLeaf::Kind::Array;
    leaf.number = number;
    leaf.ndim = uint8_t(shape.size());
    leaf.layout = layout;
    leaf.itemBytes = rowOf(leaf.number).bytes;
    leaf.data = static_cast<char *>(data);
    leaf.shape = shape.data();
    leaf.strides = strides.data();
  }
};

Image scalarImage(const Type *type, uint8_t bytes) {
  Image image;
  image.signature.arguments = {type};
  image.parameters.leaves = {{ParameterLeaf::Source::Scalar, 0, 0, bytes, 0}};
  image.parameters.size = bytes;
  return image;
}

template <typename T> T packed(const Type *type, const ArgumentLeaf &leaf) {
  T value;
  const ArgPack pack(scalarImage(type, sizeof(T)));
  EXPECT_EQ(pack.size(), sizeof(T));
  pack.pack({&leaf, 1}, reinterpret_cast<char *>(&value));
  return value;
}

TEST(ArgPack, ScalarsTakeTheSignaturesType) {
  EXPECT_EQ(packed<int8_t>(types::int8(), integer(-3)), -3);
  EXPECT_EQ(packed<uint16_t>(types::uint16(), integer(65535)), 65535);
  EXPECT_EQ(packed<int32_t>(types::int32(), integer(-70000)), -70000);
  EXPECT_EQ(packed<int64_t>(types::int64(), integer(std::numeric_limits<int64_t>::min())),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(packed<float>(types::float32(), real(0.1)), 0.1f);
  EXPECT_EQ(packed<double>(types::float64(), real(0.1)), 0.1);
  EXPECT_EQ(packed<double>(types::float64(), integer(7)), 7.0);
  EXPECT_EQ(packed<int64_t>(types::int64(), real(-2.9)), -2);
  EXPECT_EQ(packed<int64_t>(types::int64(), real(std::numeric_limits<double>::quiet_NaN())), 0);
  EXPECT_EQ(packed<int64_t>(types::int64(), real(-1e300)), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(packed<uint8_t>(types::boolean(), integer(256)), 1);
  EXPECT_EQ(packed<uint8_t>(types::boolean(), real(0.5)), 1);
  EXPECT_EQ(packed<uint8_t>(types::boolean(), integer(0)), 0);
}

TEST(ArgPack, IntegersAreRoundedToFloat32Once) {
  // Rounding to double first would produce a tie, which then rounds the other way.
  const int64_t value = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(packed<float>(types::float32(), integer(value)), float(value));
  EXPECT_NE(float(value), float(double(value)));
}

TEST(ArgPack, UnsignedValuesStayLarge) {
  ArgumentLeaf leaf = integer(-1);
  leaf.kind = ArgumentLeaf::Kind::Unsigned;
  EXPECT_EQ(packed<double>(types::float64(), leaf), 18446744073709551616.0);
  EXPECT_EQ(packed<uint64_t>(types::uint64(), leaf), std::numeric_limits<uint64_t>::max());
}

TEST(ArgPack, ArraysTuplesAndComplexGoByLeaf) {
  float data[12];
  TestArray array(data, NumberCode::Float32, {3, 4}, {-16, 4}, Layout::Any);
  ArgumentLeaf complex = real(1.5);
  complex.kind = ArgumentLeaf::Kind::Complex;
  complex.imag = -2.5;
  Image image;
  const Type *items[] = {types::int32(), types::complex64()};
  image.signature.arguments = {types::array(types::float32(), {2, Layout::Any, false, Space::Global}),
                               types::tuple(items)};
  using Source = ParameterLeaf::Source;
  image.parameters.leaves = {{Source::Pointer, 0, 0, 8, 0}, {Source::Extent, 0, 1, 8, 8},
                             {Source::Stride, 0, 0, 8, 16}, {Source::Scalar, 1, 0, 4, 24},
                             {Source::Scalar, 2, 0, 4, 28}, {Source::Scalar, 2, 1, 4, 32}};
  image.parameters.size = 36;
  struct __attribute__((packed)) Block {
    float *pointer;
    int64_t extent, stride;
    int32_t number;
    float realPart, imagPart;
  } block;
  static_assert(sizeof(Block) == 36);
  const ArgumentLeaf leaves[] = {array.leaf, integer(9), complex};
  ArgPack(image).pack(leaves, reinterpret_cast<char *>(&block));
  EXPECT_EQ(block.pointer, data);
  EXPECT_EQ(block.extent, 4);
  EXPECT_EQ(block.stride, -16);
  EXPECT_EQ(block.number, 9);
  EXPECT_EQ(block.realPart, 1.5f);
  EXPECT_EQ(block.imagPart, -2.5f);
}

TEST(ArgPack, ExtentsOf32Bits) {
  float data[6] = {};
  const TestArray array(data, NumberCode::Float32, {2, std::numeric_limits<int32_t>::max()}, {12, 4}, Layout::C);
  Image image;
  image.signature.arguments = {types::array(types::float32(), {2})};
  using Source = ParameterLeaf::Source;
  image.parameters.leaves = {{Source::Extent, 0, 0, 4, 0}, {Source::Extent, 0, 1, 4, 4}};
  image.parameters.size = 8;
  int32_t block[3] = {-1, -1, -1};
  const ArgumentLeaf leaves[] = {array.leaf};
  ArgPack(image).pack(leaves, reinterpret_cast<char *>(block));
  EXPECT_EQ(block[0], 2);
  EXPECT_EQ(block[1], std::numeric_limits<int32_t>::max());
  EXPECT_EQ(block[2], -1);
}

TEST(ArgPack, OptionalsSayWhetherThereIsAValue) {
  Image image;
  image.signature.arguments = {types::optional(types::int32())};
  image.parameters.leaves = {{ParameterLeaf::Source::Scalar, 0, 0, 4, 0},
                             {ParameterLeaf::Source::HasValue, 0, 0, 1, 4}};
  image.parameters.size = 5;
  char block[5];
  ArgumentLeaf leaf = integer(7);
  ArgPack(image).pack({&leaf, 1}, block);
  EXPECT_EQ(block[0], 7);
  EXPECT_EQ(block[4], 1);
  leaf.kind = ArgumentLeaf::Kind::None;
  ArgPack(image).pack({&leaf, 1}, block);
  EXPECT_EQ(block[4], 0);
}

TEST(ArgPack, RefusesLayoutsThatDoNotFit) {
  Image image = scalarImage(types::int32(), 4);
  image.parameters.leaves[0].argument = 1;
  EXPECT_THROW(ArgPack{image}, InternalError);
  image = scalarImage(types::int32(), 4);
  image.parameters.size = 3;
  EXPECT_THROW(ArgPack{image}, InternalError);
}

TEST(TypeTokens, DescribeTypes) {
  const std::vector<TypeToken> list = {tokens::tuple(2), tokens::scalar(NumberCode::Int8), tokens::tuple(0),
                                       tokens::array(NumberCode::Complex128, 8, Layout::F, true)};
  const std::vector<const Type *> types = typesOf(list);
  ASSERT_EQ(types.size(), 2u);
  const Type *items[] = {types::int8(), types::tuple({})};
  EXPECT_EQ(types[0], types::tuple(items));
  EXPECT_EQ(types[1], types::array(types::complex128(), {8, Layout::F, true, Space::Global}));
}

TEST(TypeTokens, EveryNumberHasItsToken) {
  for (unsigned code = 0; code < unsigned(NumberCode::None); ++code) {
    EXPECT_EQ(numberCode(typeOf(NumberCode(code))), NumberCode(code));
    EXPECT_EQ(rowOf(NumberCode(code)).bytes, typeOf(NumberCode(code))->bytes());
  }
}

Facts factsFor(std::initializer_list<ArgumentLeaf> leaves) {
  return factsOf(factsOf(LaunchConfig{}).facts, std::span(leaves.begin(), leaves.size()));
}

TEST(LaunchFacts, BlockClassAndGrid) {
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {64, 1, 1}, 0}).facts.blockClass, 32);
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {33, 1, 1}, 0}).facts.blockClass, 32); // one row: x counts the lanes
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {16, 3, 1}, 0}).facts.blockClass, 16);
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {8, 4, 2}, 0}).facts.blockClass, 8);
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {4, 3, 1}, 0}).facts.blockClass, 4);
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {4, 4, 4}, 0}).facts.blockClass, 1); // a warp extends into the next z
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {48, 2, 1}, 0}).facts.blockClass, 1);
  EXPECT_EQ(factsOf(LaunchConfig{{1, 1, 1}, {5, 7, 3}, 0}).facts.blockClass, 1);
  EXPECT_TRUE(factsOf(LaunchConfig{{1, 1, 1}, {16, 2, 1}, 0}).facts.fullWarps);
  EXPECT_FALSE(factsOf(LaunchConfig{{1, 1, 1}, {16, 3, 1}, 0}).facts.fullWarps);
  EXPECT_TRUE(factsOf(LaunchConfig{{0x7fffffff / 1024, 1, 1}, {1024, 1, 1}, 0}).facts.gridFitsInt32);
  EXPECT_FALSE(factsOf(LaunchConfig{{0x7fffffff / 1024 + 1, 1, 1}, {1024, 1, 1}, 0}).facts.gridFitsInt32);
  // Kernels may multiply blockIdx by more than the block's own size.
  EXPECT_FALSE(factsOf(LaunchConfig{{0x7fffffff / 1024 + 1, 1, 1}, {32, 1, 1}, 0}).facts.gridFitsInt32);
}

TEST(LaunchFacts, OverlapOfArrays) {
  alignas(16) float data[64];
  TestArray low(data, NumberCode::Float32, {16}, {4}, Layout::C),
      high(data + 16, NumberCode::Float32, {16}, {4}, Layout::C);
  TestArray touching(data + 15, NumberCode::Float32, {4}, {4}, Layout::C);
  TestArray backwards(data + 31, NumberCode::Float32, {16}, {-4}, Layout::Any);
  TestArray empty(data, NumberCode::Float32, {0}, {4}, Layout::C);
  EXPECT_TRUE(factsFor({low.leaf, high.leaf}).noOverlap);
  EXPECT_TRUE(factsFor({high.leaf, low.leaf}).noOverlap);
  EXPECT_FALSE(factsFor({low.leaf, low.leaf}).noOverlap);
  EXPECT_FALSE(factsFor({low.leaf, touching.leaf}).noOverlap);
  EXPECT_FALSE(factsFor({touching.leaf, high.leaf}).noOverlap);
  EXPECT_TRUE(factsFor({low.leaf, backwards.leaf}).noOverlap);
  EXPECT_FALSE(factsFor({high.leaf, backwards.leaf}).noOverlap);
  EXPECT_TRUE(factsFor({low.leaf, empty.leaf}).noOverlap);
  EXPECT_TRUE(factsFor({}).noOverlap);
}

TEST(LaunchFacts, OverlapWithItself) {
  alignas(16) float data[64];
  EXPECT_FALSE(factsFor({TestArray(data, NumberCode::Float32, {4}, {0}, Layout::Any).leaf}).noOverlap);
  EXPECT_TRUE(factsFor({TestArray(data, NumberCode::Float32, {1}, {0}, Layout::Any).leaf}).noOverlap);
  // A window view: rows overlap.
  EXPECT_FALSE(factsFor({TestArray(data, NumberCode::Float32, {4, 3}, {4, 4}, Layout::Any).leaf}).noOverlap);
  // A transposed slice has no overlap.
  EXPECT_TRUE(factsFor({TestArray(data, NumberCode::Float32, {3, 4}, {8, 32}, Layout::Any).leaf}).noOverlap);
}

TEST(LaunchFacts, ManyArraysCountAsOverlapping) {
  std::vector<float> data(100 * 4);
  std::vector<TestArray> arrays;
  std::vector<ArgumentLeaf> leaves;
  arrays.reserve(100);
  for (int i = 0; i < 100; ++i) {
    arrays.emplace_back(&data[size_t(i) * 4], NumberCode::Float32, std::vector<int64_t>{4}, std::vector<int64_t>{4},
                        Layout::C);
    leaves.push_back(arrays.back().leaf);
  }
  EXPECT_TRUE(factsOf(Facts{}, std::span(leaves).first(64)).noOverlap);
  EXPECT_FALSE(factsOf(Facts{}, leaves).noOverlap);
}

TEST(LaunchFacts, ShortRows) {
  float data[1];
  const ArgumentLeaf scalar = integer(3);
  const TestArray points(data, NumberCode::Float32, {100, 3}, {12, 4}, Layout::C),
      matrices(data, NumberCode::Float32, {1, 2, 16}, {128, 64, 4}, Layout::C),
      table(data, NumberCode::Float32, {1, 17}, {68, 4}, Layout::C);
  const ArgumentLeaf leaves[] = {scalar, points.leaf, scalar, matrices.leaf, table.leaf};
  Facts facts;
  facts.rows = rowsOf(leaves, {{1, 3, 4}, ~uint64_t(0)});
  EXPECT_EQ(facts.rowExtent(0, 0), 3);
  EXPECT_EQ(facts.rowExtent(0, 1), 0);
  EXPECT_EQ(facts.rowExtent(1, 0), 16);
  EXPECT_EQ(facts.rowExtent(1, 1), 2);
  EXPECT_EQ(facts.rowExtent(2, 0), 0);
  EXPECT_EQ(facts.rowExtent(2, 1), 0);
  facts.rows = rowsOf(leaves, {{1, 3, 4}, Facts::rowBits(1, 1)});
  EXPECT_EQ(facts.rowExtent(0, 0), 0);
  EXPECT_EQ(facts.rowExtent(1, 0), 0);
  EXPECT_EQ(facts.rowExtent(1, 1), 2);
}

TEST(LaunchFacts, Ranges) {
  char byte;
  const int64_t limit = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(factsFor({TestArray(&byte, NumberCode::Float64, {limit}, {8}, Layout::C).leaf}).offsetsFitInt32);
  EXPECT_FALSE(factsFor({TestArray(&byte, NumberCode::Int8, {limit + 1}, {1}, Layout::C).leaf}).offsetsFitInt32);
  EXPECT_FALSE(
      factsFor({TestArray(&byte, NumberCode::Int8, {1 << 16, 1 << 15}, {1 << 15, 1}, Layout::C).leaf}).offsetsFitInt32);
  EXPECT_TRUE(
      factsFor({TestArray(&byte, NumberCode::Int8, {1 << 15, 1 << 15}, {1 << 15, 1}, Layout::C).leaf}).offsetsFitInt32);
  // With zero strides every offset is 0, but the index itself must fit.
  EXPECT_FALSE(factsFor({TestArray(&byte, NumberCode::Int8, {3 * limit}, {0}, Layout::Any).leaf}).offsetsFitInt32);
  EXPECT_FALSE(factsFor({TestArray(&byte, NumberCode::Int8, {3}, {limit}, Layout::Any).leaf}).offsetsFitInt32);
  EXPECT_FALSE(factsFor({TestArray(&byte, NumberCode::Int8, {3}, {-limit}, Layout::Any).leaf}).offsetsFitInt32);
}

TEST(LaunchFacts, Alignment) {
  alignas(16) float data[64];
  EXPECT_TRUE(factsFor({TestArray(data, NumberCode::Float32, {4}, {4}, Layout::C).leaf}).aligned16);
  EXPECT_FALSE(factsFor({TestArray(data + 1, NumberCode::Float32, {4}, {4}, Layout::C).leaf}).aligned16);
  EXPECT_TRUE(factsFor({TestArray(data + 1, NumberCode::Float32, {0}, {4}, Layout::C).leaf}).aligned16);
}

// Files of TREADLE_OVERRIDE are found by these names.
TEST(LaunchFacts, Names) {
  EXPECT_EQ(namesOf({}), "block_class=1");
  Facts facts = likelyFacts();
  EXPECT_EQ(namesOf(facts), "offsets_fit_int32 grid_fits_int32 no_overlap aligned16 full_warps block_class=32");
  facts.setRow(0, 0, 4);
  facts.tables = 1;
  facts.laneAxis = 1;
  EXPECT_EQ(namesOf(facts), "offsets_fit_int32 grid_fits_int32 no_overlap aligned16 full_warps short_rows tables "
                            "lane_axis=y block_class=32");
}

} // namespace
} // namespace treadle
