// Copies from the memory of one device to that of another, without the host.
#pragma once

#include "memory/copy.h"

namespace treadle {

/// The two lie in memory of different devices. In the order of the turn's stream; behind all uses of the source, which
/// the default stream of its device uses again only behind the copy. Strided elements are packed on their own device.
/// False: nothing was done, as the devices cannot copy from each other, or have no memory for what is packed. Throws as
/// copyOnDevice.
bool copyAcross(const ArrayView &to, const ArrayView &from, const CopyTurn &turn);

} // namespace treadle
