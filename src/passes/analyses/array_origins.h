// array_origins: the memory that each array of a launch belongs to, and which of it the launch writes.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

/// For one kernel and all its callees. Flow-insensitive: a variable may hold whatever is assigned to it anywhere.
/// Arguments of different element types are assumed to be different memory; those of one type may overlap unless the
/// launch says otherwise.
class ArrayOrigins {
public:
  explicit ArrayOrigins(const TypedFunction &kernel, bool noOverlap);

  /// Whether threads of this launch write the array's elements and other threads may see them.
  bool isWritten(const TypedFunction &function, const typed::Expr &array) const;
  /// Whether the array is certainly local to the thread.
  bool isLocal(const TypedFunction &function, const typed::Expr &array) const;
  /// Whether it is certainly shared memory of the block, or local to the thread.
  bool isOfBlock(const TypedFunction &function, const typed::Expr &array) const;
  /// Whether the function, or one of its callees, reads memory that other threads may write: by an atomic operation
  /// whose result is used, or by a load from a written array.
  bool looksAtOthers(const TypedFunction &function) const { return looking.contains(&function); }

private:
  using Origins = llvm::BitVector; ///< indexed by kernel parameter, then `shared`, then `elsewhere`
  struct Known {
    std::vector<Origins> slots;
    Origins result;
  };

  Origins of(const TypedFunction &function, const typed::Expr &array) const;
  bool follow(const TypedFunction &function);
  bool add(Origins &to, const Origins &more);
  void addOverlaps(const TypedFunction &kernel);
  bool looks(const TypedFunction &function) const;

  unsigned shared, elsewhere;
  std::vector<const TypedFunction *> functions;
  std::unordered_map<const TypedFunction *, Known> known;
  std::unordered_set<const TypedFunction *> looking;
  Origins written;
};

} // namespace treadle
