// LaneModel: what differs between code for one thread (PTX) and code for a warp as a vector (CPU). Everything else,
// most of all the meaning of every operation, is written once in codegen/.
#pragma once

#include "codegen/lane_control.h"
#include "codegen/lane_memory.h"
#include "codegen/lane_reports.h"
#include "codegen/lane_values.h"

namespace treadle::codegen {

class LaneModel : public LaneValues, public LaneControl, public LaneReports, public LaneMemory {
public:
  virtual ~LaneModel() = default;
};

} // namespace treadle::codegen
