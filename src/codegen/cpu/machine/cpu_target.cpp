// The target processor of CPU code: its features, and LLVM's machine for it.
#include "codegen/cpu/machine/cpu_target.h"

#include "border/target.h"
#include "codegen/llvm_option.h"
#include "support/error.h"
#include "support/settings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>
#include <mutex>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Once per process, before the first machine is made; the option is a global of LLVM.
void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    // How far the register allocator searches for blocks in which a value may stay in a register: LLVM's default of
    // 10,000 takes more than half of the time of kernels with a thousand branches, for the same code.
    setLlvmOption("grow-region-complexity-budget", "500");
  });
}

const llvm::Target &targetHere() {
  initializeTarget();
  std::string error;
  const llvm::Target *found = TargetRegistry::lookupTarget(sys::getProcessTriple(), error);
  TREADLE_CHECK(found != nullptr);
  return *found;
}

/// What LLVM knows of a processor: its features and tuning flags.
std::unique_ptr<MCSubtargetInfo> subtargetOf(StringRef processor) {
  return std::unique_ptr<MCSubtargetInfo>(targetHere().createMCSubtargetInfo(sys::getProcessTriple(), processor, ""));
}

/// With implied features, which LLVM's lists omit: x86-64-v4 has avx512vl, which implies avx512f. Sorted.
std::string listed(const StringMap<bool> &features) {
  StringMap<bool> all = features;
  for (const auto &feature : features)
    if (feature.second)
      X86::updateImpliedFeatures(feature.first(), true, all);
  // Disabling a feature also disables those that depend on it.
  for (const auto &feature : features)
    if (!feature.second)
      X86::updateImpliedFeatures(feature.first(), false, all);
  std::vector<std::string> texts;
  for (const auto &feature : all)
    texts.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(texts);
  return join(texts, ",");
}

} // namespace

std::string processorFeatures(const std::string &processor, const std::string &what) {
  const std::string name = processor == "generic" ? "x86-64" : processor;
  if (X86::parseArchX86(name, /*Only64Bit=*/true) == X86::CK_None)
    throw UsageError(UsageError::Kind::Value, what + " is '" + processor +
                                                  "'; it must be a 64-bit x86 processor as LLVM names it, such as "
                                                  "x86-64, x86-64-v3 or skylake");
  SmallVector<StringRef, 64> features;
  X86::getFeaturesForCPU(name, features);
  StringMap<bool> all;
  for (const StringRef feature : features)
    all[feature] = true;
  // A tuning flag, not among the features of a name. LLVM gives it to the level x86-64-v4, too, which AMD's have as
  // well.
  if (!StringRef(name).starts_with("x86-64") && subtargetOf(name)->checkFeatures("+avx512f,+fast-gather"))
    all["fast-gather"] = true;
  return listed(all);
}

namespace {

/// The features of a processor, restricted to those of this machine, which must run the code.
std::string featuresOf(const std::string &processor, const StringMap<bool> &here) {
  StringMap<bool> usable;
  const std::string all = processorFeatures(processor, "TREADLE_CPU");
  for (StringRef feature : split(all, ',')) {
    feature = feature.drop_front();
    const bool isVector = feature.starts_with("avx") || feature.starts_with("sse") || feature == "fma";
    if (here.contains(feature))
      usable[feature] = true;
    else if (isVector)
      throw UsageError(UsageError::Kind::Value, "TREADLE_CPU is '" + processor + "', which has " + feature.str() +
                                                    "; this machine has not: name an older processor");
  }
  return listed(usable);
}

/// By name, whether it is on: the sign is the first character.
StringMap<bool> withSigns(StringRef features) {
  StringMap<bool> all;
  for (const StringRef feature : split(features, ','))
    all[feature.drop_front()] = feature.front() == '+';
  return all;
}

/// LLVM itself would only print a line per kernel for unknown names.
void checkFeatures(const std::string &wanted) {
  const std::unique_ptr<MCSubtargetInfo> known = subtargetOf("");
  SmallVector<StringRef, 32> features;
  StringRef(wanted).split(features, ',');
  for (const StringRef feature : features) {
    const bool isKnown = any_of(known->getAllProcessorFeatures(), [&](const SubtargetFeatureKV &row) {
      return feature.drop_front(std::min<size_t>(feature.size(), 1)) == row.Key;
    });
    if (!isKnown || (feature[0] != '+' && feature[0] != '-'))
      throw UsageError(UsageError::Kind::Value,
                       "TREADLE_CPU_FEATURES has '" + feature.str() +
                           "'; it must list features of x86 processors as LLVM names them, separated by commas, each "
                           "with + or - in front, such as +avx2,+fma,-avx512f");
  }
}

} // namespace

std::string chosenFeatures(const std::string &here) {
  const std::string wanted = settingText(Setting::CpuFeatures);
  if (wanted.empty())
    return featuresOf(settingText(Setting::CpuName), withSigns(here));
  checkFeatures(wanted);
  return listed(withSigns(wanted));
}

namespace {

/// Whole names: `avx512f` must not be found in `avx512fp16`.
bool hasFeature(const std::string &features, const char *name) {
  return ("," + features + ",").find("," + std::string("+") + name + ",") != std::string::npos;
}

} // namespace

/// All of the extensions that routines and intrinsics use: a processor with a part of them gets the next narrower set.
VectorIsa isaOf(const Target &target) {
  if (hasFeature(target.features, "avx512f") && hasFeature(target.features, "avx512vl") &&
      hasFeature(target.features, "avx512dq") && hasFeature(target.features, "avx512bw"))
    return VectorIsa::Avx512;
  if (hasFeature(target.features, "avx2") && hasFeature(target.features, "fma"))
    return VectorIsa::Avx2;
  return VectorIsa::Sse;
}

bool hasFastGathers(const Target &target) { return hasFeature(target.features, "fast-gather"); }

namespace {

/// Position-independent, as the image is loaded anywhere. Standard fusion: only of operations whose flags allow it.
std::unique_ptr<TargetMachine> makeMachine(const std::string &features, CodeGenOptLevel level) {
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      // With its features alone: the name would only choose LLVM's model of its costs.
      targetHere().createTargetMachine(sys::getProcessTriple(), "x86-64", features, options, Reloc::PIC_,
                                       CodeModel::Small, level, true));
}

} // namespace

TargetMachines::Lent machineFor(TargetMachines &machines, const Target &target, unsigned optimization) {
  const bool isOptimized = optimization != 0;
  return machines.take(target.features + (isOptimized ? "" : " plain"), [&] {
    return makeMachine(target.features, isOptimized ? CodeGenOptLevel::Default : CodeGenOptLevel::None);
  });
}

} // namespace treadle::codegen
