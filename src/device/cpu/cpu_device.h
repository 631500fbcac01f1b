// The CPU as a device: its stream, its memory, its attributes.
#pragma once

#include "device/cpu/worker_pool.h"
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
};

/// The default stream: a launch runs on the calling thread, and on the pool's once it has lasted 10 us.
class CpuStream final : public Stream {
public:
  CpuStream(PoolOfProcess &pool, uint64_t inlineNanoseconds) : pool(pool), inlineNanoseconds(inlineNanoseconds) {}
  LaunchOutcome launch(const Kernel &kernel, const LaunchConfig &config, const void *parameters,
                       LaunchWatcher &watcher) override;
  void synchronize() override {}

private:
  PoolOfProcess &pool;
  const uint64_t inlineNanoseconds;
};

class TREADLE_API CpuDevice final : public Device {
public:
  explicit CpuDevice(CpuOptions options);
  ~CpuDevice() override;

  std::string name() const override;
  int64_t attribute(DeviceAttribute attribute) const override;
  unsigned computeCapability() const override { return 90; }
  Stream &defaultStream() override { return stream; }
  std::shared_ptr<Module> load(std::shared_ptr<const Image> image) override;
  uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const override;
  void *allocate(size_t bytes) override;
  void release(void *memory) noexcept override;

  unsigned threads() const { return options.threads; }
  /// For tests: how many workers launches have woken.
  uint64_t wakeUps();

private:
  const CpuOptions options;
  PoolOfProcess pool;
  CpuStream stream;
};

} // namespace treadle::cpu
