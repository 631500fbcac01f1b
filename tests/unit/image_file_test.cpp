// Images as bytes: what is written can be read, and nothing else is accepted as an image.
#include "border/image_file.h"

#include "support/error.h"
#include "tests/unit/fuzz_rounds.h"

#include <gtest/gtest.h>

#include <random>

using namespace treadle;

namespace {

const Type *particle() {
  const int64_t extents[] = {3};
  const RecordField fields[] = {{"mass", types::float32(), 0, {}},
                                {"place", types::float64(), 8, extents},
                                {"name", types::opaque("U4", 16, 4), 32, {}}};
  return types::record(fields, 48);
}

Image madeUp() {
  Image image;
  image.target = {Target::Kind::Cpu, 0, "+avx2,-avx512f", uint64_t(24) << 20, 0};
  const Type *const pair[] = {types::int64(), types::floating(32)};
  const std::string_view names[] = {"low", "high"};
  image.signature.arguments = {types::array(particle(), {.ndim = 2, .layout = Layout::F, .readOnly = true}),
                               types::tuple(pair),
                               types::namedTuple(0, "Range", pair, names),
                               types::optional(types::complex128()),
                               types::uint8(),
                               types::boolean()};
  image.signature.result = types::none();
  image.facts = {.offsetsFitInt32 = true, .noOverlap = true, .blockClass = 16, .fullWarps = true, .rows = 0x1203};
  image.entry = "kernel";
  image.code = std::string("\x90\0\xc3"
                           "constantaddresses",
                           20);
  image.cpu().layout = {{3, 8, 9}, 2, 7, {{4096, "memcpy", -3}, {8193, "", 4097}}};
  image.cpu().debug = {"object", {{3, 0}, {5, 4096}}};
  image.parameters.leaves = {{ParameterLeaf::Source::Pointer, 0, 0, 8, 0}, {ParameterLeaf::Source::Extent, 0, 1, 4, 8}};
  image.parameters.size = 12;
  image.sharedBytes = 1024;
  image.localBytes = 48;
  image.isCooperative = true;
  image.usesClusters = true;
  image.raises = {{"ValueError", 0, "", "'too small', 3,"}};
  image.sources = {{"helper", "/tmp/helpers.py"}, {"Outer.inner", "<stdin>"}};
  image.captured = {{"table", types::array(types::int32(), {.ndim = 2}), {3, 4}, {16, 4}}, {}};
  image.writes = {true, false, true};
  image.cpu().contextBytes = 4096;
  image.cpu().hasSafepoints = true;
  image.cpu().fallbacks = {{"gathers", 2}};
  image.stages = {{"asm", "ret"}};
  return image;
}

std::string refusal(std::string_view bytes) {
  try {
    readImage(bytes);
  } catch (const UsageError &error) {
    return error.what();
  }
  return "read";
}

} // namespace

TEST(ImageFileTest, IsReadAsItWasWritten) {
  const Image image = madeUp();
  const Image read = readImage(writeImage(image));
  EXPECT_EQ(read.target, image.target);
  EXPECT_EQ(read.signature, image.signature); // types are interned
  EXPECT_EQ(read.facts, image.facts);
  EXPECT_EQ(read.entry, image.entry);
  EXPECT_EQ(read.code, image.code);
  EXPECT_EQ(read.cpu().layout, image.cpu().layout);
  EXPECT_EQ(read.cpu().debug, image.cpu().debug);
  EXPECT_EQ(read.parameters, image.parameters);
  EXPECT_EQ(read.sharedBytes, image.sharedBytes);
  EXPECT_EQ(read.localBytes, image.localBytes);
  EXPECT_TRUE(read.usesClusters);
  EXPECT_TRUE(read.isCooperative && read.cpu().hasSafepoints && !read.cpu().usesFibers);
  ASSERT_EQ(read.raises.size(), 1u);
  EXPECT_EQ(read.raises[0].exceptionClass + read.raises[0].arguments, "ValueError'too small', 3,");
  EXPECT_EQ(read.sources, image.sources);
  EXPECT_EQ(read.captured, image.captured);
  EXPECT_EQ(read.writes, image.writes);
  EXPECT_EQ(read.cpu().contextBytes, image.cpu().contextBytes);
  EXPECT_EQ(read.cpu().fallbacks, image.cpu().fallbacks);
  EXPECT_TRUE(read.stages.empty());
  EXPECT_EQ(writeImage(read), writeImage(image));
}

TEST(ImageFileTest, NamesRaisedClassesOrRefuses) {
  Image image = madeUp();
  image.raises = {{"Inner", 4711, "errors:Outer.Inner", ""}};
  const Image read = readImage(writeImage(image));
  EXPECT_EQ(read.raises[0].exceptionHandle, 0u);
  EXPECT_EQ(read.raises[0].qualifiedClass, "errors:Outer.Inner");
  EXPECT_EQ(writeImage(read), writeImage(image));
  for (const char *qualified : {"errors:make.<locals>.Inner", ""}) {
    image.raises = {{"Inner", 4711, qualified, ""}};
    EXPECT_THROW(writeImage(image), UsageError) << qualified;
  }
}

TEST(ImageFileTest, RefusesLayoutsThatCannotBeLoaded) {
  Image image = madeUp();
  image.cpu().layout.fixups[0].offset = 4097;
  EXPECT_EQ(refusal(writeImage(image)), "not an image that can be loaded: a fixup is outside of it");
  image = madeUp();
  image.code += "x";
  EXPECT_EQ(refusal(writeImage(image)),
            "not an image that can be loaded: the parts of its code are not as large as it is");
}

TEST(ImageFileTest, ReadsPtx) {
  Image image = madeUp();
  image.details = PtxCode{40};
  EXPECT_EQ(refusal(writeImage(image)), "not an image that can be loaded: its code is not of its target's kind");
  image.target.kind = Target::Kind::Ptx;
  EXPECT_EQ(readImage(writeImage(image)).ptx().sharedCarveout, 40);
  image.details = madeUp().details;
  EXPECT_EQ(refusal(writeImage(image)), "not an image that can be loaded: its code is not of its target's kind");
}

TEST(ImageFileTest, RefusesWhatIsDamaged) {
  const std::string bytes = writeImage(madeUp());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 0x10;
    EXPECT_NE(refusal(damaged), "read") << at;
    EXPECT_NE(refusal(std::string_view(bytes).substr(0, at)), "read") << at;
  }
  EXPECT_NE(refusal(bytes + "x"), "read");
}

TEST(ImageFileTest, MutatedFilesAreRefused) {
  const std::string good = writeImages({{"axpy", {"x", "y"}, madeUp()}, {"axpy", {"x", "y"}, madeUp()}});
  std::mt19937 random(3);
  for (int i = fuzzRounds(20'000); i > 0; --i) {
    std::string bad = good.substr(0, random() % 2 ? good.size() : random() % good.size());
    for (unsigned changes = 1 + random() % 3; changes > 0 && !bad.empty(); --changes)
      bad[random() % bad.size()] = char(random());
    if (bad != good)
      ASSERT_THROW((void)readImages(bad), UsageError) << i;
  }
}

TEST(ImageFileTest, SaysWhyItRefuses) {
  std::string bytes = writeImage(madeUp());
  EXPECT_NE(refusal("\x7f"
                    "ELF")
                .find("it does not begin as one"),
            std::string::npos);
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)).find("it is damaged"), std::string::npos);
  bytes[bytes.find('\n') + 1] = char(imageInterface + 1);
  EXPECT_NE(refusal(bytes).find("its interface to the library has the number " + std::to_string(imageInterface + 1)),
            std::string::npos);
}

TEST(ImageFileTest, HoldsSeveralImagesOfAKernel) {
  Image other = madeUp();
  other.facts = {};
  const std::string bytes = writeImages({{"axpy", {"x", "y"}, madeUp()}, {"axpy", {"x", "y"}, other}});
  const std::vector<FiledImage> read = readImages(bytes);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].kernel, "axpy");
  EXPECT_EQ(read[1].parameters, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(read[0].image.facts, madeUp().facts);
  EXPECT_EQ(read[1].image.facts, Facts{});
  EXPECT_EQ(refusal(bytes), "not an image that can be loaded: it has 2 images");
}
