// Exports that are imported again, dropped in any order, on many threads: each owner is dropped once, and all memory
// comes back. Under ThreadSanitizer in the deep tests.
#include "memory_device.h"

#include "interop/exported_tensor.h"
#include "interop/tensor_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace treadle {
namespace {

constexpr unsigned threads = 8, exchanges = 20'000;

class ExchangeTest : public testing::Test {
protected:
  static ArrayView own(MemoryManager &memory, int64_t extent) {
    ArrayView view;
    view.itemBytes = 8;
    view.addAxis(extent, 8);
    view.owner = std::make_shared<Buffer>(memory, size_t(extent) * 8, MemoryKind::Mapped);
    view.data = view.owner->data();
    return view;
  }

  template <typename Managed> static Managed *exported(const ArrayView &view) {
    return exportTensor<Managed>(view, {{dlpack::Float, 64, 1}, {dlpack::CudaHost, 0}, 0});
  }

  /// What was exported as an import: of the same memory, and kept alive by the tensor.
  template <typename Managed> static ArrayView imported(Managed *managed, MemoryManager &memory) {
    KeptMemory owner = ownTensor(managed);
    ForeignArray array(TensorReader(managed->tensor, flagsOf(*managed)).description());
    array.own(memory, array.memory.data(), {.owner = std::move(owner), .kind = MemoryKind::Mapped});
    return array.view;
  }

  MemoryDevice device;
  MemoryManager memory{device, {}};
};

TEST_F(ExchangeTest, ThreadsExchangeTheSameMemory) {
  const auto timeline = std::make_shared<HandTimeline>();
  ArrayView shared = own(memory, 16);
  auto exchange = [&](unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<ArrayView> kept(8, shared);
    for (unsigned i = 0; i < exchanges; ++i) {
      ArrayView &from = kept[random() % kept.size()];
      ArrayView made = random() % 2 ? imported(exported<dlpack::ManagedTensor>(from), memory)
                                    : imported(exported<dlpack::ManagedTensorVersioned>(from), memory);
      ASSERT_EQ(made.data, shared.data);
      if (random() % 4 == 0)
        made.owner->use({timeline, 1 + random() % 2}); // the second is never over while the threads run
      // Chains of exports hold each other: some begin anew.
      kept[random() % kept.size()] = random() % 8 == 0 ? shared : std::move(made);
      if (random() % 64 == 0)
        memory.returnLent();
    }
  };
  timeline->done = 1;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i)
    running.emplace_back(exchange, i + 1);
  for (std::thread &thread : running)
    thread.join();
  const std::weak_ptr<Buffer> buffer = shared.owner;
  shared = {};
  EXPECT_FALSE(buffer.expired()); // lent memory refers to it
  timeline->done = 2;
  // Each link of a chain is found when the one before it has been dropped.
  for (unsigned i = 0; i < threads * exchanges && !buffer.expired(); ++i)
    memory.returnLent();
  EXPECT_TRUE(buffer.expired());
  EXPECT_EQ(memory.figures().liveCount, 0u);
  memory.clear();
}

TEST_F(ExchangeTest, TensorsThatNobodyTakesGiveTheirMemoryBack) {
  for (unsigned i = 0; i < 1000; ++i) {
    auto *const managed = exported<dlpack::ManagedTensorVersioned>(own(memory, 4));
    EXPECT_EQ(memory.figures().liveCount, 1u);
    managed->deleter(managed);
    EXPECT_EQ(memory.figures().liveCount, 0u);
  }
}

} // namespace
} // namespace treadle
