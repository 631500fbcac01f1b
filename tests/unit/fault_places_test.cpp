// Every call that allocates or frees device memory fails once, in a scenario that includes all such calls.
#include "memory_device.h"

#include <functional>
#include <optional>

namespace treadle {
namespace {

constexpr int outOfMemory = 2, illegalAddress = 700;

/// Steps that can each be retried. Between steps the state is that of the last one that succeeded.
class Scenario {
public:
  Scenario(MemoryDevice &device, size_t cacheBytes)
      : memory(device, {.pendingCount = 3, .cacheBytes = cacheBytes}), device(device) {
    device.manager = &memory;
  }
  ~Scenario() { device.manager = nullptr; }

  /// Returns the codes of the errors that steps threw. A step that threw is retried.
  std::vector<int> run() {
    std::vector<int> codes;
    for (const std::function<void()> &step : steps()) {
      const MemoryFigures before = memory.figures();
      try {
        step();
      } catch (const DeviceError &error) {
        codes.push_back(int(error.result()));
        EXPECT_LE(memory.figures().liveCount, before.liveCount) << "a step that failed made something";
        step();
      }
      expectSound();
    }
    return codes;
  }

private:
  std::vector<std::function<void()>> steps() {
    const auto use = [this](size_t index, uint64_t position) { buffers[index]->use({timeline, position}); };
    return {
        [this] { make(100); },
        [this] { make(5000); },
        [this] { make(5000); },
        [=] { use(1, 1); },
        [this] { drop(3); }, // into the queue
        [this] { make(100); },
        [this] { make(3000); },
        [this] {
          memory.clear();
        }, // the first ones go to the cache, except blocks in use by a stream and those beyond its limit
        [this] { make(100); },
        [this] { timeline->done = 1; },
        [this] { make(5000); },
        [this] { memory.trim(); },
        [this] { make(device.capacity - 200'000); },
        [this] { drop(1); },
        [this] { make(device.capacity - 150'000); }, // requires a flush
        [this] { deferAndDrop(); },
        [this] { make(200); },
        [this] { reset(); },
        [this] { make(300); },
        [this] { drop(5); }, // more than the queue holds
        [this] { buffers.clear(); },
    };
  }

  void make(size_t bytes) { buffers.push_back(std::make_unique<Buffer>(memory, bytes)); }
  void drop(size_t count) { buffers.resize(buffers.size() - std::min(count, buffers.size())); }
  void deferAndDrop() {
    if (!isDeferred)
      memory.defer();
    isDeferred = true;
    buffers.resize(std::min<size_t>(buffers.size(), 2));
    isDeferred = false;
    memory.endDeferral();
  }
  void reset() {
    memory.reset();
    buffers.clear();
  }

  void expectSound() {
    const MemoryFigures figures = memory.figures();
    size_t bytes = 0;
    for (const auto &[block, one] : device.given)
      bytes += one.bytes;
    EXPECT_EQ(figures.liveBytes + figures.pendingBytes + figures.cachedBytes, bytes);
  }

  const std::shared_ptr<HandTimeline> timeline = std::make_shared<HandTimeline>();
  MemoryManager memory;
  std::vector<std::unique_ptr<Buffer>> buffers;
  MemoryDevice &device;
  bool isDeferred = false;
};

/// On destruction, checks that all of the device's memory has been returned.
struct Outcome {
  unsigned calls = 0;
  std::vector<int> codes;
};

Outcome runWith(size_t cacheBytes, unsigned failingCall, int code) {
  MemoryDevice device;
  device.failingCall = failingCall;
  device.failingCode = code;
  Scenario scenario(device, cacheBytes);
  std::vector<int> codes = scenario.run();
  return {device.calls, std::move(codes)};
}

TEST(FaultPlaces, EachCallOfTheDeviceFailsOnce) {
  unsigned places = 0, told = 0;
  for (const size_t cacheBytes : {size_t(0), size_t(4096), size_t(1) << 20}) {
    const Outcome clean = runWith(cacheBytes, 0, 0);
    EXPECT_TRUE(clean.codes.empty());
    for (unsigned place = 1; place <= clean.calls; ++place)
      for (const int code : {outOfMemory, illegalAddress}) {
        SCOPED_TRACE("call " + std::to_string(place) + " fails with " + std::to_string(code));
        const Outcome outcome = runWith(cacheBytes, place, code);
        EXPECT_LE(outcome.codes.size(), 1u);
        for (const int found : outcome.codes)
          EXPECT_EQ(found, code);
        told += unsigned(outcome.codes.size());
        ++places;
      }
  }
  std::printf("  %u fault places, %u of them told by an error at once\n", places, told);
  EXPECT_GT(places, 60u);
  EXPECT_GT(told, 20u) << "errors were swallowed";
}

} // namespace
} // namespace treadle
