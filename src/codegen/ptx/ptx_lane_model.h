// PtxLaneModel: the lane model of one thread; the hardware handles divergence. Every leaf is a scalar, every branch a
// branch.
#pragma once

#include "codegen/debug_info.h"
#include "codegen/emitter.h"
#include "codegen/lane_model.h"
#include "codegen/ptx/captured_data.h"

#include <optional>
#include <unordered_set>
#include <vector>

namespace llvm {
class AllocaInst;
class GlobalVariable;
} // namespace llvm

namespace treadle::codegen::ptx {

/// Emits the functions of one module in sequence. Pointers are generic throughout; LLVM's InferAddressSpaces infers
/// their address spaces: kernel arguments (1), shared arrays (3), captured arrays (4).
class PtxLaneModel final : public LaneModel {
public:
  PtxLaneModel(llvm::Module &module, const EmitOptions &options, const CompileOptions &compileOptions);

  /// Emits `function` into `code`, which is empty. `arguments` returns the parameters' leaves, in the entry block.
  void emitFunction(const TypedFunction &function, llvm::Function &code,
                    llvm::function_ref<llvm::SmallVector<Lanes, 8>(Emitter &)> arguments);
  /// Emits called device functions that have no code yet, until there are none.
  void emitPending();
  /// After the last function: completes the debug information.
  void finish();

  /// From findDivergentBarriers.
  std::unordered_set<const typed::Stmt *> divergentBarriers;
  /// PtxEntry::gridBarrierWord.
  llvm::Value *gridBarrierWord = nullptr;
  CapturedData capturedData;
  uint32_t sharedBytes = 0;
  uint32_t localBytes = 0;

  // Values.
  llvm::Value *splat(const Leaf &leaf) override { return leaf.value; }
  Signs signsOf(const Leaf &) override { llvm_unreachable("no leaf is affine"); }
  Leaf identity(Operation op, const Type *type) override;
  Leaf peerPointer(const Leaf &pointer, const Leaf &rank) override; // ptx_warp.cpp
  llvm::Value *math(Operation op, llvm::ArrayRef<llvm::Value *> operands) override;
  llvm::Value *activeLanes() override { return nullptr; }
  llvm::Value *divide(llvm::Value *left, llvm::Value *right, bool isSigned, bool isRemainder) override;
  llvm::Value *floatToInteger(llvm::Value *value, const Type *to) override;

  // ptx_narrow.cpp
  std::optional<Leaf> compare(const Comparison &comparison) override;
  std::optional<Leaf> compute(const Computation &computation) override;
  std::optional<Leaf> index(const typed::Expr &expression) override;

  Lanes warpOp(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands) override; // ptx_warp.cpp

  // Slots.
  void declareSlots(Frame &frame) override;
  Lanes readSlot(Frame &frame, const typed::Slot &slot, LeafSpan leaves) override;
  void writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) override;

  // ptx_control.cpp
  void emitBody(typed::Body body) override;
  void emitIf(const typed::If &statement) override;
  void emitWhile(const typed::While &statement) override;
  void emitRange(const typed::Range &statement) override; // ptx_range.cpp
  void emitBreak() override;
  void emitContinue() override;
  void emitReturn(const Lanes &value) override;
  void emitBarrier(const typed::Barrier &statement) override;
  Lanes emitConditional(const typed::Conditional &expression) override;
  Lanes emitInlined(Frame &frame) override;
  Lanes emitOutlined(const TypedFunction &callee, llvm::ArrayRef<Lanes> arguments) override;

  // ptx_memory.cpp
  bool accessesEveryAddress() const override { return true; }
  Lanes load(const Type *element, const Address &address) override;
  void store(const Type *element, const Address &address, const Lanes &value) override;
  Lanes atomic(const AtomicUpdate &update) override;
  Leaf allocate(Frame &frame, const typed::Allocation &allocation) override;
  Leaf heapMemory(const typed::HeapArray &array, const Leaf &bytes) override;
  void freeHeap();
  Leaf dynamicShared(uint32_t alignment) override;
  Leaf dynamicSharedBytes() override;
  unsigned localElementStride(const Type *element) override { return element->bytes(); }
  Leaf capturedPointer(const TypedFunction &function, unsigned id) override;
  Leaf constantPointer(const std::vector<std::byte> &bytes) override;
  void print(llvm::ArrayRef<PrintPiece> pieces) override; // ptx_print.cpp
  /// For at most as many values as one call of vprintf takes.
  void printAtOnce(llvm::ArrayRef<PrintPiece> pieces);
  void emitCheck(const Leaf &failed, Fault fault, const FaultPlace &place) override;
  std::vector<RaisedError> &raised() override { return raises; }
  std::vector<FunctionSource> &sources() override { return functionSources; }

private:
  /// Targets of `continue` and `break`.
  struct Loop {
    llvm::BasicBlock *next, *exit;
  };
  /// The storage of one leaf of a variable: a stack slot of the entry block until LLVM promotes it, or part of one.
  struct Cell {
    llvm::Value *address;
    llvm::Type *type;
  };
  using Variable = llvm::SmallVector<Cell, 2>;
  /// A slot in memory that debuggers read.
  struct Watched {
    llvm::Value *memory = nullptr; ///< of the slot's part of its variable; nullptr: not read by debuggers
    const DebugShape *shape = nullptr;
    llvm::Value *tag = nullptr; ///< DebugVariable::hasTag
    uint32_t number = 0;        ///< the tag's value while this slot was assigned last
  };
  struct Storage : Frame::Storage {
    std::vector<Variable> slots;
    std::vector<Watched> watched; ///< by slot; empty unless debuggers read them
    Variable result;
    llvm::BasicBlock *exit = nullptr;
    std::vector<Loop> loops;
    std::map<std::pair<uint32_t, uint32_t>, llvm::Value *> localArrays; ///< by id and copy
    llvm::DILocation *callSite = nullptr;                               ///< with line information, for an inlined call
  };
  struct Pending {
    const TypedFunction *function;
    llvm::Function *code;
  };
  Storage &storage(Frame &frame) { return static_cast<Storage &>(*frame.storage); }
  Storage &here() { return storage(*e->frame); }
  std::vector<llvm::AllocaInst *> heapPointers; ///< of the LLVM function being emitted
  llvm::AllocaInst *variable(llvm::Type *type);
  Variable variables(const Type *type);
  Lanes read(llvm::ArrayRef<Cell> variable);
  void write(const Variable &variable, const Lanes &value);
  bool isTerminated() const;
  /// Continues in `block`; the current block branches there unless it is terminated.
  void fallInto(llvm::BasicBlock *block);
  void fallOutOfBody();
  void locate(const SourceSpan &span);
  // ptx_variables.cpp
  void declareWatched(Frame &frame);
  void place(const DebugVariable &variable, Storage &storage, llvm::AllocaInst &memory);
  void fill(llvm::AllocaInst &memory, const DebugVariable &variable);
  void completeArrays(const Watched &watched, const Lanes &value);
  void returnFrom(const TypedFunction &function);
  llvm::Function *outlined(const TypedFunction &callee);
  llvm::Type *resultType(const TypedFunction &function);

  void emitGridBarrier(const typed::Barrier &statement);
  void syncThreads(const typed::Barrier &statement);
  void syncCluster(const typed::Barrier &statement);
  llvm::Value *reduceApart(BarrierKind kind, llvm::Value *predicate);
  [[noreturn]] void refuseGridBarrier() const;
  llvm::Value *indexWord(const typed::Expr &expression, typed::Interval wanted);
  /// A register whose values are in [low, end).
  llvm::Value *special(unsigned intrinsic, uint64_t low, uint64_t end);
  llvm::Value *axisIdentity(Position position, unsigned axis);
  llvm::Value *globalIdentity(unsigned axis, bool isSize, unsigned bits);
  llvm::Value *elementPointer(llvm::Value *pointer, unsigned bytes);
  llvm::Value *capturedAddress(uint32_t position);
  /// The bytes outlive the model.
  llvm::Constant *addConstant(const std::vector<std::byte> &bytes);
  llvm::GlobalVariable *errorRecord();
  llvm::Function *failure();

  llvm::Module &module;
  const EmitOptions &options;
  const CompileOptions &compileOptions;
  std::optional<DebugInfo> lines;
  Emitter *e = nullptr; ///< for the function being emitted
  std::map<const TypedFunction *, llvm::Function *> functions;
  std::vector<Pending> pending;
  std::map<uint32_t, llvm::GlobalVariable *> sharedArrays; ///< by the id of their allocation
  std::map<const void *, llvm::Constant *> capturedArrays; ///< by CapturedArray::data
  std::map<std::vector<std::byte>, llvm::Constant *> constants;
  llvm::Value *barrierResult = nullptr; ///< the result of the last barrier with a predicate
  uint64_t constantBytes = 0;
  std::vector<RaisedError> raises;
  std::vector<FunctionSource> functionSources;
};

} // namespace treadle::codegen::ptx
