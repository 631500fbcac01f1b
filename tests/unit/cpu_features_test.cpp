// The features of processors, against what LLVM knows of them.
#include "device/cpu/cpu_features.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace treadle::cpu {
namespace {

std::set<std::string> implied(const std::string &name) {
  llvm::StringMap<bool> all;
  llvm::X86::updateImpliedFeatures(name, true, all);
  std::set<std::string> names{name};
  for (const auto &feature : all)
    names.insert(feature.first().str());
  return names;
}

/// LLVM 19 looks for AVX10's vectors of 512 bits in what another question has left in a register.
constexpr const char *misread = "avx10.1-512";

TEST(CpuFeatures, AreThoseThatLlvmSeesHere) {
  std::set<std::string> expected, known{misread}, found;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    known.insert(feature.first().str());
    if (feature.second)
      expected.merge(implied(feature.first().str()));
  }
  std::istringstream text(hostFeatures());
  for (std::string name; std::getline(text, name, ',');)
    found.insert(name.substr(1));
  found.erase(misread);
  expected.erase(misread);
  EXPECT_EQ(found, expected);
  for (const std::string_view name : reportedFeatures())
    EXPECT_EQ(known.erase(std::string(name)), 1) << name;
  known.erase("evex512"); // LLVM adds what AVX-512 implies
  EXPECT_EQ(known, std::set<std::string>());
}

TEST(CpuFeatures, ImplyWhatTheyDoInLlvm) {
  for (const std::string_view name : reportedFeatures()) {
    const std::vector<std::string_view> all = withImplied({name});
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()), implied(std::string(name))) << name;
  }
}

/// A processor with all features, and a system that saves some of its registers.
class Processor final : public CpuDescription {
public:
  explicit Processor(uint64_t saved, uint32_t basic = ~0u) : saved(saved), basic(basic) {}
  Registers cpuid(uint32_t leaf, uint32_t) const override { return {~0u, ~0u, leaf == 1 ? basic : ~0u, ~0u}; }
  uint64_t savedState() const override { return saved; }

private:
  const uint64_t saved;
  const uint32_t basic;
};

bool has(const Processor &processor, const std::string &name) {
  return ("," + featuresOf(processor) + ",").find(",+" + name + ",") != std::string::npos;
}

constexpr uint64_t sse = 0x3, ymm = 0x7, zmm = 0xe7, tiles = 0x60000;

TEST(CpuFeatures, NeedASystemThatSavesTheirRegisters) {
  // AVX10 says all by itself; nothing else may imply what is asked for.
  const auto with = [](uint64_t saved, const std::string &name) {
    class Older final : public CpuDescription {
    public:
      explicit Older(uint64_t saved) : saved(saved) {}
      Registers cpuid(uint32_t leaf, uint32_t subleaf) const override {
        return leaf == 7 && subleaf == 1 ? Registers{~0u, 0, 0, ~0u & ~(1u << 19)}
               : leaf == 0x24            ? Registers{}
                                         : Registers{~0u, ~0u, ~0u, ~0u};
      }
      uint64_t savedState() const override { return saved; }
      const uint64_t saved;
    };
    return ("," + featuresOf(Older(saved)) + ",").find(",+" + name + ",") != std::string::npos;
  };
  EXPECT_TRUE(with(sse, "sse4.2") && !with(sse, "avx") && !with(sse, "xsave") && !with(sse, "avx512f"));
  EXPECT_TRUE(with(ymm, "avx") && with(ymm, "fma") && with(ymm, "avx2") && !with(ymm, "avx512f"));
  EXPECT_TRUE(with(zmm, "avx512f") && with(zmm, "avx512fp16") && !with(zmm, "amx-tile"));
  EXPECT_TRUE(with(zmm | tiles, "amx-tile") && with(zmm | tiles, "amx-fp16"));
  EXPECT_FALSE(with(0xe0, "avx512f")) << "without the lower halves";
}

TEST(CpuFeatures, NeedASystemThatSaysWhatItSaves) {
  EXPECT_TRUE(has(Processor(zmm), "avx2"));
  const Processor silent(zmm, ~(1u << 27));
  EXPECT_TRUE(!has(silent, "fma4") && !has(silent, "xsave") && has(silent, "sse4.2"));
}

TEST(CpuFeatures, MissingOnesAreNamed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(missingFeatures("+avx,+avx2,-avx512f,+fma", "+avx,+sse2"), (Names{"avx2", "fma"}));
  EXPECT_EQ(missingFeatures("+avx", "+avx"), Names{});
  EXPECT_EQ(missingFeatures("+avx", "+avx2"), Names{"avx"});
  EXPECT_EQ(missingFeatures("", ""), Names{});
  EXPECT_EQ(missingFeatures("+slow-3ops-lea,-avx", ""), Names{});
}

} // namespace
} // namespace treadle::cpu
