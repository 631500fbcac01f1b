// The CPU as a device: its streams, its memory, its attributes.
#pragma once

#include "device/cpu/stream_set.h"
#include "device/device.h"

namespace treadle::cpu {

/// Machine code of an image in this process.
struct NativeCode {
  void *entry = nullptr;
  std::shared_ptr<void> keep; ///< the code stays loaded as long as this lives
};
/// Links an image into this process. The compiler does it, which devices do not know.
using NativeLoader = NativeCode (*)(const Image &image);

struct CpuOptions {
  unsigned threads = 1;
  NativeLoader loader = nullptr;
  /// A launch shorter than this never wakes a worker and never lets go of the caller's locks. Waking costs 3 to 5 us.
  uint64_t inlineNanoseconds = 10'000;
  size_t memoryBytes = size_t(1) << 40;
};

class TREADLE_API CpuDevice final : public Device {
public:
  explicit CpuDevice(CpuOptions options);
  ~CpuDevice() override;

  std::string name() const override;
  int64_t attribute(DeviceAttribute attribute) const override;
  unsigned computeCapability() const override { return 90; }
  Stream &defaultStream() override { return *legacy; }
  std::shared_ptr<Stream> threadStream() override;
  std::shared_ptr<Stream> makeStream(bool isBlocking) override;
  std::shared_ptr<Stream> streamOf(uint64_t handle) override;
  void synchronize(LaunchWatcher &watcher) override;
  std::vector<StreamPoint> unfinished() override;
  StreamPoint runningOnCaller() override;
  std::exception_ptr takeFailures() override { return streams->failures->takeAll(); }
  std::shared_ptr<Module> load(std::shared_ptr<const Image> image) override;
  uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const override;
  void *allocate(size_t bytes) override;
  void release(void *memory) override;
  void releaseLost(void *memory) noexcept override;
  bool isHostVisible() const override { return true; }
  size_t memoryCapacity() const override { return options.memoryBytes; }
  void reset() override;

  unsigned threads() const { return options.threads; }
  /// For tests: how many workers launches have woken.
  uint64_t wakeUps();

private:
  const CpuOptions options;
  const std::shared_ptr<StreamSet> streams;
  const std::shared_ptr<Stream> legacy;
};

} // namespace treadle::cpu
