// Entries of the code cache: what keys depend on, and that damaged entries are refused.
#include "runtime/code_cache.h"

#include "border/generate_request.h"
#include "border/image.h"
#include "tests/unit/fuzz_rounds.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace treadle;

namespace {

/// Answers every question with its name as a number.
class Names final : public NameResolver {
public:
  CapturedValue resolve(uint64_t, std::string_view name) override {
    CapturedValue value;
    value.type = types::int64();
    value.integer = int64_t(name.size());
    return value;
  }
  CapturedValue attribute(uint64_t, std::string_view) override { return {}; }
  CalledFunction function(uint64_t) override { return {}; }
  std::string sourceKey(uint64_t) override { return source; }
  CapturedValue parameterDefault(uint64_t, std::string_view) override { return {}; }
  std::string qualifiedName(uint64_t) override { return {}; }
  std::string_view undecoratedFunction(uint64_t) override { return {}; }
  CapturedValue dtypeNamed(std::string_view) override { return {}; }
  CapturedValue libraryFunction(std::string_view) override { return {}; }

  std::string source = "def kernel(): pass";
};

/// Cut, or with up to three other bytes.
std::string mutated(const std::string &good, std::mt19937 &random) {
  std::string bad = good.substr(0, random() % 2 ? good.size() : random() % good.size());
  for (unsigned changes = 1 + random() % 3; changes > 0 && !bad.empty(); --changes)
    bad[random() % bad.size()] = char(random());
  return bad;
}

class CodeCacheTest : public testing::Test {
protected:
  CodeCacheTest() : folder(base() + "/code_cache_test" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder);
  }
  ~CodeCacheTest() override { std::filesystem::remove_all(folder); }

  /// In memory where that is possible: some tests write a great many files.
  static std::string base() { return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : testing::TempDir(); }
  RecordedNames asked(const Signature &signature = {}) { return {std::make_shared<Names>(), 1, signature}; }
  static void ask(RecordedNames &names) {
    (void)names.resolve(1, "n");
    (void)names.resolve(1, "size");
  }
  static InferResult result() {
    InferResult found;
    found.result = types::none();
    found.warnings = {"careful"};
    found.wanted = {{{0, 2}, 0x33}, {1, true}, {3}};
    return found;
  }

  const std::string folder;
  CodeCache cache{{folder + "/programs", 1 << 20}, {folder + "/images", 1 << 20}};
};

} // namespace

TEST_F(CodeCacheTest, AProgramIsFoundByTheSameAnswers) {
  RecordedNames names = asked();
  ask(names);
  const std::string identity = cache.putProgram("key", names, result());
  EXPECT_EQ(identity.size(), 16u);
  RecordedNames again = asked();
  const std::optional<KnownProgram> found = cache.findProgram("key", again);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->identity, identity);
  EXPECT_EQ(found->result.warnings, result().warnings);
  EXPECT_EQ(found->result.wanted.rows.positions, result().wanted.rows.positions);
  EXPECT_EQ(found->result.wanted.rows.useful, result().wanted.rows.useful);
  EXPECT_EQ(found->result.wanted.lanes.preferred, 1);
  EXPECT_TRUE(found->result.wanted.lanes.spansBlocks);
  EXPECT_EQ(found->result.wanted.tables, std::vector<unsigned>{3});
  EXPECT_FALSE(cache.findProgram("another key", again));
}

TEST_F(CodeCacheTest, KeysDependOnAllThatIsAsked) {
  const auto key = [](const ProgramRequest &request, const std::string &source = "def kernel(): pass") {
    const auto answers = std::make_shared<Names>();
    answers->source = source;
    RecordedNames names(answers, 1, request.signature);
    return CodeCache::keyOf(request, names);
  };
  const ProgramRequest request{{{types::int64()}, nullptr}, RuleSet::Numba, true, false, "a build"};
  const std::string first = key(request);
  EXPECT_EQ(first, key(request));
  ProgramRequest other = request;
  other.signature.arguments = {types::int32()};
  EXPECT_NE(first, key(other));
  other = request;
  other.signature.result = types::int64();
  EXPECT_NE(first, key(other));
  other = request;
  other.rules = RuleSet::CudaPython;
  EXPECT_NE(first, key(other));
  other = request;
  other.isKernel = false;
  EXPECT_NE(first, key(other));
  other = request;
  other.debug = true;
  EXPECT_NE(first, key(other));
  EXPECT_NE(first, key(request, "def kernel(): return"));
  other = request;
  other.makers = "another build";
  EXPECT_NE(first, key(other)) << "another build may infer something else";
  other.makers.clear();
  EXPECT_EQ(key(other), "") << "who infers is unknown";
  EXPECT_EQ(key(request, ""), "") << "the source is unknown";
}

TEST_F(CodeCacheTest, WhatOnlyThisProcessKnowsIsNotKept) {
  RecordedNames names = asked();
  ask(names);
  InferResult local = result();
  const Type *const items[] = {types::int64()};
  const std::string_view fields[] = {"x"};
  local.result = types::namedTuple(77, "Point", items, fields);
  EXPECT_EQ(cache.putProgram("key", names, local), "") << "a class is an object of the process";
  local = result();
  local.capturedPointers = {0x1234};
  EXPECT_EQ(cache.putProgram("key", names, local), "") << "no answer has that address";
  EXPECT_EQ(cache.putProgram("", names, result()), "");
}

/// Written by another thread, but found at once by whoever asks here.
TEST_F(CodeCacheTest, WhatWasPutIsFoundAtOnce) {
  RecordedNames names = asked();
  ask(names);
  for (int i = 0; i < 200; ++i) {
    const std::string key = "key" + std::to_string(i);
    const std::string identity = cache.putProgram(key, names, result());
    auto image = std::make_shared<Image>();
    image->target.kind = Target::Kind::Ptx;
    image->details = PtxCode{};
    image->signature = {{}, types::none()};
    image->entry = key;
    const GenerateRequest request{nullptr, image->target, {}, {}};
    cache.putImage(identity, names, request, image);
    RecordedNames again = asked();
    ASSERT_TRUE(cache.findProgram(key, again)) << i;
    const std::shared_ptr<const Image> found = cache.findImage(identity, again, request);
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->entry, key);
  }
  EXPECT_EQ(cache.programs.counts().written, 200u);
}

/// Whatever they say, where their checksum is right.
TEST_F(CodeCacheTest, MutatedProgramsDoNoHarm) {
  RecordedNames names = asked();
  ask(names);
  (void)cache.putProgram("key", names, result());
  const std::string good = *cache.programs.find("key");
  std::mt19937 random(1);
  for (int i = fuzzRounds(10'000); i > 0; --i) {
    cache.programs.put("key", mutated(good, random));
    RecordedNames again = asked();
    (void)cache.findProgram("key", again);
  }
}

TEST_F(CodeCacheTest, MutatedFilesAreRefused) {
  RecordedNames names = asked();
  ask(names);
  (void)cache.putProgram("key", names, result());
  cache.programs.finish();
  const std::filesystem::path file = std::filesystem::directory_iterator(folder + "/programs")->path();
  std::string good(std::filesystem::file_size(file), 0);
  std::ifstream(file, std::ios::binary).read(good.data(), std::streamsize(good.size()));
  std::mt19937 random(2);
  for (int i = fuzzRounds(5'000); i > 0; --i) {
    const std::string bad = mutated(good, random);
    if (bad == good)
      continue;
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bad;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    ASSERT_FALSE(cache.programs.find("key")) << i;
    ASSERT_FALSE(std::filesystem::exists(file)) << "it is removed";
  }
}
