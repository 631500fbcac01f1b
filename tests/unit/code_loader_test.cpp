// Images of a few instructions, loaded: where their parts lie, what their fixups give, and what is refused.
#include "device/cpu/code/code_loader.h"

#include "border/code_symbols.h"
#include "border/image_file.h"
#include "device/cpu/code/code_functions.h"
#include "device/cpu/code/cpu_features.h"
#include "support/error.h"
#include "tests/unit/fuzz_rounds.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>

namespace treadle::cpu {
namespace {

/// `mov rax, [rip + distance]; ret`, which reads the first constant.
std::string reader(uint64_t codeBytes) {
  const auto distance = int32_t(LinkedLayout::wholePages(codeBytes) - 7);
  std::string code = "\x48\x8b\x05";
  code.append(reinterpret_cast<const char *>(&distance), 4);
  code += "\xc3";
  code.resize(codeBytes, '\xcc');
  return code;
}

/// Returns its first constant.
Image readingImage(uint64_t constant = 0, uint64_t codeBytes = 16) {
  Image image;
  image.target = {Target::Kind::Cpu, 0, "+sse2"};
  image.entry = "kernel";
  image.code = reader(codeBytes);
  image.code.append(reinterpret_cast<const char *>(&constant), 8);
  image.cpu().layout.bytes[LinkedLayout::Code] = codeBytes;
  image.cpu().layout.bytes[LinkedLayout::Constants] = 8;
  image.cpu().layout.symbolsVersion = codeSymbolsVersion;
  return image;
}

uint64_t call(const NativeCode &code) { return reinterpret_cast<uint64_t (*)()>(code.entry)(); }

uint64_t resultOf(const Image &image, std::span<const uint64_t> captured = {}) {
  return call(loadCode(image, captured));
}

std::string refusal(const Image &image) {
  try {
    loadCode(image, {});
  } catch (const Error &error) {
    return error.what();
  }
  return "loaded";
}

/// The rights of the page with this address, as /proc/self/maps has them; empty: there is no such page.
std::string rightsAt(const void *address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t dash = line.find('-');
    const uint64_t begin = std::stoull(line, nullptr, 16), end = std::stoull(line.substr(dash + 1), nullptr, 16);
    if (reinterpret_cast<uintptr_t>(address) >= begin && reinterpret_cast<uintptr_t>(address) < end)
      return line.substr(line.find(' ') + 1, 4);
  }
  return "";
}

TEST(CodeLoader, RunsCodeThatReadsItsConstants) {
  EXPECT_EQ(resultOf(readingImage(0x123456789abcdef0)), 0x123456789abcdef0u);
  EXPECT_EQ(resultOf(readingImage(4711, 3 * 4096 + 5)), 4711u) << "code of several pages";
}

TEST(CodeLoader, SetsAddresses) {
  Image image = readingImage();
  const uint64_t begin = image.cpu().layout.begin(LinkedLayout::Constants);
  image.cpu().layout.fixups = {{begin, "memcpy", 0}};
  EXPECT_EQ(resultOf(image), reinterpret_cast<uintptr_t>(codeAddress("memcpy")));
  image.cpu().layout.fixups = {{begin, "treadle_poll_word", -24}};
  EXPECT_EQ(resultOf(image), reinterpret_cast<uintptr_t>(pollWord()) - 24);
  image.cpu().layout.fixups = {{begin, "", 4}};
  const NativeCode code = loadCode(image, {});
  EXPECT_EQ(call(code), reinterpret_cast<uintptr_t>(code.entry) + 4);
  image.captured.resize(2);
  image.cpu().layout.fixups = {{begin, CapturedDeviceArray::symbol(1), 0}};
  const uint64_t captured[] = {1000, 2000};
  const NativeCode other = loadCode(image, captured);
  EXPECT_EQ(*reinterpret_cast<const uint64_t *>(call(other)), 2000u);
}

TEST(CodeLoader, GivesEachPartItsRights) {
  Image image = readingImage();
  image.code += std::string(5000, 'd');
  image.cpu().layout.bytes[LinkedLayout::Data] = 5000;
  NativeCode code = loadCode(image, {});
  const auto *begin = static_cast<const char *>(code.entry);
  const auto at = [&](LinkedLayout::Part part) { return begin + image.cpu().layout.begin(part); };
  EXPECT_EQ(rightsAt(at(LinkedLayout::Code)), "r-xp");
  EXPECT_EQ(rightsAt(at(LinkedLayout::Constants)), "r--p");
  EXPECT_EQ(rightsAt(at(LinkedLayout::Data)), "rw-p");
  EXPECT_EQ(at(LinkedLayout::Data)[4999], 'd');
  code.keep.reset();
  EXPECT_EQ(rightsAt(begin), "");
}

TEST(CodeLoader, TakesNoMemoryForEmptyParts) {
  Image image = readingImage();
  EXPECT_EQ(image.cpu().layout.memoryBytes(), 2 * 4096u);
  image.cpu().layout.bytes[LinkedLayout::Constants] = 0;
  EXPECT_EQ(image.cpu().layout.memoryBytes(), 4096u);
}

TEST(CodeLoader, HasAnAddressForEachSymbolOfTheTable) {
  std::set<std::string_view> names;
  for (const CodeSymbol &symbol : codeSymbols) {
    EXPECT_TRUE(names.insert(symbol.name).second) << symbol.name;
    EXPECT_NE(codeAddress(symbol.name), nullptr) << symbol.name;
    EXPECT_FALSE(symbol.what.empty()) << symbol.name;
  }
  EXPECT_EQ(codeAddress("system"), nullptr);
  EXPECT_NE(codeAddress("treadle_vm_exp_f32_sse"), nullptr);
  EXPECT_EQ(codeAddress("treadle_vm_exp_f16_sse"), nullptr);
}

TEST(CodeLoader, SaysWhatItRefuses) {
  Image image = readingImage();
  const uint64_t begin = image.cpu().layout.begin(LinkedLayout::Constants);
  for (const char *symbol : {"system", "treadle_vm_nothing_f32_sse", "treadle_captured_0", "treadle_captured_x"}) {
    image.cpu().layout.fixups = {{begin, symbol, 0}};
    EXPECT_EQ(refusal(image), "the image names the symbol '" + std::string(symbol) +
                                  "', which this build of Treadle does not have: compile the kernel anew");
  }
  image.cpu().layout.fixups.clear();
  image.cpu().layout.symbolsVersion = codeSymbolsVersion + 1;
  EXPECT_NE(refusal(image).find("was made for version " + std::to_string(codeSymbolsVersion + 1)), std::string::npos);
  image.cpu().layout.symbolsVersion = codeSymbolsVersion;
  image.cpu().layout.entry = 16;
  EXPECT_EQ(refusal(image), "the image of kernel cannot be loaded: its entry is not in its code");
}

TEST(CodeLoader, RefusesDebugInformationOfOtherObjects) {
  Image image = readingImage();
  image.cpu().debug = {"short", {}};
  EXPECT_EQ(refusal(image), "the image has debug information that is no object file");
  image.cpu().debug.object = std::string(64, '\xff'); // 65,535 sections, at the end of the address space
  EXPECT_EQ(refusal(image), "loaded") << "there is nothing to be written";
  for (const uint32_t index : {0u, 1u, 65'535u, ~0u}) {
    image.cpu().debug.sections = {{index, 0}};
    EXPECT_EQ(refusal(image), "the image has debug information of sections that it has not") << index;
  }
}

TEST(CodeLoader, RefusesWhatTheProcessorHasNot) {
  std::vector<std::string> missing;
  for (const std::string_view name : knownFeatures())
    if (!missingFeatures("+" + std::string(name), hostFeatures()).empty())
      missing.emplace_back(name);
  ASSERT_GE(missing.size(), 2u) << "a processor with all features";
  Image image = readingImage();
  image.target.features = "+sse2,-" + missing[0] + ",+slow-3ops-lea";
  EXPECT_EQ(refusal(image), "loaded") << "what is switched off, or no instruction, is no need";
  const std::string machine = ", which this processor has not: compile the kernel for this machine";
  image.target.features = "+sse2,+" + missing[0];
  EXPECT_EQ(refusal(image), "the image of kernel needs " + missing[0] + machine);
  image.target.features += ",+" + missing[1];
  EXPECT_EQ(refusal(image), "the image of kernel needs " + missing[0] + " and " + missing[1] + machine);
}

TEST(CodeLoader, RefusesPartsThatDoNotFit) {
  const LinkedLayout good = readingImage().cpu().layout;
  EXPECT_EQ(good.flaw(24), nullptr);
  for (const uint64_t other : {0ull, 23ull, 25ull, ~0ull})
    EXPECT_NE(good.flaw(other), nullptr) << other;
  const auto with = [&](auto change) {
    LinkedLayout layout = good;
    change(layout);
    return layout.flaw(24) != nullptr;
  };
  EXPECT_TRUE(with([](LinkedLayout &l) { l.bytes[0] = 0, l.bytes[1] = 24; })) << "no code";
  EXPECT_TRUE(with([](LinkedLayout &l) { l.bytes[0] = ~uint64_t(0), l.bytes[2] = 17; })) << "sums wrap";
  EXPECT_TRUE(with([](LinkedLayout &l) { l.entry = 16; }));
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{0, "memcpy", 0}}; })) << "in the code";
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{4097, "memcpy", 0}}; })) << "over the end";
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{8192, "memcpy", 0}}; }));
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{~uint64_t(6), "memcpy", 0}}; })) << "wraps";
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{4096, "", -1}}; })) << "an address before the image";
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{4096, "", 8193}}; })) << "an address past the image";
  EXPECT_FALSE(with([](LinkedLayout &l) { l.fixups = {{4096, "", 8192}}; }));
  EXPECT_TRUE(with([](LinkedLayout &l) { l.fixups = {{4096, "memcpy", 0}, {4096, "memcpy", 0}}; })) << "overlap";
}

/// Values at which sums wrap or bounds are met.
uint64_t anyNumber(std::mt19937_64 &random) {
  const uint64_t numbers[] = {
      0, 1, 7, 8, 16, 24, 4096, 8192, 12288, ~uint64_t(0), uint64_t(1) << 63, uint64_t(1) << 40};
  return numbers[random() % std::size(numbers)] + random() % 17 - 8;
}

Image anyImage(std::mt19937_64 &random) {
  Image image = readingImage();
  image.cpu().layout.fixups = {{4096, "memcpy", 0}};
  for (uint64_t left = 1 + random() % 3; left > 0; --left)
    switch (random() % 6) {
    case 0:
      image.cpu().layout.bytes[random() % 3] = anyNumber(random);
      break;
    case 1:
      image.cpu().layout.entry = anyNumber(random);
      break;
    case 2:
      image.cpu().layout.fixups[0].offset = anyNumber(random);
      break;
    case 3:
      image.cpu().layout.fixups[0].addend = int64_t(anyNumber(random));
      break;
    case 4:
      image.cpu().layout.fixups.insert(image.cpu().layout.fixups.begin() + random() % 2, {anyNumber(random), "", 0});
      break;
    default:
      image.code.resize(random() % 9000);
    }
  return image;
}

/// Files whose hash is right, which only somebody who wants to do harm would write.
TEST(CodeLoader, SurvivesAnyLayout) {
  std::mt19937_64 random(4711);
  int loaded = 0, refused = 0;
  for (int i = 0; i < fuzzRounds(50'000); ++i) {
    const Image image = anyImage(random);
    const bool isFine = image.cpu().layout.flaw(image.code.size()) == nullptr;
    try {
      loadCode(readImage(writeImage(image)), {});
      EXPECT_TRUE(isFine);
      ++loaded;
    } catch (const Error &) {
      EXPECT_FALSE(isFine);
      ++refused;
    }
  }
  EXPECT_GT(loaded, 500);
  EXPECT_GT(refused, 500);
}

} // namespace
} // namespace treadle::cpu
