// Fibers, and warps as fibers, with C++ code in place of generated code: switches, splits, waits, and what is left when
// a launch fails.
#include "device/cpu/threads/block_fibers.h"
#include "device/cpu/threads/grid_fibers.h"
#include "device/cpu/threads/safepoint.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

extern "C" void treadle_cpu_run_block(const treadle::cpu::BlockCall *call);
extern "C" uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive, const treadle::cpu::BarrierCall *call);
extern "C" uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive, const treadle::cpu::GatherCall *call);
extern "C" uint64_t treadle_cpu_yield(uint32_t here, uint32_t alive);
extern "C" void treadle_cpu_grid_barrier();

namespace treadle::cpu {
namespace {

struct Counting {
  Fiber *fiber = nullptr;
  int steps = 0;
};

TREADLE_ON_FIBER void count(void *value) {
  auto *counting = static_cast<Counting *>(value);
  counting->fiber->enter();
  // The value is in a register or in this frame: both must survive the switch.
  for (int step = 1;; ++step) {
    counting->steps = step;
    counting = static_cast<Counting *>(counting->fiber->suspend());
  }
}

TEST(FiberTest, GoesOnWhereItStopped) {
  Fiber fiber(std::make_shared<FiberStack>(), &count);
  Counting counting{&fiber};
  for (int step = 1; step <= 5; ++step) {
    fiber.resume(&counting);
    EXPECT_EQ(counting.steps, step);
  }
}

TEST(FiberTest, CopiesOnOneStackGoOnApart) {
  Fiber first(std::make_shared<FiberStack>(), &count);
  Counting one{&first};
  first.resume(&one);
  first.resume(&one);
  std::unique_ptr<Fiber> second = first.split();
  Counting two{second.get()};
  first.resume(&one);
  second->resume(&two);
  second->resume(&two);
  std::unique_ptr<Fiber> third = second->split();
  Counting three{third.get()};
  first.resume(&one);
  third->resume(&three);
  second->resume(&two);
  EXPECT_EQ(one.steps, 4);
  EXPECT_EQ(two.steps, 5);
  EXPECT_EQ(three.steps, 5);
}

/// What the warps of a block do, and what they have read.
struct Block {
  uint32_t blockDim = 64;
  std::vector<int> log;
  std::vector<int> cells = std::vector<int>(1024, 0);
  WorkerArena arena{};
};

Block &blockOf(const void *parameters) { return *static_cast<Block *>(const_cast<void *>(parameters)); }

KernelFailure failure;

/// Runs the block as generated code would; returns false if it failed.
bool runBlock(Block &block, WarpFunction function) {
  static WarpFunction current;
  current = function;
  const LaunchGeometry geometry{{1, 1, 1}, {block.blockDim, 1, 1}, 0, 0, nullptr, {1, 1, 1}};
  const KernelCall call{
      [](const void *parameters, const LaunchGeometry *shape, uint64_t, uint64_t, WorkerArena *arena) {
        const uint32_t coordinates[3] = {};
        const BlockCall block{current, parameters, shape, coordinates, arena};
        treadle_cpu_run_block(&block);
      },
      &block,
      &geometry,
      0,
      1,
      &block.arena,
      &failure,
      nullptr};
  failure.isTaken = 0;
  return runUntilCut(call);
}

constexpr BarrierCall plain{BarrierCall::Plain, 0};

uint32_t kept(uint64_t answer) { return uint32_t(answer); }
uint32_t result(uint64_t answer) { return uint32_t(answer >> 32); }

TREADLE_ON_FIBER void exchangeOverWarps(const void *parameters, const LaunchGeometry *, const uint32_t *,
                                        uint32_t linear, WorkerArena *) {
  Block &block = blockOf(parameters);
  block.cells[linear] = int(linear) + 7;
  EXPECT_EQ(kept(treadle_cpu_barrier(~0u, ~0u, &plain)), ~0u);
  block.log.push_back(block.cells[(linear + 32) % 128]);
}

TEST(BlockFibersTest, ABarrierWaitsForAllWarps) {
  Block block;
  block.blockDim = 128;
  ASSERT_TRUE(runBlock(block, &exchangeOverWarps));
  EXPECT_EQ(block.log, (std::vector<int>{39, 71, 103, 7}));
}

/// Lanes 0 to 15 wait at one barrier, the others at another: each half reads what the other wrote before.
TREADLE_ON_FIBER void waitInTwoPlaces(const void *parameters, const LaunchGeometry *, const uint32_t *, uint32_t,
                                      WorkerArena *) {
  Block &block = blockOf(parameters);
  uint32_t alive = ~0u;
  uint32_t lower = 0xffff;
  block.cells[0] = 1;
  alive &= kept(treadle_cpu_barrier(lower, alive, &plain));
  lower &= alive;
  if (lower)
    block.log.push_back(100 + block.cells[1]);
  if (const uint32_t upper = alive & 0xffff0000) {
    block.cells[1] = 2;
    EXPECT_EQ(kept(treadle_cpu_barrier(upper, alive, &plain)), upper);
    block.log.push_back(200 + block.cells[0]);
  }
}

TEST(BlockFibersTest, ABarrierSplitsAWarp) {
  Block block;
  block.blockDim = 32;
  const uint64_t before = BlockFibers::splits();
  ASSERT_TRUE(runBlock(block, &waitInTwoPlaces));
  EXPECT_EQ(block.log, (std::vector<int>{102, 201}));
  EXPECT_EQ(BlockFibers::splits(), before + 1);
}

TREADLE_ON_FIBER void countVotes(const void *parameters, const LaunchGeometry *, const uint32_t *, uint32_t linear,
                                 WorkerArena *) {
  Block &block = blockOf(parameters);
  const uint32_t alive = linear == 32 ? 0xf : ~0u; // most lanes of the second warp have returned
  for (auto kind : {BarrierCall::Count, BarrierCall::And, BarrierCall::Or}) {
    const BarrierCall call{kind, linear == 32 ? 0xf3u : 0x1u};
    block.log.push_back(int(result(treadle_cpu_barrier(alive, alive, &call))));
  }
}

TEST(BlockFibersTest, VotesCountThreadsThatHaveNotReturned) {
  Block block;
  ASSERT_TRUE(runBlock(block, &countVotes));
  EXPECT_EQ(block.log, (std::vector<int>{3, 3, 0, 0, 1, 1}));
}

/// Odd and even lanes pass different values at different places.
TREADLE_ON_FIBER void gatherInTwoPlaces(const void *parameters, const LaunchGeometry *, const uint32_t *, uint32_t,
                                        WorkerArena *) {
  Block &block = blockOf(parameters);
  uint32_t values[32];
  std::iota(values, values + 32, 0u);
  const GatherCall first{~0u, 4, reinterpret_cast<char *>(values), {}};
  uint32_t alive = ~0u;
  uint64_t answer = treadle_cpu_gather(0x55555555, alive, &first);
  alive = kept(answer);
  if (alive & 1) {
    EXPECT_EQ(result(answer), ~0u);
    block.log.push_back(int(values[5]));
    return;
  }
  for (uint32_t &value : values)
    value += 1000;
  const GatherCall second{~0u, 4, reinterpret_cast<char *>(values), {}};
  answer = treadle_cpu_gather(alive, alive, &second);
  EXPECT_EQ(result(answer), ~0u);
  block.log.push_back(int(values[4] * 10000 + values[5]));
}

TEST(BlockFibersTest, AGatherBringsLanesOfTwoPlacesTogether) {
  Block block;
  block.blockDim = 32;
  ASSERT_TRUE(runBlock(block, &gatherInTwoPlaces));
  EXPECT_EQ(block.log.size(), 2u);
  EXPECT_NE(std::find(block.log.begin(), block.log.end(), 1005), block.log.end());
  EXPECT_NE(std::find(block.log.begin(), block.log.end(), 4 * 10000 + 1005), block.log.end());
}

TREADLE_ON_FIBER void waitForever(const void *, const LaunchGeometry *, const uint32_t *, uint32_t, WorkerArena *) {
  const GatherCall all{~0u, 0, nullptr, {2, 12, 4}};
  if (kept(treadle_cpu_gather(0xff, ~0u, &all)) & 0x100)
    treadle_cpu_barrier(~0xffu, ~0xffu, &plain);
}

TEST(BlockFibersTest, WhatCanNeverGoOnFails) {
  Block block;
  block.blockDim = 32;
  for (int round = 0; round < 3; ++round) {
    ASSERT_FALSE(runBlock(block, &waitForever));
    EXPECT_EQ(failure.call.fault, Fault::WaitsForever);
    EXPECT_EQ(failure.call.place.line, 12u);
    // The next block is unaffected by what the failed one left behind.
    Block next;
    ASSERT_TRUE(runBlock(next, &countVotes));
  }
}

TREADLE_ON_FIBER void passOn(const void *parameters, const LaunchGeometry *, const uint32_t *, uint32_t linear,
                             WorkerArena *) {
  Block &block = blockOf(parameters);
  while (block.cells[0] != int(linear / 32))
    treadle_cpu_yield(~0u, ~0u);
  block.log.push_back(int(linear));
  ++block.cells[0];
}

TEST(BlockFibersTest, WhoWaitsLetsOthersRun) {
  Block block;
  block.blockDim = 512;
  ASSERT_TRUE(runBlock(block, &passOn));
  EXPECT_EQ(block.log.size(), 16u);
  EXPECT_TRUE(std::is_sorted(block.log.begin(), block.log.end()));
}

struct Grid final : Work {
  using Work::Work;
  void run(uint64_t first, uint64_t last) noexcept override {
    const LaunchGeometry geometry{{uint32_t(units), 1, 1}, {1, 1, 1}, 0, 0, nullptr, {1, 1, 1}};
    GridFibers fibers({&step, this, &geometry, {1024, 1024, 0}, 100, this, &gridBarrier});
    fibers.run(first, last);
  }

  /// In each round each block adds its neighbour's value from the previous round.
  TREADLE_ON_FIBER static void step(const void *parameters, const LaunchGeometry *, uint64_t first, uint64_t,
                                    WorkerArena *arena) {
    auto &grid = *static_cast<Grid *>(const_cast<void *>(parameters));
    arena->shared[0] = char(first % 100);
    for (int round = 0; round < 5; ++round) {
      const uint64_t seen = grid.cells[(first + 1) % grid.units];
      treadle_cpu_grid_barrier();
      grid.cells[first] += seen;
      treadle_cpu_grid_barrier();
    }
    grid.keptShared += arena->shared[0] == char(first % 100);
  }

  GridBarrier gridBarrier{units};
  std::vector<uint64_t> cells = std::vector<uint64_t>(units, 1);
  std::atomic<uint64_t> keptShared{0};
};

TEST(GridFibersTest, BlocksMeetOverTwoWorkers) {
  for (unsigned round = 0; round < 20; ++round) {
    WorkerPool pool(2);
    Grid grid(70);
    pool.share(grid, 1);
    EXPECT_EQ(grid.cells, std::vector<uint64_t>(70, 32));
    EXPECT_EQ(grid.keptShared, 70u);
  }
}

} // namespace
} // namespace treadle::cpu
