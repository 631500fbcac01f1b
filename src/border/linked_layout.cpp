// Validation of layouts.
#include "border/linked_layout.h"

namespace treadle {

const char *LinkedLayout::flaw(uint64_t codeBytes) const {
  // Sums of numbers up to this limit cannot overflow.
  constexpr uint64_t most = uint64_t(1) << 40;
  if (codeBytes > most || bytes[Code] > codeBytes || bytes[Constants] > codeBytes || bytes[Data] > codeBytes ||
      bytes[Code] + bytes[Constants] + bytes[Data] != codeBytes)
    return "the parts of its code are not as large as it is";
  if (entry >= bytes[Code])
    return "its entry is not in its code";
  uint64_t free = begin(Constants); // where the next fixup may begin
  for (const CodeFixup &fixup : fixups) {
    if (fixup.offset < free)
      return "two of its fixups overlap, are out of order, or one is in the code";
    if (fixup.offset > memoryBytes())
      return "a fixup is outside of it";
    free = fixup.offset + 8;
    const Part part = fixup.offset < begin(Data) ? Constants : Data;
    if (free > begin(part) + bytes[part])
      return "a fixup is outside of it";
    if (fixup.symbol.empty() && uint64_t(fixup.addend) > memoryBytes())
      return "a fixup gives an address outside of it";
  }
  return nullptr;
}

} // namespace treadle
