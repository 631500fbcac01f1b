// PTX of single constructs: calls, memory, options, entries. Each is assembled.
#include "ptx_check.h"
#include "sample_kernels.h"
#include "support/error.h"

#include <gmock/gmock.h>

namespace {

using namespace treadle;
using namespace treadle::test;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const Type *f32Array() { return types::array(types::float32(), {}); }

TEST(PtxLanguage, BreakContinueElseAndReturn) {
  TypedBuilder b("control");
  Slot *x = b.parameter("x", types::array(types::int64(), {})), *n = b.parameter("n", types::int64());
  Slot *i = b.local("i", types::int64()), *k = b.local("k", types::int64());
  auto mark = [&](int64_t where) { return b.store(x, b.integer(where), b.read(k)); };
  auto is = [&](Slot *slot, int64_t value) { return b.compare(Op::Eq, b.read(slot), b.integer(value)); };
  Stmt *inner = b.count(k, {b.integer(0), b.read(n), b.integer(2)},
                        {b.branch(is(k, 4), {b.next()}), b.branch(is(k, 8), {b.leave()}), mark(0)}, {mark(1)});
  Stmt *outer = b.loop(
      b.compare(Op::Lt, b.read(i), b.read(n)),
      {inner, b.branch(is(i, 7), {b.giveBack()}, {mark(2)}), b.assign(i, b.op(Op::Add, {b.read(i), b.integer(1)}))},
      {mark(3)});
  CompileOptions options;
  options.optimization = 0; // as emitted
  Image image =
      compilePtx(b.finish({b.assign(i, b.integer(0)), b.assign(k, b.integer(0)), outer, mark(4)}), {}, options);
  EXPECT_EQ(count(image.code, "st.global"), 5u);
}

TEST(PtxLanguage, RangesOfEveryKindNeedNoDivision) {
  for (const Type *type : {types::int64(), types::int32(), types::uint64(), types::int8(), types::uint32()}) {
    TypedBuilder b("ranges");
    Slot *x = b.parameter("x", types::array(type, {}));
    Slot *start = b.parameter("start", type), *stop = b.parameter("stop", type), *step = b.parameter("step", type);
    Slot *i = b.local("i", type);
    auto loop = [&](Expr *by, int64_t where) {
      return b.count(i, {b.read(start), b.read(stop), by}, {b.store(x, b.integer(where), b.read(i))});
    };
    std::vector<Stmt *> body{loop(b.read(step), 0), loop(b.integer(3, type), 1), loop(b.integer(1, type), 2)};
    if (type->isSigned())
      body.insert(body.end(), {loop(b.integer(-1, type), 3), loop(b.integer(-5, type), 4)});
    EXPECT_THAT(compilePtx(b.finish(body)).code, Not(ContainsRegex("(div|rem)\\.")));
  }
}

TEST(PtxLanguage, DivisionsOfWhatIsNotNegativeAreNarrowAndPlain) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", types::array(types::int64(), {}));
  const Type *i64 = types::int64();
  auto thread = [&] { return b.op(Op::ThreadIdxX, i64, {}); };
  Expr *width = b.op(Op::BlockDimY, i64, {});
  auto store = [&](int64_t where, Op op, Expr *left, Expr *right) {
    return b.store(x, b.integer(where), b.op(op, {left, right}));
  };
  std::string code =
      compilePtx(b.finish({store(0, Op::FloorDiv, thread(), b.integer(16)), store(1, Op::Mod, thread(), width),
                           store(2, Op::FloorDiv, b.grid(), b.integer(8))}))
          .code;
  EXPECT_THAT(code, HasSubstr("shr.u64"));
  EXPECT_THAT(code, HasSubstr("rem.u32"));
  EXPECT_THAT(code, Not(ContainsRegex("(div|rem)\\.[su]64")));
}

std::shared_ptr<TypedFunction> scaleFunction(bool neverInline) {
  TypedBuilder b("scale", false);
  Slot *value = b.parameter("value", types::float32()), *times = b.parameter("times", types::int64());
  Slot *k = b.local("k", types::int64());
  b.function().neverInline = neverInline;
  Stmt *early = b.branch(b.compare(Op::Lt, b.read(times), b.integer(0)), {b.giveBack(b.real(-1, types::float32()))});
  Stmt *loop =
      b.count(k, {b.integer(0), b.read(times), b.integer(1)},
              {b.assign(value, b.op(Op::Mul, {b.read(value), b.real(3, types::float32())})),
               b.branch(b.compare(Op::Gt, b.read(value), b.real(100, types::float32())), {b.giveBack(b.read(value))})});
  return b.finish({early, loop, b.giveBack(b.read(value))}, types::float32());
}

std::shared_ptr<TypedFunction> callingKernel(const std::shared_ptr<TypedFunction> &callee) {
  TypedBuilder b("caller");
  Slot *x = b.parameter("x", f32Array()), *n = b.parameter("n", types::int64());
  Expr *inner = b.call(callee, {b.load(x, b.integer(0)), b.read(n)});
  return b.finish({b.store(x, b.integer(1), b.call(callee, {inner, b.integer(2)}))});
}

TEST(PtxLanguage, SmallFunctionsAreEmittedInPlace) {
  EXPECT_THAT(compilePtx(callingKernel(scaleFunction(false))).code, Not(HasSubstr(".func")));
}

TEST(PtxLanguage, FunctionsThatMustNotBeInlinedAreCalled) {
  Image image = compilePtx(callingKernel(scaleFunction(true)));
  EXPECT_EQ(count(image.code, "call.uni"), 2u);
  EXPECT_EQ(count(image.code, ".func"), 1u);
}

TEST(PtxLanguage, OutlinedFunctionsTakeArraysAndGiveTuples) {
  TypedBuilder d("first_and_last", false);
  Slot *a = d.parameter("a", f32Array()), *flag = d.parameter("flag", types::boolean());
  d.function().neverInline = true;
  Expr *last = d.load(a, d.integer(-1));
  const Type *both[] = {types::float32(), types::boolean(), types::complex64()};
  Expr *complex = d.op(Op::MakeComplex, types::complex64(), {d.load(a, d.integer(0)), last});
  auto callee = d.finish({d.giveBack(d.tuple({d.load(a, d.integer(0)), d.read(flag), complex}))}, types::tuple(both));
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", f32Array());
  Slot *result = b.local("result", types::tuple(both));
  Expr *imaginary = b.op(Op::Imag, types::float32(), {b.item(b.read(result), 2)});
  auto kernel = b.finish({b.assign(result, b.call(callee, {b.read(x), b.boolean(true)})),
                          b.branch(b.item(b.read(result), 1), {b.store(x, b.integer(0), imaginary)})});
  Image image = compilePtx(kernel, allFacts());
  EXPECT_EQ(image.writes, std::vector<bool>{true});
}

TEST(PtxLanguage, ReadsInCalledFunctionsAreNoWrites) {
  TypedBuilder d("reader", false);
  Slot *a = d.parameter("a", f32Array());
  d.function().neverInline = true;
  auto callee = d.finish({d.giveBack(d.load(a, d.integer(0)))}, types::float32());
  TypedBuilder b("kernel");
  Slot *out = b.parameter("out", f32Array()), *x = b.parameter("x", f32Array());
  Image image = compilePtx(b.finish({b.store(out, b.integer(0), b.call(callee, {b.read(x)}))}));
  EXPECT_EQ(image.writes, (std::vector<bool>{true, false}));
}

TEST(PtxLanguage, ChoicesRunOneSideOnly) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", types::array(types::int64(), {})), *n = b.parameter("n", types::int64());
  Expr *one = b.atomicAdd(x, b.integer(0), b.integer(1)), *two = b.atomicAdd(x, b.integer(1), b.integer(2));
  Expr *chosen = b.choose(b.compare(Op::Gt, b.read(n), b.integer(0)), one, two);
  Image image = compilePtx(b.finish({b.store(x, b.integer(2), chosen)}));
  EXPECT_EQ(count(image.code, "atom.global.add.u64"), 2u);
  EXPECT_THAT(image.code, HasSubstr("bra"));
}

TEST(PtxLanguage, AtomicAddIsNative) {
  struct Case {
    const Type *type;
    const char *code;
  };
  const Case cases[] = {{types::int32(), "atom.global.add.u32"},   {types::uint32(), "atom.global.add.u32"},
                        {types::int64(), "atom.global.add.u64"},   {types::uint64(), "atom.global.add.u64"},
                        {types::float32(), "atom.global.add.f32"}, {types::float64(), "atom.global.add.f64"}};
  for (const Case &item : cases) {
    TypedBuilder b("kernel");
    Slot *x = b.parameter("x", types::array(item.type, {}));
    Expr *value = item.type->isFloat() ? b.real(1, item.type) : b.integer(1, item.type);
    EXPECT_THAT(compilePtx(b.finish({b.effect(b.atomicAdd(x, b.integer(3), value))})).code, HasSubstr(item.code));
  }
}

TEST(PtxLanguage, SharedAndLocalArrays) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", types::array(types::float64(), {}));
  const Type *f64 = types::float64();
  Slot *shared = b.local("s", types::array(f64, {1, Layout::C, false, Space::Shared}));
  Slot *local = b.local("l", types::array(f64, {1, Layout::C, false, Space::Local}));
  Expr *thread = b.op(Op::ThreadIdxX, types::int32(), {});
  Expr *index = b.convert(b.load(x, b.integer(0)), types::int64());
  Image image = compilePtx(b.finish(
      {b.assign(shared, b.allocate(Space::Shared, f64, {33}, 0)),
       b.assign(local, b.allocate(Space::Local, f64, {40}, 1)), b.store(shared, thread, b.load(x, b.integer(1))),
       b.store(local, index, b.load(x, b.integer(2))), b.barrier(),
       b.store(x, b.integer(3), b.op(Op::Add, {b.load(shared, b.integer(4)), b.load(local, b.integer(5))}))}));
  EXPECT_EQ(image.sharedBytes, 264u);
  EXPECT_EQ(image.localBytes, 320u);
  EXPECT_THAT(image.code, HasSubstr("st.shared.f64"));
  EXPECT_THAT(image.code, HasSubstr("ld.shared.f64"));
  EXPECT_THAT(image.code, HasSubstr("st.local.f64"));
  EXPECT_THAT(image.code, HasSubstr("bar.sync"));
}

TEST(PtxLanguage, CapturedArraysAreConstantMemory) {
  for (size_t elements : {4u, 40000u}) {
    TypedBuilder b("kernel");
    Slot *x = b.parameter("x", types::array(types::int32(), {})), *n = b.parameter("n", types::int64());
    CapturedArray table;
    table.type = types::array(types::int32(), {1, Layout::C, true});
    table.shape = {int64_t(elements)};
    table.strides = {4};
    table.data = std::make_shared<std::vector<std::byte>>(elements * 4, std::byte(7));
    Expr *value = b.load(b.captured(table), {b.read(n)});
    Image image = compilePtx(b.finish({b.store(x, b.integer(0), value)}));
    // Data too large for constant memory is read from global memory through the same cache.
    EXPECT_THAT(image.code, HasSubstr(elements == 4 ? "ld.const" : "ld.global.nc"));
  }
}

TEST(PtxLanguage, CapturedDeviceArraysAreSymbols) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", types::array(types::int32(), {}));
  CapturedArray array;
  array.type = types::array(types::int32(), {});
  array.shape = {8};
  array.strides = {4};
  array.position = 2;
  Image image = compilePtx(b.finish({b.store(x, b.integer(0), b.load(b.captured(array), {b.integer(1)}))}));
  EXPECT_THAT(image.code, HasSubstr(".visible .const .align 8 .u64 treadle_captured_2;"));
  EXPECT_THAT(image.code, HasSubstr("ld.const.u64"));
  EXPECT_THAT(image.code, HasSubstr("ld.global.u32"));
}

TEST(PtxLanguage, ReadOnlyArraysLoadThroughTheCacheOnlyWithoutOverlap) {
  auto kernel = [] {
    TypedBuilder b("kernel");
    Slot *out = b.parameter("out", f32Array());
    Slot *x = b.parameter("x", types::array(types::float32(), {1, Layout::C, true}));
    return b.finish({b.store(out, b.integer(0), b.load(x, b.integer(0)))});
  };
  EXPECT_THAT(compilePtx(kernel()).code, Not(HasSubstr(".nc.")));
  EXPECT_THAT(compilePtx(kernel(), allFacts()).code, HasSubstr("ld.global.nc.f32"));
}

TEST(PtxLanguage, BoolsTakeBytesAndAnyNonzeroIsTrue) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", types::array(types::boolean(), {})), *flag = b.parameter("flag", types::boolean());
  Expr *value = b.op(Op::BitAnd, {b.load(x, b.integer(0)), b.read(flag)});
  Image image = compilePtx(b.finish({b.store(x, b.integer(1), value)}));
  EXPECT_THAT(image.code, HasSubstr(".param .u8 kernel_param_1"));
  EXPECT_EQ(image.parameters.leaves[1].bytes, 1);
  EXPECT_EQ(count(image.code, "setp.ne.s16") + count(image.code, "setp.eq.s16"), 2u);
}

TEST(PtxLanguage, ComplexNumbersAreTwoParts) {
  TypedBuilder b("kernel");
  const Type *complex = types::complex128();
  Slot *x = b.parameter("x", types::array(complex, {})), *scale = b.parameter("scale", complex);
  Image image = compilePtx(
      b.finish({b.store(x, b.integer(1), b.op(Op::Mul, {b.load(x, b.integer(0)), b.read(scale)}))}), allFacts());
  EXPECT_EQ(image.parameters.leaves.size(), 3u);
  EXPECT_EQ(image.parameters.leaves[2].index, 1);
  EXPECT_THAT(image.code, HasSubstr("ld.global.v2.f64"));
}

TEST(PtxLanguage, MathComesFromTheDeviceLibrary) {
  for (const Type *type : {types::float32(), types::float64()}) {
    TypedBuilder b("kernel");
    Slot *x = b.parameter("x", types::array(type, {}));
    Expr *value =
        b.op(Op::Exp, {b.op(Op::Sqrt, {b.op(Op::TrueDiv, {b.load(x, b.integer(0)), b.load(x, b.integer(1))})})});
    Image image = compilePtx(b.finish({b.store(x, b.integer(2), value)}));
    EXPECT_THAT(image.code, Not(HasSubstr("__nv_")));
    EXPECT_THAT(image.code, HasSubstr(type->bits() == 32 ? "sqrt.rn.f32" : "sqrt.rn.f64"));
    EXPECT_THAT(image.code, HasSubstr(type->bits() == 32 ? "div.rn.f32" : "div.rn.f64"));
  }
}

TEST(PtxLanguage, EveryMathFunctionAssembles) {
  for (const Type *type : {types::float32(), types::float64()})
    for (bool fastMath : {false, true}) {
      TypedBuilder b("kernel");
      Slot *x = b.parameter("x", types::array(type, {}));
      std::vector<Stmt *> body;
      for (auto op = Op::Sqrt; op <= Op::Hypot; op = Op(int(op) + 1)) {
        Expr *value = b.load(x, b.integer(0));
        value = op >= Op::Atan2 ? b.op(op, {value, b.load(x, b.integer(1))}) : b.op(op, {value});
        body.push_back(b.store(x, b.integer(2 + int(op)), value));
      }
      CompileOptions options;
      options.fastMath = fastMath;
      compilePtx(b.finish(body), {}, options);
    }
}

TEST(PtxLanguage, FastMathIsApproximate) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", f32Array());
  Expr *value =
      b.op(Op::TrueDiv, {b.op(Op::Sin, {b.load(x, b.integer(0))}), b.op(Op::Sqrt, {b.load(x, b.integer(1))})});
  auto kernel = b.finish({b.store(x, b.integer(2), value)});
  CompileOptions options;
  options.fastMath = true;
  std::string code = compilePtx(kernel, {}, options).code;
  EXPECT_THAT(code, HasSubstr("sin.approx.ftz.f32"));
  EXPECT_THAT(code, ContainsRegex("(div|rsqrt)\\.approx\\.ftz\\.f32"));
  EXPECT_THAT(code, Not(HasSubstr(".rn.f32")));
}

TEST(PtxLanguage, OptionsBecomeDirectives) {
  CompileOptions options;
  options.maxThreadsPerBlock = 256;
  options.minBlocksPerSm = 2;
  options.maxRegisters = 64;
  options.maxClusterRank = 4;
  std::string code = compilePtx(saxpyKernel(), {}, options).code;
  EXPECT_THAT(code, HasSubstr(".maxntid 256, 1, 1"));
  EXPECT_THAT(code, HasSubstr(".minnctapersm 2"));
  EXPECT_THAT(code, HasSubstr(".maxnreg 64"));
  EXPECT_THAT(code, HasSubstr(".maxclusterrank 4"));
}

TEST(PtxLanguage, LineInformation) {
  TypedBuilder d("device", false);
  d.here = {3, 4, 3, 9};
  auto source = std::make_shared<SourceText>(SourceText{"/home/user/kernels.py", "kernel", 1, ""});
  d.function().source = source;
  Slot *p = d.parameter("p", types::float32());
  d.here = {4, 4, 4, 9};
  auto callee = d.finish({d.giveBack(d.op(Op::Add, {d.read(p), d.real(1, types::float32())}))}, types::float32());
  TypedBuilder b("kernel");
  b.function().source = source;
  b.function().span = {10, 0, 14, 0};
  Slot *x = b.parameter("x", f32Array());
  b.here = {12, 4, 12, 30};
  auto kernel = b.finish({b.store(x, b.integer(0), b.call(callee, {b.load(x, b.integer(1))}))});
  CompileOptions options;
  options.lineInfo = true;
  std::string code = compilePtx(kernel, {}, options).code;
  EXPECT_THAT(code, ContainsRegex("\\.file\t1 \"/home/user.*kernels\\.py\""));
  EXPECT_THAT(code, HasSubstr(".loc\t1 12 5"));
  EXPECT_THAT(code, HasSubstr(".loc\t1 4 5"));
  EXPECT_THAT(compilePtx(kernel).code, Not(HasSubstr(".loc")));
}

TEST(PtxLanguage, DebugChecksRecordTheFirstFailure) {
  CompileOptions options;
  options.debug = true;
  std::string code = compilePtx(saxpyKernel(), {}, options).code;
  EXPECT_THAT(code, HasSubstr(".visible .global .align 4 .b8 treadle_error[40]"));
  EXPECT_THAT(code, HasSubstr("atom.global.cas.b32"));
  EXPECT_THAT(code, HasSubstr("exit;"));
  EXPECT_THAT(compilePtx(saxpyKernel()).code, Not(HasSubstr("treadle_error")));
}

TEST(PtxLanguage, DeviceFunctionsForC) {
  TypedBuilder b("add_one", false);
  Slot *x = b.parameter("x", f32Array()), *k = b.parameter("k", types::int16()),
       *f = b.parameter("f", types::boolean());
  Expr *value = b.convert(b.op(Op::Add, {b.read(k), b.integer(1, types::int16())}), types::float32());
  auto function = b.finish({b.branch(b.read(f), {b.store(x, b.integer(0), value)}),
                            b.giveBack(b.compare(Op::Gt, b.extent(x), b.integer(2)))},
                           types::boolean());
  Image image = compilePtx(function);
  EXPECT_EQ(image.entry, "add_one");
  EXPECT_THAT(image.code, HasSubstr(".visible .func  (.param .b32 func_retval0) add_one("));
  CompileOptions options;
  options.abiName = "other_name";
  EXPECT_EQ(compilePtx(function, {}, options).entry, "other_name");
  EXPECT_THAT(image.code, Not(HasSubstr(".entry")));
}

TEST(PtxLanguage, NamesThatPtxCannotHave) {
  for (const char *name : {"<lambda>", "größe", "add", "ret", "_", "f", "mov", "param", "entry", "tid", "x86$"}) {
    TypedBuilder b(name);
    Slot *x = b.parameter("x", f32Array());
    compilePtx(b.finish({b.store(x, b.integer(0), b.real(1, types::float32()))}));
  }
}

TEST(PtxLanguage, KernelsWithoutParametersOrBody) {
  TypedBuilder b("empty");
  b.parameter("x", f32Array());
  Image image = compilePtx(b.finish({}));
  EXPECT_TRUE(image.parameters.leaves.empty());
  EXPECT_EQ(image.parameters.size, 0u);
  EXPECT_EQ(image.writes, std::vector<bool>{false});
}

TEST(PtxLanguage, EndlessLoopsCompile) {
  TypedBuilder b("kernel");
  Slot *x = b.parameter("x", f32Array());
  compilePtx(b.finish({b.loop(b.boolean(true), {b.store(x, b.integer(0), b.load(x, b.integer(1)))})}));
}

TEST(PtxLanguage, TargetsThatAreTooOld) {
  Target target{Target::Kind::Ptx, 70, {}};
  auto kernel = saxpyKernel();
  EXPECT_THROW(codegen::ptx::PtxGenerator().generate({*kernel, target, {}, {}}, false), UsageError);
}

} // namespace
