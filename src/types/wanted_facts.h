// WantedFacts: which facts of a launch change a kernel's code, found by inference.
#pragma once

#include <cstdint>
#include <vector>

namespace treadle {

/// The arrays that Facts::rows describes, and which of its bits affect the code.
struct RowArrays {
  std::vector<unsigned> positions; ///< as ParameterLeaf::argument counts them
  uint64_t useful = 0;
};

/// Which threads of a kernel should share a warp: Facts::laneAxis for launches with enough threads along that axis.
struct LaneAxes {
  uint8_t preferred = 0;
  bool spansBlocks = false; ///< the block's shape does not matter, as blocks cannot be told apart
};

struct WantedFacts {
  RowArrays rows;
  LaneAxes lanes;
  std::vector<unsigned> tables; ///< the arguments that Facts::tables describes
};

} // namespace treadle
