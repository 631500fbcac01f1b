// MemoryManager: memory of somebody else, whose owner stays until its last use is over.
#include "memory_device.h"

#include <gtest/gtest.h>

#include <utility>

namespace treadle {
namespace {

class ForeignMemoryTest : public testing::Test {
protected:
  MemoryDevice device;
  MemoryManager memory{device, {}};
  char bytes[8];
};

TEST_F(ForeignMemoryTest, OwnersOfForeignMemoryStayWhileAStreamUsesIt) {
  auto timeline = std::make_shared<HandTimeline>();
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<const void> lives = owner;
  auto lend = [&](uint64_t position) {
    Buffer buffer(memory, bytes, {.owner = kept(std::exchange(owner, std::make_shared<int>(1)))});
    if (position > 0)
      buffer.use({timeline, position});
  };
  lend(1);
  EXPECT_FALSE(lives.expired());
  memory.returnLent();
  EXPECT_FALSE(lives.expired());
  timeline->done = 1;
  memory.returnLent();
  EXPECT_TRUE(lives.expired());
  const std::weak_ptr<const void> unused = owner;
  lend(0);
  EXPECT_TRUE(unused.expired());
  EXPECT_EQ(memory.figures().liveCount, 0u);
}

TEST_F(ForeignMemoryTest, ManyPiecesOfForeignMemoryAreLookedThrough) {
  auto timeline = std::make_shared<HandTimeline>();
  std::vector<std::weak_ptr<const void>> owners;
  auto lend = [&](uint64_t position) {
    auto owner = std::make_shared<int>(1);
    owners.push_back(owner);
    Buffer(memory, bytes, {.owner = kept(std::move(owner))}).use({timeline, position});
  };
  for (unsigned i = 0; i < 20; ++i)
    lend(1);
  timeline->done = 1;
  for (unsigned i = 0; i < 40; ++i)
    lend(2);
  EXPECT_TRUE(owners.front().expired());
  EXPECT_FALSE(owners.back().expired());
  timeline->done = 2;
  memory.clear();
  EXPECT_TRUE(owners.back().expired());
}

} // namespace
} // namespace treadle
