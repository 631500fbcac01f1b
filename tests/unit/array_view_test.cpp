// ArrayView: extents and strides, checked against a slow model with 128-bit numbers.
#include "memory/array_view.h"

#include "support/error.h"
#include "types/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace treadle {
namespace {

using Wide = __int128;
constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();

struct Asked {
  int64_t bytes = 0; ///< of the memory
  int64_t offset = 0;
  std::vector<int64_t> shape, strides;
  int64_t itemBytes = 0;

  StridedExtents extents() const { return {shape, strides, itemBytes}; }
};

/// What the header specifies, regardless of speed. Nothing in it can overflow.
bool hasExtents(const Asked &asked) {
  Wide bytes = std::max<int64_t>(asked.itemBytes, 1);
  for (const int64_t extent : asked.shape) {
    if (extent < 0 || extent > maxExtent)
      return false;
    bytes = std::min(bytes * std::max<int64_t>(extent, 1), Wide(1) << 64);
  }
  return asked.shape.size() <= maxDimensions && bytes <= most;
}

bool isEmpty(const Asked &asked) { return std::ranges::count(asked.shape, 0) > 0; }

/// First and last byte, from both ends of each axis.
std::pair<Wide, Wide> reach(const Asked &asked) {
  Wide first = 0, last = asked.itemBytes;
  for (size_t axis = 0; axis < asked.shape.size(); ++axis) {
    const Wide end = Wide(asked.strides[axis]) * (asked.shape[axis] - 1);
    (end < 0 ? first : last) += end;
  }
  return {first, last};
}

bool isInside(const Asked &asked) {
  if (!hasExtents(asked))
    return false;
  const auto [first, last] = reach(asked);
  return isEmpty(asked) || (Wide(asked.offset) + first >= 0 && Wide(asked.offset) + last <= asked.bytes);
}

bool isTaken(const Asked &asked) {
  // Never dereferenced: only addresses are computed.
  char *const memory = reinterpret_cast<char *>(uintptr_t(0x7f0012345600));
  try {
    const ArrayView view = ArrayView::checked({memory, size_t(asked.bytes)}, asked.offset, asked.extents());
    EXPECT_EQ(view.data, memory + (isEmpty(asked) ? 0 : asked.offset));
    EXPECT_TRUE(std::ranges::equal(view.strided().shape, asked.shape));
    EXPECT_TRUE(std::ranges::equal(view.strided().strides, asked.strides));
    return true;
  } catch (const UsageError &error) {
    EXPECT_EQ(error.kind(), UsageError::Kind::Value);
    return false;
  }
}

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine); }
  /// Small numbers, powers of two and their neighbours, the limits of int64, anything.
  int64_t number(int64_t small) {
    switch (between(0, 7)) {
    case 0:
      return int64_t((uint64_t(1) << between(0, 63)) + uint64_t(between(-2, 2) % 2));
    case 1:
      return between(0, 1) ? most - between(0, 9) : least + between(0, 9);
    case 2:
      return between(least, most);
    default:
      return between(-small, small);
    }
  }
  Asked asked() {
    Asked made;
    made.bytes = between(0, 300);
    made.offset = between(0, 4) ? between(-2, made.bytes + 2) : number(400);
    made.itemBytes = between(0, 20);
    const bool isWild = between(0, 2) == 0;
    for (int64_t axes = between(0, isWild ? 10 : 3); axes > 0; --axes) {
      made.shape.push_back(isWild ? number(5) : between(0, 5));
      made.strides.push_back(isWild ? number(40) : between(-40, 40));
    }
    return made;
  }

private:
  std::mt19937_64 engine;
};

TEST(ArrayView, LiesInItsMemoryOrIsRefused) {
  Random random(20261122);
  int taken = 0, refused = 0;
  for (int round = 0; round < 400'000; ++round) {
    const Asked asked = random.asked();
    const bool isRight = isInside(asked);
    ASSERT_EQ(isTaken(asked), isRight) << "round " << round;
    ++(isRight ? taken : refused);
  }
  EXPECT_GT(taken, 20'000);
  EXPECT_GT(refused, 20'000);
}

TEST(ArrayView, NumbersThatWrapAreRefused) {
  EXPECT_FALSE(isTaken({80, 0, {5}, {int64_t(1) << 62}, 8}));
  EXPECT_FALSE(isTaken({80, 0, {int64_t(1) << 32, int64_t(1) << 32}, {0, 0}, 1}));
  EXPECT_FALSE(isTaken({80, 0, {3, 3}, {most, least}, 1}));
  EXPECT_FALSE(isTaken({80, most, {2}, {most}, 8}));
  EXPECT_FALSE(isTaken({80, 0, {maxExtent + 1}, {0}, 1}));
  EXPECT_FALSE(isTaken({80, 0, {-1}, {8}, 8}));
  EXPECT_TRUE(isTaken({80, 0, {maxExtent}, {0}, 1}));
  EXPECT_TRUE(isTaken({80, 72, {10}, {-8}, 8}));
  EXPECT_TRUE(isTaken({80, most, {0, 7}, {most, most}, 8}));
}

TEST(ArrayView, OneStrideForEachExtent) {
  char memory[8];
  const int64_t shape[] = {1, 2}, strides[] = {4};
  EXPECT_THROW(ArrayView::checked(memory, 0, {shape, strides, 4}), UsageError);
}

/// The offset of each element of a packed array is its index in the order.
TEST(ArrayView, PackedStridesCountTheElements) {
  Random random(7);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<int64_t> shape(size_t(random.between(0, 4)));
    std::ranges::generate(shape, [&] { return random.between(0, 4); });
    const int64_t itemBytes = random.between(1, 9);
    const bool isFortran = random.between(0, 1) == 1;
    std::vector<int64_t> strides(shape.size());
    const int64_t bytes = packStrides(shape, itemBytes, isFortran, strides);
    const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    ASSERT_EQ(bytes, count * itemBytes);
    ASSERT_EQ(elementCount(shape), count);
    ASSERT_TRUE(isContiguous({shape, strides, itemBytes}, isFortran));
    std::vector<int64_t> index(shape.size());
    for (int64_t number = 0; number < count; ++number) {
      ASSERT_EQ(std::inner_product(index.begin(), index.end(), strides.begin(), int64_t(0)), number * itemBytes);
      for (size_t i = 0; i < shape.size(); ++i) {
        const size_t axis = isFortran ? i : shape.size() - 1 - i;
        if (++index[axis] < shape[axis])
          break;
        index[axis] = 0;
      }
    }
  }
}

/// An array is contiguous if it has the packed strides on every axis whose stride matters.
TEST(ArrayView, ContiguousArraysHavePackedStrides) {
  Random random(11);
  int contiguous = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::vector<int64_t> shape(size_t(random.between(0, 3)));
    std::ranges::generate(shape, [&] { return random.between(0, 3); });
    std::vector<int64_t> strides(shape.size()), packed(shape.size());
    std::ranges::generate(strides, [&] { return 4 * random.between(-1, 9); });
    for (const bool isFortran : {false, true}) {
      packStrides(shape, 4, isFortran, packed);
      bool isPacked = true;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        isPacked &= shape[axis] == 1 || strides[axis] == packed[axis];
      const bool isRight = isPacked || std::ranges::count(shape, 0) > 0;
      ASSERT_EQ(isContiguous({shape, strides, 4}, isFortran), isRight);
      contiguous += isRight;
    }
  }
  EXPECT_GT(contiguous, 1'000);
}

TEST(ArrayView, MemoryOfOthersIsNotInside) {
  char around[192];
  const std::span<const char> memory(around + 64, 64);
  const int64_t shape[] = {4}, strides[] = {8};
  const StridedExtents extents{shape, strides, 8};
  EXPECT_TRUE(liesIn(memory, memory.data() + 32, extents));
  EXPECT_FALSE(liesIn(memory, memory.data() + 33, extents));
  EXPECT_FALSE(liesIn(memory, memory.data() - 1, extents));
  EXPECT_FALSE(liesIn(memory, reinterpret_cast<char *>(16), extents));
  const int64_t none[] = {0};
  EXPECT_TRUE(liesIn(memory, memory.data() + 64, {none, strides, 8}));
  EXPECT_FALSE(liesIn(memory, memory.data() + 65, {none, strides, 8}));
}

} // namespace
} // namespace treadle
