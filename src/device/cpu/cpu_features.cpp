// The numbers are those of the manuals of Intel and AMD for the instruction CPUID.
#include "device/cpu/cpu_features.h"

#include <algorithm>
#include <cpuid.h>
#include <iterator>

namespace treadle::cpu {

namespace {

/// Registers that an instruction uses, and that the system must save when threads take turns.
enum class State : uint8_t { Any, Ymm, Zmm, Tiles };

struct Question {
  uint32_t leaf, subleaf;
  uint32_t CpuDescription::Registers::*answer;
};

using Registers = CpuDescription::Registers;
constexpr Question basic{1, 0, &Registers::ecx}, first{1, 0, &Registers::edx};
constexpr Question extended{7, 0, &Registers::ebx}, vectors{7, 0, &Registers::ecx}, tiles{7, 0, &Registers::edx};
constexpr Question later{7, 1, &Registers::eax}, latest{7, 1, &Registers::edx};
constexpr Question saves{13, 1, &Registers::eax}, traces{0x14, 0, &Registers::ebx}, keys{0x19, 0, &Registers::ebx};
constexpr Question avx10{0x24, 0, &Registers::ebx};
constexpr Question amd{0x80000001, 0, &Registers::ecx}, amdFirst{0x80000001, 0, &Registers::edx};
constexpr Question amdLater{0x80000008, 0, &Registers::ebx};

struct FeatureRow {
  char name[20]; ///< no pointer, which would be set whenever the library is loaded
  Question question;
  unsigned bit;
  State state = State::Any;
  std::string_view implied = {}; ///< directly; separated by spaces
};

constexpr auto ymm = State::Ymm, zmm = State::Zmm, amx = State::Tiles, any = State::Any;

constexpr FeatureRow rows[] = {
    {"64bit", amdFirst, 29},
    {"adx", extended, 19},
    {"aes", basic, 25, any, "sse2"},
    {"amx-bf16", tiles, 22, amx, "amx-tile"},
    {"amx-complex", latest, 8, amx, "amx-tile"},
    {"amx-fp16", later, 21, amx, "amx-tile"},
    {"amx-int8", tiles, 25, amx, "amx-tile"},
    {"amx-tile", tiles, 24, amx},
    {"avx", basic, 28, ymm, "sse4.2"},
    {"avx10.1-256", latest, 19, any,
     "avx512bf16 avx512bitalg avx512cd avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512vpopcntdq vaes "
     "vpclmulqdq"},
    {"avx10.1-512", avx10, 18, any, "avx10.1-256 evex512"},
    {"avx2", extended, 5, ymm, "avx"},
    {"avx512bf16", later, 5, zmm, "avx512bw"},
    {"avx512bitalg", vectors, 12, zmm, "avx512bw"},
    {"avx512bw", extended, 30, zmm, "avx512f"},
    {"avx512cd", extended, 28, zmm, "avx512f"},
    {"avx512dq", extended, 17, zmm, "avx512f"},
    {"avx512f", extended, 16, zmm, "avx2 f16c fma"},
    {"avx512fp16", tiles, 23, zmm, "avx512bw avx512dq avx512vl"},
    {"avx512ifma", extended, 21, zmm, "avx512f"},
    {"avx512vbmi", vectors, 1, zmm, "avx512bw"},
    {"avx512vbmi2", vectors, 6, zmm, "avx512bw"},
    {"avx512vl", extended, 31, zmm, "avx512f"},
    {"avx512vnni", vectors, 11, zmm, "avx512f"},
    {"avx512vp2intersect", tiles, 8, zmm, "avx512f"},
    {"avx512vpopcntdq", vectors, 14, zmm, "avx512f"},
    {"avxifma", later, 23, ymm, "avx2"},
    {"avxneconvert", latest, 5, ymm, "avx2"},
    {"avxvnni", later, 4, ymm, "avx2"},
    {"avxvnniint16", latest, 10, ymm, "avx2"},
    {"avxvnniint8", latest, 4, ymm, "avx2"},
    {"bmi", extended, 3},
    {"bmi2", extended, 8},
    {"ccmp", latest, 21},
    {"cf", latest, 21},
    {"cldemote", vectors, 25},
    {"clflushopt", extended, 23},
    {"clwb", extended, 24},
    {"clzero", amdLater, 0},
    {"cmov", first, 15},
    {"cmpccxadd", later, 7},
    {"crc32", basic, 20},
    {"cx16", basic, 13},
    {"cx8", first, 8},
    {"egpr", latest, 21},
    {"enqcmd", vectors, 29},
    {"f16c", basic, 29, ymm, "avx"},
    {"fma", basic, 12, ymm, "avx"},
    {"fma4", amd, 16, ymm, "avx sse4a"},
    {"fsgsbase", extended, 0},
    {"fxsr", first, 24},
    {"gfni", vectors, 8, any, "sse2"},
    {"hreset", later, 22},
    {"invpcid", extended, 10},
    {"kl", vectors, 23, any, "sse2"},
    {"lwp", amd, 15},
    {"lzcnt", amd, 5},
    {"mmx", first, 23},
    {"movbe", basic, 22},
    {"movdir64b", vectors, 28},
    {"movdiri", vectors, 27},
    {"mwaitx", amd, 29},
    {"ndd", latest, 21},
    {"pclmul", basic, 1, any, "sse2"},
    {"pconfig", tiles, 18},
    {"pku", vectors, 4},
    {"popcnt", basic, 23},
    {"ppx", latest, 21},
    {"prefetchi", latest, 14},
    {"prfchw", amd, 8},
    {"ptwrite", traces, 4},
    {"push2pop2", latest, 21},
    {"raoint", later, 3},
    {"rdpid", vectors, 22},
    {"rdpru", amdLater, 4},
    {"rdrnd", basic, 30},
    {"rdseed", extended, 18},
    {"rtm", extended, 11},
    {"sahf", amd, 0},
    {"serialize", tiles, 14},
    {"sgx", extended, 2},
    {"sha", extended, 29, any, "sse2"},
    {"sha512", later, 0, ymm, "avx2"},
    {"shstk", vectors, 7},
    {"sm3", later, 1, ymm, "avx"},
    {"sm4", later, 2, ymm, "avx2"},
    {"sse", first, 25},
    {"sse2", first, 26, any, "sse"},
    {"sse3", basic, 0, any, "sse2"},
    {"sse4.1", basic, 19, any, "ssse3"},
    {"sse4.2", basic, 20, any, "sse4.1"},
    {"sse4a", amd, 6, any, "sse3"},
    {"ssse3", basic, 9, any, "sse3"},
    {"tbm", amd, 21},
    {"tsxldtrk", tiles, 16},
    {"uintr", tiles, 5},
    {"usermsr", latest, 15},
    {"vaes", vectors, 9, ymm, "aes avx2"},
    {"vpclmulqdq", vectors, 10, ymm, "avx pclmul"},
    {"waitpkg", vectors, 5},
    {"wbnoinvd", amdLater, 9},
    {"widekl", keys, 2, any, "kl"},
    {"xop", amd, 11, ymm, "fma4"},
    {"xsave", basic, 26, ymm},
    {"xsavec", saves, 1, ymm, "xsave"},
    {"xsaveopt", saves, 0, ymm, "xsave"},
    {"xsaves", saves, 3, ymm, "xsave"},
};

/// A processor's answers, each of which is asked for once.
class Answers {
public:
  explicit Answers(const CpuDescription &processor) : processor(processor) {
    const uint32_t known = answer(basic);
    const bool isReadable = (known >> 27 & 1) != 0;
    const uint64_t saved = isReadable ? processor.savedState() : 0;
    const auto saves = [&](uint64_t parts) { return (saved & parts) == parts; };
    has[unsigned(State::Ymm)] = isReadable && (known >> 28 & 1) != 0 && saves(0x6);
    has[unsigned(State::Zmm)] = has[unsigned(State::Ymm)] && saves(0xe0);
    has[unsigned(State::Tiles)] = isReadable && saves(0x60000);
  }

  bool haveFeature(const FeatureRow &row) {
    return has[unsigned(row.state)] && (answer(row.question) >> row.bit & 1) != 0;
  }

private:
  struct Asked {
    uint32_t leaf, subleaf;
    Registers registers;
  };

  uint32_t answer(const Question &question) {
    for (const Asked &one : asked)
      if (one.leaf == question.leaf && one.subleaf == question.subleaf)
        return one.registers.*question.answer;
    asked.push_back({question.leaf, question.subleaf, processor.cpuid(question.leaf, question.subleaf)});
    return asked.back().registers.*question.answer;
  }

  const CpuDescription &processor;
  std::vector<Asked> asked;
  bool has[4] = {true};
};

class ThisProcessor final : public CpuDescription {
public:
  Registers cpuid(uint32_t leaf, uint32_t subleaf) const override {
    Registers found;
    if (leaf <= (leaf < 0x80000000 ? most : mostExtended))
      __cpuid_count(leaf, subleaf, found.eax, found.ebx, found.ecx, found.edx);
    return found;
  }
  uint64_t savedState() const override {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t(high) << 32 | low;
  }

private:
  const uint32_t most = __get_cpuid_max(0, nullptr), mostExtended = __get_cpuid_max(0x80000000, nullptr);
};

const FeatureRow *rowOf(std::string_view name) {
  const auto *row = std::ranges::find_if(rows, [&](const FeatureRow &one) { return one.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

/// Calls `use` with each of the parts of a list.
template <class Use> void eachOf(std::string_view list, char separator, const Use &use) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(separator), list.size());
    use(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

void add(std::vector<std::string_view> &features, std::string_view name) {
  if (std::ranges::find(features, name) != features.end())
    return;
  features.push_back(name);
  if (const FeatureRow *row = rowOf(name))
    eachOf(row->implied, ' ', [&](std::string_view implied) { add(features, implied); });
}

} // namespace

std::vector<std::string_view> withImplied(const std::vector<std::string_view> &features) {
  std::vector<std::string_view> all;
  for (const std::string_view name : features)
    add(all, name);
  std::ranges::sort(all);
  return all;
}

std::vector<std::string_view> reportedFeatures() {
  std::vector<std::string_view> names;
  for (const FeatureRow &row : rows)
    names.push_back(row.name);
  return names;
}

std::string featuresOf(const CpuDescription &processor) {
  Answers answers(processor);
  std::vector<std::string_view> present;
  for (const FeatureRow &row : rows)
    if (answers.haveFeature(row))
      present.push_back(row.name);
  std::string text;
  for (const std::string_view name : withImplied(present))
    text.append(text.empty() ? "+" : ",+").append(name);
  return text;
}

const std::string &hostFeatures() {
  static const std::string *const features = new std::string(featuresOf(ThisProcessor()));
  return *features;
}

std::vector<std::string> missingFeatures(std::string_view wanted, std::string_view present) {
  std::vector<std::string_view> here;
  eachOf(present, ',', [&](std::string_view feature) { here.push_back(feature); });
  std::vector<std::string> missing;
  eachOf(wanted, ',', [&](std::string_view feature) {
    if (feature.starts_with('+') && rowOf(feature.substr(1)) && std::ranges::find(here, feature) == here.end())
      missing.emplace_back(feature.substr(1));
  });
  return missing;
}

} // namespace treadle::cpu
