// What only some devices can: each is an object that a device has, or null.
#pragma once

#include "support/export.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

class Device;
class DeviceCode;
class DeviceMemory;
class Kernel;
class LoadedCode;

/// Runs code that Treadle has not compiled: PTX and machine code of a GPU.
class TREADLE_API ForeignCode {
public:
  /// Loads code as it is. Throws DeviceError.
  virtual std::shared_ptr<LoadedCode> loadCode(const std::string &code) = 0;
  /// Machine code of PTX for this device, which `loadCode` takes. `name`: of what it is, for messages. Throws
  /// DeviceError.
  virtual std::string assemble(const std::string &ptx, const std::string &name) = 0;

protected:
  ~ForeignCode() = default;
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

/// Knows how many blocks its multiprocessors hold; on devices without it the size of blocks does not matter.
class TREADLE_API Occupancy {
public:
  /// How many such blocks run at once on a multiprocessor. Throws UsageError (Value) as cooperativeBlocks does.
  virtual uint64_t activeBlocks(const Kernel &kernel, const OccupancyQuery &query) const = 0;
  virtual PotentialBlock potentialBlock(const Kernel &kernel, const OccupancyQuery &query) const = 0;

protected:
  ~Occupancy() = default;
};

/// A piece of a device's memory as other processes open it.
struct SharedHandle {
  std::array<char, 64> bytes{}; ///< which allocation it is; of the CUDA driver, a CUipcMemHandle
  size_t offset = 0;            ///< of the piece in the allocation
};

/// Shares memory with other processes. All functions throw DeviceError.
class TREADLE_API MemorySharing {
public:
  /// Lets other processes open the allocation that the address lies in, until that is released. No kernel writes to it
  /// meanwhile.
  virtual SharedHandle share(char *memory) = 0;
  /// Opens an allocation of another process, of which so many bytes from the handle's offset on are to be used.
  virtual char *openShared(const SharedHandle &handle, size_t bytes) = 0;
  /// Ends the use of what `openShared` has returned, once all work on it has run.
  virtual void closeShared(char *memory) = 0;

protected:
  ~MemorySharing() = default;
};

/// Its kernels can use memory of other devices.
class TREADLE_API PeerAccess {
public:
  /// Whether they can use the other device's own memory, once `openPeer` has let them. False for itself.
  virtual bool canAccess(const Device &other) const = 0;
  /// False: other software has enabled it before.
  virtual bool openPeer(Device &) { return true; }
  /// Whether it shares what the other device has of memory that the host sees, too.
  virtual bool reachesHostMemoryOf(const Device &other) const = 0;
  /// Whether its streams can copy from the other device's own memory.
  virtual bool copiesFrom(const Device &) const { return false; }

protected:
  ~PeerAccess() = default;
};

/// Other software on a thread finds one of these devices selected.
class TREADLE_API DeviceSelection {
public:
  /// Makes it the one that is found on the calling thread, until the next `popSelected`. False: it is that already, and
  /// there is nothing to pop.
  virtual bool pushSelected() = 0;
  virtual void popSelected() noexcept = 0;

protected:
  ~DeviceSelection() = default;
};

/// Programs that measure what the device does.
class TREADLE_API DeviceProfiling {
public:
  /// A profiler that watches the process records from now on, or no longer; without one nothing happens.
  virtual void record(bool isWanted) = 0;
  /// Notes what the device's streams have run since a trace began, as they do not say so themselves.
  virtual void noteRuns() noexcept = 0;

protected:
  ~DeviceProfiling() = default;
};

/// A reset makes void what other threads may be about to use.
class TREADLE_API ResetGate {
public:
  /// While the result lives, no other thread uses the device's memory, streams or kernels.
  virtual std::shared_ptr<const void> closeToOthers() = 0;
  /// Resets of other threads wait until `letReset`, which gets the result.
  virtual void *holdResets() = 0;
  virtual void letReset(void *place) = 0;

protected:
  ~ResetGate() = default;
};

/// All parts of one device live as long as it does.
struct DeviceParts {
  DeviceMemory &memory;
  DeviceCode &code;
  ForeignCode *foreignCode = nullptr;
  Occupancy *occupancy = nullptr;
  MemorySharing *sharing = nullptr;
  PeerAccess *peers = nullptr;
  DeviceSelection *selection = nullptr;
  DeviceProfiling *profiling = nullptr;
  ResetGate *resets = nullptr; ///< null: memory, streams and kernels stay valid
};

/// The part, or UsageError (NotImplemented).
TREADLE_API ForeignCode &foreignCodeOf(Device &device);
TREADLE_API MemorySharing &sharingOf(Device &device);

/// By the device's Occupancy, or as `cooperativeBlocks` says.
TREADLE_API uint64_t activeBlocks(const Device &device, const Kernel &kernel, const OccupancyQuery &query);
TREADLE_API PotentialBlock potentialBlock(const Device &device, const Kernel &kernel, const OccupancyQuery &query);

/// Makes a device the one that other software on this thread finds selected, as long as it lives.
class TREADLE_API SelectedDevice {
public:
  explicit SelectedDevice(const Device *device); ///< null: nothing changes
  SelectedDevice(const SelectedDevice &) = delete;
  SelectedDevice &operator=(const SelectedDevice &) = delete;
  ~SelectedDevice() {
    if (pushed)
      pushed->popSelected();
  }

private:
  DeviceSelection *pushed;
};

} // namespace treadle
