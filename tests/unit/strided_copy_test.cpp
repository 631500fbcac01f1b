// Copies in pieces: what is copied, and what an ended copy leaves.
#include "device/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace treadle {
namespace {

/// Two axes in memory of their own, which the strides of the target fill in order. Longer than two pieces.
struct Layout {
  std::string name;
  int64_t rows, columns, toRow, toColumn, fromRow, fromColumn, itemBytes;
};

const Layout layouts[] = {
    {"one_run", 1, 34 << 20, 0, 1, 0, 1, 1},        {"rows_of_one_run", 5, 7 << 20, 7 << 20, 1, (7 << 20) + 3, 1, 1},
    {"short_rows", 600'000, 3, 8, 1, 3, 1, 1},      {"one_row_of_short_runs", 1, 700'000, 0, 2, 0, 1, 1},
    {"columns", 1000, 1000, 4000, 4, 4, 4000, 4},   {"the_same_byte", 1, 1'000'000, 0, 1, 0, 0, 1},
    {"the_same_row", 5000, 1000, 8000, 8, 0, 8, 8},
};

class StridedCopyTest : public testing::TestWithParam<Layout> {
protected:
  static std::vector<char> memoryFor(int64_t rowStride, int64_t columnStride) {
    const Layout &layout = GetParam();
    return std::vector<char>(
        size_t((layout.rows - 1) * rowStride + (layout.columns - 1) * columnStride + layout.itemBytes));
  }

  StridedCopyTest() { std::ranges::fill(source, 1); }

  bool copy(const CopyQuestion &shouldContinue) {
    const Layout &layout = GetParam();
    const int64_t shape[] = {layout.rows, layout.columns}, to[] = {layout.toRow, layout.toColumn},
                  from[] = {layout.fromRow, layout.fromColumn};
    return copyStrided({target.data(), source.data(), shape, to, from, layout.itemBytes}, shouldContinue);
  }

  /// The bytes of the target's elements, in the order of their addresses.
  std::string elements() const {
    const Layout &layout = GetParam();
    std::string bytes;
    const bool areRowsWhole = layout.toColumn == layout.itemBytes;
    const int64_t parts = areRowsWhole ? 1 : layout.columns;
    const int64_t partBytes = areRowsWhole ? layout.columns * layout.itemBytes : layout.itemBytes;
    for (int64_t row = 0; row < layout.rows; ++row)
      for (int64_t part = 0; part < parts; ++part)
        bytes.append(&target[size_t(row * layout.toRow + part * layout.toColumn)], size_t(partBytes));
    return bytes;
  }

  std::vector<char> source = memoryFor(GetParam().fromRow, GetParam().fromColumn);
  std::vector<char> target = memoryFor(GetParam().toRow, GetParam().toColumn);
};

TEST_P(StridedCopyTest, PiecesMakeUpTheWhole) {
  int questions = 0;
  EXPECT_TRUE(copy([&] { return ++questions; }));
  EXPECT_GE(questions, 2);
  EXPECT_EQ(elements().find_first_not_of('\1'), std::string::npos);
  // The gaps between the elements are not the copy's.
  EXPECT_EQ(size_t(std::ranges::count(target, 1)), elements().size());
}

TEST_P(StridedCopyTest, AnEndedCopyLeavesTheRest) {
  int questions = 0;
  EXPECT_FALSE(copy([&] { return ++questions < 2; }));
  EXPECT_EQ(questions, 2);
  const std::string bytes = elements();
  const size_t copied = bytes.find('\0');
  EXPECT_GT(copied, 0u);
  ASSERT_LT(copied, bytes.size());
  EXPECT_EQ(bytes.find('\1', copied), std::string::npos);
}

TEST_P(StridedCopyTest, ACopyThatNobodyCanEndIsWhole) {
  EXPECT_TRUE(copy({}));
  EXPECT_EQ(elements().find_first_not_of('\1'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Layouts, StridedCopyTest, testing::ValuesIn(layouts),
                         [](const testing::TestParamInfo<Layout> &layout) { return layout.param.name; });

TEST(StridedCopySizeTest, ShortCopiesAreOnePiece) {
  std::vector<char> source(64 << 10, 1), target(128 << 10);
  const int64_t shape[] = {64 << 10}, to[] = {2}, from[] = {1};
  const StridedCopy copy{target.data(), source.data(), shape, to, from, 1};
  EXPECT_TRUE(copyStrided(copy, [] { return false; }));
  EXPECT_EQ(std::ranges::count(target, 1), 64 << 10);
}

} // namespace
} // namespace treadle
