// LaneSets: sets of the lanes of a warp, <32 x i1>, and what is known of them without counting.
#pragma once

#include "codegen/lanes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

constexpr unsigned warpLanes = 32;

llvm::VectorType *vectorOf(llvm::Type *scalar);
/// An alloca in the entry block of the function that is being emitted.
llvm::AllocaInst *entryAlloca(llvm::IRBuilder<> &b, llvm::Type *type, const char *name);

/// Belongs to the function that is being emitted. Where a set is known to contain all lanes, it may be nullptr.
class LaneSets {
public:
  explicit LaneSets(llvm::IRBuilder<> &builder) : b(builder) {}

  llvm::Value *all() const;
  /// The lanes of a warp that are threads: the first `remaining` (i64) ones, at most all.
  llvm::Value *below(llvm::Value *remaining);
  llvm::Value *bits(llvm::Value *lanes) { return b.CreateBitCast(lanes, b.getInt32Ty()); }

  llvm::Value *isAny(llvm::Value *lanes);
  llvm::Value *isAll(llvm::Value *lanes);
  /// isAll() if the answer needs no code, else nullptr.
  llvm::Value *knownAll(llvm::Value *lanes) const { return allOf.lookup(lanes); }
  /// `holds` (i1): true exactly when all lanes are in the set.
  void knowAll(llvm::Value *lanes, llvm::Value *holds) { allOf[lanes] = holds; }
  /// `lanes` may be nullptr, here and in the next one.
  llvm::Value *both(llvm::Value *lanes, llvm::Value *also);
  llvm::Value *without(llvm::Value *lanes, llvm::Value *others);
  /// `left and right`, both evaluated, uniform or not.
  Leaf bothConditions(llvm::Value *left, llvm::Value *right);

  // Sets that change, in memory.
  llvm::AllocaInst *make(llvm::Value *lanes, const char *name);
  llvm::Value *in(llvm::AllocaInst *set) { return b.CreateLoad(set->getAllocatedType(), set); }
  void add(llvm::AllocaInst *set, llvm::Value *lanes);
  void remove(llvm::AllocaInst *set, llvm::Value *lanes);
  void keep(llvm::AllocaInst *set, llvm::Value *lanes);

private:
  llvm::Value *narrowed(llvm::Value *lanes, llvm::Value *also);

  llvm::IRBuilder<> &b;
  llvm::DenseMap<llvm::Value *, llvm::Value *> allOf;
  llvm::DenseMap<llvm::Value *, unsigned> chained; ///< how many sets a set was made of, since the last cut
};

} // namespace treadle::codegen
