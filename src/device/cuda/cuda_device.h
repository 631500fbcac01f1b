// CudaDevice: a GPU, through nothing but the CUDA driver.
#pragma once

#include "device/cuda/captures.h"
#include "device/cuda/code/fault_slots.h"
#include "device/cuda/code/unused_modules.h"
#include "device/cuda/copy_kernel.h"
#include "device/cuda/driver/event_pool.h"
#include "device/cuda/run_times.h"
#include "device/cuda/timeline.h"
#include "device/device.h"

#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cuda {

class TREADLE_API CudaDevice final : public Device,
                                     public DeviceMemory,
                                     public DeviceCode,
                                     public ForeignCode,
                                     public Occupancy,
                                     public MemorySharing,
                                     public PeerAccess,
                                     public DeviceSelection,
                                     public DeviceProfiling,
                                     public ResetGate {
public:
  CudaDevice(const DriverTable &driver, int ordinal);

  std::string kind() const override { return "CUDA"; }
  std::string name() const override;
  std::string uuid() const override;
  std::vector<std::pair<std::string, std::string>> details() const override;
  Target target() const override;
  int64_t attribute(DeviceAttribute attribute) const override;
  unsigned computeCapability() const override { return capability; }
  Stream &defaultStream() override { return *legacy; }
  std::shared_ptr<Stream> threadStream() override;
  std::shared_ptr<Stream> makeStream(bool isBlocking) override;
  /// Also streams that other software has made in the device's context.
  std::shared_ptr<Stream> streamOf(uint64_t handle) override;
  void synchronize(LaunchWatcher &watcher) override;
  std::vector<StreamPoint> unfinished() override;
  void noteProgress() noexcept override;
  StreamPoint runningOnCaller() override { return {}; }
  const DiskStore *codeCache() const override { return &context.cubins.store; }
  void noteRuns() noexcept override { runTimes.settle(); }
  std::shared_ptr<Module> load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) override;
  bool loadsInCaptures() const override { return context.driver.version >= 12030; }
  std::shared_ptr<LoadedCode> loadCode(const std::string &code) override;
  uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const override;
  uint64_t activeBlocks(const Kernel &kernel, const OccupancyQuery &query) const override;
  PotentialBlock potentialBlock(const Kernel &kernel, const OccupancyQuery &query) const override;
  void record(bool isWanted) override;
  std::string assemble(const std::string &ptx, const std::string &name) override;
  double elapsed(const EventPoint &begin, const EventPoint &end) const override;
  bool pushSelected() override;
  void popSelected() noexcept override { context.driver.ctxPopCurrent(nullptr); }
  bool canAccess(const Device &other) const override;
  /// As the driver is asked for memory that is portable.
  bool reachesHostMemoryOf(const Device &other) const override { return copiesFrom(other); }
  bool openPeer(Device &peer) override;
  bool copiesFrom(const Device &other) const override { return dynamic_cast<const CudaDevice *>(&other) != nullptr; }
  void *allocate(size_t bytes, MemoryKind kind) override;
  void release(void *memory, MemoryKind kind) override;
  void releaseLost(void *, MemoryKind) noexcept override {}
  std::shared_ptr<const void> closeToOthers() override {
    return std::make_shared<AsymmetricGate::Closed>(context.gate);
  }
  void *holdResets() override { return &context.gate.enter(); }
  void letReset(void *place) override { AsymmetricGate::leave(*static_cast<AsymmetricGate::Slot *>(place)); }
  bool isHostVisible(MemoryKind kind) const override { return kind != MemoryKind::Device; }
  std::optional<dlpack::Device> exchangePlace(MemoryKind kind) const override;
  std::span<char> allocationAround(char *memory) const override;
  SharedHandle share(char *memory) override;
  char *openShared(const SharedHandle &handle, size_t bytes) override;
  void closeShared(char *memory) override;
  void registerHost(std::span<char> memory) override;
  void unregisterHost(char *memory) override;
  std::optional<LocatedMemory> locate(std::span<char> memory) const override;
  size_t memoryCapacity() const override { return totalMemory; }
  std::optional<size_t> freeMemory() const override;
  std::map<std::string, uint64_t> figures() const override { return {}; }

  /// The streams whose unfinished work the stream's own waits for.
  std::vector<std::shared_ptr<Timeline>> waitedFor(const Timeline &stream);
  bool isDefaultStream(const Timeline &stream) const { return !stream.options.handle || stream.options.isOfThread; }

  /// A word for grid barriers that no stream uses any more; 0: there is none.
  DevicePointer takeBarrierWord();
  /// Makes the word one of those when it is dropped, unless the context was reset since that generation.
  std::shared_ptr<const void> keeperOf(DevicePointer word, uint64_t generation);

  mutable Context context;
  UnusedModules unusedModules;
  CopyKernels copyKernels;
  FaultSlots faultSlots;
  Captures captures;
  EventPool events;
  RunTimes runTimes;

private:
  void retireStreams() override;
  void endGeneration() override;
  std::vector<std::shared_ptr<Timeline>> timelines();
  struct Added {
    std::shared_ptr<Timeline> timeline;
    std::shared_ptr<OwnStream> own; ///< null: a foreign stream, or none
  };
  Added addTimeline(const Timeline::Options &options);
  std::shared_ptr<Stream> addStream(const Timeline::Options &options);

  UnawaitedWork unawaited;
  const unsigned capability; ///< times ten
  const size_t totalMemory;
  std::mutex mutex;
  std::vector<std::shared_ptr<Timeline>> known; ///< open ones, and those with unfinished work; guarded by mutex
  std::mutex keepingWords;                      ///< of its own, as words come back while `mutex` is held
  std::vector<DevicePointer> freeWords;         ///< guarded by keepingWords
  const std::unique_ptr<Stream> legacy;
};

/// All GPUs that the driver shows, in its order. Throws CudaSupportError where there is no usable driver or no GPU.
TREADLE_API std::vector<std::unique_ptr<Device>> openDevices();

} // namespace treadle::cuda
