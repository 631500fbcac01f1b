// A device with memory only, and a timeline advanced by hand, for tests of the memory manager.
#pragma once

#include "border/target.h"
#include "memory/buffer.h"
#include "memory/memory_manager.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace treadle {

/// An owner of memory that shares what it keeps.
inline KeptMemory kept(std::shared_ptr<const void> what) {
  using Shared = std::shared_ptr<const void>;
  return {new Shared(std::move(what)), {[](const void *held) { delete static_cast<const Shared *>(held); }}};
}

/// Memory only. Tracks its allocations, and fails on demand.
class MemoryDevice : public Device, public DeviceMemory, public DeviceCode {
public:
  MemoryDevice() : Device({}, {*this, *this}) {}
  ~MemoryDevice() override { EXPECT_TRUE(given.empty()) << given.size() << " blocks were never given back"; }
  std::string kind() const override { return "memory"; }
  std::string name() const override { return "memory"; }
  Target target() const override { return {}; }
  int64_t attribute(DeviceAttribute) const override { return 0; }
  unsigned computeCapability() const override { return 90; }
  Stream &defaultStream() override { std::abort(); }
  std::shared_ptr<Stream> threadStream() override { return nullptr; }
  std::shared_ptr<Stream> makeStream(bool) override { return nullptr; }
  std::shared_ptr<Stream> streamOf(uint64_t) override { return nullptr; }
  std::vector<StreamPoint> unfinished() override { return {}; }
  StreamPoint runningOnCaller() override { return {}; }
  std::shared_ptr<Module> load(std::shared_ptr<const Image>, std::span<const uint64_t>) override { return nullptr; }
  uint64_t cooperativeBlocks(const Kernel &, const LaunchConfig &) const override { return 0; }
  double elapsed(const EventPoint &, const EventPoint &) const override { return 0; }
  bool isHostVisible(MemoryKind kind) const override { return kind != MemoryKind::Device; }
  void registerHost(std::span<char>) override {}
  void unregisterHost(char *) override {}
  size_t memoryCapacity() const override { return capacity; }
  std::map<std::string, uint64_t> figures() const override { return {}; }
  void retireStreams() override {}

  void *allocate(size_t bytes, MemoryKind kind) override {
    const std::lock_guard lock(mutex);
    ++allocations;
    expectUnlocked();
    if (++calls == failingCall && failingCode != 0)
      throw DeviceError("allocate", CudaResult(failingCode), "injected");
    if (refusals > 0) {
      --refusals;
      throw DeviceError("allocate", CudaResult::OutOfMemory, "out of memory");
    }
    void *memory = std::malloc(bytes ? bytes : 1);
    given[memory] = {bytes, kind};
    return memory;
  }
  void release(void *memory, MemoryKind kind) override {
    const std::lock_guard lock(mutex);
    ++releases;
    expectUnlocked();
    EXPECT_EQ(given[memory].kind, kind);
    ASSERT_EQ(given.erase(memory), 1u) << "released twice, or never given";
    std::free(memory);
    if (++calls == failingCall && failingCode != 0)
      throw DeviceError("free", CudaResult(failingCode), "injected");
    if (failures > 0) {
      --failures;
      throw DeviceError("free", CudaResult(700), "illegal address");
    }
  }
  void releaseLost(void *memory, MemoryKind) noexcept override {
    const std::lock_guard lock(mutex);
    expectUnlocked();
    EXPECT_EQ(given.erase(memory), 1u);
    std::free(memory);
  }

  /// The device may block, so it must not be called with the manager's lock held. Useless if several threads share it.
  void expectUnlocked() const { EXPECT_TRUE(!manager || !manager->isLocked()) << "the device is called under a lock"; }

  std::mutex mutex;                       ///< a device may be called by any thread at any time
  const MemoryManager *manager = nullptr; ///< whose lock is watched
  size_t capacity = 1 << 20;
  struct Given {
    size_t bytes;
    MemoryKind kind;
  };
  std::map<void *, Given> given;
  unsigned allocations = 0, releases = 0, refusals = 0, failures = 0;
  unsigned calls = 0;       ///< allocations and releases
  unsigned failingCall = 0; ///< the number of the call that fails; 0: none
  int failingCode = 0;
};

class HandTimeline final : public StreamTimeline {
public:
  bool waitFor(uint64_t position, std::chrono::milliseconds) override { return isComplete(position); }
  void interrupt() override {}
  uint64_t interruptedUpTo() const override { return 0; }
  std::exception_ptr takeFailure(uint64_t) override { return nullptr; }
  std::atomic<uint64_t> &done = completed;
};

} // namespace treadle
