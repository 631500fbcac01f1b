// What every device offers: loading images, launching kernels on a stream, memory, attributes.
#pragma once

#include "border/dlpack_abi.h"
#include "border/image.h"
#include "device/launch_config.h"
#include "device/memory_kind.h"
#include "device/peers.h"
#include "device/stream.h"
#include "device/stream_reports.h"
#include "support/error.h"
#include "support/export.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace treadle {

enum class DeviceAttribute : uint16_t;
class DiskStore;
class LoadedCode;
struct ErrorRecord;

/// What a loaded kernel uses, as far as its device knows; 0 where it does not. Bytes of a block, or of a thread.
struct KernelAttributes {
  uint32_t registers = 0; ///< of a thread
  uint32_t sharedBytes = 0;
  uint32_t constBytes = 0;
  uint32_t localBytes = 0; ///< of a thread
  uint32_t maxThreads = 0; ///< of a block
};

/// What is asked of how many blocks of a kernel run at once.
struct OccupancyQuery {
  uint32_t threads = 0;     ///< of a block; of its largest, where the block is asked for
  uint32_t sharedBytes = 0; ///< dynamic ones
  unsigned flags = 0;       ///< of CUoccupancy_flags
};

/// The block with which most threads run at once, and the least grid that fills the device with such blocks.
struct PotentialBlock {
  uint32_t threads = 0;
  uint64_t blocks = 0;
};

/// An entry of an image loaded on one device; keeps its module loaded.
class TREADLE_API Kernel {
public:
  virtual ~Kernel();
  virtual const Image &image() const = 0;
  /// By default what the image says.
  virtual KernelAttributes attributes() const;

  std::string title; ///< the function's name, for traces; written before the kernel is launched
};

/// An image loaded on one device; its code stays loaded as long as one of its kernels lives.
class TREADLE_API Module {
public:
  virtual ~Module();
  virtual std::shared_ptr<Kernel> kernel() = 0;
};

/// A check in a kernel compiled with debug has failed; the rest of the launch was stopped.
class TREADLE_API KernelFault : public Error {
public:
  /// `image`: what failed; says what it raises, and which functions are in it.
  KernelFault(Fault fault, const FaultPlace &place, const Image &image);
  ~KernelFault() override;

  const Fault fault;
  bool hasThread = false;
  uint32_t thread[3] = {}, block[3] = {}; ///< which thread failed, if known
  RaisedError raised;                     ///< what the kernel raised, if its class has a name
};

/// Throws what the kernel recorded, if it recorded anything. Of `image`, which says what it raises.
TREADLE_API void throwFault(const ErrorRecord &record, const Image &image);

/// An error has ended the device's context: nothing of the device can be used until it is reset.
class TREADLE_API DeviceLost : public DeviceError {
public:
  /// `cause`: the operation that showed the error, and the driver's words for it.
  DeviceLost(CudaResult result, std::string_view cause);
  ~DeviceLost() override;
};

/// There is no CUDA driver, no GPU, or none that can be used.
class TREADLE_API CudaSupportError : public Error {
public:
  using Error::Error;
  ~CudaSupportError() override;
};

/// How a launch passes arrays in pageable memory of the host.
enum class HostArrays : uint8_t {
  InPlace, ///< kernels use them where they are
  Staged,  ///< they are copied to the device before the launch and back after it
};

/// Memory that somebody else has allocated, as kernels of a device use it.
struct LocatedMemory {
  MemoryKind kind;
  char *data;
};

/// A piece of a device's memory as other processes open it.
struct SharedHandle {
  std::array<char, 64> bytes{}; ///< which allocation it is; of the CUDA driver, a CUipcMemHandle
  size_t offset = 0;            ///< of the piece in the allocation
};

/// One executor. It outlives everything made from it: streams, kernels, memory.
class TREADLE_API Device {
public:
  explicit Device(const LaunchLimits &limits, HostArrays hostArrays = HostArrays::InPlace);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  virtual ~Device();
  /// What kind of device it is, as users read it: "CPU".
  virtual std::string kind() const = 0;
  virtual std::string name() const = 0;
  /// "GPU-" and 32 digits, as the CUDA driver has it; empty: it has none.
  virtual std::string uuid() const { return {}; }
  /// Where machine code for it is kept on disk; null: none is.
  virtual const DiskStore *codeCache() const { return nullptr; }
  /// What users are told of it besides its name, its compute capability and its identity: names with values.
  virtual std::vector<std::pair<std::string, std::string>> details() const { return {}; }
  /// TraceTrack::device of its streams.
  const void *traceKey() const { return reports.get(); }
  /// Notes what its streams have run since a trace began, where they do not say so themselves.
  virtual void noteRuns() noexcept {}
  const LaunchLimits &limits() const { return launchLimits; }
  HostArrays hostArrays() const { return policy; }
  /// The target that its images are compiled for; constant.
  virtual Target target() const = 0;
  virtual int64_t attribute(DeviceAttribute attribute) const = 0;
  /// Compute capability times ten: what kernels compiled for this device may ask for.
  virtual unsigned computeCapability() const = 0;
  /// The legacy default stream.
  virtual Stream &defaultStream() = 0;
  /// The default stream of the calling thread.
  virtual std::shared_ptr<Stream> threadStream() = 0;
  /// The stream that stands in for both on the calling thread, as it captures a graph there; null: they are themselves.
  Stream *standIn() {
    return diversions.load(std::memory_order_relaxed) == 0 ? nullptr : standInOf(std::this_thread::get_id());
  }
  /// The same as seen from a default stream's own work: null also for the stream that stands in for itself.
  bool hasStandIn(const StreamTimeline &of) {
    const Stream *const other = standIn();
    return other && other->timeline() != &of;
  }
  /// From now on `stream` stands in for the calling thread's default streams, until `endStandIn`. Calls nest. Both on
  /// that thread.
  void beginStandIn(std::shared_ptr<Stream> stream);
  void endStandIn(const Stream &stream);
  /// `isBlocking`: it and the legacy default stream wait for each other.
  virtual std::shared_ptr<Stream> makeStream(bool isBlocking) = 0;
  /// The living stream of makeStream with that handle; null if there is none.
  virtual std::shared_ptr<Stream> streamOf(uint64_t handle) = 0;
  /// Returns when everything queued on its streams has run. Throws QueuedFailure.
  virtual void synchronize(LaunchWatcher &watcher);
  /// The ends of all its streams that have unfinished work.
  virtual std::vector<StreamPoint> unfinished() = 0;
  /// Finds out how far its streams have come, for StreamPoint::isComplete. Called under no lock.
  virtual void noteProgress() noexcept {}
  /// The same, and for all devices that use its memory.
  void lookAtUses() noexcept;
  /// The unfinished work of all devices that use its memory.
  std::vector<StreamPoint> unfinishedOfUsers();
  /// The work of the legacy default stream that a thread of the host is running itself; no Buffer records it. As on
  /// CUDA, the host does not wait for work that other threads run on default streams of their own.
  virtual StreamPoint runningOnCaller() = 0;
  /// The failures on its streams that have not been reported, which counts as reporting them: a QueuedFailure, or null.
  std::exception_ptr takeFailures() { return reports->takeFailures(); }
  bool haveFailures() const { return reports->haveFailures(); }
  /// Whether images can be loaded while a stream is captured into a graph.
  virtual bool loadsInCaptures() const { return true; }
  /// `captured`: the addresses of Image::captured.
  virtual std::shared_ptr<Module> load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) = 0;
  /// Loads code of others as it is. Throws UsageError (Unsupported) where the device runs only what Treadle compiles.
  virtual std::shared_ptr<LoadedCode> loadCode(const std::string &code);
  /// Machine code of PTX for this device, which `loadCode` takes. `name`: of what it is, for messages. Throws
  /// DeviceError, and UsageError (Unsupported) as loadCode does.
  virtual std::string assemble(const std::string &ptx, const std::string &name);
  /// How many blocks of this kernel and shape can run at once, as all blocks of a grid that synchronises must. Throws
  /// UsageError (Value) if a block would need too much shared memory.
  virtual uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const = 0;
  /// How many such blocks run at once on a multiprocessor. Throws UsageError (Value) as cooperativeBlocks does.
  virtual uint64_t activeBlocks(const Kernel &kernel, const OccupancyQuery &query) const;
  /// By default the largest block that `query` allows.
  virtual PotentialBlock potentialBlock(const Kernel &kernel, const OccupancyQuery &query) const;
  /// A profiler that watches the process records from now on, or no longer; without one nothing happens.
  virtual void record(bool) {}
  /// Milliseconds between two moments. Both were recorded on this device with their time, and are complete.
  virtual double elapsed(const EventPoint &begin, const EventPoint &end) const = 0;
  /// Makes it the device that other software on the calling thread finds selected, until the next `popSelected`. False:
  /// it is that already, and there is nothing to pop.
  virtual bool pushSelected() { return false; }
  virtual void popSelected() noexcept {}
  /// Whether its kernels can access memory of the other device, once `enablePeer` has let them. False for itself.
  virtual bool canAccess(const Device &) const { return false; }
  /// From now on, until one of the two is reset, its kernels may access the other device's memory. Throws DeviceError:
  /// `peerAccessUnsupported`, or `peerAccessAlreadyEnabled`, where it is enabled all the same.
  void enablePeer(Device &peer);
  /// Whether its kernels may access memory of that kind that the other device has allocated.
  bool reaches(const Device &other, MemoryKind kind) const {
    return &other == this || (kind != MemoryKind::Device && reachesHostMemoryOf(other)) || peers.areEnabled(other);
  }
  /// Whether it shares what the other device has of memory that the host sees, too.
  virtual bool reachesHostMemoryOf(const Device &) const { return false; }
  /// Whether its streams can copy from the other device's own memory.
  virtual bool copiesFrom(const Device &) const { return false; }
  /// Before work on its streams uses memory of the other device, whose `lookAtUses` and `reset` know of it then.
  void usesMemoryOf(Device &other) { other.peers.noteUser(*this); }
  /// Uninitialised memory, aligned to 256 bytes; `bytes` may be 0. Throws DeviceError if none is left.
  virtual void *allocate(size_t bytes, MemoryKind kind) = 0;
  /// Throws DeviceError if the device cannot take the memory back; it is then lost.
  virtual void release(void *memory, MemoryKind kind) = 0;
  /// Releases memory allocated before a reset; a device that owns its memory has taken it back in the reset.
  virtual void releaseLost(void *memory, MemoryKind kind) noexcept = 0;
  /// Whether the host can access memory of that kind by its address.
  virtual bool isHostVisible(MemoryKind kind) const = 0;
  /// What DLPack calls the place of memory of that kind; nothing: no other library can reach it.
  virtual std::optional<dlpack::Device> exchangePlace(MemoryKind) const { return std::nullopt; }
  /// Finds out whether its kernels can use the memory, which is not empty: nothing if they cannot. Throws DeviceError.
  virtual std::optional<LocatedMemory> locate(std::span<char>) const { return std::nullopt; }
  /// The whole allocation of the device that the address lies in; empty where the device knows none.
  virtual std::span<char> allocationAround(char *memory) const;
  /// Lets other processes open the allocation that the address lies in, until that is released. Nobody writes to it
  /// meanwhile. Throws DeviceError.
  virtual SharedHandle share(char *memory);
  /// Opens an allocation of another process, from whose beginning so many bytes are to be used. Throws DeviceError.
  virtual char *openShared(const SharedHandle &handle, size_t bytes);
  /// Ends the use of what `openShared` has returned, once all work on it has run. Throws DeviceError.
  virtual void closeShared(char *memory);
  /// Memory of the host is pinned between these two calls, and kernels can use it. Ranges do not overlap. Both throw
  /// DeviceError.
  virtual void registerHost(std::span<char> memory) = 0;
  virtual void unregisterHost(char *memory) = 0;
  /// Total memory in bytes.
  virtual size_t memoryCapacity() const = 0;
  /// What nobody has allocated, where other software shares the memory; nothing: only Treadle allocates it.
  virtual std::optional<size_t> freeMemory() const { return std::nullopt; }
  /// Counters of its work by name, for tests and benchmarks.
  virtual std::map<std::string, uint64_t> figures() const = 0;

  /// While the result lives, no other thread uses the device's memory, streams or kernels: a reset makes them void.
  /// Null where they stay valid, and a reset may wait for the host's lock.
  virtual std::shared_ptr<const void> closeToOthers() { return nullptr; }
  /// While it exists, other threads' resets wait. Not to be held while waiting for anything but the device.
  class NoReset {
  public:
    explicit NoReset(Device &device) : device(device), place(device.holdResets()) {}
    NoReset(const NoReset &) = delete;
    NoReset &operator=(const NoReset &) = delete;
    ~NoReset() { device.letReset(place); }

  private:
    Device &device;
    void *const place;
  };
  /// Whether a reset makes void what other threads may be about to use, so that it must hold the host's lock.
  virtual bool resetsMemory() const { return false; }
  /// Ends all streams but the default ones after their queued work; any later use of them throws. Called within
  /// `closeToOthers`.
  void reset();
  /// The number of resets so far: objects made in an earlier generation are unusable.
  uint64_t generation() const { return resets.load(std::memory_order_relaxed); }

protected:
  /// From now on, queueing work on streams other than the default ones throws failRetiredStream's error.
  virtual void retireStreams() = 0;
  /// All work has ended: a device that owns its memory and modules takes them back.
  virtual void endGeneration() {}
  /// False: other software has enabled it before.
  virtual bool openPeer(Device &) { return true; }
  /// For NoReset: what `letReset` gets.
  virtual void *holdResets() { return nullptr; }
  virtual void letReset(void *) {}
  [[noreturn]] static void failOutOfMemory(size_t bytes);

  /// Of its streams, which share it with what runs their work.
  const std::shared_ptr<StreamReports> reports;

private:
  Stream *standInOf(std::thread::id thread);
  void awaitUsers();

  struct StandIn {
    std::thread::id thread;
    std::shared_ptr<Stream> stream;
  };
  std::atomic<size_t> diversions{0}; ///< size of `standIns`
  std::mutex standing;
  std::vector<StandIn> standIns; ///< guarded by `standing`
  const LaunchLimits launchLimits;
  const HostArrays policy;
  std::atomic<uint64_t> resets{0};
  Peers peers{*this};
};

} // namespace treadle
