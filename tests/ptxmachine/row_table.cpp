// Looks opcodes up in all rows.
#include "row.h"

namespace ptxmachine {

namespace {

constexpr std::span<const Row> (*groups[])() = {
    integerRows, bitRows,    carryRows, floatRows,   approximateRows, halfRows, compareRows, convertRows, moveRows,
    memoryRows,  atomicRows, flowRows,  barrierRows, clusterRows,     warpRows, videoRows,   stackRows,   asyncRows};

} // namespace

FoundRow findRow(std::string_view opcode) {
  for (const auto group : groups)
    for (const Row &row : group())
      if (FoundRow found{&row, {}, nullptr}; matches(row.pattern, opcode, found.spelling))
        if ((found.run = row.choose(found.spelling)))
          return found;
  return {};
}

const Row *rowAt(size_t index) {
  for (const auto group : groups) {
    if (index < group().size())
      return &group()[index];
    index -= group().size();
  }
  return nullptr;
}

} // namespace ptxmachine
