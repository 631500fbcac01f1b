// Clusters on the machine: who is who, the barrier and its misuse, shared memory of other blocks.
#include "test_device.h"

#include <gtest/gtest.h>

namespace ptxmachine {
namespace {

/// An entry of one array, whose address is in %rd1; %r1 is the thread, %r2 the block, %r3 its rank; `mine` is shared.
std::string kernel(const std::string &body) {
  return ".version 8.3\n.target sm_90\n.address_size 64\n"
         ".visible .entry f(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<12>;\n"
         ".shared .align 4 .b8 mine[128];\nld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
         "mov.u32 %r3, %cluster_ctarank; mov.u32 %r9, mine; shl.b32 %r10, %r1, 2; add.u32 %r10, %r9, %r10;\n"
         "mul.lo.u32 %r11, %r2, %ntid.x; add.u32 %r11, %r11, %r1; mul.wide.u32 %rd3, %r11, 4;\n"
         "add.s64 %rd2, %rd1, %rd3;\n" +
         body + "\nret; }";
}

const std::string sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
const std::string store = "st.shared.u32 [%r10], %r11;\n";
const std::string other = "xor.b32 %r4, %r3, 1; mapa.shared::cluster.u32 %r5, %r10, %r4;\n";
const std::string read = "ld.shared::cluster.u32 %r6, [%r5];\n";
const std::string give = "st.global.u32 [%rd2], %r6;\n";

class Clusters : public testing::Test {
protected:
  Clusters() {
    device.shape.grid[0] = 4;
    device.shape.block[0] = 32;
    device.shape.cluster[0] = 2;
  }
  /// On 128 zeros, with many orders of turns; the text of a fault after its kind, or "".
  std::string run(const std::string &body) {
    for (device.options.seed = 1; device.options.seed <= 20; ++device.options.seed) {
      out = device.array(std::vector<uint32_t>(128));
      try {
        device.run(kernel(body), "f", out);
      } catch (const Fault &fault) {
        return std::string(faultName(fault.kind)) + ": " + fault.what();
      }
    }
    return "";
  }
  void expectFault(const std::string &body, const std::string &kind, const std::string &text) {
    const std::string found = run(body);
    EXPECT_TRUE(found.starts_with(kind + ": ")) << found;
    EXPECT_NE(found.find(text), std::string::npos) << found;
  }
  std::vector<uint32_t> result() { return device.read<uint32_t>(out); }

  TestDevice device;
  uint64_t out = 0;
};

TEST_F(Clusters, SpecialRegisters) {
  device.shape.grid[0] = 2;
  device.shape.grid[1] = 6;
  device.shape.cluster[1] = 3;
  device.shape.block[0] = 1;
  out = device.array(std::vector<uint32_t>(12));
  device.run(kernel("mov.u32 %r4, %ctaid.y; mad.lo.u32 %r4, %r4, 2, %r2; mul.wide.u32 %rd3, %r4, 4;\n"
                    "add.s64 %rd2, %rd1, %rd3; mov.u32 %r6, %cluster_ctaid.x; mov.u32 %r5, %cluster_ctaid.y;\n"
                    "mad.lo.u32 %r6, %r5, 10, %r6; mov.u32 %r5, %clusterid.y; mad.lo.u32 %r6, %r5, 100, %r6;\n"
                    "mov.u32 %r5, %cluster_nctarank; mad.lo.u32 %r6, %r5, 1000, %r6;\n"
                    "mov.u32 %r5, %nclusterid.y; mad.lo.u32 %r6, %r5, 10000, %r6;\n"
                    "mad.lo.u32 %r6, %r3, 100000, %r6;" +
                    give),
             "f", out);
  std::vector<uint32_t> expected;
  for (uint32_t y = 0; y < 6; ++y)
    for (uint32_t x = 0; x < 2; ++x)
      expected.push_back(x + 10 * (y % 3) + 100 * (y / 3) + 6000 + 20000 + 100000 * (x + 2 * (y % 3)));
  EXPECT_EQ(result(), expected);
}

TEST_F(Clusters, TheSharedMemoryOfAnotherBlock) {
  EXPECT_EQ(run(store + sync + other + read + give + sync), "");
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(result()[i], i ^ 32) << i;
  const std::string generic = "cvta.shared.u64 %rd4, mine; xor.b32 %r4, %r3, 1; mapa.u64 %rd5, %rd4, %r4;\n"
                              "getctarank.u64 %r7, %rd5; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd5, %rd5, %rd6;\n"
                              "ld.u32 %r6, [%rd5]; mad.lo.u32 %r6, %r7, 1000, %r6;\n";
  EXPECT_EQ(run(store + sync + generic + give + sync), "");
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(result()[i], (i ^ 32) + 1000 * (i / 32 % 2 ^ 1)) << i;
}

TEST_F(Clusters, AtomicsThere) {
  const std::string add = "mapa.shared::cluster.u32 %r5, %r9, 1; atom.shared::cluster.add.u32 %r7, [%r5], 3;\n";
  EXPECT_EQ(run("st.shared.u32 [%r9], 0;\n" + sync + add + sync + "ld.shared.u32 %r6, [%r9];\n" + give), "");
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(result()[i], i / 32 % 2 ? 192u : 0u) << i;
}

TEST_F(Clusters, WithoutTheBarrierItIsARaceOrTooEarly) {
  const std::string found = run(store + other + read + give + sync);
  EXPECT_TRUE(found.starts_with("kernel-race: ") || found.starts_with("out-of-bounds: ")) << found;
  expectFault("barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n" + store +
                  "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n" + other + read + give + sync,
              "kernel-race", "nothing orders the two");
}

TEST_F(Clusters, ABlockMustNotHaveEnded) {
  expectFault(store + sync + other + read + give, "out-of-bounds", "which has ended");
}

TEST_F(Clusters, OtherBlocksAreReachedByTheirSpaceOnly) {
  expectFault(store + sync + other + "ld.shared.u32 %r6, [%r5];\n" + sync, "out-of-bounds", "as one of its own");
  expectFault(store + sync + "mapa.shared::cluster.u32 %r5, %r10, 2;\n" + sync, "out-of-bounds",
              "maps an address to block 2 of a cluster of 2");
  expectFault("mapa.u64 %rd5, %rd1, 0;", "out-of-bounds", "not in shared memory");
  expectFault(store + sync + other + "ld.shared::cluster.u32 %r6, [%r5+128];\n" + sync, "out-of-bounds", "mine");
}

TEST_F(Clusters, ArrivalsAndWaitsAreInTurns) {
  expectFault("barrier.cluster.wait;", "kernel-barrier", "has not arrived");
  expectFault("barrier.cluster.arrive; barrier.cluster.arrive;", "kernel-barrier",
              "arrives at the cluster's barrier again");
  EXPECT_EQ(run("barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive; barrier.cluster.wait;"), "");
}

TEST_F(Clusters, WhoHasExitedIsNotWaitedFor) {
  EXPECT_EQ(run("setp.eq.u32 %p1, %r3, 0; @%p1 ret;\n" + sync + "mov.u32 %r6, 7;\n" + give), "");
  EXPECT_EQ(run("setp.gt.u32 %p1, %r1, 20; @%p1 barrier.cluster.arrive; @%p1 ret;\n"
                "barrier.cluster.arrive; barrier.cluster.wait;\nmov.u32 %r6, 7;\n" +
                give),
            "");
  EXPECT_EQ(result()[20], 7u);
  EXPECT_EQ(result()[21], 0u);
}

TEST_F(Clusters, AlignedBarriersAreOneInstructionOfTheWarp) {
  expectFault("setp.lt.u32 %p1, %r1, 9; @%p1 bra $apart;\n" + sync + "ret;\n$apart:\n" + sync, "kernel-barrier",
              "different aligned barriers");
  EXPECT_EQ(run("setp.lt.u32 %p1, %r1, 9; @%p1 bra $apart;\nbarrier.cluster.arrive; barrier.cluster.wait; ret;\n"
                "$apart:\nbarrier.cluster.arrive; barrier.cluster.wait;"),
            "");
}

} // namespace
} // namespace ptxmachine
