// forwarded_values: how many loads are left.
#include "passes/rewrites/forwarded_values.h"

#include "one_rule.h"
#include "passes/analyses/tree_walk.h"
#include "typed/verify.h"
#include "typed_builder.h"

#include <gtest/gtest.h>

namespace {

using namespace treadle;
using namespace treadle::test;

/// A kernel with two arrays of int64.
struct Kernel : TypedBuilder {
  Kernel() : TypedBuilder("kernel") {}

  Slot *x = parameter("x", types::array(types::int64(), {}));
  Slot *out = parameter("out", types::array(types::int64(), {}));
  Expr *at(Slot *array) { return load(array, grid()); }
  Stmt *put(Slot *array, Expr *value) { return store(array, grid(), value); }
  Expr *isPositive(Expr *value) { return compare(Operation::Gt, value, integer(0)); }

  unsigned loadsLeft(const std::vector<Stmt *> &statements, bool noOverlap = true) {
    const std::shared_ptr<TypedFunction> kernel = finish(statements);
    const std::shared_ptr<TypedFunction> made = rewrittenBy(forwardedValues, *kernel, noOverlap);
    if (made)
      verifyAll(*made);
    unsigned count = 0;
    TreeVisitor visitor{[&](const Expr &node) {
                          count += node.kind == ExprKind::Load;
                          return true;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(made ? made->body : kernel->body);
    return count;
  }
};

TEST(ForwardedValues, StoredValuesAreNotLoaded) {
  Kernel k;
  EXPECT_EQ(k.loadsLeft({k.put(k.x, k.integer(3)), k.put(k.out, k.at(k.x)), k.put(k.out, k.at(k.x))}), 0u);
}

TEST(ForwardedValues, LoadedValuesAreLoadedOnce) {
  Kernel k;
  EXPECT_EQ(k.loadsLeft({k.put(k.out, k.op(Operation::Add, {k.at(k.x), k.at(k.x)})), k.put(k.out, k.at(k.x))}), 1u);
}

TEST(ForwardedValues, IndicesMayBeInVariables) {
  Kernel k;
  Slot *i = k.local("i", types::int64());
  EXPECT_EQ(k.loadsLeft({k.assign(i, k.grid()), k.store(k.x, k.read(i), k.integer(3)), k.put(k.out, k.at(k.x)),
                         k.assign(i, k.integer(2)), k.put(k.out, k.load(k.x, k.read(i)))}),
            1u);
}

TEST(ForwardedValues, OtherArraysMayOverlap) {
  for (const bool noOverlap : {false, true}) {
    Kernel k;
    EXPECT_EQ(k.loadsLeft({k.put(k.x, k.integer(3)), k.put(k.out, k.integer(1)), k.put(k.out, k.at(k.x))}, noOverlap),
              noOverlap ? 0u : 1u);
  }
}

TEST(ForwardedValues, OtherIndicesMayBeThoseOfOtherLanes) {
  Kernel k;
  Expr *next = k.op(Operation::Add, {k.grid(), k.integer(1)});
  EXPECT_EQ(k.loadsLeft({k.put(k.x, k.integer(3)), k.store(k.x, next, k.integer(1)), k.put(k.out, k.at(k.x))}), 1u);
}

TEST(ForwardedValues, BothArmsMustKnow) {
  for (const bool isInBoth : {false, true}) {
    Kernel k;
    std::vector<Stmt *> otherwise;
    if (isInBoth)
      otherwise.push_back(k.put(k.x, k.integer(2)));
    EXPECT_EQ(k.loadsLeft({k.branch(k.isPositive(k.at(k.out)), {k.put(k.x, k.integer(3))}, otherwise),
                           k.put(k.out, k.at(k.x)), k.put(k.out, k.at(k.x))}),
              isInBoth ? 1u : 2u);
  }
}

TEST(ForwardedValues, ArmsThatLeaveDoNotCount) {
  Kernel k;
  EXPECT_EQ(k.loadsLeft({k.put(k.x, k.integer(3)),
                         k.branch(k.isPositive(k.at(k.out)),
                                  {k.effect(k.atomicAdd(k.x, k.grid(), k.integer(1))), k.giveBack()}),
                         k.put(k.out, k.at(k.x))}),
            1u);
}

TEST(ForwardedValues, LoopsBeginAnew) {
  Kernel k;
  Slot *j = k.local("j", types::int64());
  EXPECT_EQ(
      k.loadsLeft({k.put(k.x, k.integer(3)),
                   k.count(j, {k.integer(0), k.integer(4), k.integer(1)},
                           {k.put(k.x, k.op(Operation::Add, {k.at(k.x), k.integer(1)})), k.put(k.out, k.at(k.x))}),
                   k.put(k.out, k.at(k.x))}),
      2u);
}

TEST(ForwardedValues, AtomicOperationsAndBarriersEndAll) {
  Kernel k;
  EXPECT_EQ(k.loadsLeft({k.put(k.x, k.integer(3)), k.effect(k.atomicAdd(k.out, k.grid(), k.integer(1))),
                         k.put(k.out, k.at(k.x)), k.barrier(), k.put(k.out, k.at(k.x)), k.put(k.out, k.at(k.x))}),
            2u);
}

TEST(ForwardedValues, PlacesOfSeveralThreadsAreLoaded) {
  Kernel k;
  Expr *half = k.op(Operation::FloorDiv, {k.grid(), k.integer(2)});
  Expr *again = k.op(Operation::FloorDiv, {k.grid(), k.integer(2)});
  EXPECT_EQ(k.loadsLeft({k.store(k.x, half, k.integer(3)), k.put(k.out, k.load(k.x, again))}), 1u);
  Kernel plane; // whose other axis the index does not contain
  Expr *row = plane.op(Operation::GridY, types::int64(), {});
  EXPECT_EQ(plane.loadsLeft({plane.put(plane.x, row), plane.put(plane.out, plane.at(plane.x))}), 1u);
}

} // namespace
