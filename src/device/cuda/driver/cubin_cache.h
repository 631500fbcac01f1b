// CubinCache: an on-disk cache of machine code that the driver has compiled from PTX.
#pragma once

#include "device/cuda/driver/driver_table.h"
#include "support/files/disk_store.h"

#include <string>

namespace treadle::cuda {

class Context;

/// For one device. The driver's compiler takes 5 to 30 ms for a kernel; a cubin loads in less than one. The output
/// depends on the text, the device's compute capability, the driver's build and on how this library calls it: these
/// form an entry's key.
class CubinCache {
public:
  CubinCache();

  /// A module of that PTX, through a cache entry, which is made on a miss. Within a Current, and a CaptureRelaxed.
  /// Null: the cache is disabled, or the driver's linker rejects the PTX, and loading it directly reports why.
  ModuleHandle load(Context &context, const std::string &code, const std::string &what);

  DiskStore store;

private:
  /// Empty: the driver does not identify itself.
  std::string keyOf(Context &context, const std::string &ptx);
};

} // namespace treadle::cuda
