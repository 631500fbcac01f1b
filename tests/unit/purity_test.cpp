// purity: the effects of expressions and functions besides their value; and the verifier's checks of trees with them.
#include "typed/purity.h"

#include "support/error.h"
#include "typed/verify.h"
#include "typed_builder.h"

#include <gtest/gtest.h>

namespace {

using namespace treadle;
using namespace treadle::test;
using Op = Operation;

class PurityTest : public testing::Test {
protected:
  /// A device function of one array, finished as by inference.
  static std::shared_ptr<TypedFunction> finished(TypedBuilder &b, const std::vector<Stmt *> &body, Expr *value) {
    std::vector<Stmt *> all = body;
    all.push_back(b.giveBack(value));
    auto function = b.finish(all, value->type);
    function->effects = effectsOf(*function);
    return function;
  }

  TypedBuilder b{"kernel"};
  Slot *x = b.parameter("x", types::array(types::int64(), {}));
  Slot *n = b.parameter("n", types::int64());
  Slot *i = b.local("i", types::int64());
};

TEST_F(PurityTest, ArithmeticIsPureAndOfTheBlock) {
  Expr *sum = b.op(Op::Add, {b.read(n), b.op(Op::BlockIdxX, types::int64(), {})});
  EXPECT_TRUE(isPure(*sum));
  EXPECT_FALSE(effectsOf(*sum).isOfThread);
  EXPECT_FALSE(effectsOf(*sum).reads);
}

TEST_F(PurityTest, LoadsArePureAndRead) {
  Expr *load = b.load(x, b.grid());
  EXPECT_TRUE(isPure(*load));
  EXPECT_TRUE(effectsOf(*load).reads);
  EXPECT_TRUE(effectsOf(*load).isOfThread);
}

TEST_F(PurityTest, LocalArraysAreOfTheThread) {
  EXPECT_TRUE(effectsOf(*b.load(b.allocate(Space::Local, types::int64(), {2}), {b.integer(0)})).isOfThread);
  EXPECT_FALSE(effectsOf(*b.load(b.allocate(Space::Shared, types::int64(), {2}), {b.integer(0)})).isOfThread);
}

TEST_F(PurityTest, AtomicsWrite) {
  Expr *counted = b.op(Op::Mul, {b.atomicAdd(x, b.integer(0), b.integer(1)), b.integer(0)});
  EXPECT_FALSE(isPure(*counted));
  EXPECT_TRUE(effectsOf(*counted).writes);
}

TEST_F(PurityTest, AssignmentsInAnExpressionAreSeenOutsideOfIt) {
  Expr *walrus = b.block({b.assign(i, b.integer(1))}, b.read(i));
  EXPECT_FALSE(isPure(*walrus));
  EXPECT_TRUE(effectsOf(*walrus).assigns);
  EXPECT_FALSE(effectsOf(*walrus).writes);
}

TEST_F(PurityTest, CallsDoWhatTheirFunctionDoes) {
  TypedBuilder inner("inner", false), outer("outer", false), plain("plain", false);
  Slot *own = inner.parameter("x", x->type), *passed = outer.parameter("x", x->type);
  Slot *other = plain.parameter("x", x->type), *kept = plain.local("k", types::int64());
  auto writing = finished(inner, {inner.store(own, inner.integer(0), inner.integer(1))}, inner.integer(3));
  auto calling = finished(outer, {}, outer.call(writing, {outer.read(passed)}));
  auto reading = finished(plain, {plain.assign(kept, plain.load(other, plain.integer(0)))}, plain.read(kept));
  EXPECT_FALSE(isPure(*b.call(calling, {b.read(x)})));
  EXPECT_TRUE(effectsOf(*b.call(calling, {b.read(x)})).writes);
  EXPECT_TRUE(isPure(*b.call(reading, {b.read(x)}))); // it assigns its own variables only
  EXPECT_TRUE(effectsOf(*b.call(reading, {b.read(x)})).reads);
}

TEST_F(PurityTest, FunctionsThatAreNotFinishedDoEverything) {
  TypedBuilder inner("inner", false);
  auto unfinished = inner.finish({inner.giveBack(inner.integer(1))}, types::int64());
  EXPECT_FALSE(isPure(*b.call(unfinished, {})));
  EXPECT_TRUE(effectsOf(*b.call(unfinished, {})).isOfThread);
}

TEST_F(PurityTest, TheVerifierKnowsUntoldEffects) {
  auto kernel = b.finish({b.store(x, b.integer(0), b.integer(1))});
  kernel->effects = {};
  EXPECT_THROW(verify(*kernel), InternalError);
  kernel->effects.writes = true;
  verify(*kernel);
}

TEST_F(PurityTest, TheVerifierKnowsTwoArraysOfOneId) {
  for (uint32_t id : {0u, 1u}) {
    TypedBuilder two("two");
    const Type *type = types::array(types::int64(), {1, Layout::C, false, Space::Shared});
    Slot *first = two.local("first", type), *second = two.local("second", type);
    Expr *one = two.allocate(Space::Shared, types::int64(), {4}, 0);
    two.here.line = 7;
    auto kernel =
        two.finish({two.assign(first, one), two.assign(second, two.allocate(Space::Shared, types::int64(), {8}, id))});
    if (id == 0)
      EXPECT_THROW(verifyAll(*kernel), InternalError);
    else
      verifyAll(*kernel);
  }
}

TEST_F(PurityTest, TheVerifierKnowsLeavingStatementsWithoutALoop) {
  auto kernel = b.finish({b.effect(b.block({b.giveBack()}, b.integer(1)))});
  EXPECT_THROW(verify(*kernel), InternalError);
  TypedBuilder other("other");
  auto leaving = other.finish({other.loop(other.boolean(true), {}, {other.leave()})});
  EXPECT_THROW(verify(*leaving), InternalError);
}

} // namespace
