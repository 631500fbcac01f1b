// Launches: threads, control flow, memory, calls.
#include "test_device.h"

#include <gtest/gtest.h>

#include <numeric>

namespace ptxmachine {
namespace {

const std::string header = ".version 8.3\n.target sm_90\n.address_size 64\n";

TEST(Launch, AddsVectors) {
  const std::string text = header + R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $done;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2; add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f1, [%rd8]; ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f2, %f1;
  cvta.to.global.u64 %rd9, %rd3; add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
$done: ret;
})";
  TestDevice device;
  std::vector<float> x(1000), y(1000);
  std::iota(x.begin(), x.end(), 0.0f);
  std::iota(y.begin(), y.end(), 0.5f);
  const uint64_t a = device.array(x), b = device.array(y), c = device.array(std::vector<float>(1000), false);
  device.shape.grid[0] = 8;
  device.shape.block[0] = 128;
  device.run(text, "add", a, b, c, 1000);
  const auto sums = device.read<float>(c);
  for (size_t at = 0; at < 1000; ++at)
    EXPECT_EQ(sums[at], x[at] + y[at]);
}

TEST(Launch, DirectivesWithoutBlanks) {
  const std::string text = header + R"(
.visible.entry f(.param.u64 out) {
  .reg.b32 %r<2>; .reg.b64 %rd<2>; {.reg.b16 h; mov.b16 h, 7; cvt.u32.u16 %r1, h;}
  ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1; ret;
})";
  TestDevice device;
  const uint64_t out = device.array(std::vector<uint32_t>(1));
  device.run(text, "f", out);
  EXPECT_EQ(device.read<uint32_t>(out)[0], 7u);
}

TEST(Launch, LanesDivergeAndMeetAgain) {
  const std::string text = header + R"(
.visible .entry f(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
$loop: setp.ge.u32 %p1, %r3, %r1; @%p1 bra $end;
  add.u32 %r3, %r3, 1; and.b32 %r4, %r3, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra $even;
  add.u32 %r2, %r2, %r3; bra $loop;
$even: sub.u32 %r2, %r2, 1; bra.uni $loop;
$end: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret;
})";
  TestDevice device;
  device.shape.block[0] = 50;
  const uint64_t out = device.array(std::vector<uint32_t>(50));
  device.run(text, "f", out);
  const auto got = device.read<uint32_t>(out);
  for (uint32_t t = 0; t < 50; ++t) {
    uint32_t want = 0;
    for (uint32_t k = 1; k <= t; ++k)
      want += k % 2 ? k : ~uint32_t{0};
    EXPECT_EQ(got[t], want) << t;
  }
}

TEST(Launch, GuardsMayBeNegated) {
  const std::string text = header + R"(
.visible .entry f(.param .u64 out) {
  .reg .pred %p1; .reg .b32 %r<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p1, %r1, 5;
  @%p1 st.global.u32 [%rd3], 1;
  @!%p1 st.global.u32 [%rd3], 2;
  ret;
})";
  TestDevice device;
  device.shape.block[0] = 10;
  const uint64_t out = device.array(std::vector<uint32_t>(10));
  device.run(text, "f", out);
  EXPECT_EQ(device.read<uint32_t>(out), (std::vector<uint32_t>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
}

TEST(Launch, CallsRecurse) {
  const std::string text = header + R"(
.func (.param .b32 result) factorial(.param .b32 n) {
  .reg .pred %p1; .reg .b32 %r<6>;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 1;
  setp.le.u32 %p1, %r1, 1; @%p1 bra $done;
  sub.u32 %r3, %r1, 1;
  { .param .b32 p0; st.param.b32 [p0], %r3; .param .b32 retval0;
    call.uni (retval0), factorial, (p0);
    ld.param.b32 %r4, [retval0]; }
  mul.lo.u32 %r2, %r4, %r1;
$done: st.param.b32 [result], %r2; ret;
}
.visible .entry f(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  { .param .b32 p0; st.param.b32 [p0], %r1; .param .b32 retval0;
    call.uni (retval0), factorial, (p0);
    ld.param.b32 %r2, [retval0]; }
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret;
})";
  TestDevice device;
  device.shape.block[0] = 12;
  const uint64_t out = device.array(std::vector<uint32_t>(12));
  device.run(text, "f", out);
  uint32_t want = 1;
  const auto got = device.read<uint32_t>(out);
  for (uint32_t n = 0; n < 12; ++n)
    EXPECT_EQ(got[n], want *= n ? n : 1);
}

/// An entry of one array, whose address is in %rd1.
std::string entry(const std::string &body, const std::string &declarations = "") {
  return header + declarations +
         ".visible .entry f(.param .u64 out) { .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %rd<12>; "
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; " +
         body + " ret; }";
}

TEST(Launch, VariablesHoldAddressesOfFunctions) {
  const std::string functions = R"(
.func (.param .b32 result) twice(.param .b32 n) {
  .reg .b32 %r<2>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, %r1; st.param.b32 [result], %r1; ret; }
.func (.param .b32 result) next(.param .b32 n) {
  .reg .b32 %r<2>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 1; st.param.b32 [result], %r1; ret; }
.global .align 8 .u64 table[2] = {twice, next};
)";
  const std::string body = R"(
  and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.s64 %rd3, %rd3, %rd2;
  ld.global.u64 %rd4, [%rd3];
  { .param .b32 p0; st.param.b32 [p0], %r1; .param .b32 retval0;
    prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (retval0), %rd4, (p0), prototype_0;
    ld.param.b32 %r3, [retval0]; }
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r3;)";
  TestDevice device;
  device.shape.block[0] = 6;
  const uint64_t out = device.array(std::vector<uint32_t>(6));
  device.run(entry(body, functions), "f", out);
  EXPECT_EQ(device.read<uint32_t>(out), (std::vector<uint32_t>{0, 2, 4, 4, 8, 6}));
  EXPECT_THROW(device.run(entry(body, ".global .align 8 .u64 table[1] = {nowhere};"), "f", out), LoadError);
}

TEST(Launch, AtomicSumsOfHalves) {
  const std::string body = "atom.global.gpu.add.noftz.f16x2 %r2, [%rd1], 0x3C004000; "
                           "atom.add.noftz.bf16 %h1, [%rd1+4], %h2; red.add.noftz.f16 [%rd1+6], %h3;";
  TestDevice device;
  device.shape.block[0] = 3;
  const uint64_t out = device.array(std::vector<uint16_t>{0, 0x3C00, 0x3F80, 0x3C00});
  device.run(entry("mov.b16 %h2, 0x4000; mov.b16 %h3, 0x3800; " + body), "f", out);
  EXPECT_EQ(device.read<uint16_t>(out), (std::vector<uint16_t>{0x4600, 0x4400, 0x40E0, 0x4100}));
}

TEST(Launch, AtomicsWithTheirSpaceFirst) {
  TestDevice device;
  device.shape.block[0] = 40;
  const uint64_t out = device.array(std::vector<uint32_t>(2));
  device.run(entry("atom.global.cta.add.u32 %r2, [%rd1], 2; red.global.sys.max.u32 [%rd1+4], %r1;"), "f", out);
  EXPECT_EQ(device.read<uint32_t>(out), (std::vector<uint32_t>{80, 39}));
}

TEST(Launch, ConstantsOfTheWarpAndOfClusters) {
  TestDevice device;
  const uint64_t out = device.array(std::vector<uint32_t>(3));
  device.run(entry("mov.u32 %r2, WARP_SZ; mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %cluster_ctaid.x; "
                   "st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4;"),
             "f", out);
  EXPECT_EQ(device.read<uint32_t>(out), (std::vector<uint32_t>{32, 1, 0}));
}

TEST(Launch, PiecesOfTheStack) {
  const std::string body = R"(
  add.u32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 4; stacksave.u64 %rd9;
  alloca.u64 %rd3, %rd2; alloca.u64 %rd4, 8, 16; mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd3, %rd5;
  st.local.u32 [%rd6], %r1; st.local.u32 [%rd4], 7; ld.local.u32 %r3, [%rd6]; ld.local.u32 %r4, [%rd4];
  add.u32 %r5, %r3, %r4; stackrestore.u64 %rd9; alloca.u64 %rd7, 16; setp.eq.u64 %p1, %rd7, %rd3;
  selp.u32 %r6, 100, 0, %p1; add.u32 %r5, %r5, %r6;
  add.s64 %rd8, %rd1, %rd5; st.global.u32 [%rd8], %r5;)";
  TestDevice device;
  device.shape.block[0] = 3;
  const uint64_t out = device.array(std::vector<uint32_t>(3));
  device.run(entry(body), "f", out);
  EXPECT_EQ(device.read<uint32_t>(out), (std::vector<uint32_t>{107, 108, 109}));
}

const std::string heapText = header + R"(
.extern .func (.param .b64 address) malloc (.param .b64 bytes);
.extern .func free (.param .b64 address);
.visible .entry f(.param .u64 out, .param .u64 bytes, .param .u32 times) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [bytes]; ld.param.u32 %r2, [times];
  mov.u32 %r1, %tid.x; cvt.u64.u32 %rd4, %r1;
  { .param .b64 size; .param .b64 made; st.param.b64 [size], %rd2;
    call.uni (made), malloc, (size); ld.param.b64 %rd3, [made]; }
  mov.u64 %rd7, 0;
  setp.eq.u64 %p1, %rd3, 0;
  @%p1 bra $store;
  st.u64 [%rd3], %rd4;
  ld.u64 %rd7, [%rd3];
$again:
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra $store;
  { .param .b64 which; st.param.b64 [which], %rd3; call.uni free, (which); }
  sub.u32 %r2, %r2, 1;
  bra $again;
$store:
  shl.b64 %rd5, %rd4, 3; add.s64 %rd6, %rd1, %rd5; st.u64 [%rd6], %rd7;
  ret;
})";

TEST(Launch, ThreadsAllocateAndFree) {
  TestDevice device;
  const uint64_t out = device.array(std::vector<uint64_t>(40, 99));
  device.shape.block[0] = 40;
  device.run(heapText, "f", out, uint64_t{24}, 1);
  for (uint64_t i = 0; i < 40; ++i)
    EXPECT_EQ(device.read<uint64_t>(out)[i], i);
  EXPECT_TRUE(device.heap.empty());
  device.run(heapText, "f", out, uint64_t{24}, 0);
  EXPECT_EQ(device.heap.size(), 40u);
}

TEST(Launch, MallocGivesNullWhereThereIsNoMemory) {
  TestDevice device;
  device.heapLimit = 64;
  const uint64_t out = device.array(std::vector<uint64_t>(2, 99));
  device.shape.block[0] = 2;
  device.run(heapText, "f", out, uint64_t{65}, 1);
  EXPECT_EQ(device.read<uint64_t>(out), (std::vector<uint64_t>{0, 0}));
}

TEST(Launch, FreeingTwiceIsAFault) {
  TestDevice device;
  const uint64_t out = device.array(std::vector<uint64_t>(2, 99));
  try {
    device.run(heapText, "f", out, uint64_t{24}, 2);
    FAIL();
  } catch (const Fault &fault) {
    EXPECT_EQ(fault.kind, FaultKind::Freed);
  }
}

} // namespace
} // namespace ptxmachine
