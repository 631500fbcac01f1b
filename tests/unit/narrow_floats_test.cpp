// narrow_floats: how many variables and choices of float64 are left.
#include "passes/rewrites/narrow_floats.h"

#include "one_rule.h"
#include "passes/analyses/tree_walk.h"
#include "typed/verify.h"
#include "typed_builder.h"

#include <gtest/gtest.h>

namespace {

using namespace treadle;
using namespace treadle::test;

/// A kernel with an array of float32 and one of float64.
struct Kernel : TypedBuilder {
  Kernel() : TypedBuilder("kernel") {}

  Slot *x = parameter("x", types::array(types::float32(), {}));
  Slot *wide = parameter("wide", types::array(types::float64(), {}));
  Expr *element() { return convert(load(x, grid()), types::float64()); }
  Expr *isFirst() { return compare(Operation::Eq, grid(), integer(0)); }
  Slot *variable() { return local("v", types::float64()); }
  Stmt *keep(Expr *value) { return store(wide, grid(), value); }
  Stmt *round(Expr *value) { return store(x, grid(), convert(value, types::float32())); }

  struct Left {
    unsigned variables = 0, choices = 0;
    bool operator==(const Left &) const = default;
  };

  Left left(const std::vector<Stmt *> &statements) {
    const std::shared_ptr<TypedFunction> kernel = finish(statements);
    const std::shared_ptr<TypedFunction> made = rewrittenBy(narrowFloats, *kernel);
    if (made)
      verifyAll(*made);
    const TypedFunction &result = made ? *made : *kernel;
    Left found;
    for (const Slot *slot : result.slots)
      found.variables += slot->type == types::float64();
    TreeVisitor visitor{[&](const Expr &node) {
                          found.choices += node.kind == ExprKind::Conditional && node.type == types::float64();
                          return true;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(result.body);
    return found;
  }
};

using Left = Kernel::Left;

TEST(NarrowFloats, ElementsAndConstantsAreNarrow) {
  Kernel k;
  Slot *v = k.variable();
  EXPECT_EQ(k.left({k.assign(v, k.choose(k.isFirst(), k.element(), k.real(0))), k.keep(k.read(v))}), (Left{0, 0}));
}

TEST(NarrowFloats, WhatFloat32CannotHoldIsWide) {
  const auto values = {
      +[](Kernel &k) { return k.real(0.1); },
      +[](Kernel &k) { return k.load(k.wide, k.grid()); },
      +[](Kernel &k) { return k.convert(k.grid(), types::float64()); },
      +[](Kernel &k) { return k.op(Operation::Add, {k.element(), k.element()}); },
      +[](Kernel &k) { return k.op(Operation::Sqrt, {k.element()}); },
  };
  for (const auto value : values) {
    Kernel k;
    Slot *v = k.variable();
    EXPECT_EQ(k.left({k.assign(v, k.element()), k.assign(v, value(k)), k.round(k.read(v))}), (Left{1, 0}));
  }
}

TEST(NarrowFloats, VariablesDependOnEachOther) {
  for (const bool isWide : {false, true}) {
    Kernel k;
    Slot *first = k.variable(), *second = k.variable(), *third = k.variable();
    Expr *most = k.op(Operation::Max, {k.read(second), k.element()});
    Expr *last = isWide ? k.real(0.1) : k.real(0.5);
    EXPECT_EQ(
        k.left({k.assign(second, k.element()), k.assign(third, k.element()), k.assign(first, k.read(second)),
                k.assign(second, most), k.assign(second, k.read(third)), k.assign(third, last), k.keep(k.read(first))}),
        (Left{isWide ? 3u : 0u, 0}));
  }
}

TEST(NarrowFloats, ParametersStay) {
  Kernel k;
  Slot *given = k.parameter("given", types::float64()), *v = k.variable();
  EXPECT_EQ(k.left({k.assign(given, k.element()), k.assign(v, k.read(given)), k.round(k.read(v))}), (Left{2, 0}));
}

TEST(NarrowFloats, VariablesOfConstantsStay) {
  Kernel k;
  Slot *v = k.variable();
  EXPECT_EQ(k.left({k.assign(v, k.choose(k.isFirst(), k.real(1), k.real(-1))), k.keep(k.read(v))}), (Left{1, 1}));
}

TEST(NarrowFloats, OneOperationIsRoundedAlike) {
  const auto choice = [](Kernel &k) { return k.choose(k.isFirst(), k.element(), k.real(0)); };
  for (const Operation op : {Operation::Add, Operation::Sub, Operation::Mul}) {
    Kernel once;
    EXPECT_EQ(once.left({once.round(once.op(op, {once.element(), choice(once)}))}), (Left{0, 0}));
    Kernel twice;
    Expr *sum = twice.op(op, {twice.element(), choice(twice)});
    EXPECT_EQ(twice.left({twice.round(twice.op(op, {sum, twice.element()}))}), (Left{0, 1}));
  }
  Kernel division;
  Expr *quotient = division.op(Operation::FloorDiv, {division.element(), choice(division)});
  EXPECT_EQ(division.left({division.round(quotient)}), (Left{0, 1}));
}

TEST(NarrowFloats, ChoicesThatAreNotRoundedStay) {
  Kernel k;
  EXPECT_EQ(k.left({k.keep(k.choose(k.isFirst(), k.element(), k.real(0)))}), (Left{0, 1}));
}

} // namespace
