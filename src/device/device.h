// What every device offers: loading images, launching kernels on a stream, memory, attributes.
#pragma once

#include "border/image.h"
#include "device/launch_config.h"
#include "device/stream.h"
#include "support/error.h"
#include "support/export.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

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

/// One executor; everything made from it keeps it alive.
class TREADLE_API Device {
public:
  virtual ~Device();
  virtual std::string name() const = 0;
  virtual int64_t attribute(DeviceAttribute attribute) const = 0;
  /// Compute capability times ten: what kernels compiled for this device may ask for.
  virtual unsigned computeCapability() const = 0;
  /// The legacy default stream.
  virtual Stream &defaultStream() = 0;
  /// The default stream of the calling thread.
  virtual std::shared_ptr<Stream> threadStream() = 0;
  /// `isBlocking`: it and the legacy default stream wait for each other.
  virtual std::shared_ptr<Stream> makeStream(bool isBlocking) = 0;
  /// The stream of makeStream that a handle names; null where none that is alive has it.
  virtual std::shared_ptr<Stream> streamOf(uint64_t handle) = 0;
  /// Returns when all that was put on any of its streams has run. Throws QueuedFailure.
  virtual void synchronize(LaunchWatcher &watcher) = 0;
  /// All that was put on any of its streams and has not run yet.
  virtual std::vector<StreamPoint> unfinished() = 0;
  /// What a thread of the host runs itself at the moment, on the legacy default stream: no Buffer knows of it. The host
  /// does not wait for what other threads run on default streams of their own, as on CUDA.
  virtual StreamPoint runningOnCaller() = 0;
  /// What failed on any of its streams and nobody has been told, once: a QueuedFailure, or null.
  virtual std::exception_ptr takeFailures() = 0;
  virtual std::shared_ptr<Module> load(std::shared_ptr<const Image> image) = 0;
  /// How many blocks of this kernel and shape can run at once, as those of a grid that synchronises must. Throws
  /// UsageError (Value) where a block would need too much shared memory.
  virtual uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const = 0;
  /// Uninitialised memory, aligned to 256 bytes; `bytes` may be 0. Throws DeviceError where there is none.
  virtual void *allocate(size_t bytes) = 0;
  /// Throws DeviceError where the device cannot take it back; the memory is then lost.
  virtual void release(void *memory) = 0;
  /// Of memory that was allocated before a reset, which took it where memory is the device's own.
  virtual void releaseLost(void *memory) noexcept = 0;
  /// Whether the host can look at the device's memory by its address.
  virtual bool isHostVisible() const = 0;
  /// All memory that there is, in bytes.
  virtual size_t memoryCapacity() const = 0;
  /// Ends all streams, with what they were given; whoever uses one of them later is told so.
  virtual void reset() = 0;
};

} // namespace treadle
