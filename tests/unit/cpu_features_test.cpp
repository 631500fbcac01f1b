// The features of processors, of which the answers to CPUID were recorded.
#include "device/cpu/code/cpu_features.h"

#include "border/target.h"
#include "codegen/cpu/machine/cpu_target.h"
#include "tests/unit/recorded_processors.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace treadle::cpu {
namespace {

using Names = std::set<std::string>;

Names namesIn(const std::string &list, char separator = ' ') {
  Names names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, separator);)
    names.insert(name.substr(name.find_first_not_of('+')));
  return names;
}

Names featuresFound(const CpuidAnswers &answers) { return namesIn(featuresOf(answers), ','); }

/// The last of the levels of the x86-64 psABI all of whose instructions the processor has.
int levelOf(const Names &features) {
  const Names needs[] = {
      {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"},
      {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"},
      {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"},
  };
  int level = 1;
  for (const Names &more : needs) {
    if (!std::ranges::includes(features, more))
      break;
    ++level;
  }
  return level;
}

TEST(CpuFeatures, AreThoseOfTheProcessorsThatWereRecorded) {
  for (const RecordedProcessor &processor : recordedProcessors()) {
    const Names found = featuresFound(processor.answers);
    EXPECT_EQ(found, namesIn(processor.features)) << processor.name;
    EXPECT_EQ(levelOf(found), processor.level) << processor.name;
    Target target;
    target.features = featuresOf(processor.answers);
    EXPECT_EQ(codegen::isaOf(target), processor.isa) << processor.name;
  }
}

TEST(CpuFeatures, GathersAreFastOnProcessorsOfIntelThatHaveAvx512) {
  const auto isFast = [](CpuidAnswers answers) { return namesIn(featuresOf(answers), ',').contains("fast-gather"); };
  for (const RecordedProcessor &processor : recordedProcessors()) {
    CpuidAnswers answers = processor.answers;
    EXPECT_FALSE(isFast(answers)) << processor.name << " of a maker that is not known";
    answers.leaf0 = {answers.leaf0.eax, 0x756e6547, 0x6c65746e, 0x49656e69}; // GenuineIntel
    EXPECT_EQ(isFast(answers), processor.isa == math::VectorIsa::Avx512) << processor.name;
    EXPECT_EQ(missingFeatures(featuresOf(answers), processor.features),
              missingFeatures(featuresOf(processor.answers), processor.features))
        << "no need";
    answers.hasSlowGathers = true;
    EXPECT_FALSE(isFast(answers)) << processor.name;
    answers.leaf0 = {answers.leaf0.eax, 0x68747541, 0x444d4163, 0x69746e65}; // AuthenticAMD
    answers.hasSlowGathers = false;
    EXPECT_FALSE(isFast(answers)) << processor.name;
  }
}

TEST(CpuFeatures, OfThisMachineRunTheProgramsOfItsSystem) {
  // Whatever it is: what the x86-64 ABI has, and nothing that needs what it has not.
  const Names found = namesIn(hostFeatures(), ',');
  EXPECT_TRUE(found.contains("sse2"));
  for (const std::string &name : found)
    for (const std::string_view implied : withImplied(name))
      EXPECT_TRUE(found.contains(std::string(implied))) << name << " without " << implied;
}

Names impliedInLlvm(const std::string &name) {
  llvm::StringMap<bool> all;
  llvm::X86::updateImpliedFeatures(name, true, all);
  Names names{name};
  for (const auto &feature : all)
    names.insert(feature.first().str());
  return names;
}

TEST(CpuFeatures, ImplyWhatTheyDoInLlvm) {
  for (const std::string_view name : knownFeatures()) {
    const std::vector<std::string_view> all = withImplied(name);
    EXPECT_EQ(Names(all.begin(), all.end()), impliedInLlvm(std::string(name))) << name;
  }
}

TEST(CpuFeatures, AreSorted) { EXPECT_TRUE(std::ranges::is_sorted(knownFeatures())); }

/// Otherwise a processor that is named would be refused on a machine that is one.
TEST(CpuFeatures, HaveTheVectorsOfEachProcessorThatLlvmKnows) {
  const std::vector<std::string_view> known = knownFeatures();
  llvm::SmallVector<llvm::StringRef, 128> processors;
  llvm::X86::fillValidCPUArchList(processors, /*Only64Bit=*/true);
  for (const llvm::StringRef processor : processors)
    for (const std::string &name : namesIn(codegen::processorFeatures(processor.str(), "this"), ','))
      if (name.starts_with("avx") || name.starts_with("sse") || name.starts_with("fma"))
        EXPECT_TRUE(std::ranges::find(known, name) != known.end()) << processor.str() << " has " << name;
}

/// Processors answer for a leaf that they have not with those of another, or with anything.
TEST(CpuFeatures, AreNotReadFromLeavesThatThereAreNot) {
  constexpr CpuidAnswers::Registers all{~0u, ~0u, ~0u, ~0u};
  CpuidAnswers answers{.leaf0 = {7, 0, 0, 0},
                       .leaf1 = all,
                       .leaf7 = {1, ~0u, ~0u, ~0u},
                       .leaf7Subleaf1 = all,
                       .extended0 = {0x80000001, 0, 0, 0},
                       .extended1 = all,
                       .savedState = 0xe7};
  const auto has = [&](const std::string &name) { return featuresFound(answers).contains(name); };
  EXPECT_EQ(featuresFound(answers).size(), knownFeatures().size());
  answers.leaf7.eax = 0;
  EXPECT_TRUE(has("avx2") && has("avx512fp16") && !has("avxvnni") && !has("avx512bf16") && !has("avxvnniint8"));
  answers.leaf0.eax = 6;
  EXPECT_TRUE(has("fma") && has("lzcnt") && !has("avx2") && !has("bmi") && !has("gfni"));
  for (const uint32_t last : {0x80000000u, 0u, 0x0fu, ~0u}) {
    answers.extended0.eax = last;
    EXPECT_TRUE(has("fma") && !has("lzcnt") && !has("sse4a")) << last;
  }
  answers.leaf0.eax = 0;
  EXPECT_EQ(featuresOf(answers), "");
}

CpuidAnswers sapphireRapids() { return recordedProcessor("Sapphire Rapids").answers; }

TEST(CpuFeatures, NeedASystemThatSavesTheirRegisters) {
  const auto with = [](uint64_t saved) {
    CpuidAnswers answers = sapphireRapids();
    answers.savedState = saved;
    return featuresFound(answers);
  };
  constexpr uint64_t sse = 0x3, ymm = 0x7;
  for (const uint64_t saved : {uint64_t(0), sse, uint64_t(5), uint64_t(0xe3)}) {
    const Names found = with(saved);
    EXPECT_TRUE(found.contains("sse4.2") && found.contains("bmi2") && found.contains("gfni")) << saved;
    EXPECT_FALSE(found.contains("avx") || found.contains("f16c") || found.contains("avx512f")) << saved;
  }
  // Each of the three parts of AVX-512's state alone is too little: masks, upper halves, registers 16 to 31.
  for (const uint64_t saved : {ymm, ymm | 0x20, ymm | 0x60, ymm | 0xa0, ymm | 0xc0}) {
    const Names found = with(saved);
    EXPECT_TRUE(found.contains("avx2") && found.contains("fma") && found.contains("avxvnni")) << saved;
    EXPECT_FALSE(found.contains("avx512f") || found.contains("avx512fp16") || found.contains("avx512bf16")) << saved;
  }
  EXPECT_TRUE(with(ymm | 0xe0).contains("avx512fp16"));
}

TEST(CpuFeatures, NeedASystemThatSaysWhatItSaves) {
  CpuidAnswers answers = sapphireRapids();
  answers.leaf1.ecx &= ~(1u << 27);
  const Names found = featuresFound(answers);
  EXPECT_TRUE(found.contains("sse4.2") && !found.contains("avx") && !found.contains("avx512f"));
}

/// A hypervisor may mask one bit and leave those of what needs it.
TEST(CpuFeatures, NeedWhatTheyImply) {
  CpuidAnswers answers = sapphireRapids();
  answers.leaf1.ecx &= ~(1u << 12);
  Names found = featuresFound(answers);
  EXPECT_TRUE(found.contains("avx2") && !found.contains("fma") && !found.contains("avx512f") &&
              !found.contains("avx512vl"));
  answers = sapphireRapids();
  answers.leaf7.ebx &= ~(1u << 30);
  found = featuresFound(answers);
  EXPECT_TRUE(found.contains("avx512f") && found.contains("avx512dq") && !found.contains("avx512vbmi") &&
              !found.contains("avx512fp16"));
}

TEST(CpuFeatures, MissingOnesAreNamed) {
  using List = std::vector<std::string>;
  EXPECT_EQ(missingFeatures("+avx,+avx2,-avx512f,+fma", "+avx,+sse2"), (List{"avx2", "fma"}));
  EXPECT_EQ(missingFeatures("+avx", "+avx"), List{});
  EXPECT_EQ(missingFeatures("+avx", "+avx2"), List{"avx"});
  EXPECT_EQ(missingFeatures("", ""), List{});
  EXPECT_EQ(missingFeatures("+slow-3ops-lea,-avx,+sgx,+rdrnd", ""), List{}) << "LLVM does not use them unasked";
  EXPECT_EQ(missingFeatures("+avx10.1-512,+egpr", hostFeatures()), (List{"avx10.1-512", "egpr"}));
}

} // namespace
} // namespace treadle::cpu
