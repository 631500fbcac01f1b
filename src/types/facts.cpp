// Properties of one whole launch that change the code.
#include "types/facts.h"

namespace treadle {

void Facts::setRow(unsigned array, unsigned axis, int64_t extent) {
  if (extent > 1 && extent <= longestRow)
    rows |= uint64_t(extent - 1) << (array * 8 + axis * 4);
}

int64_t Facts::rowExtent(unsigned array, unsigned axis) const {
  const uint64_t below = rows >> (array * 8 + axis * 4) & 0xf;
  return below == 0 ? 0 : int64_t(below + 1);
}

} // namespace treadle
