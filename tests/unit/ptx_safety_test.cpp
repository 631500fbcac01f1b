// What prevents LLVM from ending the process, and compilations from affecting each other.
#include "codegen/ptx/legality.h"
#include "ptx_check.h"
#include "sample_kernels.h"
#include "support/error.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>

#include <thread>

namespace {

using namespace treadle;
using namespace treadle::test;

/// The checker's message for a function with these instructions on %p (a pointer), %x (double) and %i (i64).
std::string verdict(const std::string &instructions) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString("declare double @llvm.sin.f64(double)\n"
                                          "declare double @llvm.exp.f64(double)\n"
                                          "declare double @llvm.fma.f64(double, double, double)\n"
                                          "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                          "define void @f(ptr %p, double %x, i64 %i, i128 %wide) {\n" +
                                              instructions + "\n  ret void\n}\n",
                                          diagnostic, context);
  if (!module)
    return "does not parse: " + diagnostic.getMessage().str();
  try {
    codegen::ptx::checkLegality(*module);
  } catch (const InternalError &error) {
    return error.what();
  }
  return "legal";
}

TEST(PtxLegality, AllowsWhatIsSelected) {
  for (const char *instructions :
       {"%a = call double @llvm.fma.f64(double %x, double %x, double %x)", "%a = sdiv i64 %i, 3",
        "%a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", "%a = atomicrmw fadd ptr %p, double %x monotonic, align 8",
        "%a = load <2 x double>, ptr %p", "%a = alloca [4 x i8]", "store { double, i1 } zeroinitializer, ptr %p",
        "%a = addrspacecast ptr %p to ptr addrspace(1)",
        "%a = zext i64 %i to i65\n %b = mul i65 %a, %a\n %c = lshr i65 %b, 1"})
    EXPECT_EQ(verdict(instructions), "legal") << instructions;
}

TEST(PtxLegality, NamesWhatWouldEndTheProcess) {
  for (const char *instructions :
       {"%a = call double @llvm.sin.f64(double %x)", "%a = call double @llvm.exp.f64(double %x)", "fence seq_cst",
        "%a = frem double %x, %x", "%a = load atomic i32, ptr %p acquire, align 4",
        "store atomic i32 0, ptr %p seq_cst, align 4", "%a = udiv i128 %wide, 3", "%a = alloca i8, i64 %i",
        "%a = fpext double %x to fp128", "%a = zext i128 %wide to i256"})
    EXPECT_THAT(verdict(instructions), testing::HasSubstr("NVPTX cannot select")) << instructions;
}

TEST(PtxLegality, SumsOverTriangularLoops) {
  // LLVM may replace such a loop by the closed form of its sum, in 65 bits.
  TypedBuilder b("triangle");
  Slot *x = b.parameter("x", types::array(types::int64(), {})), *n = b.parameter("n", types::int64());
  Slot *i = b.local("i", types::int64()), *sum = b.local("sum", types::int64());
  Stmt *add = b.assign(sum, b.op(Op::Add, {b.read(sum), b.op(Op::Mul, {b.read(i), b.read(i)})}));
  Image image =
      compilePtx(b.finish({b.assign(sum, b.integer(0)), b.count(i, {b.grid(), b.read(n), b.integer(1)}, {add}),
                           b.store(x, b.integer(0), b.read(sum))}));
  EXPECT_NE(image.code, "");
}

TEST(PtxThreads, CompilationsAtOnceGiveTheSameCode) {
  const std::vector<TypedRef> kernels{saxpyKernel(), gridStrideKernel(), mandelbrotKernel(), tiledMatmulKernel(),
                                      stencilKernel()};
  codegen::ptx::PtxGenerator generator;
  auto compile = [&](const TypedRef &kernel) {
    return generator.generate({*kernel, sm90, allFacts(), {}}, false).code;
  };
  std::vector<std::string> expected;
  for (const TypedRef &kernel : kernels)
    expected.push_back(compile(kernel));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t k = 0; k < 2 * kernels.size(); ++k) {
        size_t which = (k + size_t(t)) % kernels.size();
        wrong += compile(kernels[which]) != expected[which];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
