// Small modules in LLVM's IR, linked and loaded.
#include "codegen/cpu/machine/object_linker.h"

#include "border/image.h"
#include "codegen/cpu/machine/cpu_target.h"
#include "codegen/emit_file.h"
#include "device/cpu/code/code_functions.h"
#include "device/cpu/code/code_loader.h"
#include "device/cpu/code/cpu_features.h"
#include "support/error.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <string>

namespace treadle::test {
namespace {

Image linked(const std::string &source) {
  llvm::SMDiagnostic problem;
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(source, problem, context);
  EXPECT_NE(module, nullptr) << problem.getMessage().str();
  Image image;
  image.target.features = cpu::hostFeatures();
  image.entry = "entry";
  codegen::TargetMachines machines;
  const codegen::TargetMachines::Lent machine = codegen::machineFor(machines, image.target, 2);
  module->setTargetTriple(machine->getTargetTriple().str());
  module->setDataLayout(machine->createDataLayout());
  codegen::linkObject(codegen::emitFile(*module, *machine, llvm::CodeGenFileType::ObjectFile), image);
  return image;
}

int64_t call(const cpu::NativeCode &code, int64_t argument) {
  return reinterpret_cast<int64_t (*)(int64_t)>(code.entry)(argument);
}

int64_t resultOf(const std::string &source, int64_t argument) {
  return call(cpu::loadCode(linked(source), {}), argument);
}

std::vector<std::string> symbolsOf(const Image &image) {
  std::vector<std::string> names;
  for (const CodeFixup &fixup : image.cpu().layout.fixups)
    names.push_back(fixup.symbol);
  return names;
}

constexpr const char *tableOfPointers = R"(
@one = internal constant i64 11
@other = internal constant i64 22
@table = internal constant [2 x ptr] [ptr @one, ptr @other]
define i64 @entry(i64 %i) {
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %place = load ptr, ptr %slot
  %value = load volatile i64, ptr %place
  ret i64 %value
})";

TEST(ObjectLinker, ResolvesWhatIsWithin) {
  const Image image = linked(tableOfPointers);
  EXPECT_EQ(image.cpu().layout.bytes[LinkedLayout::Data], 0u) << "constants with addresses are constants";
  EXPECT_EQ(symbolsOf(image), (std::vector<std::string>{"", ""}));
  const cpu::NativeCode code = cpu::loadCode(image, {});
  EXPECT_EQ(call(code, 0), 11);
  EXPECT_EQ(call(code, 1), 22);
}

TEST(ObjectLinker, ReachesWhatIsFarAway) {
  const char *source = R"(
declare double @floor(double)
declare double @ceil(double)
define i64 @entry(i64 %i) {
  %x = sitofp i64 %i to double
  %half = fdiv double %x, 2.0
  %down = call double @floor(double %half) nobuiltin
  %up = call double @ceil(double %half) nobuiltin
  %again = call double @floor(double %up) nobuiltin
  %scaled = fmul double %down, 1000.0
  %sum = fadd double %scaled, %again
  %result = fptosi double %sum to i64
  ret i64 %result
})";
  EXPECT_EQ(resultOf(source, 7), 3004);
  EXPECT_EQ(resultOf(source, -7), -4003);
  EXPECT_EQ(symbolsOf(linked(source)).size(), 2u) << "one word for each function";
}

TEST(ObjectLinker, KeepsVariables) {
  const cpu::NativeCode code = cpu::loadCode(linked(R"(
@count = internal global i64 40
@zero = internal global [600 x i64] zeroinitializer
define i64 @entry(i64 %i) {
  %old = load i64, ptr @count
  %new = add i64 %old, %i
  store i64 %new, ptr @count
  %slot = getelementptr [600 x i64], ptr @zero, i64 0, i64 599
  %before = load i64, ptr %slot
  store i64 %new, ptr %slot
  %sum = add i64 %new, %before
  ret i64 %sum
})"),
                                             {});
  EXPECT_EQ(call(code, 2), 42);
  EXPECT_EQ(call(code, 1), 43 + 42);
}

TEST(ObjectLinker, NamesCapturedArrays) {
  Image image = linked(R"(
@treadle_captured_1 = external global i64
define i64 @entry(i64 %i) {
  %value = load i64, ptr @treadle_captured_1
  ret i64 %value
})");
  image.captured.resize(2);
  const uint64_t captured[] = {3, 5};
  EXPECT_EQ(call(cpu::loadCode(image, captured), 0), 5);
}

TEST(ObjectLinker, LeavesOutWhatNothingUses) {
  const std::string entry = "define i64 @entry(i64 %i) nounwind {\n  ret i64 %i\n}\n";
  const Image image = linked(entry + "@text = constant [5000 x i8] zeroinitializer, section \".rodata.unused\"\n");
  EXPECT_LT(image.code.size(), 100u);
  EXPECT_TRUE(image.cpu().layout.fixups.empty() && image.cpu().debug.object.empty());
  EXPECT_EQ(image.cpu().layout.memoryBytes(), 4096u);
}

TEST(ObjectLinker, RefusesSymbolsThatTheTableHasNot) {
  for (const char *name : {"puts", "treadle_cpu_other", "treadle_vm_other_f32_sse", "expf"})
    try {
      linked("declare void @" + std::string(name) + "()\ndefine i64 @entry(i64 %i) {\n  call void @" + name +
             "()\n  ret i64 0\n}\n");
      ADD_FAILURE() << name;
    } catch (const InternalError &error) {
      EXPECT_NE(std::string(error.what()).find("there is no symbol " + std::string(name)), std::string::npos)
          << error.what();
    }
}

TEST(ObjectLinker, GivesEqualImages) {
  const Image first = linked(tableOfPointers);
  const std::string held(1 << 16, 'x'); // memory of another process would be elsewhere
  const Image second = linked(tableOfPointers);
  EXPECT_EQ(first.code, second.code);
  EXPECT_EQ(first.cpu().layout, second.cpu().layout);
}

} // namespace
} // namespace treadle::test
