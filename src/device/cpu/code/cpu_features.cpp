// CPUID bit numbers from the manuals of Intel and AMD.
#include "device/cpu/code/cpu_features.h"

#include <algorithm>
#include <cpuid.h>
#include <fstream>
#include <iterator>

namespace treadle::cpu {

namespace {

using Registers = CpuidAnswers::Registers;

/// Register state that an instruction uses, and that the system must save.
enum class State : uint8_t { Any, Ymm, Zmm };

struct Word {
  Registers CpuidAnswers::*leaf;
  uint32_t Registers::*part;
};

constexpr Word basicC{&CpuidAnswers::leaf1, &Registers::ecx}, basicD{&CpuidAnswers::leaf1, &Registers::edx};
constexpr Word laterB{&CpuidAnswers::leaf7, &Registers::ebx}, laterC{&CpuidAnswers::leaf7, &Registers::ecx};
constexpr Word laterD{&CpuidAnswers::leaf7, &Registers::edx};
constexpr Word latestA{&CpuidAnswers::leaf7Subleaf1, &Registers::eax};
constexpr Word latestD{&CpuidAnswers::leaf7Subleaf1, &Registers::edx};
constexpr Word extendedC{&CpuidAnswers::extended1, &Registers::ecx};

struct FeatureRow {
  char name[20]; ///< not a pointer, which would need a relocation at load time
  Word word;
  unsigned bit;
  State state = State::Any;
  std::string_view implied = {}; ///< directly implied features, separated by spaces
};

constexpr auto ymm = State::Ymm, zmm = State::Zmm, any = State::Any;

/// The levels x86-64-v2, -v3 and -v4, and the features that LLVM uses beyond them by itself: vectors, and integer bit
/// operations. No others, of which a processor may have a hundred: cached or saved code would require features that it
/// does not use.
constexpr FeatureRow rows[] = {
    {"avx", basicC, 28, ymm, "sse4.2"},
    {"avx2", laterB, 5, ymm, "avx"},
    {"avx512bf16", latestA, 5, zmm, "avx512bw"},
    {"avx512bitalg", laterC, 12, zmm, "avx512bw"},
    {"avx512bw", laterB, 30, zmm, "avx512f"},
    {"avx512cd", laterB, 28, zmm, "avx512f"},
    {"avx512dq", laterB, 17, zmm, "avx512f"},
    {"avx512f", laterB, 16, zmm, "avx2 f16c fma"},
    {"avx512fp16", laterD, 23, zmm, "avx512bw avx512dq avx512vl"},
    {"avx512ifma", laterB, 21, zmm, "avx512f"},
    {"avx512vbmi", laterC, 1, zmm, "avx512bw"},
    {"avx512vbmi2", laterC, 6, zmm, "avx512bw"},
    {"avx512vl", laterB, 31, zmm, "avx512f"},
    {"avx512vnni", laterC, 11, zmm, "avx512f"},
    {"avx512vp2intersect", laterD, 8, zmm, "avx512f"},
    {"avx512vpopcntdq", laterC, 14, zmm, "avx512f"},
    {"avxifma", latestA, 23, ymm, "avx2"},
    {"avxneconvert", latestD, 5, ymm, "avx2"},
    {"avxvnni", latestA, 4, ymm, "avx2"},
    {"avxvnniint16", latestD, 10, ymm, "avx2"},
    {"avxvnniint8", latestD, 4, ymm, "avx2"},
    {"bmi", laterB, 3},
    {"bmi2", laterB, 8},
    {"cmpccxadd", latestA, 7},
    {"cx16", basicC, 13},
    {"f16c", basicC, 29, ymm, "avx"},
    {"fma", basicC, 12, ymm, "avx"},
    {"fma4", extendedC, 16, ymm, "avx sse4a"},
    {"gfni", laterC, 8, any, "sse2"},
    {"lzcnt", extendedC, 5},
    {"movbe", basicC, 22},
    {"popcnt", basicC, 23},
    {"sahf", extendedC, 0},
    {"sse", basicD, 25},
    {"sse2", basicD, 26, any, "sse"},
    {"sse3", basicC, 0, any, "sse2"},
    {"sse4.1", basicC, 19, any, "ssse3"},
    {"sse4.2", basicC, 20, any, "sse4.1"},
    {"sse4a", extendedC, 6, any, "sse3"},
    {"ssse3", basicC, 9, any, "sse3"},
    {"tbm", extendedC, 21},
    {"xop", extendedC, 11, ymm, "fma4"},
};

/// LLVM can use these, but is never told to. AVX10: processors with its wide vectors report AVX-512 as well, and LLVM
/// would assume AVX-512 on one without them. APX: no processor has run LLVM's code for it yet.
constexpr char unused[][12] = {"avx10.1-256", "avx10.1-512", "ccmp", "cf",        "egpr",
                               "ndd",         "nf",          "ppx",  "push2pop2", "zu"};

constexpr unsigned readableStateBit = 27, ymmBits = 0x6, zmmBits = ymmBits | 0xe0;

bool hasBit(uint32_t word, unsigned bit) { return (word >> bit & 1) != 0; }

/// A processor answers an unsupported leaf with the data of another one, or with garbage.
CpuidAnswers withoutUnknownLeaves(CpuidAnswers answers) {
  if (answers.leaf0.eax < 1)
    answers.leaf1 = {};
  if (answers.leaf0.eax < 7)
    answers.leaf7 = {};
  if (answers.leaf7.eax < 1)
    answers.leaf7Subleaf1 = {};
  if (answers.extended0.eax < 0x80000001 || answers.extended0.eax > 0x8000ffff)
    answers.extended1 = {};
  if (!hasBit(answers.leaf1.ecx, readableStateBit))
    answers.savedState = 0;
  return answers;
}

bool isSaved(State state, uint64_t saved) {
  const uint64_t needed = state == State::Any ? 0 : state == State::Ymm ? ymmBits : zmmBits;
  return (saved & needed) == needed;
}

const FeatureRow *rowOf(std::string_view name) {
  const auto *row = std::ranges::find_if(rows, [&](const FeatureRow &one) { return one.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

/// Calls `use` with each item of a list.
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

bool isNeed(std::string_view name) {
  return rowOf(name) ||
         std::ranges::find(unused, name, [](const char *one) { return std::string_view(one); }) != std::end(unused);
}

bool reports(const CpuidAnswers &answers, const FeatureRow &row) {
  return hasBit(answers.*row.word.leaf.*row.word.part, row.bit) && isSaved(row.state, answers.savedState);
}

/// A gather of elements at an affine stride, over as many single loads: half of the time with AVX-512 on a Xeon (model
/// 167), twice on Zen 4. LLVM's flag of this name is for all processors of Intel since Skylake.
bool hasFastGathers(const CpuidAnswers &answers, std::string_view features) {
  const bool isOfIntel = answers.leaf0.ebx == signature_INTEL_ebx && answers.leaf0.ecx == signature_INTEL_ecx &&
                         answers.leaf0.edx == signature_INTEL_edx;
  return isOfIntel && !answers.hasSlowGathers && features.find("+avx512f,") != std::string_view::npos;
}

/// Linux says "Not affected", "Vulnerable", "Mitigation: ..." or, in a guest, "Unknown: ..."; one of before August 2023
/// has no such file.
bool hasSlowGathersHere() {
  std::string state;
  std::getline(std::ifstream("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"), state);
  return state.starts_with("Mitigation") || state.starts_with("Unknown");
}

CpuidAnswers answersHere() {
  const auto ask = [](uint32_t leaf, uint32_t subleaf = 0) {
    Registers found;
    __cpuid_count(leaf, subleaf, found.eax, found.ebx, found.ecx, found.edx);
    return found;
  };
  CpuidAnswers answers{.leaf0 = ask(0),
                       .leaf1 = ask(1),
                       .leaf7 = ask(7),
                       .leaf7Subleaf1 = ask(7, 1),
                       .extended0 = ask(0x80000000),
                       .extended1 = ask(0x80000001),
                       .hasSlowGathers = hasSlowGathersHere()};
  if (hasBit(answers.leaf1.ecx, readableStateBit)) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    answers.savedState = uint64_t(high) << 32 | low;
  }
  return answers;
}

} // namespace

std::vector<std::string_view> withImplied(std::string_view feature) {
  std::vector<std::string_view> all;
  add(all, feature);
  std::ranges::sort(all);
  return all;
}

std::vector<std::string_view> knownFeatures() {
  std::vector<std::string_view> names;
  for (const FeatureRow &row : rows)
    names.push_back(row.name);
  return names;
}

std::string featuresOf(const CpuidAnswers &answers) {
  const CpuidAnswers known = withoutUnknownLeaves(answers);
  std::string text;
  for (const FeatureRow &row : rows)
    if (std::ranges::all_of(withImplied(row.name), [&](std::string_view name) { return reports(known, *rowOf(name)); }))
      text.append(text.empty() ? "+" : ",+").append(row.name);
  if (const size_t next = text.find("+fma"); next != std::string::npos && hasFastGathers(known, text))
    text.insert(next, "+fast-gather,");
  return text;
}

const std::string &hostFeatures() {
  static const std::string *const features = new std::string(featuresOf(answersHere()));
  return *features;
}

std::vector<std::string> missingFeatures(std::string_view wanted, std::string_view present) {
  std::vector<std::string_view> here;
  eachOf(present, ',', [&](std::string_view feature) { here.push_back(feature); });
  std::vector<std::string> missing;
  eachOf(wanted, ',', [&](std::string_view feature) {
    if (feature.starts_with('+') && isNeed(feature.substr(1)) && std::ranges::find(here, feature) == here.end())
      missing.emplace_back(feature.substr(1));
  });
  return missing;
}

} // namespace treadle::cpu
