// What every device offers: loading images, launching kernels on a stream, memory, attributes.
#pragma once

#include "device/launch_config.h"
#include "launch/image.h"
#include "support/error.h"
#include "support/export.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace treadle {

enum class DeviceAttribute : uint16_t;

/// An entry of an image loaded on one device; keeps its module loaded.
class TREADLE_API Kernel {
public:
  virtual ~Kernel();
  virtual const Image &image() const = 0;
};

/// An image loaded on one device; keeps what was loaded for as long as one of its kernels lives.
class TREADLE_API Module {
public:
  virtual ~Module();
  virtual std::shared_ptr<Kernel> kernel() = 0;
};

/// Told once, on the launching thread, when a launch turns out to last longer than about 10 us and blocks that thread:
/// the moment to let go of locks. The launch does not go on before it returns.
class LaunchWatcher {
public:
  virtual void becomesLong() = 0;
  /// Told on the launching thread, before the launch returns, what its threads printed.
  virtual void printed(std::string_view text) = 0;

protected:
  ~LaunchWatcher() = default;
};

enum class LaunchOutcome : uint8_t {
  Done,
  Interrupted, ///< the user pressed Ctrl-C: what the kernel writes is partly written
};

/// A check in a kernel compiled with debug has failed; the rest of the launch was stopped.
class TREADLE_API KernelFault : public Error {
public:
  static constexpr uint32_t indexOutOfBounds = 1, divisionByZero = 2, waitsForever = 3, tooDeep = 5;

  KernelFault(uint32_t code, uint32_t line, uint32_t column);
  ~KernelFault() override;

  const uint32_t code, line, column; ///< line 0: not known
  bool hasThread = false;
  uint32_t thread[3] = {}, block[3] = {}; ///< which thread failed, if known
  RaisedError raised;                     ///< what the kernel raised, if its class has a name
};

/// An in-order queue on one device.
class TREADLE_API Stream {
public:
  virtual ~Stream();
  /// `parameters`: a block of Image::parameters' layout, read before this returns. Throws UsageError (Value) where the
  /// block would need too much shared memory, KernelFault. May be called by several threads at once.
  virtual LaunchOutcome launch(const Kernel &kernel, const LaunchConfig &config, const void *parameters,
                               LaunchWatcher &watcher) = 0;
  /// Returns when all that was put on the stream has run.
  virtual void synchronize() = 0;
};

/// One executor; everything made from it keeps it alive.
class TREADLE_API Device {
public:
  virtual ~Device();
  virtual std::string name() const = 0;
  virtual int64_t attribute(DeviceAttribute attribute) const = 0;
  /// Compute capability times ten: what kernels compiled for this device may ask for.
  virtual unsigned computeCapability() const = 0;
  virtual Stream &defaultStream() = 0;
  virtual std::shared_ptr<Module> load(std::shared_ptr<const Image> image) = 0;
  /// How many blocks of this kernel and shape can run at once, as those of a grid that synchronises must. Throws
  /// UsageError (Value) where a block would need too much shared memory.
  virtual uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const = 0;
  /// Uninitialised memory, aligned to 256 bytes; `bytes` may be 0. Throws DeviceError where there is none.
  virtual void *allocate(size_t bytes) = 0;
  virtual void release(void *memory) noexcept = 0;
};

} // namespace treadle
