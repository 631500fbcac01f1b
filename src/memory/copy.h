// Copies between arrays of devices and of the host, and fills: each in its turn on a stream.
#pragma once

#include "device/stream.h"
#include "memory/array_view.h"

namespace treadle {

/// Elements in memory that lives until the call returns: where nothing else is said, memory of the host.
struct Elements {
  char *data = nullptr;
  StridedExtents extents;
  Place place = Place::Pageable;
};

/// The place of a copy among what its stream is given.
struct CopyTurn {
  Stream &stream;         ///< of the device whose memory is written, or read by the host
  bool isQueued;          ///< returns at once where the stream is busy; else when the copy is done
  LaunchWatcher &watcher; ///< of the calling thread
};

// Both sides have the same extents and bytes of an element. All throw what Stream::copy throws.

/// What the host's memory holds at the call.
TREADLE_API void copyToDevice(const ArrayView &to, const Elements &from, const CopyTurn &turn);
/// Always waits.
TREADLE_API void copyToHost(const Elements &to, const ArrayView &from, const CopyTurn &turn);
/// Within one device, or from another one, of which nothing writes `from` any more. The two may overlap.
TREADLE_API void copyOnDevice(const ArrayView &to, const ArrayView &from, const CopyTurn &turn);
/// Each byte of an array without gaps.
TREADLE_API void fillBytes(const ArrayView &array, uint8_t value, const CopyTurn &turn);

// At once, in no stream's order: nothing may use the memory of either side any more.

TREADLE_API void assign(const ArrayView &to, const Elements &from, LaunchWatcher &watcher);
TREADLE_API void assign(const ArrayView &to, const ArrayView &from, LaunchWatcher &watcher);

} // namespace treadle
