// Memory for new arrays: what the last work on a device's memory leaves.
#include "memory/new_array.h"

#include "memory_device.h"

namespace treadle {
namespace {

/// The device refuses while a stream uses the rest, which completes with the last refusal: whoever looks for what to
/// wait for finds nothing unfinished.
TEST(NewArray, WorkThatCompletesMeanwhileIsNotAShortage) {
  class BusyDevice final : public MemoryDevice {
  public:
    void *allocate(size_t bytes, MemoryKind kind) override {
      try {
        return MemoryDevice::allocate(bytes, kind);
      } catch (const DeviceError &) {
        timeline->done = refusals == 0 ? 5 : 0;
        throw;
      }
    }
    const std::shared_ptr<HandTimeline> timeline = std::make_shared<HandTimeline>();
  } busy;
  MemoryManager memory(busy, {.cacheBytes = 0});
  Buffer(memory, 600'000).use({busy.timeline, 5});
  busy.refusals = 3;
  ArrayView view;
  view.ndim = 1;
  view.itemBytes = 1;
  view.shape[0] = 300'000;
  allocateElements(
      view, {}, {.manager = memory, .wait = [](std::span<const StreamPoint> points) { EXPECT_TRUE(points.empty()); }});
  EXPECT_TRUE(view.data);
}

} // namespace
} // namespace treadle
