// grid_ids: finds blockIdx * blockDim + threadIdx written out, which is cuda.grid by another name.
#pragma once

#include "typed/typed.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

/// What may be read as Operation::GridX (GridY, GridZ), and what is then of no use any more.
struct GridIds {
  std::unordered_map<const typed::Expr *, Operation> replaced;
  /// Assignments whose slot is read in replaced expressions only.
  std::unordered_set<const typed::Stmt *> dead;
};

/// Adds what it finds in the function and in all that it calls. Needs nothing; generators that gain nothing by it leave
/// it out.
void findGridIds(const TypedFunction &function, GridIds &found);

} // namespace treadle
