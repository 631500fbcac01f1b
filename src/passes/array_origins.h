// array_origins: which memory each array of a launch lies in, and which of it the launch writes.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

/// Of one kernel and all that it calls. Flow does not matter: a variable may hold whatever is assigned to it anywhere.
/// Arguments of different element types are taken to be different memory; those of one type may overlap unless the
/// launch says otherwise.
class ArrayOrigins {
public:
  explicit ArrayOrigins(const TypedFunction &kernel, bool noOverlap);

  /// Whether other threads may see the array's elements, which threads of this launch write.
  bool isWritten(const TypedFunction &function, const typed::Expr &array) const;
  /// Whether the array is certainly the thread's own.
  bool isLocal(const TypedFunction &function, const typed::Expr &array) const;
  /// Whether it is certainly shared memory of the block, or the thread's own.
  bool isOfBlock(const TypedFunction &function, const typed::Expr &array) const;
  /// Whether the function, or one that it calls, looks at what other threads may write: by an atomic operation whose
  /// value is used, or by a load of a written array.
  bool looksAtOthers(const TypedFunction &function) const { return looking.contains(&function); }

private:
  using Origins = llvm::BitVector; ///< by parameter of the kernel, then `shared`, then `elsewhere`
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
