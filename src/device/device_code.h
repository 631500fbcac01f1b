// DeviceCode: the part of a device that loads images.
#pragma once

#include "device/kernel.h"
#include "device/launch_config.h"
#include "support/export.h"

#include <cstdint>
#include <memory>
#include <span>

namespace treadle {

class DiskStore;
struct Image;

class TREADLE_API DeviceCode {
public:
  /// `captured`: the addresses of Image::captured.
  virtual std::shared_ptr<Module> load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) = 0;
  /// Whether images can be loaded while a stream is captured into a graph.
  virtual bool loadsInCaptures() const { return true; }
  /// Whether workers of the host run its code, and Facts::laneAxis and Facts::tables apply.
  virtual bool runsOnWorkers() const { return false; }
  /// How many blocks of this kernel and shape can run at once, as all blocks of a grid that synchronises must. Throws
  /// UsageError (Value) if a block would need too much shared memory.
  virtual uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const = 0;
  /// Where machine code is kept on disk; null: none is.
  virtual const DiskStore *codeCache() const { return nullptr; }

protected:
  DeviceCode() = default;
  DeviceCode(const DeviceCode &) = delete;
  DeviceCode &operator=(const DeviceCode &) = delete;
  ~DeviceCode() = default;
};

} // namespace treadle
