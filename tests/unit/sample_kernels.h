// Well-known kernels as typed trees, as inference writes them.
#pragma once

#include "typed_builder.h"

namespace treadle::test {

using Op = Operation;
using TypedRef = std::shared_ptr<TypedFunction>;

/// out[i] = a * x[i] + y[i] below x's length.
inline TypedRef saxpyKernel() {
  TypedBuilder b("saxpy");
  const Type *array = types::array(types::float32(), {});
  Slot *out = b.parameter("out", array), *a = b.parameter("a", types::float32());
  Slot *x = b.parameter("x", array), *y = b.parameter("y", array), *i = b.local("i", types::int64());
  Expr *product = b.op(Op::Mul, {b.read(a), b.load(x, b.read(i))});
  Expr *sum = b.op(Op::Add, {product, b.load(y, b.read(i))});
  return b.finish(
      {b.assign(i, b.grid()), b.branch(b.compare(Op::Lt, b.read(i), b.extent(x)), {b.store(out, b.read(i), sum)})});
}

/// The same with a grid-stride loop: for i in range(grid, n, gridsize).
inline TypedRef gridStrideKernel() {
  TypedBuilder b("grid_stride");
  const Type *array = types::array(types::float32(), {});
  Slot *x = b.parameter("x", array), *n = b.parameter("n", types::int64()), *i = b.local("i", types::int64());
  Expr *doubled = b.op(Op::Mul, {b.load(x, b.read(i)), b.real(2, types::float32())});
  TypedBuilder::Bounds bounds{b.grid(), b.read(n), b.op(Op::GridSizeX, types::int64(), {})};
  return b.finish({b.count(i, bounds, {b.store(x, b.read(i), doubled)})});
}

/// Iterations until |z| > 2, at most `limit`, for points of a grid.
inline TypedRef mandelbrotKernel() {
  TypedBuilder b("mandelbrot");
  const Type *f32 = types::float32();
  Slot *out = b.parameter("out", types::array(types::int32(), {2}));
  Slot *limit = b.parameter("limit", types::int64());
  Slot *px = b.local("px", types::int64()), *py = b.local("py", types::int64()), *k = b.local("k", types::int64());
  Slot *zr = b.local("zr", f32), *zi = b.local("zi", f32), *cr = b.local("cr", f32), *ci = b.local("ci", f32);
  Slot *t = b.local("t", f32), *count = b.local("count", types::int32());
  auto square = [&](Slot *slot) { return b.op(Op::Mul, {b.read(slot), b.read(slot)}); };
  auto scaled = [&](Slot *slot, double by) { return b.op(Op::Mul, {b.convert(b.read(slot), f32), b.real(by, f32)}); };
  Stmt *escape = b.branch(b.compare(Op::Gt, b.op(Op::Add, {square(zr), square(zi)}), b.real(4, f32)), {b.leave()});
  Expr *nextReal = b.op(Op::Add, {b.op(Op::Sub, {square(zr), square(zi)}), b.read(cr)});
  Expr *cross = b.op(Op::Mul, {b.op(Op::Mul, {b.real(2, f32), b.read(zr)}), b.read(zi)});
  Stmt *loop =
      b.count(k, {b.integer(0), b.read(limit), b.integer(1)},
              {escape, b.assign(t, nextReal), b.assign(zi, b.op(Op::Add, {cross, b.read(ci)})), b.assign(zr, b.read(t)),
               b.assign(count, b.op(Op::Add, {b.read(count), b.integer(1, types::int32())}))});
  Expr *inside =
      b.both(b.compare(Op::Lt, b.read(px), b.extent(out, 1)), b.compare(Op::Lt, b.read(py), b.extent(out, 0)));
  return b.finish(
      {b.assign(px, b.grid()), b.assign(py, b.op(Op::GridY, types::int64(), {})),
       b.branch(inside, {b.assign(cr, scaled(px, 0.01)), b.assign(ci, scaled(py, 0.01)), b.assign(zr, b.real(0, f32)),
                         b.assign(zi, b.real(0, f32)), b.assign(count, b.integer(0, types::int32())), loop,
                         b.store(b.read(out), {b.read(py), b.read(px)}, b.read(count))})});
}

/// C = A B by 16x16 tiles in shared memory; extents are multiples of 16.
inline TypedRef tiledMatmulKernel() {
  TypedBuilder b("matmul");
  const Type *f32 = types::float32(), *matrix = types::array(f32, {2}), *i64 = types::int64();
  const Type *tile = types::array(f32, {2, Layout::C, false, Space::Shared});
  Slot *left = b.parameter("left", matrix), *right = b.parameter("right", matrix), *out = b.parameter("out", matrix);
  Slot *a = b.local("a", tile), *c = b.local("c", tile), *sum = b.local("sum", f32);
  Slot *x = b.local("x", i64), *y = b.local("y", i64), *k = b.local("k", i64), *j = b.local("j", i64);
  Slot *tx = b.local("tx", types::int32()), *ty = b.local("ty", types::int32());
  auto at = [&](Slot *array, Expr *row, Expr *column) { return b.load(b.read(array), {row, column}); };
  auto offset = [&](Slot *base, Slot *thread) {
    return b.op(Op::Add, {b.op(Op::Mul, {b.read(base), b.integer(16)}), b.convert(b.read(thread), i64)});
  };
  Expr *product = b.op(Op::Mul, {at(a, b.read(ty), b.read(j)), at(c, b.read(j), b.read(tx))});
  Stmt *inner =
      b.count(j, {b.integer(0), b.integer(16), b.integer(1)}, {b.assign(sum, b.op(Op::Add, {b.read(sum), product}))});
  Expr *tiles = b.op(Op::FloorDiv, {b.extent(left, 1), b.integer(16)});
  Stmt *outer = b.count(k, {b.integer(0), tiles, b.integer(1)},
                        {b.store(b.read(a), {b.read(ty), b.read(tx)}, at(left, b.read(y), offset(k, tx))),
                         b.store(b.read(c), {b.read(ty), b.read(tx)}, at(right, offset(k, ty), b.read(x))), b.barrier(),
                         inner, b.barrier()});
  return b.finish({b.assign(a, b.allocate(Space::Shared, f32, {16, 16}, 0)),
                   b.assign(c, b.allocate(Space::Shared, f32, {16, 16}, 1)), b.assign(x, b.grid()),
                   b.assign(y, b.op(Op::GridY, i64, {})), b.assign(tx, b.op(Op::ThreadIdxX, types::int32(), {})),
                   b.assign(ty, b.op(Op::ThreadIdxY, types::int32(), {})), b.assign(sum, b.real(0, f32)), outer,
                   b.store(b.read(out), {b.read(y), b.read(x)}, b.read(sum))});
}

/// Mean of the four neighbours where 1 <= i < h - 1 and 1 <= j < w - 1.
inline TypedRef stencilKernel() {
  TypedBuilder b("stencil");
  const Type *f32 = types::float32(), *matrix = types::array(f32, {2}), *i64 = types::int64();
  Slot *out = b.parameter("out", matrix), *x = b.parameter("x", matrix);
  Slot *i = b.local("i", i64), *j = b.local("j", i64);
  auto inside = [&](Slot *slot, int axis) {
    Expr *end = b.op(Op::Sub, {b.extent(x, axis), b.integer(1)});
    return b.both(b.compare(Op::Le, b.integer(1), b.read(slot)), b.compare(Op::Lt, b.read(slot), end));
  };
  auto at = [&](int down, int across) {
    auto moved = [&](Slot *slot, int by) {
      return by == 0 ? b.read(slot) : b.op(by > 0 ? Op::Add : Op::Sub, {b.read(slot), b.integer(1)});
    };
    return b.load(b.read(x), {moved(i, down), moved(j, across)});
  };
  Expr *sum = b.op(Op::Add, {b.op(Op::Add, {at(-1, 0), at(1, 0)}), b.op(Op::Add, {at(0, -1), at(0, 1)})});
  Expr *mean = b.op(Op::Mul, {b.real(0.25, f32), sum});
  return b.finish({b.assign(j, b.grid()), b.assign(i, b.op(Op::GridY, i64, {})),
                   b.branch(b.both(inside(i, 0), inside(j, 1)), {b.store(b.read(out), {b.read(i), b.read(j)}, mean)})});
}

} // namespace treadle::test
