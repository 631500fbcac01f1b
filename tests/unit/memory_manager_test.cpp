// MemoryManager: the queue, the cache, limits, deferral, resets, and frees that fail.
#include "memory_device.h"

#include <gmock/gmock.h>

#include <optional>
#include <random>
#include <thread>

namespace treadle {
namespace {

using testing::HasSubstr;

class MemoryTest : public testing::Test {
protected:
  MemoryManager &manager(const MemoryLimits &limits = {}) {
    made.emplace(device, limits);
    device.manager = &*made;
    return *made;
  }
  void TearDown() override { device.manager = nullptr; }
  /// Does not keep freed memory.
  static MemoryLimits withoutCache() { return {.cacheBytes = 0}; }
  static void drop(MemoryManager &manager, size_t bytes, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      Buffer(manager, bytes);
  }

  MemoryDevice device;
  std::optional<MemoryManager> made;
};

TEST_F(MemoryTest, TheQueueIsFlushedWhenItHoldsMoreThanItsCount) {
  MemoryManager &memory = manager();
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (unsigned i = 0; i < 11; ++i)
    buffers.push_back(std::make_unique<Buffer>(memory, 100));
  for (unsigned i = 0; i < 10; ++i) {
    buffers.pop_back();
    EXPECT_EQ(memory.figures().pendingCount, i + 1);
  }
  buffers.pop_back();
  EXPECT_EQ(memory.figures().pendingCount, 0u);
  EXPECT_EQ(memory.figures().cachedCount, 11u);
}

TEST_F(MemoryTest, TheQueueIsFlushedWhenItHoldsTooManyBytes) {
  MemoryManager &memory = manager(withoutCache());
  Buffer keep(memory, 1);
  drop(memory, 200'000, 1); // less than a fifth of 1 MiB; its class has 212,992
  EXPECT_EQ(memory.figures().pendingCount, 0u);
  drop(memory, 100'000, 1);
  EXPECT_EQ(memory.figures().pendingCount, 1u);
  drop(memory, 110'000, 1);
  EXPECT_EQ(memory.figures().pendingCount, 0u);
  EXPECT_EQ(device.releases, 3u);
}

TEST_F(MemoryTest, LimitsCanChange) {
  MemoryManager &memory = manager();
  memory.setLimits({.pendingCount = 2});
  drop(memory, 10, 2);
  EXPECT_EQ(memory.figures().pendingCount, 2u);
  drop(memory, 10, 1);
  EXPECT_EQ(memory.figures().pendingCount, 0u);
}

TEST_F(MemoryTest, FreedBlocksAreHandedOutAgain) {
  MemoryManager &memory = manager({.pendingCount = 0});
  char *first = Buffer(memory, 1000).data();
  EXPECT_EQ(memory.figures().cachedCount, 1u);
  Buffer again(memory, 1001); // the same size class
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(again.bytes(), 1001u);
  EXPECT_EQ(memory.figures().cachedBytes, 0u);
  EXPECT_EQ(device.allocations, 1u);
  static_cast<void>(Buffer(memory, 3000));
  EXPECT_EQ(device.allocations, 2u);
}

TEST_F(MemoryTest, BlocksWasteAtMostAnEighth) {
  MemoryManager &memory = manager();
  std::mt19937 random(1);
  device.capacity = size_t(1) << 40;
  for (unsigned i = 0; i < 2000; ++i) {
    const size_t bytes = std::uniform_int_distribution<size_t>(1, 1 << (1 + i % 18))(random);
    Buffer buffer(memory, bytes);
    const size_t got = memory.figures().liveBytes;
    EXPECT_GE(got, bytes);
    EXPECT_LE(got, std::max<size_t>(256, bytes + bytes / 8 + 1)) << bytes;
  }
}

TEST_F(MemoryTest, BlocksThatAStreamUsesAreNotHandedOut) {
  MemoryManager &memory = manager({.pendingCount = 0});
  auto timeline = std::make_shared<HandTimeline>();
  char *used = nullptr;
  {
    Buffer buffer(memory, 1000);
    used = buffer.data();
    buffer.use({timeline, 3});
    buffer.use({timeline, 2}); // an earlier point changes nothing
  }
  timeline->done = 2;
  Buffer other(memory, 1000);
  EXPECT_NE(other.data(), used);
  timeline->done = 3;
  EXPECT_EQ(Buffer(memory, 1000).data(), used);
}

TEST_F(MemoryTest, KindsOfMemoryOtherThanTheDevicesAreNeverCached) {
  MemoryManager &memory = manager({.pendingCount = 0});
  auto timeline = std::make_shared<HandTimeline>();
  for (const MemoryKind kind : {MemoryKind::Pinned, MemoryKind::Mapped, MemoryKind::Managed}) {
    auto buffer = std::make_unique<Buffer>(memory, 1000, kind);
    EXPECT_EQ(device.given[buffer->data()].kind, kind);
    EXPECT_TRUE(buffer->isHostVisible());
    EXPECT_FALSE(Buffer(memory, 1000).isHostVisible());
    buffer->use({timeline, 1});
    buffer.reset();
    EXPECT_EQ(memory.figures().pendingCount, 1u) << "given back while a stream uses it";
    timeline->done = 1;
    memory.clear();
    EXPECT_EQ(memory.figures().pendingCount, 0u);
    memory.trim();
    EXPECT_TRUE(device.given.empty());
    timeline->done = 0;
  }
  EXPECT_THROW(Buffer(memory, device.capacity + 1, MemoryKind::Mapped), DeviceError);
}

TEST_F(MemoryTest, ManyBlocksThatStreamsUseDoNotSlowAllocations) {
  device.capacity = 1 << 30;
  MemoryManager &memory = manager();
  const auto timeline = std::make_shared<HandTimeline>();
  auto use = [&](uint64_t position) { Buffer(memory, 100).use({timeline, position}); };
  timeline->done = 1;
  for (uint64_t position = 1; position <= 2000; ++position)
    use(position);
  memory.clear();
  // The block that is no longer in use comes long after those that the next allocation checks.
  const unsigned known = device.allocations;
  const Buffer next(memory, 100);
  EXPECT_EQ(device.allocations, known + 1);
  // Blocks that a stream has finished with are still found.
  timeline->done = 1000;
  const unsigned before = device.allocations;
  for (uint64_t position = 2001; position <= 2500; ++position)
    use(position);
  EXPECT_LT(device.allocations - before, 200u); // the search may start where there are none
  timeline->done = 3000;
}

TEST_F(MemoryTest, TrimKeepsWhatStreamsUse) {
  MemoryManager &memory = manager({.pendingCount = 0});
  auto timeline = std::make_shared<HandTimeline>();
  Buffer(memory, 500).use({timeline, 1});
  static_cast<void>(Buffer(memory, 5000));
  memory.trim();
  EXPECT_EQ(memory.figures().cachedCount, 1u);
  timeline->done = 1;
  memory.trim();
  EXPECT_EQ(memory.figures().cachedCount, 0u);
  EXPECT_EQ(device.releases, 2u);
}

TEST_F(MemoryTest, TheCacheHasALimit) {
  MemoryManager &memory = manager({.pendingCount = 0, .cacheBytes = 1000});
  {
    Buffer one(memory, 512), two(memory, 512);
  }
  EXPECT_EQ(memory.figures().cachedBytes, 512u);
  EXPECT_EQ(device.releases, 1u);
}

TEST_F(MemoryTest, DeferralsNest) {
  MemoryManager &memory = manager();
  memory.defer();
  memory.defer();
  drop(memory, 10, 30);
  EXPECT_EQ(memory.figures().pendingCount, 30u);
  memory.endDeferral();
  EXPECT_TRUE(memory.isDeferred());
  EXPECT_EQ(memory.figures().pendingCount, 30u);
  memory.endDeferral();
  EXPECT_EQ(memory.figures().pendingCount, 0u);
}

TEST_F(MemoryTest, ClearFreesNothingInsideOfADeferral) {
  MemoryManager &memory = manager();
  memory.defer();
  drop(memory, 10, 3);
  memory.clear();
  EXPECT_EQ(memory.figures().pendingCount, 3u);
  memory.endDeferral();
  EXPECT_EQ(memory.figures().pendingCount, 0u);
}

TEST_F(MemoryTest, AllocationsThatFailAreTriedAgainWithoutTheQueueAndTheCache) {
  MemoryManager &memory = manager();
  memory.defer();
  drop(memory, 1 << 19, 1);
  drop(memory, 1 << 18, 1);
  Buffer large(memory, 1 << 20); // more than is free until both are returned to the device
  EXPECT_EQ(device.releases, 2u);
  memory.endDeferral();
}

TEST_F(MemoryTest, TheDevicesOwnRefusalIsTriedAgainOnce) {
  MemoryManager &memory = manager();
  drop(memory, 1000, 1);
  device.refusals = 1;
  Buffer fits(memory, 100'000);
  EXPECT_EQ(device.allocations, 3u);
  device.refusals = 3; // the last attempt asks for the requested size only
  EXPECT_THROW(Buffer(memory, 200'000), DeviceError);
}

TEST_F(MemoryTest, ShortageSaysWhoHasTheMemory) {
  MemoryManager &memory = manager();
  Buffer a(memory, 512 << 10), b(memory, 100 << 10), c(memory, 3000), d(memory, 20);
  drop(memory, 1024, 1);
  try {
    static_cast<void>(Buffer(memory, 700'000));
    FAIL();
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.result(), CudaResult::OutOfMemory);
    EXPECT_THAT(error.reason(), HasSubstr("684 KiB were asked for"));
    EXPECT_THAT(error.reason(), HasSubstr("of 1.0 MiB are free, of which 0 bytes are cached and 0 bytes pending"));
    EXPECT_THAT(error.reason(), HasSubstr("the largest live arrays have 512 KiB, 100 KiB, 2.9 KiB;"));
  }
  EXPECT_THROW(Buffer(memory, size_t(1) << 62), DeviceError);
}

TEST_F(MemoryTest, AFailingFreeLosesOneBlock) {
  MemoryManager &memory = manager(withoutCache());
  memory.defer();
  drop(memory, 10, 3);
  device.failures = 1;
  EXPECT_THROW(memory.endDeferral(), DeviceError);
  EXPECT_EQ(memory.figures().pendingCount, 2u);
  EXPECT_EQ(device.releases, 1u);
  device.failures = 1;
  EXPECT_THROW(memory.clear(), DeviceError);
  EXPECT_EQ(memory.figures().pendingCount, 1u);
  EXPECT_FALSE(memory.hasFailed());
  memory.clear();
  EXPECT_EQ(memory.figures().pendingCount, 0u);
}

TEST_F(MemoryTest, FailuresOfDropsAreKeptForLater) {
  MemoryManager &memory = manager(withoutCache());
  device.failures = 1;
  drop(memory, 10, 11);
  EXPECT_EQ(memory.figures().pendingCount, 10u);
  EXPECT_TRUE(memory.hasFailed());
  EXPECT_THAT(memory.takeFailures(), testing::ElementsAre(HasSubstr("illegal address")));
  EXPECT_FALSE(memory.hasFailed());
}

TEST_F(MemoryTest, FailuresOfFlushesByAllocationsDoNotFailThem) {
  MemoryManager &memory = manager(withoutCache());
  memory.defer();
  drop(memory, 1 << 19, 2);
  device.failures = 1;
  Buffer large(memory, 1 << 19);
  EXPECT_EQ(memory.takeFailures().size(), 1u);
  memory.endDeferral();
}

TEST_F(MemoryTest, AfterAResetAllIsLost) {
  MemoryManager &memory = manager();
  auto live = std::make_unique<Buffer>(memory, 1000);
  drop(memory, 2000, 2);
  memory.reset();
  EXPECT_TRUE(live->isLost());
  const MemoryFigures figures = memory.figures();
  EXPECT_EQ(figures.liveBytes + figures.pendingBytes + figures.cachedBytes, 0u);
  EXPECT_EQ(figures.freeBytes(), figures.capacity);
  Buffer fresh(memory, 1000);
  EXPECT_FALSE(fresh.isLost());
  live.reset();
  EXPECT_EQ(memory.figures().pendingCount, 0u);
  EXPECT_EQ(memory.figures().liveCount, 1u);
}

TEST_F(MemoryTest, OtherResourcesWaitInTheQueueToo) {
  MemoryManager &memory = manager();
  auto resource = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = resource;
  memory.releaseLater(std::make_unique<QueuedResource>(QueuedResource{std::move(resource)}));
  EXPECT_EQ(memory.figures().pendingCount, 1u);
  EXPECT_FALSE(watched.expired());
  drop(memory, 10, 10);
  EXPECT_TRUE(watched.expired());
}

TEST_F(MemoryTest, WhatIsFreedOnAStreamIsHandedOutOnItAtOnce) {
  MemoryManager &memory = manager({.pendingCount = 0});
  auto timeline = std::make_shared<HandTimeline>(), other = std::make_shared<HandTimeline>();
  char *used = nullptr;
  {
    Buffer buffer(memory, 1000, timeline.get());
    EXPECT_FALSE(buffer.isUsedBefore());
    used = buffer.data();
    buffer.use({timeline, 1});
  }
  EXPECT_NE(Buffer(memory, 1000, other.get()).data(), used);
  EXPECT_NE(Buffer(memory, 1000).data(), used); // which may be in use by any stream
  memory.trim();                                // keeps what the stream uses
  {
    Buffer again(memory, 1000, timeline.get());
    EXPECT_EQ(again.data(), used);
    EXPECT_TRUE(again.isUsedBefore());
    EXPECT_EQ(again.uses().size(), 1u); // the host waits for that stream before it reads
    timeline->done = 1;
    EXPECT_FALSE(again.isUsedBefore());
  }
  // Other streams' uses count as usual.
  {
    Buffer both(memory, 1000, timeline.get());
    used = both.data();
    both.use({timeline, 2});
    both.use({other, 1});
  }
  EXPECT_NE(Buffer(memory, 1000, timeline.get()).data(), used);
  memory.trim();
  other->done = 1;
  EXPECT_EQ(Buffer(memory, 1000, timeline.get()).data(), used);
  timeline->done = 2;
}

TEST_F(MemoryTest, AFewBlocksServeALoopOnAStream) {
  MemoryManager &memory = manager();
  auto timeline = std::make_shared<HandTimeline>();
  for (uint64_t position = 1; position <= 100; ++position)
    Buffer(memory, 1000, timeline.get()).use({timeline, position});
  EXPECT_LE(device.allocations, memory.limits().pendingCount + 1);
  timeline->done = 100;
}

TEST_F(MemoryTest, UsesOfSeveralStreamsAreAllKept) {
  MemoryManager &memory = manager();
  std::vector<std::shared_ptr<HandTimeline>> timelines;
  Buffer buffer(memory, 100);
  for (unsigned stream = 0; stream < 4; ++stream)
    timelines.push_back(std::make_shared<HandTimeline>());
  for (uint64_t position = 1; position <= 3; ++position)
    for (const auto &timeline : timelines)
      buffer.use({timeline, position});
  const std::vector<StreamPoint> uses = buffer.uses();
  EXPECT_EQ(uses.size(), 4u);
  for (const StreamPoint &use : uses)
    EXPECT_EQ(use.position, 3u);
  buffer.use({}); // no use
  EXPECT_EQ(buffer.uses().size(), 4u);
  for (const auto &timeline : timelines)
    timeline->done = 3;
}

TEST_F(MemoryTest, ThreadsNoteUsesAtOnce) {
  MemoryManager &memory = manager();
  std::vector<std::shared_ptr<HandTimeline>> timelines{std::make_shared<HandTimeline>(),
                                                       std::make_shared<HandTimeline>()};
  for (unsigned round = 0; round < 50; ++round) {
    Buffer buffer(memory, 100);
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (uint64_t position = 1; position <= 200; ++position)
          buffer.use({timelines[thread % 2], position});
      });
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_EQ(buffer.uses().size(), 2u);
    for (const StreamPoint &use : buffer.uses())
      ASSERT_EQ(use.position, 200u);
  }
  timelines[0]->done = timelines[1]->done = 200;
}

TEST_F(MemoryTest, LostMemoryStaysWhileAStreamUsesIt) {
  MemoryManager &memory = manager();
  auto timeline = std::make_shared<HandTimeline>();
  auto buffer = std::make_unique<Buffer>(memory, 1000);
  char *const used = buffer->data();
  buffer->use({timeline, 1});
  memory.reset();
  buffer.reset();
  EXPECT_TRUE(device.given.contains(used));
  timeline->done = 1;
  memory.reset();
  EXPECT_FALSE(device.given.contains(used));
}

TEST_F(MemoryTest, WhatFitsIsHadEvenWhereItsClassDoesNotFit) {
  device.capacity = 1'100'000;
  MemoryManager &memory = manager({.pendingCount = 0});
  {
    Buffer large(memory, 1'070'000);
    EXPECT_EQ(memory.figures().liveBytes, 1'070'080u);
  }
  EXPECT_EQ(memory.figures().cachedBytes, 1'070'080u);
  Buffer again(memory, 1'070'000);
  EXPECT_EQ(memory.figures().liveBytes, 1'070'080u);
}

TEST_F(MemoryTest, LargeBlocksAreMultiplesOfTwoMebibytes) {
  constexpr size_t mebibyte = 1 << 20;
  device.capacity = 400 * mebibyte;
  MemoryManager &memory = manager({.pendingCount = 0});
  {
    Buffer large(memory, 129 * mebibyte + 1);
    EXPECT_EQ(memory.figures().liveBytes, 130 * mebibyte);
  }
  {
    Buffer similar(memory, 127 * mebibyte); // a block up to an eighth larger serves it
    EXPECT_EQ(memory.figures().liveBytes, 130 * mebibyte);
  }
  Buffer smaller(memory, 70 * mebibyte);
  EXPECT_EQ(memory.figures().liveBytes, 70 * mebibyte);
  EXPECT_EQ(device.allocations, 2u);
}

TEST_F(MemoryTest, WaitingIsForMemoryThatNobodyOwns) {
  MemoryManager &memory = manager();
  auto timeline = std::make_shared<HandTimeline>(), unrelated = std::make_shared<HandTimeline>();
  Buffer live(memory, 300'000);
  live.use({unrelated, 1});
  Buffer(memory, 600'000).use({timeline, 5});
  EXPECT_FALSE(memory.pointsThatMayHelp(2 << 20)); // more than the device has
  EXPECT_FALSE(memory.pointsThatMayHelp(800'000)); // more than is not owned
  const std::vector<StreamPoint> points = memory.pointsThatMayHelp(500'000).value();
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].timeline, timeline);
  EXPECT_EQ(points[0].position, 5u);
  memory.clear();
  EXPECT_EQ(memory.pointsThatMayHelp(500'000).value().size(), 1u);
  timeline->done = unrelated->done = 5;
  EXPECT_EQ(memory.pointsThatMayHelp(500'000).value().size(), 0u); // has completed: it is time to try again
  memory.clear();
  memory.trim();
  EXPECT_FALSE(memory.pointsThatMayHelp(500'000)); // nothing is left to take
}

TEST_F(MemoryTest, ShortageByALittleIsSaidInBytes) {
  MemoryManager &memory = manager();
  try {
    static_cast<void>(Buffer(memory, (1 << 20) + 1));
    FAIL();
  } catch (const DeviceError &error) {
    EXPECT_THAT(error.reason(), HasSubstr("1048577 bytes were asked for, 1048576 bytes of 1.0 MiB are free"));
  }
}

TEST_F(MemoryTest, ThreadsShareIt) {
  device.capacity = size_t(1) << 30;
  MemoryManager &memory = manager();
  device.manager = nullptr;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([&memory, thread] {
      std::mt19937 random(thread);
      std::vector<std::shared_ptr<Buffer>> held;
      for (unsigned step = 0; step < 3000; ++step) {
        held.push_back(std::make_shared<Buffer>(memory, random() % 5000));
        held.back()->data()[0] = char(thread);
        if (held.size() > 20)
          held.erase(held.begin() + random() % 20);
        for (const auto &buffer : held)
          ASSERT_EQ(buffer->data()[0], char(thread));
        if (step % 500 == 0)
          memory.trim();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(memory.figures().liveCount, 0u);
}

} // namespace
} // namespace treadle
