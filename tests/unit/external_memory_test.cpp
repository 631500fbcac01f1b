// MemoryManager: memory of another library, and memory that others get.
#include "memory_device.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace treadle {
namespace {

/// Lends from one array, and notes what comes back.
class Lender final : public ExternalMemory {
public:
  ExternalPiece allocate(Device &device, size_t bytes, MemoryKind kind) override {
    EXPECT_EQ(&device, expected);
    if (isEmpty)
      throw std::runtime_error("the library is out of luck");
    asked.emplace_back(bytes, kind);
    const std::shared_ptr<const void> piece(nullptr, [this](std::nullptr_t) { ++returned; });
    return {memory, {kept(piece), kind}};
  }

  Device *expected = nullptr;
  std::vector<std::pair<size_t, MemoryKind>> asked;
  unsigned returned = 0;
  bool isEmpty = false;
  char memory[64] = {};
};

class ExternalMemoryTest : public testing::Test {
protected:
  ExternalMemoryTest() {
    lender.expected = &device;
    memory.takeFrom(&lender);
  }
  MemoryDevice device;
  Lender lender;
  MemoryManager memory{device, {}};
};

TEST_F(ExternalMemoryTest, BuffersAreTheLibrarysAndGoBackToIt) {
  {
    const Buffer buffer(memory, 40), mapped(memory, 8, MemoryKind::Mapped);
    EXPECT_EQ(buffer.data(), lender.memory);
    EXPECT_EQ(buffer.bytes(), 40u);
    EXPECT_TRUE(buffer.isForeign());
    EXPECT_EQ(mapped.kind(), MemoryKind::Mapped);
    EXPECT_EQ(lender.returned, 0u);
    EXPECT_FALSE(memory.holdsMemory());
  }
  EXPECT_EQ(lender.returned, 2u);
  EXPECT_EQ(device.allocations, 0u);
  const std::vector<std::pair<size_t, MemoryKind>> expected{{40, MemoryKind::Device}, {8, MemoryKind::Mapped}};
  EXPECT_EQ(lender.asked, expected);
}

TEST_F(ExternalMemoryTest, WhatAStreamUsesGoesBackLater) {
  const auto timeline = std::make_shared<HandTimeline>();
  {
    Buffer buffer(memory, 40);
    buffer.use({timeline, 1});
  }
  EXPECT_EQ(lender.returned, 0u);
  ASSERT_EQ(memory.usesOfLent().size(), 1u);
  EXPECT_EQ(memory.usesOfLent().front().position, 1u);
  timeline->done = 1;
  memory.returnLent();
  EXPECT_EQ(lender.returned, 1u);
  EXPECT_TRUE(memory.usesOfLent().empty());
}

TEST_F(ExternalMemoryTest, ErrorsOfTheLibraryLeaveNothingBehind) {
  lender.isEmpty = true;
  EXPECT_THROW(Buffer(memory, 40), std::runtime_error);
  EXPECT_EQ(memory.figures().liveCount, 0u);
  lender.isEmpty = false;
  EXPECT_EQ(Buffer(memory, 40).data(), lender.memory);
}

TEST_F(ExternalMemoryTest, NothingIsAskedForNoBytes) {
  const Buffer buffer(memory, 0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_TRUE(lender.asked.empty());
}

TEST_F(ExternalMemoryTest, OwnRequestsStayTheDevices) {
  const Buffer buffer(memory, AllocationRequest{.bytes = 40, .isOwn = true});
  EXPECT_FALSE(buffer.isForeign());
  EXPECT_TRUE(memory.holdsMemory());
  EXPECT_EQ(device.allocations, 1u);
  memory.takeFrom(nullptr);
  EXPECT_FALSE(Buffer(memory, 40).isForeign());
}

TEST_F(ExternalMemoryTest, WhatOthersGetIsNeverHandedOutAgain) {
  memory.takeFrom(nullptr);
  const auto timeline = std::make_shared<HandTimeline>();
  {
    Buffer buffer(memory, 1000);
    buffer.use({timeline, 3});
    const std::vector<StreamPoint> uses = memory.leaveCacheAt(buffer.data() + 999);
    ASSERT_EQ(uses.size(), 1u);
    EXPECT_EQ(uses.front().position, 3u);
    EXPECT_TRUE(memory.leaveCacheAt(buffer.data() + 1000).empty());
    timeline->done = 3;
  }
  memory.clear();
  EXPECT_EQ(memory.figures().cachedCount, 0u);
}

TEST_F(ExternalMemoryTest, ClosedMemoryIsUnusable) {
  memory.takeFrom(nullptr);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<const void> lives = owner;
  char bytes[8];
  {
    Buffer hidden(memory, bytes, {.owner = kept(std::exchange(owner, nullptr))});
    EXPECT_FALSE(hidden.isLost());
    hidden.close();
    EXPECT_TRUE(lives.expired());
    EXPECT_TRUE(hidden.isLost());
    try {
      hidden.checkAlive();
      FAIL();
    } catch (const DeviceError &error) {
      EXPECT_EQ(error.result(), CudaResult::InvalidHandle);
    }
    EXPECT_EQ(memory.figures().liveCount, 1u);
  }
  EXPECT_EQ(memory.figures().liveCount, 0u);
}

TEST_F(ExternalMemoryTest, WhatTheHostSeesStaysUntilItIsDropped) {
  memory.takeFrom(nullptr);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<const void> lives = owner;
  char bytes[8];
  {
    Buffer seen(memory, bytes, {.owner = kept(std::exchange(owner, nullptr)), .kind = MemoryKind::Mapped});
    seen.close();
    EXPECT_TRUE(seen.isLost());
    EXPECT_FALSE(lives.expired());
  }
  EXPECT_TRUE(lives.expired());
}

} // namespace
} // namespace treadle
