// ranges: the possible values of integers, and above all what must not be concluded.
#include "passes/ranges/ranges.h"

#include "typed_builder.h"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace treadle;
using namespace treadle::test;
using Op = Operation;

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr int64_t largestExtent = int64_t(1) << 47;

/// A kernel with an array `x`, an int64 `n`, and some slots.
class RangesTest : public testing::Test {
protected:
  TypedBuilder b{"kernel"};
  Slot *x = b.parameter("x", types::array(types::float32(), {}));
  Slot *n = b.parameter("n", types::int64());
  Slot *m = b.parameter("m", types::int64());
  Slot *u = b.parameter("u", types::uint64());
  Slot *i = b.local("i", types::int64());
  Slot *j = b.local("j", types::int64());
  Slot *t = b.local("", types::int64());
  RangeSeeds seeds;
  std::vector<std::pair<Expr *, Interval>> expected;

  Expr *add(Expr *left, int64_t right) { return b.op(Op::Add, {left, b.integer(right)}); }
  Expr *sub(Expr *left, int64_t right) { return b.op(Op::Sub, {left, b.integer(right)}); }
  Expr *less(Expr *left, Expr *right) { return b.compare(Op::Lt, left, right); }
  /// An index whose range in the table must be exactly this.
  Expr *is(Expr *expression, int64_t low, int64_t high) {
    expected.push_back({expression, {low, high}});
    return expression;
  }
  Stmt *use(Expr *index) { return b.store(x, index, b.real(0, types::float32())); }
  void check(const std::vector<Stmt *> &body) {
    auto function = b.finish(body);
    RangeTable table = findRanges(*function, seeds);
    for (size_t k = 0; k < expected.size(); ++k) {
      Interval found = table.of(*expected[k].first);
      EXPECT_EQ(found.low, expected[k].second.low) << "expression " << k;
      EXPECT_EQ(found.high, expected[k].second.high) << "expression " << k;
    }
  }
  /// An index with an unknown range.
  Expr *isAnything(Expr *expression) { return is(expression, least, most); }
  Stmt *gridStart() { return b.assign(i, b.grid()); }
};

constexpr int64_t largestGrid = int64_t(0x7fffffff) * 1024 - 1;

TEST_F(RangesTest, SeedsComeFromHardwareAndFacts) {
  seeds.maxThreadsPerBlock = 256;
  check({use(is(b.grid(), 0, int64_t(0x7fffffff) * 256 - 1)), use(is(b.op(Op::ThreadIdxX, types::int32(), {}), 0, 255)),
         use(is(b.op(Op::ThreadIdxZ, types::int32(), {}), 0, 63)),
         use(is(b.op(Op::BlockDimX, types::int32(), {}), 1, 256)),
         use(is(b.op(Op::GridDimY, types::int32(), {}), 1, 65535)), use(is(b.extent(x), 0, largestExtent)),
         use(isAnything(b.read(n))), use(is(b.integer(-3), -3, -3))});
}

TEST_F(RangesTest, FactsNarrowGridAndExtents) {
  seeds.facts.gridFitsInt32 = seeds.facts.offsetsFitInt32 = true;
  const int64_t blocks = INT32_MAX / 1024;
  Slot *wide = b.parameter("wide", types::array(types::float32(), {2}));
  Slot *strided = b.parameter("strided", types::array(types::float32(), {2, Layout::Any, false, Space::Global}));
  check({use(is(b.grid(), 0, blocks * 1024 - 1)), use(is(b.extent(x), 0, INT32_MAX)),
         use(is(b.op(Op::BlockIdxX, types::int32(), {}), 0, blocks - 1)),
         use(is(b.op(Op::GridDimX, types::int32(), {}), 1, blocks)), use(is(b.extent(strided, 1), 0, INT32_MAX)),
         use(is(b.attribute(wide, ArrayAttribute::Size), 0, INT32_MAX)),
         use(is(b.attribute(strided, ArrayAttribute::Size), 0, most))});
}

TEST_F(RangesTest, GridAsInt32WrapsWithoutTheFact) {
  check({use(is(b.op(Op::GridX, types::int32(), {}), INT32_MIN, INT32_MAX))});
}

TEST_F(RangesTest, GuardHoldsInsideOnly) {
  check({gridStart(), b.branch(less(b.read(i), b.read(n)), {use(is(b.read(i), 0, largestGrid))}),
         b.assign(j, b.read(n)),
         b.branch(less(b.read(j), b.integer(10)), {use(is(b.read(j), least, 9))}, {use(is(b.read(j), 10, most))}),
         use(isAnything(b.read(j)))});
}

TEST_F(RangesTest, EarlyReturnGuardsTheRest) {
  check({b.assign(i, b.read(n)),
         b.branch(b.either(less(b.read(i), b.integer(0)), b.compare(Op::Ge, b.read(i), b.extent(x))), {b.giveBack()}),
         use(is(b.read(i), 0, largestExtent - 1)), use(is(sub(b.read(i), 1), -1, largestExtent - 2))});
}

TEST_F(RangesTest, ChainedComparisonThroughACopy) {
  // 1 <= i < extent - 1, as inference writes it when it cannot tell that i is simple.
  Expr *chain = b.block({b.assign(t, b.read(i))},
                        b.both(b.compare(Op::Le, b.integer(1), b.read(t)), less(b.read(t), sub(b.extent(x), 1))));
  check({b.assign(i, b.read(n)), b.branch(chain, {use(is(sub(b.read(i), 1), 0, largestExtent - 3))}),
         use(isAnything(b.read(i)))});
}

TEST_F(RangesTest, TwoChainsJoinedByAnd) {
  Slot *t2 = b.local("", types::int64());
  auto chain = [&](Slot *copy, Slot *of) {
    return b.block({b.assign(copy, b.read(of))},
                   b.both(b.compare(Op::Le, b.integer(1), b.read(copy)), less(b.read(copy), sub(b.extent(x), 1))));
  };
  check({b.assign(i, b.read(n)), b.assign(j, b.read(n)),
         b.branch(b.both(chain(t, i), chain(t2, j)),
                  {use(is(b.read(i), 1, largestExtent - 2)), use(is(b.read(j), 1, largestExtent - 2))})});
}

TEST_F(RangesTest, CopyOfSomethingElseTellsNothing) {
  // The copy is older than the slot's value: narrowing it implies nothing for the slot.
  check({b.assign(i, b.read(n)), b.assign(t, b.read(i)), b.assign(i, b.read(n)),
         b.branch(b.compare(Op::Ge, b.read(t), b.integer(0)), {use(isAnything(b.read(i)))})});
}

TEST_F(RangesTest, CopyMadeInOneArmTellsNothing) {
  check({b.assign(i, b.read(n)), b.assign(t, b.integer(5)),
         b.branch(less(b.read(n), b.integer(7)), {b.assign(t, b.read(i))}),
         b.branch(b.compare(Op::Eq, b.read(t), b.integer(5)), {use(isAnything(b.read(i)))})});
}

TEST_F(RangesTest, AssignmentAfterTheGuardForgetsIt) {
  check({b.assign(i, b.read(n)),
         b.branch(b.compare(Op::Ge, b.read(i), b.integer(0)),
                  {use(is(b.read(i), 0, most)), b.assign(i, sub(b.read(i), 1)), use(is(b.read(i), -1, most - 1)),
                   b.assign(i, b.read(m)), use(isAnything(b.read(i))), b.assign(i, b.read(n)),
                   use(is(b.read(i), 0, most))})});
}

TEST_F(RangesTest, AssignmentInsideTheTestForgetsIt) {
  // `i < (i := n)`: the comparison used the previous i.
  Expr *test = less(b.read(i), b.block({b.assign(i, b.read(n))}, b.read(i)));
  check({b.assign(i, b.integer(3)), b.branch(test, {use(isAnything(b.read(i)))})});
}

TEST_F(RangesTest, AssignmentExpressionIsNarrowed) {
  Expr *test = less(b.block({b.assign(i, b.read(n))}, b.read(i)), b.integer(8));
  check({b.branch(test, {use(is(b.read(i), least, 7))})});
}

TEST_F(RangesTest, WrappingArithmeticIsUnknown) {
  check({b.assign(i, b.extent(x)), use(is(add(b.read(i), 5), 5, largestExtent + 5)),
         use(isAnything(b.op(Op::Mul, {b.read(i), b.integer(int64_t(1) << 40)}))),
         b.branch(b.compare(Op::Ge, b.read(n), b.integer(0)), {use(isAnything(add(b.read(n), 1)))})});
}

TEST_F(RangesTest, NarrowTypesWrap) {
  const Type *byte = types::uint8();
  Slot *small = b.local("small", byte);
  Expr *sum = b.op(Op::Add, {b.read(small), b.integer(1, byte)});
  Expr *difference = b.op(Op::Sub, {b.read(small), b.integer(1, byte)});
  check({b.assign(small, b.convert(b.read(n), byte)), use(is(b.read(small), 0, 255)), use(is(sum, 0, 255)),
         use(is(difference, 0, 255)), use(is(b.convert(b.read(small), types::int8()), -128, 127)),
         use(is(b.convert(b.read(small), types::int64()), 0, 255))});
}

TEST_F(RangesTest, UnsignedSixtyFourBitsAreReadAsBits) {
  Expr *minusOne = b.op(Op::Sub, {b.integer(0, types::uint64()), b.integer(1, types::uint64())});
  Expr *below = b.compare(Op::Lt, b.read(u), b.integer(100, types::uint64()));
  Expr *above = b.compare(Op::Gt, b.read(u), b.integer(100, types::uint64()));
  check({use(is(minusOne, -1, -1)), use(isAnything(b.read(u))), b.branch(below, {use(is(b.read(u), 0, 99))}),
         // Values above 100 may be 2^63 or more, which is negative as int64.
         b.branch(above, {use(isAnything(b.read(u)))}),
         use(isAnything(b.op(Op::FloorDiv, {b.read(u), b.integer(2, types::uint64())}))),
         use(is(b.op(Op::Shr, {b.read(u), b.integer(1, types::uint64())}), 0, most))});
}

TEST_F(RangesTest, MixedSignsCompareAsNumbers) {
  // n > u holds for no negative n, and implies that u is below 2^63.
  check({b.branch(b.compare(Op::Gt, b.read(n), b.read(u)),
                  {use(is(b.read(n), 1, most)), use(is(b.read(u), 0, most - 1))}),
         b.branch(b.compare(Op::Lt, b.read(n), b.read(u)), {use(isAnything(b.read(n))), use(isAnything(b.read(u)))})});
}

TEST_F(RangesTest, DivisionNeedsAPositiveDivisor) {
  check({gridStart(), use(is(b.op(Op::FloorDiv, {b.read(i), b.integer(2)}), 0, largestGrid / 2)),
         use(isAnything(b.op(Op::FloorDiv, {b.read(i), b.read(n)}))),
         use(isAnything(b.op(Op::Mod, {b.read(i), b.read(n)}))),
         use(is(b.op(Op::Mod, {b.read(n), b.integer(16)}), 0, 15)),
         use(is(b.op(Op::Mod, {b.read(n), b.integer(-16)}), -15, 0)),
         use(is(b.op(Op::FloorDiv, {b.integer(-7), b.integer(2)}), -4, -4))});
}

TEST_F(RangesTest, AbsoluteOfTheMinimumIsNegative) {
  check({use(isAnything(b.op(Op::Abs, {b.read(n)}))), use(isAnything(b.op(Op::Neg, {b.read(n)}))),
         b.branch(b.compare(Op::Gt, b.read(n), b.integer(least)), {use(is(b.op(Op::Abs, {b.read(n)}), 0, most))})});
}

TEST_F(RangesTest, BitsAndShifts) {
  check({use(is(b.op(Op::BitAnd, {b.read(n), b.integer(31)}), 0, 31)), gridStart(),
         use(is(b.op(Op::BitXor, {b.op(Op::ThreadIdxX, types::int64(), {}), b.integer(1)}), 0, 1023)),
         use(isAnything(b.op(Op::BitOr, {b.read(n), b.integer(1)}))),
         use(is(b.op(Op::Shr, {b.read(i), b.integer(5)}), 0, largestGrid >> 5)),
         use(isAnything(b.op(Op::Shl, {b.read(n), b.integer(3)}))),
         // The count is taken modulo the width.
         use(isAnything(b.op(Op::Shl, {b.integer(1), b.integer(64)})))});
}

TEST_F(RangesTest, GridStrideLoopStaysNonNegative) {
  Expr *stride = b.op(Op::GridSizeX, types::int64(), {});
  check({gridStart(),
         b.loop(less(b.read(i), b.extent(x)),
                {use(is(b.read(i), 0, largestExtent - 1)), b.assign(i, b.op(Op::Add, {b.read(i), stride}))}),
         use(is(b.read(i), 0, largestExtent - 1 + largestGrid + 1))});
}

TEST_F(RangesTest, UnboundedGrowthWraps) {
  Expr *stride = b.op(Op::GridSizeX, types::int64(), {});
  check({gridStart(), b.loop(less(b.read(i), b.read(n)),
                             {use(is(b.read(i), least, most - 1)), b.assign(i, b.op(Op::Add, {b.read(i), stride}))})});
}

TEST_F(RangesTest, StepOfOneBelowAnythingCannotWrap) {
  check({gridStart(),
         b.loop(less(b.read(i), b.read(n)), {use(is(b.read(i), 0, most - 1)), b.assign(i, add(b.read(i), 1))})});
}

TEST_F(RangesTest, LoopsThatDecrementGoBelow) {
  check({b.assign(i, b.integer(10)), b.loop(b.compare(Op::Gt, b.read(n), b.integer(0)),
                                            {use(isAnything(b.read(i))), b.assign(i, sub(b.read(i), 1))})});
}

TEST_F(RangesTest, GuardedDecrement) {
  check(
      {b.assign(i, b.integer(10)),
       b.loop(b.compare(Op::Ge, b.read(i), b.integer(0)), {use(is(b.read(i), 0, 10)), b.assign(i, sub(b.read(i), 1))}),
       use(is(b.read(i), -1, -1))});
}

TEST_F(RangesTest, HalvingStaysBelowItsStart) {
  Slot *s = b.local("s", types::int64());
  check({b.assign(s, b.integer(128)),
         b.loop(b.compare(Op::Gt, b.read(s), b.integer(0)),
                {use(is(b.read(s), 1, 128)), b.assign(s, b.op(Op::FloorDiv, {b.read(s), b.integer(2)}))})});
}

TEST_F(RangesTest, BinarySearch) {
  Slot *low = b.local("low", types::int64()), *high = b.local("high", types::int64());
  Expr *middle = b.op(Op::FloorDiv, {b.op(Op::Add, {b.read(low), b.read(high)}), b.integer(2)});
  check({b.assign(low, b.integer(0)), b.assign(high, b.extent(x)),
         b.loop(less(b.read(low), b.read(high)), {b.assign(i, middle), use(is(b.read(i), 0, largestExtent - 1)),
                                                  b.branch(less(b.read(n), b.read(i)), {b.assign(high, b.read(i))},
                                                           {b.assign(low, add(b.read(i), 1))})})});
}

TEST_F(RangesTest, ContinueCarriesItsValues) {
  // On one path the slot decreases without limit.
  check({gridStart(), b.loop(less(b.read(i), b.extent(x)), {use(is(b.read(i), least, largestExtent - 1)),
                                                            b.branch(b.compare(Op::Eq, b.read(n), b.integer(0)),
                                                                     {b.assign(i, sub(b.read(i), 7)), b.next()}),
                                                            b.assign(i, add(b.read(i), 1))})});
}

TEST_F(RangesTest, BreakCarriesItsValues) {
  check({b.assign(i, b.integer(0)),
         b.loop(less(b.read(i), b.integer(8)),
                {b.assign(i, add(b.read(i), 1)),
                 b.branch(less(b.read(n), b.integer(0)), {b.assign(i, b.integer(-5)), b.leave()})}),
         // Values assigned before a break count as reaching the next iteration too.
         use(is(b.read(i), -most, 8))});
}

TEST_F(RangesTest, CountersFollowTheirBounds) {
  check({b.count(i, {b.integer(2), b.extent(x), b.integer(3)}, {use(is(b.read(i), 2, largestExtent - 1))}),
         b.count(i, {b.extent(x), b.integer(-1), b.integer(-1)}, {use(is(b.read(i), 0, largestExtent))}),
         b.count(i, {b.integer(0), b.integer(10), b.read(n)}, {use(is(b.read(i), 0, 9))}),
         b.count(i, {b.integer(10), b.integer(0), b.read(n)}, {use(is(b.read(i), 1, 10))})});
}

TEST_F(RangesTest, CounterAssignedInTheBody) {
  check({b.count(i, {b.integer(0), b.integer(4), b.integer(1)},
                 {use(is(b.read(i), 0, 3)), b.assign(i, b.read(n)), use(isAnything(b.read(i)))})});
}

TEST_F(RangesTest, CounterAfterTheLoopMayBeWhatItWasBefore) {
  check({b.assign(i, b.integer(-9)), b.count(i, {b.integer(0), b.read(n), b.integer(1)}, {}),
         use(is(b.read(i), -9, most - 1))});
}

TEST_F(RangesTest, SlotNeverAssignedIsAnything) {
  check({b.branch(less(b.read(n), b.integer(0)), {b.assign(i, b.integer(1))}), use(isAnything(b.read(i)))});
}

TEST_F(RangesTest, NestedLoopsOfAnyDepthAreWalkedInLinearTime) {
  // Each level violates its first guess.
  std::vector<Stmt *> inner{use(b.read(i))};
  for (int depth = 0; depth < 18; ++depth) {
    Slot *level = b.local("level", types::int64());
    inner.push_back(b.assign(level, b.op(Op::Mul, {b.read(level), b.read(n)})));
    inner = {b.assign(level, b.integer(1)), b.loop(less(b.read(level), b.read(n)), inner)};
  }
  check(inner);
}

TEST_F(RangesTest, TuplesAreFollowedByItems) {
  Slot *pair = b.local("pair", types::uniTuple(types::int64(), 2));
  check({b.assign(pair, b.tuple({b.grid(), b.read(n)})), use(is(b.item(b.read(pair), 0), 0, largestGrid)),
         b.branch(less(b.item(b.read(pair), 1), b.integer(3)), {use(is(b.item(b.read(pair), 1), least, 2))})});
}

TEST_F(RangesTest, ParametersJoinAllCalls) {
  TypedBuilder device("device", false);
  Slot *p = device.parameter("p", types::int64());
  Expr *read = device.read(p);
  auto callee = device.finish({device.giveBack(read)}, types::int64());
  expected.push_back({read, {3, 9}});
  check({use(isAnything(b.call(callee, {b.integer(3)}))), use(b.call(callee, {b.integer(9)}))});
}

TEST_F(RangesTest, TestsThatCannotHoldEndTheirArm) {
  check({gridStart(), b.branch(less(b.read(i), b.integer(0)), {b.assign(i, b.integer(-1))}),
         use(is(b.read(i), 0, largestGrid))});
}

TEST_F(RangesTest, NotEqualTrimsEnds) {
  check({gridStart(),
         b.branch(b.compare(Op::Ne, b.read(i), b.integer(0)), {use(is(sub(b.read(i), 1), 0, largestGrid - 1))})});
}

} // namespace
