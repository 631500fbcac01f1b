// Emitter: lowers the typed tree to LLVM IR, the part shared by all lane models.
#pragma once

#include "border/fault.h"
#include "codegen/lane_model.h"
#include "codegen/lanes.h"
#include "passes/pipeline.h"
#include "typed/typed.h"

#include "llvm/IR/IRBuilder.h"

#include <map>
#include <memory>
#include <vector>

namespace treadle::codegen {

/// One activation of a function during emission: the kernel, an outlined function, or an inlined call.
struct Frame {
  const TypedFunction *function = nullptr;
  Frame *caller = nullptr; ///< nullptr: a separate LLVM function
  const typed::Call *site = nullptr;
  unsigned depth = 0;
  /// The lane model's own data for this frame; owned by the model.
  struct Storage {
    virtual ~Storage() = default;
  };
  std::unique_ptr<Storage> storage;
};

struct EmitOptions {
  bool debug = false;
  bool fastMath = false;
  Facts facts;
  SourceRef source;                      ///< of the image's function
  const RangeTable *ranges = nullptr;    ///< of the kernel and its callees
  const GridIds *gridIds = nullptr;      ///< the same; may be null
  const WaitingLoops *waiting = nullptr; ///< the same; never null during emission
};

/// The options that follow from the passes' results. `analysis` must outlive them.
EmitOptions optionsOf(const Analysis &analysis);

/// The components of an array value.
struct ArrayParts {
  const Type *type = nullptr;
  Leaf pointer;
  llvm::SmallVector<Leaf, 4> extents;
  llvm::SmallVector<Leaf, 4> strides; ///< bytes; computed from the extents for C and F
  bool isReadOnly = false;
};

/// Emits at `builder`'s insertion point. One per LLVM function; no state is kept between functions.
class Emitter {
public:
  Emitter(llvm::Module &module, LaneModel &model, const EmitOptions &options);

  llvm::IRBuilder<> builder;
  llvm::Module &module;
  LaneModel &model;
  const EmitOptions &options;
  Frame *frame = nullptr;

  // emit_expr.cpp
  Lanes emit(const typed::Expr &expression);
  /// An expression whose type has one leaf.
  Leaf emitLeaf(const typed::Expr &expression) { return emit(expression).front(); }
  // emit_stmt.cpp: the statements that are the same in every model; the model emits control flow.
  void emitStatement(const typed::Stmt &statement);

  // emit_print.cpp
  void emitPrint(const typed::Print &print);

  // emit_operation.cpp
  Lanes operation(Operation op, const Type *result, llvm::ArrayRef<const Type *> types, llvm::ArrayRef<Lanes> operands);
  /// Integer conversions keep affine leaves affine if `range` proves that nothing wraps.
  Leaf convertLeaf(const Leaf &leaf, const Type *from, const Type *to, const typed::Interval &range);
  /// Selects between two evaluated values, lane by lane.
  Lanes select(const Leaf &test, const Lanes &then, const Lanes &otherwise);
  Lanes convert(const Lanes &value, const Type *from, const Type *to, const typed::Interval &range);
  /// Applies `make` to the leaves' scalars, or to their vectors if any of them is not uniform.
  Leaf apply(llvm::ArrayRef<Leaf> leaves, llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> make);
  Leaf addLeaves(const Leaf &left, const Leaf &right);
  Leaf subLeaves(const Leaf &left, const Leaf &right);
  Leaf mulLeaves(const Leaf &left, const Leaf &right);
  /// pointer + bytes, both of any shape; `bytes` are i64.
  Leaf offsetPointer(const Leaf &pointer, const Leaf &bytes);

  // emit_array.cpp
  ArrayParts arrayParts(const Type *type, const Lanes &leaves);
  Lanes arrayLeaves(const ArrayParts &parts);
  Lanes emitLoad(const typed::Load &load);
  void emitStore(const typed::Store &store);
  Lanes emitAtomic(const typed::Atomic &atomic, bool isUsed);
  Lanes emitView(const typed::View &view);
  Lanes emitAttribute(const typed::Attribute &attribute);
  Lanes emitAllocation(const typed::Allocation &allocation);
  Lanes emitHeapArray(const typed::HeapArray &array);
  Lanes emitCaptured(const typed::Captured &captured);

  // emit_tuple.cpp
  Lanes emitItem(const typed::Item &item);
  Lanes emitItemAt(const typed::ItemAt &item);

  // emit_call.cpp
  Lanes emitWarpOp(const typed::WarpOp &op);
  Lanes emitCall(const typed::Call &call);
  bool shouldInline(const TypedFunction &callee) const;
  /// The user-visible location of a failure at `span` of the current function: for the library's functions it is their
  /// call; unknown if they are separate LLVM functions, which have many callers.
  FaultPlace placeOf(SourceSpan span);

  /// Bounds of the expression's value (passes/ranges/ranges.h).
  typed::Interval range(const typed::Expr &expression) const { return options.ranges->of(expression); }

  llvm::Type *llvmType(const Type *type) const; ///< for a type with one leaf (Bool: i1)
  llvm::Type *partType(const Type *complex) const;
  /// The memory type of one part of an element, where a bool takes a byte; and the conversions from and to it, for one
  /// lane or a vector.
  llvm::Type *memoryType(const Type *element) const;
  llvm::Value *fromMemory(const Type *element, llvm::Value *value);
  llvm::Value *toMemory(const Type *element, llvm::Value *value);
  unsigned leafCount(const Type *type) const;
  /// LLVM types of all leaves in order.
  void leafTypes(const Type *type, llvm::SmallVectorImpl<llvm::Type *> &out) const;
  Lanes zero(const Type *type);
  llvm::Value *constant(const Type *type, int64_t value) const;
  llvm::ConstantInt *int64(int64_t value);
  llvm::BasicBlock *newBlock(const char *name);

private:
  void emitRaise(const Leaf &failed, RaisedError error, const SourceSpan &span);
  /// Calls `use` with the address of the element; it must not outlive the call.
  void withAddress(const typed::Indexed &at, llvm::function_ref<void(const ArrayParts &, const Address &)> use);
  Lanes emitAxes(const typed::View &view, const ArrayParts &below);
  void emitSlice(const typed::ViewAxis &slice, unsigned axis, const ArrayParts &below, ArrayParts &parts);
};

} // namespace treadle::codegen
