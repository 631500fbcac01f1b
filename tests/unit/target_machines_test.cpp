// LLVM's target machines, lent to one compilation after the other, and the passes that are left out.
#include "codegen/target_machines.h"

#include "codegen/cpu/cpu_target.h"
#include "codegen/emit_file.h"
#include "tests/unit/ptx_check.h"
#include "tests/unit/sample_kernels.h"

#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace treadle::test {
namespace {

using codegen::TargetMachines;

struct CountedMachines {
  TargetMachines machines;
  int made = 0;

  TargetMachines::Lent take(const std::string &key = "host") {
    return machines.take(key, [&] {
      ++made;
      TargetMachines other;
      TargetMachines::Lent lent = codegen::machineFor(other, codegen::cpuHostTarget(), 2);
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

TEST(EmitFile, LeavesOutPassesThatLlvmKnows) {
  TargetMachines machines;
  compilePtx(saxpyKernel());
  llvm::LLVMContext context;
  llvm::Module module("empty", context);
  const TargetMachines::Lent machine = codegen::machineFor(machines, codegen::cpuHostTarget(), 2);
  module.setDataLayout(machine->createDataLayout());
  codegen::emitFile(module, *machine, llvm::CodeGenFileType::ObjectFile);
  for (const std::string_view name : codegen::idlePasses())
    EXPECT_NE(llvm::PassRegistry::getPassRegistry()->getPassInfo(llvm::StringRef(name)), nullptr) << name;
}

} // namespace
} // namespace treadle::test
