// Copies from the memory of one device to that of another, without the host.
#pragma once

#include "memory/copy.h"

namespace treadle {

/// The two lie in memory of different devices. Ordered by the turn's stream, after all uses of the source; the default
/// stream of the source's device uses it again only after the copy. Strided elements are packed on their own device.
/// False: nothing was done, as the devices cannot copy from each other, or lack memory for packing. Throws as
/// copyOnDevice.
bool copyAcross(const ArrayView &to, const ArrayView &from, const CopyTurn &turn);

} // namespace treadle
