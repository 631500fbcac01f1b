// Looks opcodes up in all rows.
#include "row.h"

namespace ptxmachine {

FoundRow findRow(std::string_view opcode) {
  static constexpr std::span<const Row> (*groups[])() = {
      integerRows, bitRows,    carryRows, floatRows,   approximateRows, halfRows,  compareRows, convertRows, moveRows,
      memoryRows,  atomicRows, flowRows,  barrierRows, warpRows,        videoRows, stackRows,   asyncRows};
  for (const auto group : groups)
    for (const Row &row : group())
      if (FoundRow found{&row, {}, nullptr}; matches(row.pattern, opcode, found.spelling))
        if ((found.run = row.choose(found.spelling)))
          return found;
  return {};
}

} // namespace ptxmachine
