// Buffers over the memory of another library: all that they ask of a MemoryResource.
#include "memory_device.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <set>

namespace treadle {
namespace {

/// As plain as the manager of another library can be: no queue, no cache.
class PlainResource final : public MemoryResource {
public:
  using MemoryResource::MemoryResource;
  ~PlainResource() override { EXPECT_TRUE(live.empty()); }

  void allocate(const AllocationRequest &request, LiveAllocation &allocation) override {
    allocation.block = new MemoryBlock;
    allocation.block->kind = request.kind;
    allocation.askedBytes = request.bytes;
    allocation.memory = request.isForeign ? request.foreign : new char[request.bytes];
    live.insert(&allocation);
  }
  void release(LiveAllocation &allocation) noexcept override {
    EXPECT_EQ(live.erase(&allocation), 1u) << "released twice, or never given";
    inUse += !allocation.block->uses.areDone();
    if (!allocation.block->owner)
      delete[] allocation.memory;
    delete allocation.block;
  }
  MemoryFigures figures() const override { return {.liveCount = live.size()}; }
  void reset() override {
    for (LiveAllocation *one : live)
      one->state = LiveAllocation::State::Lost;
  }

  std::set<LiveAllocation *> live;
  unsigned inUse = 0; ///< releases of memory that a stream still used
};

TEST(MemoryResource, BuffersTakeMemoryOfAnotherLibrary) {
  MemoryDevice device;
  PlainResource resource(device);
  const auto timeline = std::make_shared<HandTimeline>();
  {
    char own[16];
    Buffer buffer(resource, 100), mapped(resource, 50, MemoryKind::Mapped),
        foreign(resource, own, MemoryOwner{kept(timeline), MemoryKind::Mapped});
    EXPECT_EQ(resource.figures().liveCount, 3u);
    EXPECT_EQ(&buffer.device(), &device);
    EXPECT_FALSE(buffer.isHostVisible());
    EXPECT_TRUE(mapped.isHostVisible() && foreign.isHostVisible() && foreign.isForeign());
    EXPECT_EQ(foreign.data(), own);
    buffer.use({timeline, 1});
    mapped.use({timeline, 2});
    EXPECT_EQ(buffer.uses().size(), 1u);
    EXPECT_FALSE(buffer.isLost());
    resource.reset();
    EXPECT_TRUE(buffer.isLost() && mapped.isLost() && foreign.isLost());
    timeline->done = 1;
  }
  EXPECT_EQ(resource.inUse, 1u) << "the resource sees which streams still use what it gets back";
  EXPECT_EQ(device.allocations, 0u) << "the device's memory was not taken from the resource";
}

/// Printed only: how long a stamp takes where memory is used on one stream.
TEST(MemoryResource, StampsOfOneStream) {
  MemoryDevice device;
  MemoryManager memory(device, {});
  const auto timeline = std::make_shared<HandTimeline>();
  Buffer buffer(memory, 100);
  constexpr uint64_t rounds = 2'000'000;
  const StreamPoint *volatile hidden = nullptr;
  StreamPoint point{timeline, 0};
  hidden = &point;
  const auto begin = std::chrono::steady_clock::now();
  for (point.position = 1; point.position <= rounds; ++point.position)
    buffer.use(*hidden);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  std::printf("  %.1f ns for a stamp on the stream of the one before\n", taken.count() / double(rounds));
  ASSERT_EQ(buffer.uses().size(), 1u);
  EXPECT_EQ(buffer.uses().front().position, rounds);
  timeline->done = rounds;
}

} // namespace
} // namespace treadle
