// LaneSets: sets of the lanes of a warp, <32 x i1> or <16 x i1>, and cached knowledge of whether they are full.
#pragma once

#include "codegen/lanes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace treadle::codegen {

/// CUDA's warp size, and the maximum of WarpSettings::lanes.
constexpr unsigned warpLanes = 32;

/// A set as a number (i32), with lane 0 in its lowest bit.
llvm::Value *bitsOf(llvm::IRBuilder<> &b, llvm::Value *lanes);
/// An alloca in the entry block of the function that is being emitted.
llvm::AllocaInst *entryAlloca(llvm::IRBuilder<> &b, llvm::Type *type, const char *name);

/// The number, if it is a constant one; nothing of a null pointer.
std::optional<int64_t> constantOf(const llvm::Value *value);

/// Per function being emitted. A set that is known to be full may be nullptr.
class LaneSets {
public:
  /// `count`: lanes of a warp; `hasMaskRegisters`: the processor has mask registers.
  LaneSets(llvm::IRBuilder<> &builder, unsigned count, bool hasMaskRegisters)
      : b(builder), count(count), hasMaskRegisters(hasMaskRegisters) {}

  llvm::Value *all() const;
  llvm::Value *none() const;
  /// The reverse of bitsOf().
  llvm::Value *of(llvm::Value *bits);
  /// The lanes of a warp that are threads: the first `remaining` (i64), at most all.
  llvm::Value *below(llvm::Value *remaining);
  llvm::Value *isAny(llvm::Value *lanes);
  llvm::Value *isAll(llvm::Value *lanes);
  /// isAll() if the answer needs no code, else nullptr.
  llvm::Value *knownAll(llvm::Value *lanes) const { return allOf.lookup(lanes); }
  /// `holds` (i1): true exactly if the set is full.
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
  const unsigned count;
  const bool hasMaskRegisters;
  llvm::DenseMap<llvm::Value *, llvm::Value *> allOf;
  llvm::DenseMap<llvm::Value *, unsigned> chained; ///< the number of sets combined in a set since the last cut
};

} // namespace treadle::codegen
