// What processors answered to CPUID, and what they have by the manuals of their makers.
#pragma once

#include "device/cpu/code/cpu_features.h"
#include "math/routine_table.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::cpu {

struct RecordedProcessor {
  std::string name;
  int level; ///< n of x86-64-vn
  math::VectorIsa isa;
  std::string features; ///< separated by spaces
  CpuidAnswers answers;
};

namespace recorded {

using math::VectorIsa;

inline const std::string v2 = "cx16 popcnt sahf sse sse2 sse3 sse4.1 sse4.2 ssse3";
inline const std::string v3 = v2 + " avx avx2 bmi bmi2 f16c fma lzcnt movbe";
inline const std::string v4 = v3 + " avx512bw avx512cd avx512dq avx512f avx512vl";
inline const std::string iceLake =
    v4 + " avx512bitalg avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512vpopcntdq gfni";
inline const std::string sapphireRapids = iceLake + " avx512bf16 avx512fp16 avxvnni";

/// Registers in the order of the dumps: eax, ebx, ecx, edx. What the system saves is what the dump has as supported
/// (eax of leaf 0xd): Linux and Windows save all of it.
inline CpuidAnswers answers(CpuidAnswers::Registers leaf1, CpuidAnswers::Registers leaf7, uint32_t leaf7Subleaf1,
                            uint32_t extendedC, uint64_t saved) {
  return {.leaf0 = {0x20, 0, 0, 0},
          .leaf1 = leaf1,
          .leaf7 = leaf7,
          .leaf7Subleaf1 = {leaf7Subleaf1, 0, 0, 0},
          .extended0 = {0x80000008, 0, 0, 0},
          .extended1 = {0, 0, extendedC, 0},
          .savedState = saved};
}

/// The dumps of InstLatx64 that libcpuid has in tests/intel/x86-64.
inline std::vector<RecordedProcessor> ofIntel() {
  std::vector<RecordedProcessor> all = {
      // Xeon X5650. It has 11 leaves: after them it repeats what leaf 11 has.
      {"Westmere", 2, VectorIsa::Sse, v2,
       answers({0x000206c2, 0x00200800, 0x029ee3ff, 0xbfebfbff}, {}, 0x00000001, 0x00000001, 0)},
      // Core i7-6700K
      {"Skylake", 3, VectorIsa::Avx2, v3,
       answers({0x000506e3, 0x00100800, 0x7ffafbbf, 0xbfebfbff}, {0, 0x029c6fbf, 0, 0x9c002400}, 0, 0x121, 0x1f)},
      // Xeon Gold 6154
      {"Skylake-SP", 4, VectorIsa::Avx512, v4,
       answers({0x00050654, 0x00400800, 0x7ffefbff, 0xbfebfbff}, {0, 0xd39ffffb, 0x00000008, 0}, 0, 0x121, 0x2ff)},
      // Core i7-1065G7
      {"Ice Lake", 4, VectorIsa::Avx512, iceLake,
       answers({0x000706e5, 0x00100800, 0x7ffafbbf, 0xbfebfbff}, {0, 0xf2bf27ef, 0x40405f4e, 0xbc000410}, 0, 0x121,
               0x2e7)},
      // Core i9-12900H: cores of two kinds, AVX-512 on neither
      {"Alder Lake", 3, VectorIsa::Avx2, v3 + " avxvnni gfni",
       answers({0x000906a3, 0x00800800, 0x7ffafbff, 0xbfebfbff}, {1, 0x239ca7eb, 0x98c027ac, 0xfc1cc410}, 0x00400810,
               0x121, 0x207)},
      // Xeon w7-2475X
      {"Sapphire Rapids", 4, VectorIsa::Avx512, sapphireRapids,
       answers({0x000806f8, 0x00800800, 0x7ffefbff, 0xbfebfbff}, {2, 0xf3bfbffb, 0xbb417fee, 0xffdd4430}, 0x00001c30,
               0x121, 0x602e7)},
  };
  all.front().answers.leaf0.eax = 0xb;
  return all;
}

/// The dumps of InstLatx64 that libcpuid has in tests/amd.
inline std::vector<RecordedProcessor> ofAmd() {
  const std::string zen = v3 + " sse4a";
  const std::string zen4 = zen + " avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi "
                                 "avx512vbmi2 avx512vl avx512vnni avx512vpopcntdq gfni";
  return {
      // Ryzen 9 3950X
      {"Zen 2", 3, VectorIsa::Avx2, zen,
       answers({0x00870f10, 0x00200800, 0x7ed8320b, 0x178bfbff}, {0, 0x219c91a9, 0x00400004, 0}, 0, 0x75c237ff, 0x207)},
      // Ryzen 9 5950X
      {"Zen 3", 3, VectorIsa::Avx2, zen,
       answers({0x00a20f10, 0x00200800, 0x7ed8320b, 0x178bfbff}, {0, 0x219c97a9, 0x0040068c, 0x00000010}, 0, 0x75c237ff,
               0x207)},
      // Ryzen 7 7700X
      {"Zen 4", 4, VectorIsa::Avx512, zen4,
       answers({0x00a60f12, 0x00100800, 0x7ef8320b, 0x178bfbff}, {1, 0xf1bf97a9, 0x00405fce, 0x10000010}, 0x00000020,
               0x75c237ff, 0x2e7)},
      // Ryzen 9 9950X
      {"Zen 5", 4, VectorIsa::Avx512, zen4 + " avx512vp2intersect avxvnni",
       answers({0x00b40f40, 0x00200800, 0x7ed8320b, 0x178bfbff}, {1, 0xf1bf97ab, 0x19405fce, 0x10000110}, 0x00000030,
               0x75c237ff, 0x2e7)},
  };
}

inline CpuidAnswers graniteRapidsGuest() {
  CpuidAnswers all = answers({0x000a06d1, 0x00010800, 0xfffa3207, 0x0fabfbff}, {2, 0xf1bf27eb, 0x1b415fce, 0xbfd14410},
                             0x00201c30, 0x121, 0x602e7);
  all.leaf0.eax = 0x24;
  all.leaf7Subleaf1.edx = 0x00084000;
  return all;
}

/// A processor that has AVX10 with vectors of 256 bits at most: reports AVX10, and nothing of AVX-512.
inline CpuidAnswers withoutAvx512(CpuidAnswers all) {
  all.leaf7.ebx &= ~0xd0230000u;
  all.leaf7.ecx &= ~0x00005842u;
  all.leaf7.edx &= ~0x00800100u;
  all.leaf7Subleaf1.eax &= ~0x00000020u;
  return all;
}

inline CpuidAnswers withSavedState(CpuidAnswers all, uint64_t saved) {
  all.savedState = saved;
  return all;
}

/// What machines that are none see.
inline std::vector<RecordedProcessor> ofGuests() {
  const CpuidAnswers skylakeServer = ofIntel()[2].answers;
  std::vector<RecordedProcessor> all = {
      // Firecracker's tests/data/cpu_template_helper, INTEL_GRANITE_RAPIDS on Linux 6.18, and the bit that
      // the guest's system sets (OSXSAVE): AVX10.1 with 512 bits
      {"Granite Rapids under KVM", 4, VectorIsa::Avx512, sapphireRapids, graniteRapidsGuest()},
      {"AVX10 with 256 bits", 3, VectorIsa::Avx2, v3 + " avxvnni gfni", withoutAvx512(graniteRapidsGuest())},
      // A guest of a cloud, in which AMX and PKRU are masked
      {"Emerald Rapids under KVM", 4, VectorIsa::Avx512, sapphireRapids,
       answers({0x000c06f2, 0x01020800, 0xfffa3203, 0x1f8bfbff}, {2, 0xf1bf2ffb, 0x1a415f46, 0x20814010}, 0x00001c30,
               0x121, 0xe7)},
      // The bits of AVX-512 without its state: a hypervisor that masks XCR0, or Linux under clearcpuid
      {"Skylake-SP without the state of AVX-512", 3, VectorIsa::Avx2, v3, withSavedState(skylakeServer, 0x7)},
      {"Skylake-SP without the state of AVX", 2, VectorIsa::Sse, v2 + " bmi bmi2 lzcnt movbe",
       withSavedState(skylakeServer, 0x3)},
      // qemu-x86_64 7.2 -cpu Haswell,-fma
      {"AVX2 without FMA", 2, VectorIsa::Sse, v2 + " avx avx2 bmi bmi2 f16c lzcnt movbe",
       answers({0x000306c4, 0x00000800, 0xfed82203, 0x078bfbfd}, {0, 0x000003a9, 0, 0}, 0, 0x21, 0x7)},
      // qemu-x86_64 7.2 -cpu qemu64
      {"qemu64", 1, VectorIsa::Sse, "cx16 sahf sse sse2 sse3",
       answers({0x00060fb1, 0x00000800, 0x80002001, 0x078bfbfd}, {}, 0, 0x00000005, 0)},
  };
  all.back().answers.leaf0.eax = 0xd;
  return all;
}

} // namespace recorded

inline std::vector<RecordedProcessor> recordedProcessors() {
  std::vector<RecordedProcessor> all;
  for (const auto &some : {recorded::ofIntel(), recorded::ofAmd(), recorded::ofGuests()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

inline RecordedProcessor recordedProcessor(std::string_view name) {
  for (const RecordedProcessor &one : recordedProcessors())
    if (one.name == name)
      return one;
  throw std::out_of_range(std::string(name));
}

} // namespace treadle::cpu
