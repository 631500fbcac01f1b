// grid_ids: finds blockIdx * blockDim + threadIdx, the explicit form of cuda.grid.
#pragma once

#include "passes/analyses/uses.h"
#include "typed/typed.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

/// Expressions equivalent to Operation::GridX (GridY, GridZ), and the assignments that become dead when they are
/// replaced.
struct GridIds {
  std::unordered_map<const typed::Expr *, Operation> replaced;
  /// Assignments whose slot is read in replaced expressions only.
  std::unordered_set<const typed::Stmt *> dead;
};

/// Adds the findings for the function and all its callees. Needs no other pass, and generators that gain nothing from
/// it may omit it.
void findGridIds(const TypedFunction &function, const UsesTable &uses, GridIds &found);

} // namespace treadle
