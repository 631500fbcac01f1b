// Copies of the CPU device that are ended while they run: by their host, and by other threads.
#include "border/image.h"
#include "device/cpu/cpu_device.h"
#include "support/error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <thread>

namespace treadle::cpu {
namespace {

using namespace std::chrono_literals;

/// Memory in whose middle a page stops the first thread that reads it, until it is opened.
class StoppingMemory {
public:
  explicit StoppingMemory(size_t bytes)
      : bytes(bytes), memory(static_cast<char *>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(page(), pageBytes, PROT_NONE);
    current = this;
    struct sigaction action = {};
    action.sa_sigaction = stop;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
  }
  StoppingMemory(const StoppingMemory &) = delete;
  StoppingMemory &operator=(const StoppingMemory &) = delete;
  ~StoppingMemory() {
    sigaction(SIGSEGV, &before, nullptr);
    munmap(memory, bytes);
  }

  const char *data() const { return memory; }
  void awaitReader() const {
    while (!isReached)
      std::this_thread::yield();
  }
  void open() { isOpen = true; }

private:
  static constexpr size_t pageBytes = 4096;
  static inline StoppingMemory *current = nullptr;

  static void stop(int, siginfo_t *info, void *) {
    StoppingMemory &self = *current;
    if (info->si_addr < self.page() || info->si_addr >= self.page() + pageBytes)
      _exit(139);
    self.isReached = true;
    while (!self.isOpen)
      sched_yield();
    mprotect(self.page(), pageBytes, PROT_READ);
  }
  char *page() const { return memory + bytes / 2; }

  const size_t bytes;
  char *const memory;
  struct sigaction before = {};
  std::atomic<bool> isReached{false}, isOpen{false};
};

class NoLinker final : public NativeLinker {
public:
  Target target() override { return {}; }
  NativeCode link(const Image &, std::span<const uint64_t>) override { return {}; }
} noLinker;

struct Watcher final : LaunchWatcher {
  void onLongCall() override {}
  bool shouldContinue(Activity asked) noexcept override {
    activity = asked;
    return !isTired;
  }
  void printed(std::string_view) override {}
  std::atomic<bool> isTired{false}; ///< requests the end of the call
  Activity activity = Activity::Wait;
};

class EndedCopiesTest : public testing::Test {
protected:
  static constexpr int64_t bytes = 40 << 20;

  EndedCopiesTest() : target(size_t(bytes), 1) {}

  void copy(Stream &stream, const HeldOwners *held = nullptr) {
    const int64_t shape[] = {bytes}, strides[] = {1};
    stream.copy({target.data(), source.data(), shape, strides, strides, 1}, held, watcher);
  }
  void endAll() { device.defaultStream().last().timeline->interrupt(); }
  bool isPartlyCopied() const { return target.front() == 0 && target.back() == 1; }

  StoppingMemory source{bytes};
  std::vector<char> target;
  CpuDevice device{{2, noLinker}};
  Watcher watcher;
};

TEST_F(EndedCopiesTest, TheHostEndsACopyThatItMakes) {
  std::thread opener([&] {
    source.awaitReader();
    watcher.isTired = true;
    std::this_thread::sleep_for(100ms); // so that the host is asked after this piece
    source.open();
  });
  EXPECT_THROW(copy(device.defaultStream()), WaitInterrupted);
  opener.join();
  EXPECT_TRUE(isPartlyCopied());
  EXPECT_EQ(watcher.activity, LaunchWatcher::Activity::Work);
  EXPECT_TRUE(device.defaultStream().last().isComplete());
  watcher.isTired = false;
  copy(device.defaultStream());
  EXPECT_EQ(target.back(), 0);
}

TEST_F(EndedCopiesTest, AHostThatEndsItsCopyEndsWhatIsQueued) {
  const auto other = device.makeStream(false);
  std::atomic<bool> isOpen{false};
  other->run([&] {
    while (!isOpen)
      std::this_thread::yield();
  });
  std::vector<char> untouched(16, 1);
  other->fill(untouched, 2, true, watcher);
  std::thread opener([&] {
    source.awaitReader();
    watcher.isTired = true;
    std::this_thread::sleep_for(100ms);
    source.open();
  });
  EXPECT_THROW(copy(device.defaultStream()), WaitInterrupted);
  opener.join();
  isOpen = true;
  watcher.isTired = false;
  other->synchronize(watcher);
  EXPECT_EQ(untouched[0], 1);
}

TEST_F(EndedCopiesTest, AnotherThreadEndsACopyThatTheHostMakes) {
  std::thread ender([&] {
    source.awaitReader();
    endAll();
    source.open();
  });
  EXPECT_THROW(copy(device.defaultStream()), WaitInterrupted);
  ender.join();
  EXPECT_TRUE(isPartlyCopied());
}

TEST_F(EndedCopiesTest, EndedWorkIsCompleteOnlyAfterTheCopyBeforeIt) {
  Stream &stream = device.defaultStream();
  std::thread ender([&] {
    source.awaitReader();
    stream.run([] {});
    const StreamPoint after = stream.last();
    endAll();
    EXPECT_FALSE(after.timeline->waitFor(after.position, 150ms));
    source.open();
    after.wait();
  });
  EXPECT_THROW(copy(stream), WaitInterrupted);
  ender.join();
  EXPECT_TRUE(stream.last().isComplete());
}

TEST_F(EndedCopiesTest, AQueuedCopyEndsWhileItRuns) {
  const auto stream = device.makeStream(true);
  const HeldOwners nobody;
  copy(*stream, &nobody);
  source.awaitReader();
  endAll();
  source.open();
  stream->synchronize(watcher); // nobody waited for the copy: nothing is reported
  EXPECT_TRUE(isPartlyCopied());
}

TEST_F(EndedCopiesTest, AHostThatWaitsForItsCopyEndsIt) {
  const auto stream = device.makeStream(true);
  std::atomic<bool> isOpen{false};
  stream->run([&] {
    while (!isOpen)
      std::this_thread::yield();
  });
  const uint64_t before = stream->last().position;
  std::thread opener([&] {
    while (stream->last().position == before) // the copy is not queued yet
      std::this_thread::yield();
    isOpen = true;
    source.awaitReader();
    watcher.isTired = true;
    while (stream->last().timeline->interruptedUpTo() == 0)
      std::this_thread::yield();
    source.open();
  });
  EXPECT_THROW(copy(*stream), WaitInterrupted);
  opener.join();
  EXPECT_TRUE(isPartlyCopied());
}

} // namespace
} // namespace treadle::cpu
