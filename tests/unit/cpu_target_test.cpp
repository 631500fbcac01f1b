// What is known of processors by name is what LLVM makes code for.
#include "codegen/cpu/machine/cpu_target.h"

#include "border/target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace treadle::test {
namespace {

using codegen::VectorIsa;

VectorIsa isaOfProcessor(const std::string &name) {
  Target target;
  target.kind = Target::Kind::Cpu;
  target.features = codegen::processorFeatures(name, "this");
  return codegen::isaOf(target);
}

TEST(CpuTarget, EveryNamedProcessorHasTheInstructionSetThatLlvmGivesIt) {
  llvm::InitializeNativeTarget();
  std::string error;
  const std::string triple = llvm::sys::getProcessTriple();
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::SmallVector<llvm::StringRef, 128> names;
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  EXPECT_GT(names.size(), 60u);
  for (const llvm::StringRef name : names) {
    const std::unique_ptr<llvm::MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, name, ""));
    const bool hasAvx512 = known->checkFeatures("+avx512f,+avx512vl,+avx512dq,+avx512bw");
    const bool hasAvx2 = known->checkFeatures("+avx2,+fma");
    const VectorIsa expected = hasAvx512 ? VectorIsa::Avx512 : hasAvx2 ? VectorIsa::Avx2 : VectorIsa::Sse;
    EXPECT_EQ(isaOfProcessor(name.str()), expected) << name.str();
  }
}

TEST(CpuTarget, LevelsOfX86) {
  EXPECT_EQ(isaOfProcessor("x86-64"), VectorIsa::Sse);
  EXPECT_EQ(isaOfProcessor("x86-64-v2"), VectorIsa::Sse);
  EXPECT_EQ(isaOfProcessor("x86-64-v3"), VectorIsa::Avx2);
  EXPECT_EQ(isaOfProcessor("x86-64-v4"), VectorIsa::Avx512);
}

TEST(CpuTarget, GathersAreFastOnNamedProcessorsOfIntelThatHaveAvx512) {
  for (const auto &[name, expected] :
       {std::pair("skylake-avx512", true), std::pair("rocketlake", true), std::pair("znver4", false),
        std::pair("x86-64-v4", false), std::pair("skylake", false)}) {
    Target target;
    target.features = codegen::processorFeatures(name, "this");
    EXPECT_EQ(codegen::hasFastGathers(target), expected) << name;
  }
}

} // namespace
} // namespace treadle::test
