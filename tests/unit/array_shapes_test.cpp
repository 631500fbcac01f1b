// Views of views, checked against the offset of each element, enumerated one by one.
#include "memory/array_shapes.h"

#include "support/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace treadle {
namespace {

char memory[4096];

ArrayView packed(std::vector<int64_t> shape, bool isFortran = false) {
  std::vector<int64_t> strides(shape.size());
  packStrides(shape, 4, isFortran, strides);
  return ArrayView::checked(memory, 0, {shape, strides, 4});
}

/// The offsets of all elements in C or Fortran order.
std::vector<int64_t> offsets(const ArrayView &view, bool isFortran) {
  std::vector<int64_t> places{view.data - memory};
  for (unsigned i = 0; i < view.ndim; ++i) {
    const unsigned axis = isFortran ? view.ndim - 1 - i : i;
    std::vector<int64_t> next;
    for (const int64_t place : places)
      for (int64_t index = 0; index < view.shape[axis]; ++index)
        next.push_back(place + index * view.strides[axis]);
    places = std::move(next);
  }
  return places;
}

std::vector<int64_t> shapeOf(const ArrayView &view) { return {view.shape, view.shape + view.ndim}; }

UsageError::Kind kindOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const UsageError &error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return UsageError::Kind::Runtime;
}

/// A view with axes in any order, parts of axes and steps.
ArrayView randomView(std::mt19937 &random) {
  auto below = [&](int64_t bound) { return int64_t(random() % uint64_t(bound)); };
  std::vector<int64_t> shape(1 + size_t(below(3)));
  for (int64_t &extent : shape)
    extent = 1 + below(6);
  const ArrayView whole = packed(shape, below(2) != 0);
  ArrayView view = whole;
  SelectedAxes axes(whole, view);
  for (const int64_t extent : shape) {
    const int64_t step = 1 + below(2);
    below(3) == 0 ? axes.whole(1)
    : below(2)    ? axes.slice(0, (extent + step - 1) / step, step)
                  : axes.slice(extent - 1, extent, -1);
  }
  return below(2) ? transposed(view) : view;
}

TEST(ArrayShapes, ReshapedViewsHaveTheSameElementsInTheSameOrder) {
  std::mt19937 random(20261122);
  int views = 0, copies = 0;
  for (int round = 0; round < 20'000; ++round) {
    const ArrayView view = randomView(random);
    const bool isFortran = random() % 2 != 0;
    std::vector<int64_t> shape;
    for (int64_t left = view.count(); shape.size() < 4 && (left > 1 || random() % 2 != 0);) {
      int64_t extent = 1 + int64_t(random() % uint64_t(left));
      while (left % extent != 0)
        --extent;
      shape.push_back(shape.size() == 3 ? left : extent);
      left /= shape.back();
    }
    if (std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()) != view.count())
      continue;
    try {
      EXPECT_EQ(offsets(reshaped(view, shape, isFortran), isFortran), offsets(view, isFortran));
      ++views;
    } catch (const UsageError &error) {
      EXPECT_EQ(error.kind(), UsageError::Kind::NotImplemented);
      EXPECT_NE(layoutOf(view.strided()), isFortran ? Layout::F : Layout::C);
      ++copies;
    }
  }
  EXPECT_GT(views, 5'000);
  EXPECT_GT(copies, 500);
}

TEST(ArrayShapes, ExtentsThatDoNotFitAreRefused) {
  const ArrayView view = packed({4, 6});
  EXPECT_EQ(shapeOf(reshaped(view, std::vector<int64_t>{2, -1}, false)), (std::vector<int64_t>{2, 12}));
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{5},
                                            {-1, -1},
                                            {-2, 12},
                                            {0, -1},
                                            {5, -1},
                                            {},
                                            {int64_t(1) << 62, 4},
                                            std::vector<int64_t>(9, 1)})
    EXPECT_EQ(kindOf([&] { reshaped(view, shape, false); }), UsageError::Kind::Value) << shapeText(shape);
}

TEST(ArrayShapes, AxesOnceEach) {
  const ArrayView view = packed({2, 3, 4});
  EXPECT_EQ(shapeOf(permuted(view, std::vector<int64_t>{1, -1, 0})), (std::vector<int64_t>{3, 4, 2}));
  EXPECT_EQ(offsets(permuted(view, std::vector<int64_t>{2, 1, 0}), true), offsets(view, false));
  for (const std::vector<int64_t> &axes : {std::vector<int64_t>{0, 1}, {0, 1, 1}, {0, 1, 3}, {0, 1, -4}, {0, 1, 2, 0}})
    EXPECT_EQ(kindOf([&] { permuted(view, axes); }), UsageError::Kind::Value) << shapeText(axes);
}

TEST(ArrayShapes, AxesOfOneElementGo) {
  const ArrayView view = packed({1, 3, 1});
  EXPECT_EQ(shapeOf(squeezed(view)), (std::vector<int64_t>{3}));
  EXPECT_EQ(shapeOf(squeezed(view, std::vector<int64_t>{-1})), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(kindOf([&] { squeezed(view, std::vector<int64_t>{1}); }), UsageError::Kind::Value);
  EXPECT_EQ(kindOf([&] { squeezed(view, std::vector<int64_t>{3}); }), UsageError::Kind::Value);
}

TEST(ArrayShapes, ElementsOfAnotherSizeComeOutEven) {
  const ArrayView view = packed({2, 6});
  EXPECT_EQ(shapeOf(viewedAs(view, types::float64())), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(shapeOf(viewedAs(view, types::integer(8, true))), (std::vector<int64_t>{2, 24}));
  EXPECT_EQ(kindOf([&] { viewedAs(packed({2, 3}), types::float64()); }), UsageError::Kind::Value);
  EXPECT_EQ(kindOf([&] { viewedAs(transposed(view), types::float64()); }), UsageError::Kind::Value);
}

TEST(ArrayShapes, PositionsOutOfBoundsAreIndexErrors) {
  const ArrayView view = packed({3});
  for (const int64_t index : {int64_t(3), int64_t(-4), INT64_MIN, INT64_MAX}) {
    ArrayView made = view;
    SelectedAxes axes(view, made);
    EXPECT_EQ(kindOf([&] { axes.position(index); }), UsageError::Kind::Index);
  }
  ArrayView made = view;
  SelectedAxes(view, made).position(-1);
  EXPECT_EQ(made.data - memory, 8);
}

} // namespace
} // namespace treadle
