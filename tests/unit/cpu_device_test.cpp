// Launches on the CPU device with kernels written in C++: units, arenas, waking of workers, interrupts, failed checks.
#include "border/image.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/cpu_launch.h"
#include "device/device_attribute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <unistd.h>

extern "C" void treadle_cpu_safepoint();
extern "C" void treadle_cpu_fail(const treadle::cpu::FailureCall *call);

namespace treadle::cpu {
namespace {

struct Counters {
  std::atomic<uint64_t> units{0};
  std::atomic<int64_t> wait{0}; ///< ns that each unit takes
  std::atomic<uint64_t> misaligned{0};
  std::atomic<bool> isRunning{false};
};

void pause(int64_t nanoseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The parameter block of all kernels here: a pointer to counters.
Counters &countersOf(const void *parameters) { return **static_cast<Counters *const *>(parameters); }

void countUnitsKernel(const void *parameters, const LaunchGeometry *geometry, uint64_t first, uint64_t last,
                      WorkerArena *arena) {
  Counters &counters = countersOf(parameters);
  for (uint64_t unit = first; unit < last && *geometry->stop == 0; ++unit) {
    counters.units += 1;
    if (counters.wait > 0)
      pause(counters.wait);
    counters.misaligned += reinterpret_cast<uintptr_t>(arena->shared) % 128 != 0;
    counters.misaligned += reinterpret_cast<uintptr_t>(arena->context) % 128 != 0;
    if (arena->shared)
      std::memset(arena->shared, 1, 4096 + geometry->dynamicSharedBytes);
    if (arena->context)
      std::memset(arena->context, 2, 8192);
  }
}

void spinKernel(const void *parameters, const LaunchGeometry *, uint64_t, uint64_t, WorkerArena *) {
  countersOf(parameters).isRunning = true;
  for (;;)
    if (safepointRequests().load() != 0)
      treadle_cpu_safepoint();
}

/// Runs until the test lets it end, with values in registers that generated code may have there around a safepoint.
void spinWithValuesKernel(const void *parameters, const LaunchGeometry *, uint64_t, uint64_t, WorkerArena *) {
  Counters &counters = countersOf(parameters);
  counters.isRunning = true;
  uint64_t a = 1, c = 2, d = 3;
  double x0 = 6, x15 = 7;
  while (counters.wait.load() == 0)
    asm volatile("movq %[x0], %%xmm0\n movq %[x15], %%xmm15\n"
                 "call treadle_cpu_safepoint\n"
                 "movq %%xmm0, %[x0]\n movq %%xmm15, %[x15]\n"
                 : "+a"(a), "+c"(c), "+d"(d), [x0] "+r"(x0), [x15] "+r"(x15)
                 :
                 : "xmm0", "xmm15", "memory");
  if (a == 1 && c == 2 && d == 3 && x0 == 6 && x15 == 7)
    counters.units += 1;
}

void failKernel(const void *, const LaunchGeometry *, uint64_t first, uint64_t, WorkerArena *) {
  const FailureCall failure{first == 0 ? Fault::IndexOutOfBounds : Fault::DivisionByZero, {0, 12, 4}, 0, {}};
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
  bool shouldContinue(Activity) noexcept override {
    ++questions;
    return !isTired;
  }
  void printed(std::string_view text) override { output += text; }
  std::string output;
  int times = 0;
  std::atomic<int> questions{0};
  std::atomic<bool> isTired{false}; ///< requests the end of the call
};

class CpuDeviceTest : public testing::Test {
protected:
  std::shared_ptr<Kernel> load(KernelFunction function, const Image &image) {
    currentFunction = function;
    return device.code().load(std::make_shared<const Image>(image), {})->kernel();
  }
  LaunchOutcome launch(const std::shared_ptr<Kernel> &kernel, const LaunchConfig &config) {
    Counters *pointer = &counters;
    return device.defaultStream().launch({kernel, config, &pointer, nullptr}, watcher);
  }

  CpuDevice device{{4, testLinker}};
  Counters counters;
  Watcher watcher;
};

TEST_F(CpuDeviceTest, UnitsAreBlocks) {
  const auto kernel = load(countUnitsKernel, {});
  EXPECT_EQ(launch(kernel, {{7, 5, 3}, {33, 1, 1}, 0}), LaunchOutcome::Done);
  EXPECT_EQ(counters.units.load(), 105u);
}

TEST_F(CpuDeviceTest, UnitsThatSpanBlocksAreChunksOfRows) {
  Image image;
  image.cpu().spansBlocks = true;
  // 3 * 1000 threads along x are 94 warps, two chunks; 5 * 2 * 7 * 1 rows.
  EXPECT_EQ(countUnits(image, {{3, 5, 7}, {1000, 2, 1}, 0}), 2u * 70);
  EXPECT_EQ(countUnits(image, {{1, 1, 1}, {1, 1, 1}, 0}), 1u);
  EXPECT_EQ(countUnits(image, {{0x7fffffff, 1, 1}, {1024, 1, 1}, 0}), (uint64_t(0x7fffffff) * 32 + 63) / 64);
}

TEST_F(CpuDeviceTest, ArenasAreAlignedAndLargeEnough) {
  Image image;
  image.sharedBytes = 4096;
  image.cpu().contextBytes = 8192;
  const auto kernel = load(countUnitsKernel, image);
  counters.wait = 2000;
  for (const uint32_t dynamic : {0u, 100u, cpuLimits.shared - 4096})
    EXPECT_EQ(launch(kernel, {{64, 1, 1}, {32, 1, 1}, dynamic}), LaunchOutcome::Done);
  EXPECT_EQ(counters.misaligned.load(), 0u);
  EXPECT_THROW(launch(kernel, {{1, 1, 1}, {32, 1, 1}, cpuLimits.shared - 4095}), UsageError);
}

/// Long enough that no launch of a few units reaches it, however busy the machine is.
constexpr uint64_t never = 4'000'000'000;

TEST_F(CpuDeviceTest, ShortLaunchesWakeNobodyAndKeepTheLock) {
  CpuDevice patient{{4, testLinker, never}};
  currentFunction = countUnitsKernel;
  const auto kernel = patient.load(std::make_shared<const Image>(), {})->kernel();
  Counters *pointer = &counters;
  for (int i = 0; i < 1000; ++i)
    patient.defaultStream().launch({kernel, {{40, 1, 1}, {32, 1, 1}, 0}, &pointer, nullptr}, watcher);
  // Only the first launch, whose duration was unknown, releases the lock.
  EXPECT_EQ(watcher.times, 1);
  EXPECT_EQ(patient.figures()["woken workers"], 0u);
  EXPECT_EQ(counters.units.load(), 40'000u);
}

TEST_F(CpuDeviceTest, LongLaunchesWakeWorkersAndTellTheWatcherOnce) {
  const auto kernel = load(countUnitsKernel, {});
  counters.wait = 20'000;
  for (int i = 0; i < 3; ++i) {
    watcher.times = 0;
    const uint64_t wakeUps = device.figures()["woken workers"];
    launch(kernel, {{100, 1, 1}, {32, 1, 1}, 0});
    EXPECT_EQ(watcher.times, 1);
    EXPECT_GT(device.figures()["woken workers"], wakeUps);
  }
  EXPECT_EQ(counters.units.load(), 300u);
}

TEST_F(CpuDeviceTest, AKernelThatWasLongOnceGoesBackToInline) {
  CpuDevice patient{{4, testLinker, 50'000'000}};
  currentFunction = countUnitsKernel;
  const auto kernel = patient.load(std::make_shared<const Image>(), {})->kernel();
  Counters *pointer = &counters;
  const auto run = [&] {
    patient.defaultStream().launch({kernel, {{4, 1, 1}, {32, 1, 1}, 0}, &pointer, nullptr}, watcher);
  };
  counters.wait = 60'000'000;
  run();
  EXPECT_GT(patient.figures()["woken workers"], 0u);
  counters.wait = 0;
  run(); // treated as long at the start, and found no longer to be
  const uint64_t wakeUps = patient.figures()["woken workers"];
  watcher.times = 0;
  run();
  EXPECT_EQ(patient.figures()["woken workers"], wakeUps);
  EXPECT_EQ(watcher.times, 0);
}

TEST_F(CpuDeviceTest, FailedChecksEndTheLaunch) {
  const auto kernel = load(failKernel, {});
  try {
    launch(kernel, {{100, 1, 1}, {32, 1, 1}, 0});
    FAIL();
  } catch (const KernelFault &fault) {
    EXPECT_EQ(fault.fault, Fault::IndexOutOfBounds);
    EXPECT_STREQ(fault.what(), "an index is out of bounds in line 12, column 5");
  }
  const auto other = load(countUnitsKernel, {});
  EXPECT_EQ(launch(other, {{3, 1, 1}, {32, 1, 1}, 0}), LaunchOutcome::Done);
}

TEST_F(CpuDeviceTest, TheHostEndsALaunchOnItsThread) {
  Image image;
  image.cpu().hasSafepoints = true;
  const auto kernel = load(spinKernel, image);
  for (int round = 0; round < 3; ++round) {
    counters.isRunning = false;
    watcher.isTired = false;
    std::thread host([&] {
      while (!counters.isRunning)
        std::this_thread::yield();
      watcher.isTired = true;
    });
    EXPECT_EQ(launch(kernel, {{8, 1, 1}, {32, 1, 1}, 0}), LaunchOutcome::Interrupted);
    host.join();
  }
  watcher.isTired = false;
  const auto other = load(countUnitsKernel, image);
  EXPECT_EQ(launch(other, {{3, 1, 1}, {32, 1, 1}, 0}), LaunchOutcome::Done);
  EXPECT_EQ(safepointRequests().load(), 0u);
}

TEST_F(CpuDeviceTest, AKernelThatWasShortIsLongOnceItLasts) {
  Image image;
  image.cpu().hasSafepoints = true;
  currentFunction = spinWithValuesKernel;
  const auto kernel = load(spinWithValuesKernel, image);
  counters.wait = 1;
  EXPECT_EQ(launch(kernel, {}), LaunchOutcome::Done); // unknown yet: treated as long
  static_cast<CpuKernel &>(*kernel).unitNanoseconds = 100;
  counters.units = 0;
  counters.wait = 0;
  watcher.times = watcher.questions = 0;
  std::thread host([&] {
    while (watcher.questions < 3)
      std::this_thread::yield();
    counters.wait = 1;
  });
  EXPECT_EQ(launch(kernel, {}), LaunchOutcome::Done);
  host.join();
  EXPECT_EQ(watcher.times, 1);
  EXPECT_EQ(counters.units.load(), 1u) << "a register has changed in a safepoint";
}

TEST_F(CpuDeviceTest, InterruptsEndLaunchesOfAllThreads) {
  Image image;
  image.cpu().hasSafepoints = true;
  const auto kernel = load(spinKernel, image);
  std::atomic<int> interrupted{0};
  Counters perThread[3];
  std::vector<std::thread> threads;
  for (Counters &own : perThread)
    threads.emplace_back([&] {
      Counters *pointer = &own;
      Watcher silent;
      const auto stream = device.makeStream(false);
      interrupted +=
          stream->launch({kernel, {{2, 1, 1}, {32, 1, 1}, 0}, &pointer, nullptr}, silent) == LaunchOutcome::Interrupted;
    });
  for (Counters &own : perThread)
    while (!own.isRunning)
      std::this_thread::yield();
  device.defaultStream().last().timeline->interrupt();
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(interrupted.load(), 3);
  EXPECT_EQ(safepointRequests().load(), 0u);
}

TEST_F(CpuDeviceTest, InterruptsEndWhatIsQueued) {
  Image image;
  image.cpu().hasSafepoints = true;
  const auto spinning = load(spinKernel, image), counting = load(countUnitsKernel, {});
  std::atomic<int> interrupted{0};
  const auto run = [&](const std::shared_ptr<Kernel> &kernel) {
    Counters *pointer = &counters;
    Watcher silent;
    interrupted += device.defaultStream().launch({kernel, {}, &pointer, nullptr}, silent) == LaunchOutcome::Interrupted;
  };
  std::thread first([&] { run(spinning); });
  while (!counters.isRunning)
    std::this_thread::yield();
  const StreamPoint begun = device.defaultStream().last();
  std::thread second([&] { run(counting); });
  while (device.defaultStream().last().position == begun.position)
    std::this_thread::yield();
  begun.timeline->interrupt();
  first.join();
  second.join();
  EXPECT_EQ(interrupted.load(), 2);
  EXPECT_EQ(counters.units.load(), 0u);
  EXPECT_EQ(launch(counting, {{3, 1, 1}, {1, 1, 1}, 0}), LaunchOutcome::Done);
}

TEST_F(CpuDeviceTest, AnswersEveryAttribute) {
  std::set<std::string_view> names;
  for (const DeviceAttributeRow &row : deviceAttributes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    device.attribute(DeviceAttribute(row.number));
  }
  EXPECT_EQ(device.attribute(DeviceAttribute::MultiprocessorCount), 4);
  EXPECT_EQ(device.attribute(DeviceAttribute(1)), cpuLimits.threadsPerBlock);
  EXPECT_EQ(device.attribute(DeviceAttribute(8)), cpuLimits.staticShared);
  EXPECT_EQ(device.attribute(DeviceAttribute(97)), cpuLimits.shared);
  EXPECT_THROW(device.attribute(DeviceAttribute(9999)), UsageError);
}

TEST(LaunchConfig, ChecksTheDevicesLimits) {
  const auto accepts = [](RequestedConfig requested) {
    try {
      checkLaunchConfig(requested, cpuLimits);
      return true;
    } catch (const UsageError &) {
      return false;
    }
  };
  EXPECT_TRUE(accepts({{0x7fffffff, 65535, 65535}, {1024, 1, 1}, 0}));
  EXPECT_TRUE(accepts({{1, 1, 1}, {4, 4, 64}, cpuLimits.shared}));
  EXPECT_TRUE(accepts({{1, 1, 1}, {1, 1024, 1}, 0}));
  EXPECT_FALSE(accepts({{0x80000000, 1, 1}, {1, 1, 1}, 0}));
  EXPECT_FALSE(accepts({{1, 65536, 1}, {1, 1, 1}, 0}));
  EXPECT_FALSE(accepts({{1, 1, 65536}, {1, 1, 1}, 0}));
  EXPECT_FALSE(accepts({{1, 1, 1}, {1025, 1, 1}, 0}));
  EXPECT_FALSE(accepts({{1, 1, 1}, {1, 1, 65}, 0}));
  EXPECT_FALSE(accepts({{1, 1, 1}, {32, 33, 1}, 0}));
  EXPECT_FALSE(accepts({{0, 1, 1}, {1, 1, 1}, 0}));
  EXPECT_FALSE(accepts({{1, 1, 1}, {1, 0, 1}, 0}));
  EXPECT_FALSE(accepts({{-1, 1, 1}, {1, 1, 1}, 0}));
  EXPECT_FALSE(accepts({{1, 1, 1}, {1, 1, 1}, cpuLimits.shared + 1}));
  EXPECT_FALSE(accepts({{1, 1, 1}, {1, 1, 1}, -1}));
}

TEST(LaunchConfig, ClustersDivideTheGrid) {
  const auto refusal = [](std::initializer_list<int64_t> cluster, const LaunchLimits &limits,
                          LaunchBounds bounds = {}) {
    RequestedConfig requested{{8, 6, 4}, {32, 1, 1}, 0, true};
    std::ranges::copy(cluster, requested.cluster);
    try {
      const LaunchConfig config = checkLaunchConfig(requested, limits, bounds);
      EXPECT_TRUE(config.hasCluster && isMadeFrom(config, requested));
      checkLimits(config, limits);
      return std::string();
    } catch (const UsageError &error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal({4, 2, 2}, cpuLimits), "");
  EXPECT_THAT(refusal({3, 1, 1}, cpuLimits),
              testing::HasSubstr("gridDim.x is 8, which is no multiple of the cluster's 3"));
  EXPECT_THAT(refusal({8, 3, 1}, cpuLimits), testing::HasSubstr("has 24 blocks; the limit is 16"));
  EXPECT_THAT(refusal({4, 2, 1}, cpuLimits, {0, 4}), testing::HasSubstr("launch_bounds allow 4"));
  EXPECT_THAT(refusal({8, 3, 1}, cpuLimits, {0, 64}), testing::HasSubstr("the limit is 16"));
  LaunchLimits without = cpuLimits;
  without.clusterBlocks = 0;
  EXPECT_THAT(refusal({1, 1, 1}, without), testing::HasSubstr("compute capability 9.0"));
  const LaunchConfig clustered = checkLaunchConfig({{8, 1, 1}, {1, 1, 1}, 0, true, {2, 1, 1}}, cpuLimits);
  EXPECT_FALSE(isMadeFrom(clustered, {{8, 1, 1}, {1, 1, 1}, 0}));
  EXPECT_FALSE(isMadeFrom(clustered, {{8, 1, 1}, {1, 1, 1}, 0, true, {4, 1, 1}}));
  EXPECT_THROW(checkLimits(clustered, without), UsageError);
}

TEST(LaunchConfig, IsCheckedAgainForADeviceWithOtherLimits) {
  LaunchLimits smaller = cpuLimits;
  smaller.threadsPerBlock = 512;
  smaller.shared = 99 << 10;
  const LaunchConfig wide = checkLaunchConfig({{1, 1, 1}, {1024, 1, 1}, 0}, cpuLimits);
  const LaunchConfig large = checkLaunchConfig({{1, 1, 1}, {1, 1, 1}, 100 << 10}, cpuLimits);
  EXPECT_THROW(checkLimits(wide, smaller), UsageError);
  EXPECT_THROW(checkLimits(large, smaller), UsageError);
  EXPECT_NO_THROW(checkLimits(wide, cpuLimits));
  EXPECT_THROW(checkSharedMemory(smaller, 48 << 10, 52 << 10), UsageError);
  EXPECT_NO_THROW(checkSharedMemory(cpuLimits, 48 << 10, 52 << 10));
}

} // namespace
} // namespace treadle::cpu
