// print(): CUDA's vprintf, with the values in the thread's local memory.
#include "border/print_directive.h"
#include "codegen/ptx/ptx_lane_model.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using Kind = LaneModel::PrintPiece::Kind;

namespace {

/// The default format of print() for a value without a directive.
std::string directiveOf(const LaneModel::PrintPiece &piece) {
  using printing::Shown;
  constexpr Shown shown[] = {Shown::Text, Shown::Signed, Shown::Unsigned, Shown::Float, Shown::Text};
  static_assert(size_t(Kind::Signed) == 1 && size_t(Kind::Unsigned) == 2 && size_t(Kind::Float) == 3 &&
                size_t(Kind::Bool) == 4);
  const std::string usual{'%', printing::usualLetter(shown[size_t(piece.kind)])};
  return printing::withLength(piece.text.empty() ? usual : piece.text);
}

/// A string in global memory, for vprintf.
Constant *globalText(Module &module, IRBuilder<> &b, const std::string &text) {
  constexpr unsigned globalSpace = 1;
  Constant *data = ConstantDataArray::getString(module.getContext(), text);
  auto *variable = new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "text", nullptr,
                                      GlobalValue::NotThreadLocal, globalSpace);
  return ConstantExpr::getAddrSpaceCast(variable, b.getPtrTy());
}

} // namespace

/// In as many calls as needed: one takes 32 values, and other threads' output may come between two calls.
void PtxLaneModel::print(ArrayRef<PrintPiece> pieces) {
  constexpr size_t mostValues = 32;
  size_t end = 0, values = 0;
  for (; end < pieces.size() && values + (pieces[end].kind != Kind::Text) <= mostValues; ++end)
    values += pieces[end].kind != Kind::Text;
  printAtOnce(pieces.take_front(end));
  if (end < pieces.size())
    print(pieces.drop_front(end));
}

/// vprintf takes the values as C's variable arguments lie in memory, 8 bytes each. The buffer is in the entry block,
/// where stack slots of fixed size are.
void PtxLaneModel::printAtOnce(ArrayRef<PrintPiece> pieces) {
  IRBuilder<> &b = e->builder;
  std::string format;
  SmallVector<Value *, 8> values;
  for (const PrintPiece &piece : pieces) {
    format += piece.kind == Kind::Text ? printing::escaped(piece.text) : directiveOf(piece);
    // C has no directive for bools.
    if (piece.kind == Kind::Bool)
      values.push_back(
          b.CreateSelect(piece.value.value, globalText(module, b, "True"), globalText(module, b, "False")));
    else if (piece.kind != Kind::Text)
      values.push_back(piece.value.value);
  }
  Value *memory = ConstantPointerNull::get(b.getPtrTy());
  if (!values.empty()) {
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    AllocaInst *buffer =
        IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getInt64Ty(), b.getInt32(unsigned(values.size())));
    for (unsigned i = 0; i < values.size(); ++i)
      b.CreateAlignedStore(values[i], b.CreateConstGEP1_32(b.getInt64Ty(), buffer, i), Align(8));
    memory = buffer;
  }
  auto *type = FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false);
  b.CreateCall(module.getOrInsertFunction("vprintf", type), {globalText(module, b, format), memory});
}

} // namespace treadle::codegen::ptx
