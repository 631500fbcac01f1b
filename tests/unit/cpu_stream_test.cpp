// Streams of the CPU device: order, waits between streams, points, lifetimes, failures, printed text.
#include "border/image.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/cpu_launch.h"
#include "support/error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

extern "C" void treadle_cpu_fail(const treadle::cpu::FailureCall *call);

namespace treadle::cpu {
namespace {

using namespace std::chrono_literals;

/// Records the order in which things ran.
struct Journal {
  std::mutex mutex;
  std::vector<int> entries;
  void note(int what) {
    const std::lock_guard lock(mutex);
    entries.push_back(what);
  }
};

/// Blocks a stream until it is opened.
struct Gate {
  std::atomic<bool> isOpen{false}, isReached{false};
  void pass() {
    isReached = true;
    while (!isOpen)
      std::this_thread::yield();
  }
  void await() const {
    while (!isReached)
      std::this_thread::yield();
  }
};

struct Parameters {
  Journal *journal;
  int what;
};

void noteKernel(const void *parameters, const LaunchGeometry *, uint64_t first, uint64_t, WorkerArena *) {
  const auto &given = *static_cast<const Parameters *>(parameters);
  if (first == 0)
    given.journal->note(given.what);
}

void failKernel(const void *, const LaunchGeometry *, uint64_t, uint64_t, WorkerArena *) {
  const FailureCall failure{Fault::IndexOutOfBounds, {0, 12, 4}, 0, {}};
  treadle_cpu_fail(&failure);
}

KernelFunction currentFunction;
class TestLinker final : public NativeLinker {
public:
  Target target() override { return {}; }
  NativeCode link(const Image &, std::span<const uint64_t>) override {
    return {reinterpret_cast<void *>(currentFunction), nullptr};
  }
} testLinker;

struct Watcher final : LaunchWatcher {
  void onLongCall() override { ++times; }
  bool shouldContinue(Activity) noexcept override { return !isTired; }
  void printed(std::string_view text) override { output += text; }
  std::string output;
  int times = 0;
  std::atomic<bool> isTired{false}; ///< requests the end of the call
};

struct Origin final : LaunchOrigin {
  std::shared_ptr<const LaunchOrigin> hold() override { return held; }
  void raise(const std::exception_ptr &failure) const override { std::rethrow_exception(failure); }
  std::shared_ptr<const LaunchOrigin> held;
};

struct Owners final : LaunchOwners {
  LaunchOrigin *origin() const override { return &maker; }
  void queued(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) const override {
    last = {timeline, position};
  }
  mutable StreamPoint last;
  mutable Origin maker;
};

class CpuStreamTest : public testing::Test {
protected:
  std::shared_ptr<Kernel> load(KernelFunction function) {
    currentFunction = function;
    Image image;
    image.parameters.size = sizeof(Parameters);
    return device.code().load(std::make_shared<const Image>(image), {})->kernel();
  }

  LaunchOutcome note(Stream &stream, int what, bool waits = false) {
    const Parameters parameters{&journal, what};
    return stream.launch({kernel, {}, &parameters, waits ? nullptr : &owners}, watcher);
  }

  // Declared first: work that streams still run at the end uses them.
  Gate gate;
  Journal journal;
  CpuDevice device{{2, testLinker}};
  std::shared_ptr<Kernel> kernel = load(noteKernel);
  Stream &legacy = device.defaultStream();
  Watcher watcher;
  Owners owners;
};

TEST_F(CpuStreamTest, LaunchesOnTheDefaultStreamRunAtOnce) {
  EXPECT_EQ(note(legacy, 1), LaunchOutcome::Done);
  EXPECT_EQ(journal.entries, std::vector{1});
}

TEST_F(CpuStreamTest, LaunchesOnAStreamRunInOrder) {
  const auto stream = device.makeStream(true);
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(note(*stream, i), LaunchOutcome::Queued);
    expected.push_back(i);
  }
  stream->synchronize(watcher);
  EXPECT_EQ(journal.entries, expected);
}

TEST_F(CpuStreamTest, TheCallerGoesOnWhileAStreamRuns) {
  const auto stream = device.makeStream(true);
  stream->run([&] { gate.pass(); });
  note(*stream, 1);
  const StreamPoint point = stream->last();
  EXPECT_FALSE(point.isComplete());
  gate.isOpen = true;
  point.wait();
  EXPECT_TRUE(point.isComplete());
  EXPECT_EQ(journal.entries, std::vector{1});
}

TEST_F(CpuStreamTest, TheDefaultStreamWaitsForBlockingStreams) {
  const auto blocking = device.makeStream(true);
  blocking->run([&] { gate.pass(); });
  note(*blocking, 1);
  EXPECT_EQ(note(legacy, 2), LaunchOutcome::Queued);
  note(*blocking, 3);
  EXPECT_TRUE(journal.entries.empty());
  gate.isOpen = true;
  device.synchronize(watcher);
  EXPECT_EQ(journal.entries, (std::vector{1, 2, 3}));
  EXPECT_EQ(note(legacy, 4), LaunchOutcome::Done);
}

TEST_F(CpuStreamTest, TheDefaultStreamDoesNotWaitForOthers) {
  const auto other = device.makeStream(false);
  other->run([&] { gate.pass(); });
  EXPECT_EQ(note(legacy, 1), LaunchOutcome::Done);
  legacy.synchronize(watcher);
  gate.isOpen = true;
}

TEST_F(CpuStreamTest, BlockingStreamsDoNotWaitForEachOther) {
  const auto one = device.makeStream(true), other = device.makeStream(true);
  one->run([&] { gate.pass(); });
  note(*other, 1);
  other->synchronize(watcher);
  EXPECT_EQ(journal.entries, std::vector{1});
  gate.isOpen = true;
}

TEST_F(CpuStreamTest, BlockingStreamsWaitForWhatTheDefaultStreamIsRunning) {
  const auto stream = device.makeStream(true);
  legacy.run([&] { gate.pass(); });
  note(*stream, 1);
  gate.await();
  std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(journal.entries.empty());
  gate.isOpen = true;
  stream->synchronize(watcher);
  EXPECT_EQ(journal.entries, std::vector{1});
}

TEST_F(CpuStreamTest, WaitingForTheDefaultStreamWaitsForBlockingOnes) {
  const auto stream = device.makeStream(true);
  for (int i = 0; i < 100; ++i)
    note(*stream, i);
  legacy.synchronize(watcher);
  EXPECT_EQ(journal.entries.size(), 100u);
}

TEST_F(CpuStreamTest, ACallerThatOwnsTheMemoryWaits) {
  const auto stream = device.makeStream(true);
  stream->run([&] { gate.pass(); });
  std::thread opener([&] {
    std::this_thread::sleep_for(5ms);
    gate.isOpen = true;
  });
  EXPECT_EQ(note(*stream, 1, true), LaunchOutcome::Done);
  EXPECT_EQ(journal.entries, std::vector{1});
  EXPECT_EQ(watcher.times, 1);
  opener.join();
}

TEST_F(CpuStreamTest, StreamsWaitForEvents) {
  const auto one = device.makeStream(false), other = device.makeStream(false);
  one->run([&] { gate.pass(); });
  note(*one, 1);
  const EventPoint event = one->record(true);
  note(*one, 3);
  other->wait(event.point);
  note(*other, 2);
  EXPECT_FALSE(event.point.isComplete());
  gate.isOpen = true;
  other->synchronize(watcher);
  EXPECT_TRUE(event.point.isComplete());
  one->synchronize(watcher);
  const EventPoint later = one->record(true);
  EXPECT_GE(device.elapsed(event, later), 0);
  EXPECT_EQ(device.elapsed(event, event), 0);
  EXPECT_LE(device.elapsed(later, event), 0);
  ASSERT_EQ(journal.entries.size(), 3u);
  EXPECT_EQ(journal.entries[0], 1);
}

TEST_F(CpuStreamTest, EventsOnIdleStreamsAreCompleteAtOnce) {
  const auto stream = device.makeStream(true);
  const EventPoint first = stream->record(true), second = legacy.record(true), untimed = legacy.record(false);
  EXPECT_TRUE(first.point.isComplete() && second.point.isComplete() && untimed.point.isComplete());
  EXPECT_GE(device.elapsed(first, second), 0);
  EXPECT_EQ(untimed.state, nullptr);
}

TEST_F(CpuStreamTest, TheDefaultStreamWaitsForEventsOfOtherStreams) {
  const auto other = device.makeStream(false);
  other->run([&] { gate.pass(); });
  legacy.wait(other->last());
  EXPECT_EQ(note(legacy, 1), LaunchOutcome::Queued);
  gate.isOpen = true;
  legacy.synchronize(watcher);
  EXPECT_EQ(journal.entries, std::vector{1});
}

TEST_F(CpuStreamTest, AStreamThatIsDroppedRunsWhatItHas) {
  auto stream = device.makeStream(true);
  stream->run([&] { gate.pass(); });
  note(*stream, 1);
  const StreamPoint point = stream->last();
  stream.reset();
  EXPECT_FALSE(point.isComplete());
  gate.isOpen = true;
  point.wait();
  EXPECT_EQ(journal.entries, std::vector{1});
}

TEST_F(CpuStreamTest, FailuresAreToldByWhoeverWaits) {
  const auto stream = device.makeStream(true);
  kernel = load(failKernel);
  owners.maker.held = std::make_shared<Origin>();
  EXPECT_EQ(note(*stream, 1), LaunchOutcome::Queued);
  EXPECT_EQ(note(*stream, 2), LaunchOutcome::Queued);
  try {
    stream->synchronize(watcher);
    FAIL() << "nothing was thrown";
  } catch (const QueuedFailure &failure) {
    EXPECT_EQ(failure.origin, owners.maker.held);
    EXPECT_THROW(std::rethrow_exception(failure.failure), KernelFault);
  }
  stream->synchronize(watcher);
  EXPECT_THROW(note(*stream, 1, true), KernelFault);
}

TEST_F(CpuStreamTest, EachThreadHasADefaultStreamOfItsOwn) {
  const auto mine = device.threadStream();
  EXPECT_EQ(mine, device.threadStream());
  mine->run([&] { gate.pass(); });
  std::thread([&] {
    const auto theirs = device.threadStream();
    EXPECT_NE(theirs, mine);
    Watcher own;
    const Parameters parameters{&journal, 1};
    EXPECT_EQ(theirs->launch({kernel, {}, &parameters, &owners}, own), LaunchOutcome::Done);
  }).join();
  gate.isOpen = true;
}

TEST_F(CpuStreamTest, CopiesRunInTheirTurn) {
  const auto stream = device.makeStream(true);
  int from[4] = {1, 2, 3, 4}, to[4] = {};
  const int64_t shape[] = {4}, strides[] = {4};
  const StridedCopy copy{
      reinterpret_cast<char *>(to), reinterpret_cast<const char *>(from), shape, strides, strides, 4};
  stream->run([&] { gate.pass(); });
  const HeldOwners nobody;
  stream->copy(copy, &nobody, watcher);
  EXPECT_EQ(to[0], 0);
  gate.isOpen = true;
  stream->synchronize(watcher);
  EXPECT_EQ(to[3], 4);
  from[0] = 9;
  legacy.copy(copy, nullptr, watcher);
  EXPECT_EQ(to[0], 9);
}

TEST_F(CpuStreamTest, ManyThreadsUseManyStreams) {
  constexpr int threads = 4, rounds = 300;
  std::atomic<int> ran{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      Watcher own;
      auto stream = device.makeStream(t % 2 == 0);
      for (int i = 0; i < rounds; ++i) {
        stream->run([&] { ++ran; });
        device.defaultStream().run([&] { ++ran; });
        if (i % 7 == 0)
          device.defaultStream().wait(stream->record(false).point);
        if (i % 50 == 0)
          stream = device.makeStream(i % 100 == 0);
        if (i % 20 == 0)
          stream->synchronize(own);
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  device.synchronize(watcher);
  EXPECT_EQ(ran, 2 * threads * rounds);
}

} // namespace
} // namespace treadle::cpu
