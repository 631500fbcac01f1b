// Makes and recognises the calls.
#include "codegen/cpu/lanes/strided_access.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

constexpr StringRef loadPrefix = "treadle.strided.load.", storePrefix = "treadle.strided.store.";

/// One function for each type of vectors.
FunctionCallee declared(Module &module, StringRef prefix, FunctionType *type, llvm::Type *vector) {
  std::string name = prefix.str();
  raw_string_ostream(name) << *vector;
  auto *function = cast<Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setMemoryEffects(MemoryEffects::argMemOnly(prefix == loadPrefix ? ModRefInfo::Ref : ModRefInfo::Mod));
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setNoSync();
  function->addFnAttr(Attribute::NoFree);
  function->addParamAttr(0, Attribute::NoCapture);
  return function;
}

} // namespace

bool StridedAccess::isAccess(const Function &callee) {
  return callee.getName().starts_with(loadPrefix) || callee.getName().starts_with(storePrefix);
}

std::optional<StridedAccess> StridedAccess::of(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !isAccess(*callee))
    return std::nullopt;
  return StridedAccess{call};
}

Value *loadStrided(IRBuilder<> &b, llvm::Type *type, const Strided &where) {
  auto *signature = FunctionType::get(type, {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  return b.CreateCall(declared(*b.GetInsertBlock()->getModule(), loadPrefix, signature, type),
                      {where.first, b.getInt64(where.step), b.getInt64(where.alignment.value())});
}

void storeStrided(IRBuilder<> &b, Value *values, const Strided &where) {
  llvm::Type *type = values->getType();
  auto *signature = FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty(), type}, false);
  b.CreateCall(declared(*b.GetInsertBlock()->getModule(), storePrefix, signature, type),
               {where.first, b.getInt64(where.step), b.getInt64(where.alignment.value()), values});
}

} // namespace treadle::codegen
