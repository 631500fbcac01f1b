// grid_ids: finds blockIdx * blockDim + threadIdx, the explicit form of cuda.grid.
#pragma once

#include "typed/typed.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

/// What may be read as Operation::GridX (GridY, GridZ), and the assignments that this makes dead.
struct GridIds {
  std::unordered_map<const typed::Expr *, Operation> replaced;
  /// Assignments whose slot is read in replaced expressions only.
  std::unordered_set<const typed::Stmt *> dead;
};

/// Adds the findings for the function and all its callees. Needs no other pass, and generators that gain nothing from
/// it may omit it.
void findGridIds(const TypedFunction &function, GridIds &found);

} // namespace treadle
