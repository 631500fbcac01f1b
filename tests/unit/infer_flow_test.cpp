// Inference: names, merges, loops, dead branches.
#include "tests/unit/syntax_builder.h"

#include <gtest/gtest.h>

namespace treadle::testing {

using E = SyntaxBuilder::E;
using Names = std::vector<std::string>;

TEST(InferFlow, Saxpy) {
  SyntaxBuilder b;
  FakeNames names;
  E i = b.name("i"), out = b.name("out"), x = b.name("x");
  auto saxpy = b.function(
      "saxpy", {"a", "x", "out"},
      {b.assign("i", b.name("cuda").dot("grid")({b.number(1)})),
       b.ifThen(i < out.dot("size"), {b.assign(b.name("out")[{b.name("i")}], b.name("a") * x[{b.name("i")}])})});
  EXPECT_EQ(inferKernel(saxpy, {types::float32(), floats(), floats()}, names).print(),
            "kernel saxpy(a.0: float32, x.1: array(float32, 1d, C), out.2: array(float32, 1d, C)) -> none\n"
            "  var i.3: int64\n"
            "  i.3 = grid.x:int64\n"
            "  if lt(i.3, out.2.size)\n"
            "    store out.2[i.3] = mul(a.0, x.1[i.3])\n");
}

TEST(InferFlow, RedefinitionIsANewSlot) {
  SyntaxBuilder b;
  FakeNames names;
  auto kernel =
      b.function("k", {"a", "n"},
                 {b.assign("x", b.name("n")), b.assign(b.name("a")[{b.name("x")}], b.name("x")),
                  b.assign("x", b.name("a")[{b.number(0)}]), b.assign(b.name("a")[{b.number(1)}], b.name("x"))});
  EXPECT_EQ(inferKernel(kernel, {doubles(), types::int64()}, names).slots("x"), (Names{"int64", "float64"}));
}

TEST(InferFlow, MergesUnify) {
  SyntaxBuilder b;
  FakeNames names;
  // The first value is used as an index before it joins a float: it keeps its own type there.
  auto kernel = b.function("k", {"a", "n"},
                           {b.assign("x", b.name("n")), b.assign(b.name("a")[{b.name("x")}], b.real(1)),
                            b.ifThen(b.name("n"), {b.assign("x", b.real(2.5))}),
                            b.assign(b.name("a")[{b.number(0)}], b.name("x"))});
  const Inferred inferred = inferKernel(kernel, {doubles(), types::int64()}, names);
  EXPECT_EQ(inferred.slots("x"), (Names{"int64", "float64"}));
  EXPECT_NE(inferred.print().find("x.3 = convert:float64(x.2)"), std::string::npos) << inferred.print();
}

TEST(InferFlow, LoopsWiden) {
  SyntaxBuilder b;
  FakeNames names;
  auto kernel = b.function("k", {"a", "n"},
                           {b.assign("s", b.number(0)),
                            b.forLoop(b.name("i"), b.name("range")({b.name("n")}),
                                      {b.augment(b.name("s"), BinaryOperator::Add, b.name("a")[{b.name("i")}])}),
                            b.assign(b.name("a")[{b.number(0)}], b.name("s"))});
  const Inferred inferred = inferKernel(kernel, {floats(), types::int32()}, names);
  EXPECT_EQ(inferred.slots("s"), (Names{"float64"}));
  EXPECT_EQ(inferred.slots("i"), (Names{"int32"}));
}

TEST(InferFlow, CudaPythonKeepsTheTypeBeforeTheLoop) {
  SyntaxBuilder b;
  FakeNames names;
  auto kernel = b.function("k", {"a", "n"},
                           {b.assign("s", b.number(0)),
                            b.forLoop(b.name("i"), b.name("range")({b.name("n")}),
                                      {b.augment(b.name("s"), BinaryOperator::Add, b.name("a")[{b.name("i")}])}),
                            b.assign("s", b.real(0.5)), b.assign(b.name("a")[{b.number(0)}], b.name("s"))});
  const Inferred inferred = inferKernel(kernel, {floats(), types::int32()}, names, RuleSet::CudaPython);
  EXPECT_EQ(inferred.slots("s"), (Names{"int64"}));
  ASSERT_EQ(inferred.warnings.size(), 1u);
  EXPECT_NE(inferred.warnings[0].find("'s' keeps the type int64"), std::string::npos) << inferred.warnings[0];
  EXPECT_NE(inferred.warnings[0].find("s = 0.0"), std::string::npos) << inferred.warnings[0];
}

TEST(InferFlow, CudaPythonFirstTypeInsideALoopHolds) {
  SyntaxBuilder b;
  FakeNames names;
  auto kernel = b.function("k", {"a", "n"},
                           {b.forLoop(b.name("i"), b.name("range")({b.name("n")}),
                                      {b.assign("t", b.name("a")[{b.name("i")}]), b.assign("t", b.name("n")),
                                       b.assign(b.name("a")[{b.name("i")}], b.name("t"))})});
  const Inferred inferred = inferKernel(kernel, {floats(), types::int32()}, names, RuleSet::CudaPython);
  EXPECT_EQ(inferred.slots("t"), (Names{"float32"}));
  EXPECT_TRUE(inferred.warnings.empty());
}

TEST(InferFlow, UnsetOnSomePathCompiles) {
  SyntaxBuilder b;
  FakeNames names;
  auto kernel = b.function(
      "k", {"a", "n"},
      {b.ifThen(b.name("n"), {b.assign("x", b.real(1))}), b.assign(b.name("a")[{b.number(0)}], b.name("x"))});
  EXPECT_EQ(inferKernel(kernel, {doubles(), types::int64()}, names).slots("x"), (Names{"float64"}));
}

TEST(InferFlow, NeverSetIsAnError) {
  SyntaxBuilder b;
  FakeNames names;
  auto kernel = b.function("k", {"a"}, {b.assign(b.name("a")[{b.number(0)}], b.name("x")), b.assign("x", b.number(1))});
  EXPECT_EQ(errorOf(kernel, {doubles()}, names),
            "line 2: 'x' is read, but no assignment to it can have run before |  |  | assign it first");
}

TEST(InferFlow, IncompatibleTypesNameBothLines) {
  SyntaxBuilder b;
  FakeNames names;
  syntax::Stmt *first = b.assign("x", b.number(1));  // line 2
  syntax::Stmt *second = b.assign("x", b.name("a")); // line 3
  syntax::Stmt *choice = b.ifThen(b.name("n"), {first}, {second});
  auto kernel = b.function("k", {"a", "n"}, {choice, b.assign(b.name("a")[{b.number(0)}], b.name("x"))});
  EXPECT_EQ(
      errorOf(kernel, {doubles(), types::int64()}, names),
      "line 3: 'x' has types that do not go together | array(float64, 1d, C) here, int64 in line 2 | one type, or "
      "numbers, which are widened | use another name for one of the two");
}

TEST(InferFlow, DeadBranchesAreNotTyped) {
  SyntaxBuilder b;
  FakeNames names;
  E isNone = b.compare(b.name("c"), {{syntax::Comparison::Is, b.none()}});
  E isMatrix = b.compare(b.name("a").dot("ndim"), {{syntax::Comparison::Equal, b.number(2)}});
  auto make = [&] {
    return b.function("k", {"a", "c"},
                      {b.ifThen(isNone, {b.assign("c", b.real(1))}, {b.assign("c", b.name("c")[{b.number(0)}])}),
                       b.ifThen(isMatrix, {b.assign(b.name("a")[{b.number(0), b.number(0)}], b.name("c"))},
                                {b.assign(b.name("a")[{b.number(0)}], b.name("c"))})});
  };
  auto kernel = make();
  EXPECT_EQ(inferKernel(kernel, {doubles(2), types::none()}, names).print(),
            "kernel k(a.0: array(float64, 2d, C), c.1: none) -> none\n"
            "  store a.0[int64 0, int64 0] = float64 1\n");
  EXPECT_EQ(inferKernel(kernel, {doubles(1), doubles()}, names).slots("c"),
            (Names{"array(float64, 1d, C)", "float64"}));
}

TEST(InferFlow, NoneAndAValueMakeAnOptional) {
  SyntaxBuilder b;
  FakeNames names;
  E isNone = b.compare(b.name("best"), {{syntax::Comparison::Is, b.none()}});
  E larger = b.name("max")({b.name("best"), b.name("a")[{b.name("i")}]});
  auto kernel = b.function(
      "k", {"a", "n"},
      {b.assign("best", b.none()),
       b.forLoop(b.name("i"), b.name("range")({b.name("n")}),
                 {b.ifThen(isNone, {b.assign("best", b.name("a")[{b.name("i")}])}, {b.assign("best", larger)})}),
       b.ifThen(b.compare(b.name("best"), {{syntax::Comparison::IsNot, b.none()}}),
                {b.assign(b.name("a")[{b.number(0)}], b.name("best"))})});
  const Inferred inferred = inferKernel(kernel, {doubles(), types::int64()}, names);
  EXPECT_NE(inferred.print().find("has_value"), std::string::npos);
  EXPECT_NE(inferred.print().find(": Optional(float64)"), std::string::npos) << inferred.print();
}

TEST(InferFlow, DeepLoopsTakeLinearTime) {
  // Each level widens the variable of the level inside: re-running bodies would take 2^depth evaluations.
  for (unsigned depth : {1u, 15u, 40u}) {
    SyntaxBuilder b;
    FakeNames names;
    std::vector<std::string> text;
    for (unsigned level = 0; level <= depth; ++level)
      text.push_back("v" + std::to_string(level));
    Body body{b.augment(b.name(text[depth]), BinaryOperator::Add, b.name("a")[{b.number(0)}])};
    for (unsigned level = depth; level-- > 0;)
      body = {b.whileLoop(b.name("n"), [&] {
        Body inner = body;
        inner.push_back(b.assign(text[level], b.name(text[level]) + b.name(text[level + 1])));
        return inner;
      }())};
    Body all;
    for (const std::string &name : text)
      all.push_back(b.assign(name, b.number(0)));
    all.insert(all.end(), body.begin(), body.end());
    all.push_back(b.assign(b.name("a")[{b.number(0)}], b.name(text[0])));
    auto kernel = b.function("k", {"a", "n"}, all);
    EXPECT_EQ(inferKernel(kernel, {doubles(), types::int64()}, names).slots("v0").back(), "float64");
  }
}

TEST(InferFlow, TupleLoopsUnrollOnlyForSeveralTypes) {
  SyntaxBuilder b;
  FakeNames names;
  E same = b.tuple({b.name("n"), b.name("n")}), mixed = b.tuple({b.name("n"), b.name("a")[{b.number(0)}]});
  auto add = [&] { return b.augment(b.name("a")[{b.number(0)}], BinaryOperator::Add, b.name("v")); };
  auto kernel =
      b.function("k", {"a", "n"}, {b.forLoop(b.name("v"), same, {add()}), b.forLoop(b.name("v"), mixed, {add()})});
  const std::string text = inferKernel(kernel, {doubles(), types::int64()}, names).print();
  const size_t loop = text.find("for ");
  EXPECT_NE(loop, std::string::npos);
  EXPECT_EQ(text.find("for ", loop + 1), std::string::npos) << text;
}

} // namespace treadle::testing
