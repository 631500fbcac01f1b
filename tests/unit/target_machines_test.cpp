// LLVM's target machines, lent to one compilation after the other, and the passes that are left out.
#include "codegen/target_machines.h"

#include "border/compile_options.h"
#include "border/target.h"
#include "codegen/cpu/machine/cpu_optimizer.h"
#include "codegen/cpu/machine/cpu_target.h"
#include "codegen/emit_file.h"
#include "codegen/ptx/machine_passes.h"
#include "codegen/ptx/ptx_backend.h"
#include "device/cpu/code/cpu_features.h"
#include "tests/unit/ptx_check.h"
#include "tests/unit/sample_kernels.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace treadle::test {
namespace {

using codegen::TargetMachines;

Target hostTarget() {
  Target target;
  target.features = cpu::hostFeatures();
  return target;
}

struct CountedMachines {
  TargetMachines machines;
  int made = 0;

  TargetMachines::Lent take(const std::string &key = "host") {
    return machines.take(key, [&] {
      ++made;
      TargetMachines other;
      TargetMachines::Lent lent = codegen::machineFor(other, hostTarget(), 2);
      return std::unique_ptr<llvm::TargetMachine>(lent->getTarget().createTargetMachine(
          lent->getTargetTriple().str(), "x86-64", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
    });
  }
};

TEST(TargetMachines, AreLentToOneCompilationAtATime) {
  CountedMachines counted;
  {
    const TargetMachines::Lent one = counted.take(), other = counted.take();
    EXPECT_NE(&*one, &*other);
    EXPECT_EQ(counted.made, 2);
  }
  const TargetMachines::Lent one = counted.take(), other = counted.take();
  EXPECT_NE(&*one, &*other);
  EXPECT_EQ(counted.made, 2);
}

TEST(TargetMachines, AreLentForTheirTargetOnly) {
  CountedMachines counted;
  const llvm::TargetMachine *const one = &*counted.take("one");
  EXPECT_NE(&*counted.take("other"), one);
  EXPECT_EQ(&*counted.take("one"), one);
  EXPECT_EQ(counted.made, 2);
}

TEST(TargetMachines, AreLentAsTheyWereMade) {
  CountedMachines counted;
  counted.take()->Options.UnsafeFPMath = true;
  EXPECT_FALSE(counted.take()->Options.UnsafeFPMath);
  EXPECT_EQ(counted.made, 1);
}

TEST(TargetMachines, AreNotKeptForever) {
  CountedMachines counted;
  for (int i = 0; i < 2000; ++i)
    counted.take();
  EXPECT_GT(counted.made, 1);
  EXPECT_LT(counted.made, 100);
}

void takeAtOnce(CountedMachines &counted, int machines) {
  const TargetMachines::Lent lent = counted.take();
  if (machines > 1)
    takeAtOnce(counted, machines - 1);
}

TEST(TargetMachines, AreFewWhenIdle) {
  CountedMachines counted;
  takeAtOnce(counted, 20);
  takeAtOnce(counted, 20);
  EXPECT_GT(counted.made, 30);
  EXPECT_LT(counted.made, 40);
}

TEST(TargetMachines, MakeTheSameCodeAgain) {
  CompileOptions fast;
  fast.fastMath = true;
  codegen::ptx::PtxGenerator generator;
  const auto kernel = saxpyKernel();
  const auto codeWith = [&](const CompileOptions &options) {
    return generator.generate({*kernel, sm90, {}, options}, false).code;
  };
  const std::string first = codeWith({});
  EXPECT_NE(codeWith(fast), "");
  EXPECT_EQ(codeWith({}), first);
}

std::string ptxOf(const std::string &source) {
  llvm::SMDiagnostic problem;
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(source, problem, context);
  EXPECT_NE(module, nullptr) << problem.getMessage().str();
  TargetMachines machines;
  const codegen::ptx::PtxBackend backend(machines, sm90, {});
  backend.prepare(*module);
  return backend.assemble(*module);
}

/// A function that calls another one, as often as is said, and passes each result on.
std::string callsInARow(int calls) {
  std::string source = "declare double @f(double)\ndefine double @kernel(double %v0) {\n";
  for (int i = 0; i < calls; ++i)
    source += "  %v" + std::to_string(i + 1) + " = call double @f(double %v" + std::to_string(i) + ")\n";
  return source + "  ret double %v" + std::to_string(calls) + "\n}\n";
}

/// The register of each instruction that begins like this.
std::vector<std::string> registersOf(const std::string &ptx, const std::string &instruction) {
  const std::regex pattern("\\t" + instruction + "[^\\n]*?(%fd\\d+)");
  std::vector<std::string> found;
  for (auto match = std::sregex_iterator(ptx.begin(), ptx.end(), pattern); match != std::sregex_iterator(); ++match)
    found.push_back((*match)[1]);
  return found;
}

TEST(EmitFile, PassesResultsOfCallsOnWithoutCopies) {
  const std::string ptx = ptxOf(callsInARow(3));
  // The parameter of the function and three results; what three calls get, and what the function returns.
  EXPECT_EQ(registersOf(ptx, "ld.param.f64").size(), 4U) << ptx;
  EXPECT_EQ(registersOf(ptx, "ld.param.f64"), registersOf(ptx, "st.param.f64")) << ptx;
  EXPECT_EQ(ptx.find("mov."), std::string::npos) << ptx;
}

TEST(EmitFile, DoesNotSayWhatWasCompiledBefore) {
  const std::string first = ptxOf(callsInARow(2));
  EXPECT_NE(ptxOf(callsInARow(5)), first);
  EXPECT_EQ(ptxOf(callsInARow(2)), first);
  EXPECT_NE(first.find("call.uni"), std::string::npos);
}

void expectKnown(std::span<const std::string_view> passes) {
  for (const std::string_view name : passes)
    EXPECT_NE(llvm::PassRegistry::getPassRegistry()->getPassInfo(llvm::StringRef(name)), nullptr) << name;
}

TEST(EmitFile, ChangesPassesThatLlvmKnows) {
  TargetMachines machines;
  compilePtx(saxpyKernel());
  llvm::LLVMContext context;
  llvm::Module module("empty", context);
  const TargetMachines::Lent machine = codegen::machineFor(machines, hostTarget(), 2);
  module.setDataLayout(machine->createDataLayout());
  codegen::emitFile(module, *machine, llvm::CodeGenFileType::ObjectFile);
  expectKnown(codegen::idlePasses());
  const codegen::PassChanges onGpus = codegen::ptx::machinePasses(module);
  expectKnown(onGpus.idle);
  for (const codegen::PassChanges::Replaced &replaced : onGpus.replaced)
    expectKnown({&replaced.name, 1});
}

bool has(const std::vector<std::string_view> &names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

TEST(EmitFile, LeavesOutWhatTakesLongWhereThereAreManyBlocks) {
  llvm::LLVMContext context;
  llvm::Module module("large", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "kernel", module);
  const auto grow = [&](unsigned blocks) {
    while (function->size() < blocks)
      llvm::BasicBlock::Create(context, "", function);
  };
  grow(500);
  EXPECT_TRUE(codegen::idleOfLarge(module).empty());
  grow(501);
  EXPECT_TRUE(has(codegen::idleOfLarge(module), "early-machinelicm"));
  EXPECT_FALSE(has(codegen::idleOfLarge(module), "machine-scheduler"));
  expectKnown(codegen::idleOfLarge(module));
  grow(1000);
  EXPECT_FALSE(has(codegen::ptx::machinePasses(module).idle, "machine-sink"));
  grow(1001);
  EXPECT_TRUE(has(codegen::ptx::machinePasses(module).idle, "machine-sink"));
  compilePtx(saxpyKernel());
  expectKnown(codegen::ptx::machinePasses(module).idle);
}

TEST(EmitFile, LeavesOutWhatTakesLongWhereABlockIsLong) {
  llvm::LLVMContext context;
  llvm::Module module("long", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "kernel", module);
  auto *block = llvm::BasicBlock::Create(context, "", function);
  const auto grow = [&](unsigned instructions) {
    while (block->size() < instructions)
      new llvm::UnreachableInst(context, block);
  };
  grow(500);
  EXPECT_TRUE(codegen::idleOfLarge(module).empty());
  grow(501);
  EXPECT_EQ(codegen::idleOfLarge(module), std::vector<std::string_view>{"machine-scheduler"});
  expectKnown(codegen::idleOfLarge(module));
  grow(1000);
  EXPECT_FALSE(has(codegen::ptx::machinePasses(module).idle, "nary-reassociate"));
  grow(1001);
  EXPECT_TRUE(has(codegen::ptx::machinePasses(module).idle, "nary-reassociate"));
  compilePtx(saxpyKernel());
  expectKnown(codegen::ptx::machinePasses(module).idle);
}

} // namespace
} // namespace treadle::test
