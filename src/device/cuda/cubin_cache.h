// CubinCache: machine code that the driver has made of PTX, kept for the programs that come after this one.
#pragma once

#include "device/cuda/driver_table.h"
#include "support/disk_store.h"

#include <string>

namespace treadle::cuda {

class Context;

/// Of one device. The driver's compiler takes 5 to 30 ms for a kernel; a cubin is loaded in less than one. What it has
/// made depends on the text, the device's compute capability and the driver's build: these are an entry's key.
class CubinCache {
public:
  CubinCache();

  /// A module of that PTX, by way of an entry, which is made if need be. Within a Current, and a CaptureRelaxed. Null:
  /// nothing is kept, or the driver's linker does not take the PTX, whose own loading then says why.
  ModuleHandle load(Context &context, const std::string &code, const std::string &what);

  DiskStore store;

private:
  /// Empty: the driver does not say what it is.
  std::string keyOf(Context &context, const std::string &ptx);
};

} // namespace treadle::cuda
