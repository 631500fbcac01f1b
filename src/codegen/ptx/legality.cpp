// The types, instructions and intrinsics that NVPTX can select.
// An allowlist, as what LLVM's passes may make is not ours to foresee: what is missing here ends one compilation with
// an InternalError, and what would be missing from a list of exceptions ends the process.
#include "codegen/ptx/legality.h"

#include "support/error.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace treadle::codegen::ptx {

namespace {

using namespace llvm;

/// Generic intrinsics that are selected as an instruction, expanded by the legaliser or dropped.
bool isLegalIntrinsic(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::abs:
  case Intrinsic::assume:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::ctlz:
  case Intrinsic::ctpop:
  case Intrinsic::cttz:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::is_fpclass:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::maximum:
  case Intrinsic::maxnum:
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memset:
  case Intrinsic::minimum:
  case Intrinsic::minnum:
  case Intrinsic::nearbyint:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::sadd_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::sqrt:
  case Intrinsic::ssub_sat:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::trap:
  case Intrinsic::trunc:
  case Intrinsic::uadd_sat:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::usub_sat:
  case Intrinsic::usub_with_overflow:
    return true;
  default:
    return Intrinsic::getBaseName(id).starts_with("llvm.nvvm.");
  }
}

/// LLVM computes the ends of some loops in 65 bits; such operations, except division, are split in two.
constexpr unsigned widestInteger = 128, widestDivision = 64;

bool isLegalScalar(const Type *type) {
  if (auto *integer = dyn_cast<IntegerType>(type))
    return integer->getBitWidth() <= widestInteger;
  return type->isFloatTy() || type->isDoubleTy() || type->isHalfTy() || type->isPointerTy();
}

bool isLegalType(const Type *type) {
  if (type->isVoidTy() || type->isLabelTy() || type->isMetadataTy() || type->isTokenTy() || isLegalScalar(type))
    return true;
  if (auto *record = dyn_cast<StructType>(type))
    return all_of(record->elements(), isLegalType);
  if (auto *array = dyn_cast<ArrayType>(type))
    return isLegalType(array->getElementType());
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return isLegalScalar(vector->getElementType());
  return false;
}

/// Calls through pointers are never emitted: NVPTX would need a prototype for each.
bool isLegalCall(const CallInst &call) {
  if (call.isInlineAsm())
    return true;
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  return callee->isIntrinsic() ? isLegalIntrinsic(callee->getIntrinsicID()) : true;
}

/// Fences are instructions of their own here, as CUDA's atomic operations are relaxed.
bool isRelaxed(AtomicOrdering ordering) {
  return ordering == AtomicOrdering::NotAtomic || ordering == AtomicOrdering::Unordered ||
         ordering == AtomicOrdering::Monotonic;
}

/// NVPTX has no `frem`: remainders of floats are calls of `fmod`, one of the math functions. Wide divisions would be
/// calls of a library that GPUs lack.
bool isLegalArithmetic(const Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::FRem)
    return false;
  return !instruction.isIntDivRem() || instruction.getType()->getScalarSizeInBits() <= widestDivision;
}

/// Only stack slots of fixed size: others need PTX 7.3.
bool isLegalOperation(const Instruction &instruction) {
  if (instruction.isBinaryOp())
    return isLegalArithmetic(instruction);
  if (auto *slot = dyn_cast<AllocaInst>(&instruction))
    return slot->isStaticAlloca();
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return isRelaxed(load->getOrdering());
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return isRelaxed(store->getOrdering());
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return isLegalCall(*call);
  return isa<ReturnInst, BranchInst, SwitchInst, UnreachableInst, UnaryOperator, CastInst, CmpInst, PHINode, SelectInst,
             FreezeInst, GetElementPtrInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction) ||
         isa<ExtractElementInst, InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst>(instruction);
}

/// Operands as well: constants have types that no instruction results in.
bool isLegal(const Instruction &instruction) {
  if (!isLegalOperation(instruction) || !isLegalType(instruction.getType()))
    return false;
  return all_of(instruction.operands(),
                [](const Use &operand) { return isa<Function>(operand.get()) || isLegalType(operand->getType()); });
}

/// For the message, which names the instruction as the stage "optimized" shows it.
std::string text(const Value &value) {
  std::string result;
  raw_string_ostream stream(result);
  value.print(stream);
  return result;
}

} // namespace

/// In all functions: what is not inlined is selected as well.
void checkLegality(const Module &module) {
  for (const Function &function : module)
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block)
        if (!isLegal(instruction))
          throw InternalError("NVPTX cannot select this instruction of " + function.getName().str() + ":" +
                              text(instruction));
}

} // namespace treadle::codegen::ptx
