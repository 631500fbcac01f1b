// The CPU as a device: its streams, its memory, its attributes.
#pragma once

#include "border/target.h"
#include "device/cpu/code/native_linker.h"
#include "device/cpu/stream_set.h"
#include "device/cpu/threads/page_memory.h"
#include "device/device.h"
#include "types/limits.h"

namespace treadle::cpu {

/// Those of a large GPU, so that configurations valid here are valid there.
constexpr LaunchLimits cpuLimits{.threadsPerBlock = largestBlock,
                                 .block = {blockLimits[0], blockLimits[1], blockLimits[2]},
                                 .grid = {gridLimits[0], gridLimits[1], gridLimits[2]},
                                 .staticShared = 48 << 10,
                                 .shared = 227 << 10,
                                 .clusterBlocks = mostClusterBlocks};

struct CpuOptions {
  unsigned threads = 1;
  NativeLinker &linker; ///< outlives the device; asked for its target only when an image is wanted
  /// A launch shorter than this never wakes a worker and never releases the caller's locks. Waking costs 3 to 5 us.
  uint64_t inlineNanoseconds = 10'000;
  size_t memoryBytes = size_t(1) << 40;
};

class TREADLE_API CpuDevice final : public Device,
                                    public DeviceMemory,
                                    public DeviceCode,
                                    public MemorySharing,
                                    public PeerAccess {
public:
  explicit CpuDevice(CpuOptions options);
  ~CpuDevice() override;

  std::string kind() const override { return "CPU"; }
  std::string name() const override;
  std::vector<std::pair<std::string, std::string>> details() const override {
    return {{"Workers", std::to_string(options.threads)}};
  }
  Target target() const override { return options.linker.target(); }
  int64_t attribute(DeviceAttribute attribute) const override;
  unsigned computeCapability() const override { return 90; }
  Stream &defaultStream() override { return *legacy; }
  std::shared_ptr<Stream> threadStream() override;
  std::shared_ptr<Stream> makeStream(bool isBlocking) override;
  std::shared_ptr<Stream> streamOf(uint64_t handle) override;
  std::vector<StreamPoint> unfinished() override;
  StreamPoint runningOnCaller() override;
  std::shared_ptr<Module> load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) override;
  uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const override;
  bool runsOnWorkers() const override { return true; }
  double elapsed(const EventPoint &begin, const EventPoint &end) const override;
  /// Whatever the host can access.
  bool canAccess(const Device &other) const override {
    return &other != this && other.memory().isHostVisible(MemoryKind::Device);
  }
  bool reachesHostMemoryOf(const Device &) const override { return true; }
  void *allocate(size_t bytes, MemoryKind kind) override;
  void release(void *memory, MemoryKind kind) override;
  void releaseLost(void *memory, MemoryKind kind) noexcept override;
  bool isHostVisible(MemoryKind) const override { return true; }
  std::optional<dlpack::Device> exchangePlace(MemoryKind) const override { return dlpack::Device{dlpack::Cpu, 0}; }
  std::optional<LocatedMemory> locate(std::span<char> memory) const override;
  std::span<char> allocationAround(char *memory) const override { return pages.around(memory); }
  SharedHandle share(char *memory) override { return pages.share(memory); }
  char *openShared(const SharedHandle &handle, size_t bytes) override { return pages.open(handle, bytes); }
  void closeShared(char *memory) override { pages.close(memory); }
  void registerHost(std::span<char>) override {}
  void unregisterHost(char *) override {}
  size_t memoryCapacity() const override { return options.memoryBytes; }
  /// "woken workers" of this device, "split warps" of all CPU devices.
  std::map<std::string, uint64_t> figures() const override;

private:
  /// Pages that the process could read once. Asking takes microseconds, and no memory of a GPU, which is what the
  /// question is for, gets the address of such a page later.
  class ReadablePages {
  public:
    bool contains(const char *address) const {
      return slotOf(address).load(std::memory_order_relaxed) == page(address);
    }
    void add(const char *address) { slots[place(address)].store(page(address), std::memory_order_relaxed); }

  private:
    static constexpr size_t count = 256;
    static uintptr_t page(const char *address) { return (reinterpret_cast<uintptr_t>(address) >> 12) + 1; }
    static size_t place(const char *address) { return page(address) % count; }
    const std::atomic<uintptr_t> &slotOf(const char *address) const { return slots[place(address)]; }

    std::atomic<uintptr_t> slots[count] = {}; ///< 0: none
  };

  void retireStreams() override { streams->retire(); }

  const CpuOptions options;
  const std::shared_ptr<StreamSet> streams;
  const std::shared_ptr<Stream> legacy;
  mutable ReadablePages readable;
  PageMemory pages;
};

} // namespace treadle::cpu
