// The names of targets and facts.
#include "runtime/variant_names.h"

#include "border/target.h"
#include "types/facts.h"

#include <fmt/core.h>

namespace treadle {

std::string namesOf(const Facts &facts) {
  std::string flags, values;
  visitFacts([&](auto row) {
    if constexpr (!row.isFlag)
      values += fmt::format("{}={}", row.pythonName, facts.*row.value);
    else if (row.isAssumed(facts))
      flags += row.pythonName + std::string(" ");
  });
  if (facts.rows != 0)
    flags += "short_rows ";
  if (facts.tables != 0)
    flags += "tables ";
  if (facts.laneAxis != 0)
    flags += std::string("lane_axis=") + "xyz"[facts.laneAxis] + " ";
  return flags + values;
}

std::string nameOf(const Target &target) {
  return target.kind == Target::Kind::Ptx ? fmt::format("sm_{}", target.computeCapability) : "cpu";
}

} // namespace treadle
