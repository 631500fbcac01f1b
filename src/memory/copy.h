// Copies between arrays of devices and of the host, and fills, in the order of a stream.
#pragma once

#include "device/stream.h"
#include "memory/array_view.h"

namespace treadle {

/// Elements in memory that lives until the call returns; by default memory of the host.
struct Elements {
  char *data = nullptr;
  StridedExtents extents;
  Location location = Location::Pageable;
};

/// Where a copy is queued, and on whose behalf.
struct CopyTurn {
  Stream &stream;         ///< of the device whose memory is written, or read by the host
  bool isQueued;          ///< the call returns at once if the stream is busy, otherwise when the copy is done
  LaunchWatcher &watcher; ///< of the calling thread
};

// Both sides have the same extents and bytes per element. All throw what Stream::copy throws.

/// Copies what the host memory contains at the time of the call.
TREADLE_API void copyToDevice(const ArrayView &to, const Elements &from, const CopyTurn &turn);
/// Always waits.
TREADLE_API void copyToHost(const Elements &to, const ArrayView &from, const CopyTurn &turn);
/// Within one device, or from another device that no longer writes `from`, or whose memory this one can copy directly.
/// The two may overlap.
TREADLE_API void copyOnDevice(const ArrayView &to, const ArrayView &from, const CopyTurn &turn);
/// Sets each byte of a contiguous array.
TREADLE_API void fillBytes(const ArrayView &array, uint8_t value, const CopyTurn &turn);

// Synchronous, without a stream: no unfinished work may use either side.

TREADLE_API void assign(const ArrayView &to, const Elements &from, LaunchWatcher &watcher);
TREADLE_API void assign(const ArrayView &to, const ArrayView &from, LaunchWatcher &watcher);

} // namespace treadle
