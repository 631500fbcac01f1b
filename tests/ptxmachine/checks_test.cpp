// Each check of the machine: a kernel that trips it, and a twin that differs in one thing and does not.
#include "test_device.h"

#include <gtest/gtest.h>

namespace ptxmachine {
namespace {

/// An entry of one array, whose address is in %rd1 and whose element of this thread is at %rd2.
std::string kernel(const std::string &body, const std::string &declarations = "") {
  return ".version 8.3\n.target sm_90\n.address_size 64\n.file 1 \"kernel.py\"\n" + declarations +
         ".visible .entry f(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .f32 %f<4>;\n"
         ".loc 1 7 0\nld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
         "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3;\n" +
         body + "\nret; }";
}

class Checks : public testing::Test {
protected:
  /// Runs it on 64 zeros; the text of the fault, after its kind, or "" if there is none.
  std::string run(const std::string &text, bool isWritten = true) {
    const uint64_t a = device.array(std::vector<uint32_t>(64), isWritten);
    try {
      device.run(text, "f", a);
      return "";
    } catch (const Fault &fault) {
      return std::string(faultName(fault.kind)) + ": " + fault.what();
    }
  }
  void expectOnly(const std::string &tripping, const std::string &twin, const std::string &kind) {
    const std::string found = run(kernel(tripping));
    EXPECT_TRUE(found.starts_with(kind + ": ")) << found;
    EXPECT_EQ(run(kernel(twin)), "");
  }

  TestDevice device;
  Checks() { device.shape.block[0] = 64; }
};

TEST_F(Checks, OutOfBounds) {
  expectOnly("ld.global.u32 %r3, [%rd2+4];", "ld.global.u32 %r3, [%rd2];", "out-of-bounds");
  expectOnly("st.global.u32 [%rd2+-4], %r1;", "st.global.u32 [%rd2], %r1;", "out-of-bounds");
}

TEST_F(Checks, TheReportNamesLineBlockAndThread) {
  device.shape.grid[0] = 3;
  const std::string found = run(kernel("setp.ne.u32 %p1, %r2, 2; @%p1 ret; .loc 1 9 0\nld.global.u32 %r3, [%rd2+8];"));
  EXPECT_NE(found.find("kernel.py:9, thread (62, 0, 0) of block (2, 0, 0)"), std::string::npos) << found;
  EXPECT_NE(found.find("reads 4 bytes at "), std::string::npos) << found;
}

TEST_F(Checks, AStrayIntoANeighbour) {
  const uint64_t first = device.array(std::vector<uint32_t>(256)), second = device.array(std::vector<uint32_t>(256));
  const auto reads = [&](uint64_t distance) {
    try {
      device.run(kernel("ld.global.u32 %r3, [%rd1+" + std::to_string(distance) + "];"), "f", first);
      return std::string();
    } catch (const Fault &fault) {
      return std::string(fault.what());
    }
  };
  EXPECT_NE(reads(second - first).find("that is in array 2"), std::string::npos);
  EXPECT_EQ(reads(1020), "");
}

TEST_F(Checks, SharedVariables) {
  const std::string two = ".shared .align 4 .b8 x[16];\n.shared .align 4 .b8 y[16];\n";
  EXPECT_TRUE(run(kernel("st.shared.u32 [x+16], 1;", two))
                  .starts_with("out-of-bounds: writes 4 bytes at offset 16 of the shared variable x"));
  EXPECT_EQ(run(kernel("st.shared.u32 [x+12], 1;", two)), "");
  // A stray that happens to hit the other variable.
  EXPECT_TRUE(
      run(kernel("mov.u32 %r3, x; add.u32 %r3, %r3, 32; st.shared.u32 [%r3], 1;", two)).starts_with("out-of-bounds"));
  EXPECT_EQ(run(kernel("mov.u32 %r3, y; st.shared.u32 [%r3], 1;", two)), "");
}

TEST_F(Checks, LocalVariables) {
  const std::string local = ".local .align 4 .b8 x[8]; st.local.u32 [x], 1; st.local.u32 [x+4], 2; ";
  expectOnly(local + "ld.local.u32 %r3, [x+8];", local + "ld.local.u32 %r3, [x+4];", "out-of-bounds");
}

TEST_F(Checks, PiecesOfTheStack) {
  const std::string piece = "alloca.u64 %rd4, 8; st.local.u32 [%rd4], 1; ";
  expectOnly(piece + "st.local.u32 [%rd4+8], 1;", piece + "st.local.u32 [%rd4+4], 1;", "out-of-bounds");
  expectOnly("stacksave.u64 %rd5; " + piece + "stackrestore.u64 %rd5; ld.local.u32 %r3, [%rd4];",
             "stacksave.u64 %rd5; " + piece + "ld.local.u32 %r3, [%rd4]; stackrestore.u64 %rd5;", "out-of-bounds");
}

/// Lanes of one register point into two arrays, each into its own.
TEST_F(Checks, ARegisterOfTwoArrays) {
  const uint64_t first = device.array(std::vector<uint32_t>(64)), second = device.array(std::vector<uint32_t>(64));
  const std::string text =
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry f(.param .u64 a, .param .u64 b) {\n"
      ".reg .pred %p1; .reg .b32 %r<3>; .reg .b64 %rd<6>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; setp.lt.u32 %p1, %r1, 9; @%p1 bra $low;\n"
      "add.s64 %rd4, %rd2, %rd3; bra $both; $low: add.s64 %rd4, %rd1, %rd3;\n"
      "$both: st.global.u32 [%rd4], 5; ret; }";
  EXPECT_NO_THROW(device.run(text, "f", first, second));
  EXPECT_EQ(device.read<uint32_t>(first)[8] + device.read<uint32_t>(second)[9], 10u);
}

TEST_F(Checks, ACopyThatIsNotWaitedFor) {
  device.shape.block[0] = 32;
  const std::string shared = ".shared .align 16 .b8 x[256];\n";
  const std::string
      copy = "cvt.u32.u64 %r4, %rd3; mov.u32 %r5, x; add.u32 %r5, %r5, %r4; cp.async.ca.shared.global [%r5], "
             "[%rd2], 4; cp.async.commit_group; ",
      decides = "ld.shared.u32 %r3, [%r5]; setp.eq.u32 %p1, %r3, 0; @%p1 bra $L; $L:";
  EXPECT_TRUE(run(kernel(copy + decides, shared)).starts_with("undefined-value"));
  EXPECT_TRUE(run(kernel(copy + "cp.async.wait_group 1; " + decides, shared)).starts_with("undefined-value"));
  EXPECT_EQ(run(kernel(copy + "cp.async.wait_group 0; " + decides, shared)), "");
  EXPECT_EQ(run(kernel(copy + "cp.async.wait_all; " + decides, shared)), "");
}

TEST_F(Checks, OnePredicateDecidesAlone) {
  const std::string known = "setp.eq.u32 %p1, %r1, 99; setp.eq.u32 %p2, %r9, 0; ";
  expectOnly(known + "or.pred %p3, %p1, %p2; @%p3 bra $L; $L:", known + "and.pred %p3, %p1, %p2; @%p3 bra $L; $L:",
             "undefined-value");
  const std::string yes = "setp.ne.u32 %p1, %r1, 99; setp.eq.u32 %p2, %r9, 0; ";
  expectOnly(yes + "and.pred %p3, %p2, %p1; @%p3 bra $L; $L:", yes + "or.pred %p3, %p2, %p1; @%p3 bra $L; $L:",
             "undefined-value");
}

TEST_F(Checks, AnAccessThatEndsOutside) {
  const std::string text = kernel("ld.global.u32 %r3, [%rd1+4];");
  const uint64_t six = device.array(std::vector<uint16_t>(3)), eight = device.array(std::vector<uint16_t>(4));
  EXPECT_THROW(device.run(text, "f", six), Fault);
  EXPECT_NO_THROW(device.run(text, "f", eight));
}

TEST_F(Checks, Misaligned) { expectOnly("ld.global.u32 %r3, [%rd1+2];", "ld.global.u16 %r3, [%rd1+2];", "misaligned"); }

TEST_F(Checks, ConstantsAreNotWritten) {
  const std::string constant = ".const .align 4 .u32 c = 5;\n";
  EXPECT_TRUE(run(kernel("mov.u64 %rd4, c; cvta.const.u64 %rd5, %rd4; st.u32 [%rd5], 1;", constant))
                  .starts_with("out-of-bounds"));
  EXPECT_EQ(run(kernel("mov.u64 %rd4, c; cvta.const.u64 %rd5, %rd4; ld.u32 %r3, [%rd5];", constant)), "");
}

TEST_F(Checks, UndefinedRegisters) {
  expectOnly("setp.eq.u32 %p1, %r9, 0; @%p1 st.global.u32 [%rd2], 1;",
             "mov.u32 %r9, 0; setp.eq.u32 %p1, %r9, 0; @%p1 st.global.u32 [%rd2], 1;", "undefined-value");
  expectOnly("cvt.u64.u32 %rd4, %r9; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r3, [%rd5];",
             "mov.u32 %r9, 0; cvt.u64.u32 %rd4, %r9; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r3, [%rd5];",
             "undefined-value");
}

TEST_F(Checks, UndefinedMemory) {
  const std::string decides = "ld.global.u32 %r3, [%rd2]; setp.eq.u32 %p1, %r3, 0; @%p1 bra $L; $L:";
  EXPECT_TRUE(run(kernel(decides), false).starts_with("undefined-value"));
  EXPECT_EQ(run(kernel(decides), true), "");
  EXPECT_EQ(run(kernel("st.global.u32 [%rd2], 0; " + decides), false), "");
  EXPECT_TRUE(run(kernel("atom.global.add.u32 %r3, [%rd2], 1;"), false).starts_with("undefined-value"));
}

/// Compilers read a whole vector where the variable ends within it. What is past its end must not matter.
TEST_F(Checks, VectorsBeyondASharedVariable) {
  const std::string shared = ".extern .shared .align 16 .b8 x[];\n";
  device.shape.dynamicShared = 24;
  device.shape.block[0] = 1;
  const std::string fill = "st.shared.u32 [x+16], %r2; st.shared.u32 [x+20], %r2; ";
  const std::string load = "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [x+16]; ";
  EXPECT_EQ(run(kernel(fill + load + "st.global.u32 [%rd2], %r4;", shared)), "");
  EXPECT_TRUE(run(kernel(fill + load + "setp.eq.u32 %p1, %r5, 0; @%p1 ret;", shared)).starts_with("undefined-value"));
  EXPECT_TRUE(run(kernel("ld.shared.v2.u32 {%r3, %r4}, [x+24];", shared)).starts_with("out-of-bounds"));
  EXPECT_TRUE(run(kernel("st.shared.v4.u32 [x+16], {%r2, %r2, %r2, %r2};", shared)).starts_with("out-of-bounds"));
}

TEST_F(Checks, UndefinedSharedMemory) {
  const std::string shared = ".shared .align 4 .b8 x[256];\n",
                    at = "cvt.u32.u64 %r4, %rd3; mov.u32 %r5, x; add.u32 %r5, %r5, %r4; ";
  const std::string decides = "ld.shared.u32 %r3, [%r5]; setp.eq.u32 %p1, %r3, 0; @%p1 bra $L; $L:";
  EXPECT_TRUE(run(kernel(at + decides, shared)).starts_with("undefined-value"));
  EXPECT_EQ(run(kernel(at + "st.shared.u32 [%r5], 0; " + decides, shared)), "");
}

TEST_F(Checks, ReadOnlyLoads) {
  expectOnly("ld.global.nc.u32 %r3, [%rd1]; bar.sync 0; add.u32 %r4, %r1, 1; st.global.u32 [%rd2], %r4; bar.sync 0; "
             "ld.global.nc.u32 %r5, [%rd1+128];",
             "ld.global.nc.u32 %r3, [%rd1]; bar.sync 0; ld.global.nc.u32 %r5, [%rd1+128];", "read-only-load");
}

TEST_F(Checks, StoresBehindReadOnlyLoads) {
  const std::string load = "ld.global.nc.u32 %r3, [%rd2]; bar.sync 0; add.u32 %r4, %r1, 1; ";
  device.shape.block[0] = 32;
  expectOnly(load + "st.global.u32 [%rd2], %r4;", load + "st.global.u32 [%rd2+128], %r4;", "read-only-load");
}

TEST_F(Checks, AnAlignedBarrierNeedsItsWholeWarp) {
  const std::string odd = "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra $even; bra $both; ";
  const std::string both = "$both: barrier.sync 2, 64;";
  expectOnly(odd + "$even: bar.sync 1, 32; " + both, odd + "$even: barrier.sync 1, 32; " + both, "kernel-deadlock");
}

/// Lanes that end, before or after the others wait, are not waited for.
TEST_F(Checks, AnAlignedBarrierOfTheLanesThatAreLeft) {
  const std::string text = kernel("and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra $even; mov.u32 %r4, 9; "
                                  "mov.u32 %r4, 8; ret; $even: bar.sync 0;");
  const std::string late =
      kernel("and.b32 %r3, %r1, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra $odd; bar.sync 0; ret; $odd: mov.u32 %r4, 9;");
  for (device.options.seed = 1; device.options.seed < 20; ++device.options.seed) {
    EXPECT_EQ(run(text), "");
    EXPECT_EQ(run(late), "");
  }
}

TEST_F(Checks, AnAlignedBarrierOfHalfAWarp) {
  const std::string odd = "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra $even; ";
  expectOnly(odd + "bar.sync 0; bra $end; $even: bar.sync 0; $end:",
             odd + "barrier.sync 0; bra $end; $even: barrier.sync 0; $end:", "kernel-barrier");
}

TEST_F(Checks, BarriersWithDifferentCounts) {
  const std::string second = "setp.ge.u32 %p1, %r1, 32; @%p1 bra $other; ";
  expectOnly(second + "bar.sync 1, 64; ret; $other: bar.sync 1;",
             second + "bar.sync 1, 64; ret; $other: bar.sync 1, 64;", "kernel-barrier");
}

TEST_F(Checks, ALaneOutsideOfItsMask) {
  expectOnly("shfl.sync.idx.b32 %r3|%p1, %r1, 0, 31, 0xFFFF;", "shfl.sync.idx.b32 %r3|%p1, %r1, 0, 31, 0xFFFFFFFF;",
             "warp-function");
}

TEST_F(Checks, AShuffleFromALaneThatIsNotThere) {
  device.shape.block[0] = 20;
  const std::string decides = "setp.eq.u32 %p2, %r3, 0; @%p2 bra $L; $L:";
  expectOnly("shfl.sync.idx.b32 %r3|%p1, %r1, 25, 31, 0xFFFFFFFF; " + decides,
             "shfl.sync.idx.b32 %r3|%p1, %r1, 5, 31, 0xFFFFFFFF; " + decides, "undefined-value");
}

TEST_F(Checks, RacesOfThreads) {
  const std::string next = "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 63; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, "
                           "%rd4; add.u32 %r4, %r1, 9; ";
  const std::string store = "st.global.u32 [%rd2], %r4; ", load = "ld.global.u32 %r5, [%rd5];";
  expectOnly(next + store + load, next + store + "bar.sync 0; " + load, "kernel-race");
}

TEST_F(Checks, StoresBehindReadsOfOthers) {
  const std::string next = "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 63; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, "
                           "%rd4; add.u32 %r4, %r1, 9; ";
  const std::string load = "ld.global.u32 %r5, [%rd5]; ", store = "st.global.u32 [%rd2], %r4;";
  expectOnly(next + load + store, next + load + "bar.sync 0; " + store, "kernel-race");
}

/// Lanes 4 and 5 read one place together, and lane 5 writes it.
TEST_F(Checks, EachLaneThatReadsAPlaceCounts) {
  const auto text = [](const std::string &writer) {
    return "and.b32 %r3, %r1, 0xFFFFFFFE; setp.ne.u32 %p1, %r3, 4; @%p1 ret; ld.global.u32 %r5, [%rd1]; setp.ne.u32 "
           "%p2, %r1, " +
           writer + "; @%p2 ret; st.global.u32 [%rd1], 77;";
  };
  expectOnly(text("5"), text("99"), "kernel-race");
}

TEST_F(Checks, RacesOfBlocks) {
  device.shape.grid[0] = 2;
  expectOnly("add.u32 %r4, %r2, 9; st.global.u32 [%rd2], %r4;", "red.global.add.u32 [%rd2], 9;", "kernel-race");
}

/// Only the first of two cells has a conflict.
TEST_F(Checks, TheReportOfARaceSaysWhatThePastAccessWas) {
  const std::string found = run(kernel("setp.ne.u32 %p1, %r1, 0; @!%p1 st.global.u32 [%rd1+64], 5; @!%p1 bra $end; "
                                       "ld.global.v2.u32 {%r3, %r4}, [%rd1+64];\n$end:"));
  EXPECT_TRUE(found.starts_with("kernel-race: reads 8 bytes")) << found;
  EXPECT_NE(found.find("written by lane 0"), std::string::npos) << found;
}

TEST_F(Checks, StoresOfOneValueDoNotRace) {
  device.shape.grid[0] = 2;
  EXPECT_EQ(run(kernel("st.global.u32 [%rd2], 9;")), "");
}

TEST_F(Checks, AWarpBarrierOrdersItsWarp) {
  device.shape.block[0] = 32;
  const std::string
      store = "add.u32 %r4, %r1, 9; st.global.u32 [%rd2], %r4; ",
      load = "sub.u32 %r3, 31, %r1; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r5, [%rd5];";
  expectOnly(store + load, store + "bar.warp.sync 0xFFFFFFFF; " + load, "kernel-race");
}

/// One block hands a value to the other: written, fence, flag; flag seen, fence, read.
TEST_F(Checks, FencesAndAtomicsOrder) {
  device.shape.grid[0] = 2;
  device.shape.block[0] = 1;
  const auto text = [](const std::string &first, const std::string &second) {
    return "setp.eq.u32 %p1, %r2, 1; @%p1 bra $wait; st.global.u32 [%rd1], 7; " + first +
           " atom.global.exch.b32 %r3, [%rd1+4], 1; ret; $wait: atom.global.add.u32 %r3, [%rd1+4], 0; setp.eq.u32 %p2, "
           "%r3, 0; @%p2 bra $wait; " +
           second + " ld.global.u32 %r4, [%rd1];";
  };
  expectOnly(text("", "membar.gl;"), text("membar.gl;", "membar.gl;"), "kernel-race");
  expectOnly(text("membar.gl;", ""), text("membar.gl;", "fence.acq_rel.gpu;"), "kernel-race");
}

TEST_F(Checks, ALockOrdersItsSections) {
  device.shape.grid[0] = 8;
  device.shape.block[0] = 1;
  const std::string take = "$try: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra $try; ";
  const std::string work = "ld.global.u32 %r4, [%rd1+4]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1+4], %r4; ";
  const std::string give = "atom.global.exch.b32 %r5, [%rd1], 0;";
  for (device.options.seed = 1; device.options.seed < 20; ++device.options.seed) {
    expectOnly(take + work + give, take + "membar.gl; " + work + "membar.gl; " + give, "kernel-race");
  }
}

TEST_F(Checks, Deadlock) {
  const std::string second = "setp.ge.u32 %p1, %r1, 32; @%p1 bra $other; ";
  expectOnly(second + "bar.sync 1, 64; ret; $other: bar.sync 2, 64;",
             second + "bar.sync 2, 64; ret; $other: bar.sync 2, 64;", "kernel-deadlock");
}

TEST_F(Checks, Traps) {
  expectOnly("setp.eq.u32 %p1, %r1, 5; @%p1 trap;", "setp.eq.u32 %p1, %r1, 99; @%p1 trap;", "trap");
}

TEST_F(Checks, WhatIsUnknownIsAnErrorAtLoad) {
  const auto problem = [&](const std::string &body) {
    try {
      run(kernel(body));
      return std::string();
    } catch (const LoadError &error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(problem("frobnicate.u32 %r3, %r1;").find("frobnicate.u32: unknown instruction"), std::string::npos);
  EXPECT_NE(problem("add.u32 %r3, %r77, 1;").find("'%r77'"), std::string::npos);
  EXPECT_NE(problem("add.u32 %r3, %r1;").find("needs more operands"), std::string::npos);
  EXPECT_NE(problem("bra $nowhere;").find("'$nowhere'"), std::string::npos);
}

} // namespace
} // namespace ptxmachine
