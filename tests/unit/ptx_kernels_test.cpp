// PTX of well-known kernels: parameters, loads, loops, index arithmetic.
#include "ptx_check.h"
#include "sample_kernels.h"

#include <gmock/gmock.h>

namespace {

using namespace treadle;
using namespace treadle::test;
using testing::HasSubstr;
using testing::Not;
using Source = ParameterLeaf::Source;

TEST(PtxKernels, SaxpyHasFiveParameters) {
  Image image = compilePtx(saxpyKernel());
  EXPECT_EQ(image.entry, "saxpy");
  ASSERT_EQ(image.parameters.leaves.size(), 5u);
  const Source sources[] = {Source::Pointer, Source::Scalar, Source::Pointer, Source::Extent, Source::Pointer};
  const uint32_t offsets[] = {0, 8, 16, 24, 32};
  const uint16_t arguments[] = {0, 1, 2, 2, 3};
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(image.parameters.leaves[i].source, sources[i]);
    EXPECT_EQ(image.parameters.leaves[i].offset, offsets[i]);
    EXPECT_EQ(image.parameters.leaves[i].argument, arguments[i]);
  }
  EXPECT_EQ(image.parameters.size, 40u);
  EXPECT_EQ(count(image.code, ".param ."), 5u);
  EXPECT_EQ(image.writes, (std::vector<bool>{true, false, false, false}));
}

TEST(PtxKernels, SaxpyFusesAndTestsNoSigns) {
  Image image = compilePtx(saxpyKernel());
  EXPECT_THAT(image.code, HasSubstr("fma.rn.f32"));
  // The guard and the grid prove that the index is not negative.
  EXPECT_EQ(count(image.code, "selp"), 0u);
  EXPECT_EQ(count(image.code, "setp"), 1u);
  EXPECT_THAT(image.code, Not(HasSubstr("ld.global.nc")));
}

TEST(PtxKernels, FactsGiveReadOnlyLoadsAndNarrowIndices) {
  Image image = compilePtx(saxpyKernel(), allFacts());
  EXPECT_EQ(count(image.code, "ld.global.nc.f32"), 2u);
  EXPECT_THAT(image.code, HasSubstr("mad.lo.s32"));
  // Nothing is sign-extended, since the grid proves the offset not negative.
  EXPECT_THAT(image.code, Not(HasSubstr("cvt.s64.s32")));
}

TEST(PtxKernels, FactsGiveExtentsOf32Bits) {
  Image image = compilePtx(saxpyKernel(), allFacts());
  ASSERT_EQ(image.parameters.leaves.size(), 5u);
  EXPECT_EQ(image.parameters.leaves[3].source, Source::Extent);
  EXPECT_EQ(image.parameters.leaves[3].bytes, 4);
  EXPECT_EQ(image.parameters.leaves[3].offset, 24u);
  EXPECT_EQ(image.parameters.leaves[4].offset, 32u);
  EXPECT_EQ(count(image.code, ".param .u32 saxpy_param_"), 1u);
  EXPECT_THAT(image.code, Not(testing::ContainsRegex("setp\\.[a-z]+\\.[su]64")));
}

TEST(PtxKernels, WrittenArraysAreNotReadOnly) {
  Image image = compilePtx(gridStrideKernel(), allFacts());
  EXPECT_THAT(image.code, Not(HasSubstr(".nc.")));
  EXPECT_EQ(image.writes, (std::vector<bool>{true, false}));
}

TEST(PtxKernels, RangeLoopsNeedNoDivision) {
  for (const Facts &facts : {Facts(), allFacts()}) {
    Image image = compilePtx(gridStrideKernel(), facts);
    EXPECT_THAT(image.code, Not(testing::ContainsRegex("(div|rem)\\.")));
  }
}

TEST(PtxKernels, Mandelbrot) {
  Image image = compilePtx(mandelbrotKernel(), allFacts());
  EXPECT_THAT(image.code, Not(testing::ContainsRegex("(div|rem)\\.")));
  EXPECT_THAT(image.code, Not(HasSubstr(".local")));
  EXPECT_EQ(count(image.code, "fma.rn.f32"), 2u);
  // ptxas may fuse the rest: no `.rn`.
  EXPECT_THAT(image.code, HasSubstr("mul.f32"));
}

TEST(PtxKernels, StencilTestsNoSigns) {
  Image image = compilePtx(stencilKernel(), allFacts());
  EXPECT_EQ(count(image.code, "selp"), 0u);
  EXPECT_EQ(count(image.code, "ld.global.nc.f32"), 4u);
}

TEST(PtxKernels, TiledMatmulUnrollsItsTile) {
  Image image = compilePtx(tiledMatmulKernel(), allFacts());
  EXPECT_EQ(image.sharedBytes, 2048u);
  EXPECT_EQ(count(image.code, "fma.rn.f32"), 16u);
  EXPECT_EQ(count(image.code, "bar.sync"), 2u);
  EXPECT_EQ(count(image.code, "ld.shared.f32") + 4 * count(image.code, "ld.shared.v4.f32") +
                2 * count(image.code, "ld.shared.v2.f32"),
            32u);
  EXPECT_THAT(image.code, Not(testing::ContainsRegex("\\t(ld|st)\\.f32"))); // no generic access
}

TEST(PtxKernels, AssembleForAllCapabilities) {
  for (unsigned capability : {75u, 80u, 86u, 87u, 89u, 90u, 100u, 120u}) {
    Target target{Target::Kind::Ptx, capability, {}};
    for (const TypedRef &kernel : {saxpyKernel(), mandelbrotKernel(), tiledMatmulKernel(), stencilKernel()})
      compilePtx(kernel, allFacts(), {}, target);
  }
}

TEST(PtxKernels, EveryOptimizationLevelAssembles) {
  for (unsigned level : {0u, 1u, 2u, 3u})
    for (const TypedRef &kernel : {saxpyKernel(), mandelbrotKernel(), tiledMatmulKernel()}) {
      CompileOptions options;
      options.optimization = level;
      compilePtx(kernel, {}, options);
    }
}

TEST(PtxKernels, EqualTargetsGiveEqualCode) {
  EXPECT_EQ(compilePtx(mandelbrotKernel()).code, compilePtx(mandelbrotKernel()).code);
}

TEST(PtxKernels, StagesAreKept) {
  Image image = compilePtx(saxpyKernel());
  EXPECT_THAT(image.stages.at("llvm"), HasSubstr("alloca"));
  EXPECT_THAT(image.stages.at("optimized"), Not(HasSubstr("alloca")));
  EXPECT_EQ(image.stages.at("ptx"), image.code);
}

} // namespace
