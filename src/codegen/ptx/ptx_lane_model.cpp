// Values and functions of PtxLaneModel.
#include "codegen/ptx/ptx_lane_model.h"

#include "border/compile_options.h"
#include "codegen/math_table.h"
#include "support/error.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using treadle::Type;

namespace {

/// The version that ptxas and cuda-gdb read.
constexpr unsigned dwarfVersion = 2;

} // namespace

PtxLaneModel::PtxLaneModel(Module &module, const EmitOptions &options, const CompileOptions &compileOptions)
    : module(module), options(options), compileOptions(compileOptions) {}

/// Variables are declared before parameters are written, as these are variables, too: a program may assign them. Line
/// information is made with the first function, whose source is the module's.
void PtxLaneModel::emitFunction(const TypedFunction &function, Function &code,
                                function_ref<SmallVector<Lanes, 8>(Emitter &)> arguments) {
  if (const auto wanted = lines ? std::nullopt : DebugInfo::wantedBy(compileOptions, dwarfVersion))
    lines.emplace(module, function.source, *wanted);
  if (lines)
    lines->attach(code, function);
  Emitter emitter(module, *this, options);
  e = &emitter;
  Frame frame;
  frame.function = &function;
  emitter.frame = &frame;
  emitter.builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", &code));
  declareSlots(frame);
  locate(function.span);
  SmallVector<Lanes, 8> parameters = arguments(emitter);
  for (uint32_t i = 0; i < function.parameterCount; ++i)
    writeSlot(frame, *function.slots[i], parameters[i]);
  here().exit = emitter.newBlock("exit");
  emitBody(function.body);
  fallOutOfBody();
  freeHeap();
  returnFrom(function);
  e = nullptr;
}

/// Each function may call others that have no code yet; each is added once, so this ends.
void PtxLaneModel::emitPending() {
  while (!pending.empty()) {
    // A copy, as emission may add to the list.
    Pending next = pending.back();
    pending.pop_back();
    emitFunction(*next.function, *next.code, [&](Emitter &emitter) {
      SmallVector<Lanes, 8> parameters;
      auto argument = next.code->arg_begin();
      for (const Type *type : next.function->signature.arguments) {
        Lanes leaves;
        for (unsigned i = emitter.leafCount(type); i > 0; --i)
          leaves.push_back(&*argument++);
        parameters.push_back(leaves);
      }
      return parameters;
    });
  }
}

void PtxLaneModel::finish() {
  if (lines)
    lines->finish();
}

/// From variables: every `return` has stored there, and LLVM promotes them.
void PtxLaneModel::returnFrom(const TypedFunction &function) {
  Lanes result = read(here().result);
  IRBuilder<> &builder = e->builder;
  if (result.empty()) {
    builder.CreateRetVoid();
    return;
  }
  if (result.size() == 1) {
    builder.CreateRet(result.front().value);
    return;
  }
  Value *all = PoisonValue::get(resultType(function));
  for (unsigned i = 0; i < result.size(); ++i)
    all = builder.CreateInsertValue(all, result[i].value, i);
  builder.CreateRet(all);
}

llvm::Type *PtxLaneModel::resultType(const TypedFunction &function) {
  SmallVector<llvm::Type *, 4> leaves;
  if (function.signature.result)
    e->leafTypes(function.signature.result, leaves);
  if (leaves.empty())
    return llvm::Type::getVoidTy(module.getContext());
  return leaves.size() == 1 ? leaves.front() : StructType::get(module.getContext(), leaves);
}

void PtxLaneModel::locate(const SourceSpan &span) {
  if (lines)
    e->builder.SetCurrentDebugLocation(lines->at(*e->frame->function, span, here().callSite));
}

// Values.

/// With the range, LLVM knows that a special register is not negative, and that products of a few of them do not wrap.
Value *PtxLaneModel::special(unsigned intrinsic, uint64_t low, uint64_t end) {
  CallInst *call = e->builder.CreateIntrinsic(intrinsic, {}, {});
  MDNode *range = MDBuilder(module.getContext()).createRange(APInt(32, low), APInt(32, end));
  call->setMetadata(LLVMContext::MD_range, range);
  return call;
}

Value *PtxLaneModel::axisIdentity(Position position, unsigned axis) {
  constexpr unsigned registers[][3] = {
      {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_tid_z},
      {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_ctaid_z},
      {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
       Intrinsic::nvvm_read_ptx_sreg_ntid_z},
      {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_nctaid_z},
      {Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_z},
      {Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_z},
      {Intrinsic::nvvm_read_ptx_sreg_clusterid_x, Intrinsic::nvvm_read_ptx_sreg_clusterid_y,
       Intrinsic::nvvm_read_ptx_sreg_clusterid_z},
      {Intrinsic::nvvm_read_ptx_sreg_nclusterid_x, Intrinsic::nvvm_read_ptx_sreg_nclusterid_y,
       Intrinsic::nvvm_read_ptx_sreg_nclusterid_z},
  };
  const auto block = uint64_t(blockLimit(axis, compileOptions.maxThreadsPerBlock));
  const auto grid = uint64_t(options.facts.gridLimit(axis));
  switch (position) {
  case Position::ThreadIdx:
    return special(registers[0][axis], 0, block);
  case Position::BlockIdx:
    return special(registers[1][axis], 0, grid);
  case Position::BlockDim:
    return special(registers[2][axis], 1, block + 1);
  case Position::BlockInCluster:
    return special(registers[4][axis], 0, mostClusterBlocks);
  case Position::ClusterDim:
    return special(registers[5][axis], 1, mostClusterBlocks + 1);
  case Position::ClusterIdx:
    return special(registers[6][axis], 0, grid);
  case Position::GridClusters:
    return special(registers[7][axis], 1, grid + 1);
  default:
    return special(registers[3][axis], 1, grid + 1);
  }
}

/// In 32 bits where the launch promises that the grid fits; otherwise in 64 if that is what is asked for, and else in
/// 32 bits that may wrap, as the program's own type does.
Value *PtxLaneModel::globalIdentity(unsigned axis, bool isSize, unsigned bits) {
  IRBuilder<> &builder = e->builder;
  bool isWide = bits == 64 && !options.facts.gridFitsInt32;
  // For both no-wrap flags: the numbers are not negative, and so do not wrap with a sign nor without.
  bool fits = isWide || options.facts.gridFitsInt32;
  auto part = [&](Position position) {
    Value *value = axisIdentity(position, axis);
    return isWide ? builder.CreateZExt(value, builder.getInt64Ty(), "", /*IsNonNeg=*/true) : value;
  };
  Value *count = part(Position::BlockDim);
  if (isSize)
    return builder.CreateMul(part(Position::GridDim), count, "", fits, fits);
  Value *first = builder.CreateMul(part(Position::BlockIdx), count, "", fits, fits);
  return builder.CreateAdd(first, part(Position::ThreadIdx), "", fits, fits);
}

/// All registers have 32 bits and none is negative, so any other type is a zero extension or a cut.
Leaf PtxLaneModel::identity(Operation op, const Type *type) {
  Value *value = nullptr;
  if (op == Operation::LaneId) {
    value = special(Intrinsic::nvvm_read_ptx_sreg_laneid, 0, 32);
  } else if (op == Operation::ClusterRank) {
    value = special(Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, 0, mostClusterBlocks);
  } else if (op == Operation::ClusterBlocks) {
    value = special(Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank, 1, mostClusterBlocks + 1);
  } else if (op == Operation::LaneMaskLt) {
    value = e->builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {}, {});
  } else {
    const auto [position, axis] = positionOf(op).value();
    const bool isSize = position == Position::GridSize;
    value = isSize || position == Position::Grid ? globalIdentity(axis, isSize, type->bits())
                                                 : axisIdentity(position, axis);
  }
  llvm::Type *wanted = e->llvmType(type);
  if (wanted->getIntegerBitWidth() <= value->getType()->getIntegerBitWidth())
    return e->builder.CreateTrunc(value, wanted);
  return e->builder.CreateZExt(value, wanted, "", /*IsNonNeg=*/true);
}

/// Division by 0 does not trap on GPUs; callers exclude it all the same, as LLVM takes it for undefined behaviour.
Value *PtxLaneModel::divide(Value *left, Value *right, bool isSigned, bool isRemainder) {
  if (isRemainder)
    return isSigned ? e->builder.CreateSRem(left, right) : e->builder.CreateURem(left, right);
  return isSigned ? e->builder.CreateSDiv(left, right) : e->builder.CreateUDiv(left, right);
}

/// PTX's `cvt` saturates, to 32 or 64 bits. NaN becomes 0 if both types have 32 bits, and only the highest bit
/// otherwise.
Value *PtxLaneModel::floatToInteger(Value *value, const Type *to) {
  constexpr Intrinsic::ID conversions[2][2][2] = {
      {{Intrinsic::nvvm_f2ui_rz, Intrinsic::nvvm_f2i_rz}, {Intrinsic::nvvm_f2ull_rz, Intrinsic::nvvm_f2ll_rz}},
      {{Intrinsic::nvvm_d2ui_rz, Intrinsic::nvvm_d2i_rz}, {Intrinsic::nvvm_d2ull_rz, Intrinsic::nvvm_d2ll_rz}}};
  IRBuilder<> &b = e->builder;
  const bool isDouble = value->getType()->isDoubleTy(), isLong = to->bits() == 64, isSigned = to->isSigned();
  Value *whole = b.CreateIntrinsic(conversions[isDouble][isLong][isSigned], {}, {value});
  llvm::Type *type = whole->getType();
  // LLVM replaces the intrinsic by `fptosi`, of which it assumes that the value is finite. Of a float16 it then
  // converts to 32 bits if no others are used, which makes another integer of an infinity.
  if (isLong)
    whole = b.CreateFreeze(whole);
  if (isDouble || isLong)
    whole = b.CreateSelect(b.CreateFCmpORD(value, value), whole, llvm::Constant::getNullValue(type));
  if (to->bits() >= 32)
    return whole;
  const auto bound = [&](const APInt &limit) {
    return ConstantInt::get(type, isSigned ? limit.sext(32) : limit.zext(32));
  };
  if (isSigned)
    whole = b.CreateBinaryIntrinsic(Intrinsic::smax, whole, bound(APInt::getSignedMinValue(to->bits())));
  const Intrinsic::ID least = isSigned ? Intrinsic::smin : Intrinsic::umin;
  const APInt most = isSigned ? APInt::getSignedMaxValue(to->bits()) : APInt::getMaxValue(to->bits());
  return b.CreateTrunc(b.CreateBinaryIntrinsic(least, whole, bound(most)), b.getIntNTy(to->bits()));
}

/// Under libdevice's names: DeviceMath defines what is declared here.
Value *PtxLaneModel::math(Operation op, ArrayRef<Value *> operands) {
  const MathFunction *function = findMathFunction(op);
  TREADLE_CHECK(function != nullptr && function->operands == operands.size());
  llvm::Type *type = operands[0]->getType();
  SmallVector<llvm::Type *, 2> parameters(operands.size(), type);
  std::string symbol = libdeviceSymbol(*function, type->getScalarSizeInBits(), options.fastMath);
  FunctionCallee callee = module.getOrInsertFunction(symbol, FunctionType::get(type, parameters, false));
  return e->builder.CreateCall(callee, operands);
}

} // namespace treadle::codegen::ptx
