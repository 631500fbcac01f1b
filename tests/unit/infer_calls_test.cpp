// Inference: device functions, nested functions, builtins, arrays.
#include "tests/unit/syntax_builder.h"

#include "builtins/builtin.h"
#include "tests/unit/sanitizers.h"

#include <gtest/gtest.h>

namespace treadle::testing {

using E = SyntaxBuilder::E;
using Names = std::vector<std::string>;

namespace {

/// A kernel `k(a, n)` that stores one value into a[0].
std::shared_ptr<const SyntaxFunction> storing(SyntaxBuilder &b, E value, Body before = {}) {
  before.push_back(b.assign(b.name("a")[{b.number(0)}], value));
  return b.function("k", {"a", "n"}, before);
}

std::shared_ptr<const SyntaxFunction> adding() {
  SyntaxBuilder b;
  return b.function("add", {"x", "y="}, {b.result(b.name("x") + b.name("y"))});
}

} // namespace

TEST(InferCalls, OneInstancePerArgumentTypes) {
  SyntaxBuilder b;
  FakeNames names;
  names.addFunction("add", adding());
  E n = b.name("n"), a = b.name("a");
  E value = b.name("add")({n, n}) + b.name("add")({b.number(1), b.number(2)}) + b.name("add")({a[{b.number(0)}], n});
  const Inferred inferred = inferKernel(storing(b, value), {doubles(), types::int64()}, names);
  EXPECT_EQ(inferred.function->callees.size(), 2u);
}

TEST(InferCalls, DefaultsAreConstants) {
  SyntaxBuilder b;
  FakeNames names;
  names.addFunction("add", adding());
  names.addDefault("y", 5);
  const Inferred inferred = inferKernel(storing(b, b.name("add")({b.name("n")})), {doubles(), types::int64()}, names);
  ASSERT_EQ(inferred.function->callees.size(), 1u);
  EXPECT_EQ(inferred.function->callees[0]->print(), "function add(x.0: int64) -> int64\n  return add(x.0, int64 5)\n");
}

TEST(InferCalls, ArityNamesTheParameters) {
  SyntaxBuilder b;
  FakeNames names;
  names.addFunction("add", adding());
  E wrong = b.name("add")({b.number(1), b.number(2), b.number(3)});
  EXPECT_EQ(errorOf(storing(b, wrong), {doubles(), types::int64()}, names),
            "line 2: 'add' takes 2 arguments (x, y) | 3 arguments |  | ");
}

TEST(InferCalls, RecursionNamesItsCycle) {
  FakeNames names;
  SyntaxBuilder first, second, b;
  names.addFunction("f", first.function("f", {"x"}, {first.result(first.name("g")({first.name("x")}))}));
  names.addFunction("g", second.function("g", {"x"}, {second.result(second.name("f")({second.name("x")}))}));
  const std::string error = errorOf(storing(b, b.name("f")({b.number(1)})), {doubles(), types::int64()}, names);
  EXPECT_NE(error.find("f -> g -> f"), std::string::npos) << error;
}

TEST(InferCalls, ExplicitSignaturesConvert) {
  SyntaxBuilder b, f;
  FakeNames names;
  auto identity = f.function("f", {"x"}, {f.result(f.name("x"))});
  names.addFunction("f", identity, RuleSet::Numba, {{types::int32()}, {types::float64()}});
  names.addFunction("g", identity, RuleSet::Numba, {{types::int32()}, {types::float32()}});
  const Inferred inferred = inferKernel(storing(b, b.name("f")({b.name("n")})), {doubles(), types::int64()}, names);
  ASSERT_EQ(inferred.function->callees.size(), 1u);
  EXPECT_EQ(inferred.function->callees[0]->signature.name(), "(float64) -> float64");
  SyntaxBuilder tie;
  const std::string error = errorOf(storing(tie, tie.name("g")({tie.name("n")})), {doubles(), types::int64()}, names);
  EXPECT_NE(error.find("fit these arguments equally well"), std::string::npos) << error;
}

TEST(InferCalls, NestedFunctionsGetWhatTheyCapture) {
  SyntaxBuilder b;
  FakeNames names;
  const syntax::Function *g = b.nested("g", {"x"}, {b.result(b.name("x") * b.name("scale") + b.name("k"))});
  auto kernel = storing(b, b.name("g")({b.name("n")}),
                        {b.assign("k", b.number(2)), b.assign("scale", b.name("a")[{b.number(1)}]), b.define("g", g)});
  const Inferred inferred = inferKernel(kernel, {doubles(), types::int64()}, names);
  ASSERT_EQ(inferred.function->callees.size(), 1u);
  EXPECT_EQ(inferred.function->callees[0]->print(), "function g(x.0: int64, scale.1: float64) -> float64\n"
                                                    "  return add(mul(convert:float64(x.0), scale.1), float64 2)\n");
}

TEST(InferCalls, ClosuresAreHandedOnWithWhatTheyCapture) {
  SyntaxBuilder b, f;
  FakeNames names;
  names.addFunction("apply", f.function("apply", {"g"}, {f.result(f.name("g")({f.number(1)}))}));
  const syntax::Function *g = b.nested("g", {"x"}, {b.result(b.name("x") + b.name("n"))});
  const Inferred inferred =
      inferKernel(storing(b, b.name("apply")({b.name("g")}), {b.define("g", g)}), {doubles(), types::int64()}, names);
  ASSERT_EQ(inferred.function->callees.size(), 1u);
  ASSERT_EQ(inferred.function->callees[0]->callees.size(), 1u);
  EXPECT_EQ(inferred.function->callees[0]->callees[0]->print(), "function g(x.0: int64, n.1: int64) -> int64\n"
                                                                "  return add(x.0, n.1)\n");
}

TEST(InferCalls, ClosuresInVariablesCaptureWhatDoesNotChange) {
  SyntaxBuilder b;
  FakeNames names;
  const syntax::Function *g = b.nested("g", {"x"}, {b.result(b.name("x") + b.name("k"))});
  const std::string error = errorOf(
      storing(b, b.name("h")({b.name("n")}),
              {b.assign("k", b.number(2)), b.define("g", g), b.assign("h", b.name("g")), b.assign("k", b.number(3))}),
      {doubles(), types::int64()}, names);
  EXPECT_NE(error.find("'k', which is assigned more than once, cannot be kept"), std::string::npos) << error;
}

TEST(InferCalls, FunctionsAreArguments) {
  SyntaxBuilder b, f;
  FakeNames names;
  names.addFunction("apply", f.function("apply", {"g", "x"}, {f.result(f.name("g")({f.name("x")}))}));
  E value = b.name("apply")({b.name("math").dot("sqrt"), b.name("n")});
  const Inferred inferred = inferKernel(storing(b, value), {doubles(), types::int64()}, names);
  ASSERT_EQ(inferred.function->callees.size(), 1u);
  EXPECT_EQ(inferred.function->callees[0]->print(),
            "function apply(x.0: int64) -> float64\n  return sqrt(convert:float64(x.0))\n");
}

TEST(InferCalls, PlainFunctionsAreNotCalled) {
  SyntaxBuilder b;
  FakeNames names;
  CapturedValue plain;
  plain.type = types::object(FakeNames::plainHandle, "plain");
  names.add("plain", plain);
  EXPECT_EQ(
      errorOf(storing(b, b.name("plain")({b.number(1)})), {doubles(), types::int64()}, names),
      "line 2: 'plain' is a plain Python function; kernels can only call device functions |  |  | decorate it with "
      "@cuda.jit(device=True)");
}

TEST(InferCalls, EveryBuiltinHasARule) {
  // Called without arguments, each row reports the user's error, never an internal one.
  for (const Builtin &row : allBuiltins()) {
    SyntaxBuilder b;
    FakeNames names;
    CapturedValue value;
    value.type = types::builtin(row.key);
    names.add("f", value);
    EXPECT_NO_THROW(errorOf(b.function("k", {}, {b.expression(b.name("f")({}))}), {}, names)) << row.key;
  }
}

TEST(InferCalls, RowViewsMergeIntoOneAccess) {
  SyntaxBuilder b;
  FakeNames names;
  E element = b.name("m")[{b.name("n")}][{b.number(2)}];
  auto kernel = b.function("k", {"m", "n"}, {b.assign(b.name("m")[{b.number(0)}][{b.number(1)}], element)});
  EXPECT_EQ(inferKernel(kernel, {floats(2), types::int64()}, names).print(),
            "kernel k(m.0: array(float32, 2d, C), n.1: int64) -> none\n"
            "  store m.0[int64 0, int64 1] = m.0[n.1, int64 2]\n");
}

TEST(InferCalls, ConstantsReachShapes) {
  SyntaxBuilder b;
  FakeNames names;
  names.addInteger("N", 8);
  names.addType("float32", types::float32());
  E shape = b.tuple({b.name("N") * b.number(2), b.name("m")});
  auto kernel =
      b.function("k", {},
                 {b.assign("m", b.number(3)), b.assign("shape", shape),
                  b.assign("s", b.name("cuda").dot("shared").dot("array")({b.name("shape"), b.name("float32")})),
                  b.assign(b.name("s")[{b.number(1), b.number(2)}], b.number(0))});
  const Inferred inferred = inferKernel(kernel, {}, names);
  EXPECT_NE(inferred.print().find("shared float32(16, 3)"), std::string::npos) << inferred.print();
  EXPECT_TRUE(inferred.function->hasSharedMemory);
}

TEST(InferCalls, SwapsReadBeforeTheyWrite) {
  SyntaxBuilder b;
  FakeNames names;
  E x = b.name("a")[{b.number(0)}], y = b.name("a")[{b.number(1)}];
  auto kernel = b.function(
      "k", {"a"}, {b.assign(b.tuple({b.name("a")[{b.number(0)}], b.name("a")[{b.number(1)}]}), b.tuple({y, x}))});
  EXPECT_EQ(inferKernel(kernel, {doubles()}, names).print(), "kernel k(a.0: array(float64, 1d, C)) -> none\n"
                                                             "  var t.1: float64\n"
                                                             "  var t.2: float64\n"
                                                             "  t.1 = a.0[int64 1]\n"
                                                             "  t.2 = a.0[int64 0]\n"
                                                             "  store a.0[int64 0] = t.1\n"
                                                             "  store a.0[int64 1] = t.2\n");
}

TEST(InferCalls, IndicesOfAugmentedElementsAreEvaluatedOnce) {
  SyntaxBuilder b, f;
  FakeNames names;
  names.addFunction("next", f.function("next", {"x"}, {f.result(f.name("x") + f.number(1))}));
  auto kernel = b.function("k", {"a", "n"},
                           {b.augment(b.name("a")[{b.name("next")({b.name("n")})}], BinaryOperator::Mul, b.real(2))});
  const std::string text = inferKernel(kernel, {doubles(), types::int64()}, names).print();
  const size_t call = text.find("call next");
  EXPECT_NE(call, std::string::npos);
  EXPECT_EQ(text.find("call next", call + 1), std::string::npos) << text;
}

TEST(InferCalls, ChainedComparisonsEvaluateTheMiddleOnce) {
  SyntaxBuilder b, f;
  FakeNames names;
  names.addFunction("next", f.function("next", {"x"}, {f.result(f.name("x") + f.number(1))}));
  E chain = b.compare(b.number(0), {{syntax::Comparison::Less, b.name("next")({b.name("n")})},
                                    {syntax::Comparison::LessEqual, b.number(9)}});
  const std::string text = inferKernel(storing(b, chain), {doubles(), types::int64()}, names).print();
  EXPECT_EQ(text.find("call next"), text.rfind("call next")) << text;
}

TEST(InferCalls, DeepInputIsHandledOrRefused) {
  FakeNames names;
  // ThreadSanitizer has its own call stack, which overflows at 65,536 calls.
  const std::vector<unsigned> depths = underThreadSanitizer ? std::vector{900u} : std::vector{900u, 200'000u};
  for (unsigned depth : depths) {
    SyntaxBuilder b;
    E sum = b.name("n");
    for (unsigned i = 0; i < depth; ++i)
      sum = sum + b.name("n");
    const std::string error = errorOf(storing(b, sum), {doubles(), types::int64()}, names);
    if (depth == 900)
      EXPECT_EQ(error, "");
    else
      EXPECT_NE(error.find("nested too deeply"), std::string::npos) << error;
  }
}

TEST(InferCalls, ManyFunctionsDeep) {
  FakeNames names;
  for (unsigned level = 0; level < 200; ++level) {
    SyntaxBuilder f;
    const std::string callee = "f" + std::to_string(level - 1);
    E value = level == 0 ? f.name("x") + f.number(1) : f.name(callee)({f.name("x")});
    const std::string name = "f" + std::to_string(level);
    names.addFunction(name, f.function(name, {"x"}, {f.result(value)}));
  }
  SyntaxBuilder b;
  EXPECT_EQ(errorOf(storing(b, b.name("f199")({b.name("n")})), {doubles(), types::int64()}, names), "");
}

} // namespace treadle::testing
