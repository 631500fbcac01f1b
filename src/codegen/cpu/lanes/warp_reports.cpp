// WarpLanes: reports to the host: failed checks and printed text.
#include "border/kernel_abi.h"
#include "codegen/cpu/lanes/warp_lanes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// The position in the grid (i64) of the first of `lanes` (bits); at block level, that of the block's first thread.
/// The lane number is cut to the warp's lanes: with no bit set the code does not run, but LLVM must not see a lane too
/// far.
SmallVector<Value *, 3> WarpLanes::coordinatesOf(Value *lanes) {
  IRBuilder<> &b = e->builder;
  Value *lane = b.CreateAnd(b.CreateBinaryIntrinsic(Intrinsic::cttz, lanes, b.getFalse()), b.getInt32(laneCount() - 1));
  SmallVector<Value *, 3> coordinates;
  if (!hasWarp()) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      auto onAxis = [&](Position position) { return identity(operationOf({position, axis}), types::int64()); };
      coordinates.push_back(e->mulLeaves(onAxis(Position::BlockIdx), onAxis(Position::BlockDim)).value);
    }
    return coordinates;
  }
  for (Operation axis : {Operation::GridX, Operation::GridY, Operation::GridZ}) {
    Value *value = splatIfAffine(identity(axis, types::int64()));
    coordinates.push_back(value->getType()->isVectorTy() ? b.CreateExtractElement(value, lane) : value);
  }
  return coordinates;
}

SmallVector<Value *, 8> WarpLanes::wordsOf(const FaultPlace &place) {
  IRBuilder<> &b = e->builder;
  return {b.getInt32(place.source), b.getInt32(place.line), b.getInt32(place.column)};
}

/// One branch for the warp. The call does not return, so code after the check is that of lanes that pass.
void WarpLanes::emitCheck(const Leaf &failed, Fault fault, const FaultPlace &place) {
  IRBuilder<> &b = e->builder;
  Value *lanes = splat(failed);
  lanes = mask ? b.CreateAnd(lanes, mask) : lanes;
  BasicBlock *bad = e->newBlock("failed"), *good = e->newBlock("checked");
  Value *bits = bitsOf(b, lanes);
  b.CreateCondBr(b.CreateICmpNE(bits, b.getInt32(0)), bad, good);
  b.SetInsertPoint(bad);
  SmallVector<Value *, 8> members{b.getInt32(uint32_t(fault))};
  members.append(wordsOf(place));
  // The coordinates that follow are those of a thread.
  members.push_back(b.getInt32(1));
  members.append(coordinatesOf(bits));
  auto callee = e->module.getOrInsertFunction(cpu::failSymbol, FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false));
  cast<Function>(callee.getCallee())->setDoesNotReturn();
  b.CreateCall(callee, {inMemory(members)});
  b.CreateUnreachable();
  b.SetInsertPoint(good);
}

/// The block's index in the grid, x fastest.
Value *WarpLanes::blockNumber() {
  IRBuilder<> &b = e->builder;
  Value *block = b.getInt64(0);
  for (unsigned axis : {2u, 1u, 0u}) {
    Value *extent = geometry(cpu::gridDimWord, axis);
    block = b.CreateAdd(b.CreateMul(block, b.CreateZExt(extent, b.getInt64Ty())),
                        b.CreateZExt(warp.block[axis], b.getInt64Ty()));
  }
  return block;
}

/// One call for all active lanes, each of which has a size of its own. The place tells the runtime which earlier memory
/// of the warp is free again.
Leaf WarpLanes::heapMemory(const typed::HeapArray &array, const Leaf &bytes) {
  IRBuilder<> &b = e->builder;
  Value *sizes = splat(bytes);
  AllocaInst *wanted = entryAlloca(sizes->getType(), "bytes");
  b.CreateStore(sizes, wanted);
  auto *pointers = vectorOf(b.getPtrTy());
  AllocaInst *addresses = entryAlloca(pointers, "addresses");
  auto &places = program.emission.heapPlaces;
  const auto place = places.try_emplace(keyOf(*e->frame, array.id, array.copy), uint32_t(places.size())).first;
  SmallVector<Value *, 8> failure{b.getInt32(uint32_t(Fault::HeapIsFull))};
  failure.append(wordsOf(e->placeOf(array.span)));
  failure.push_back(b.getInt32(0)); // no thread
  failure.append(3, b.getInt64(0));
  Value *call = inMemory({bitsOf(b, maskOrAll()), b.getInt32(place->second), wanted, addresses, blockNumber(),
                          b.CreateZExt(warpIndex(), b.getInt64Ty()), inMemory(failure)});
  b.CreateCall(
      e->module.getOrInsertFunction(cpu::allocateSymbol, FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false)),
      {call});
  return Leaf(b.CreateLoad(pointers, addresses));
}

namespace {

/// Of a value; null: formatted as by print().
Value *directiveOf(IRBuilder<> &b, const LaneModel::PrintPiece &piece) {
  const bool hasOne = piece.kind != LaneModel::PrintPiece::Kind::Text && !piece.text.empty();
  return hasOne ? cast<Value>(b.CreateGlobalString(piece.text, "directive")) : ConstantPointerNull::get(b.getPtrTy());
}

} // namespace

/// The runtime formats, from a list of pieces with a value for each lane, and orders texts by blocks.
void WarpLanes::print(ArrayRef<PrintPiece> pieces) {
  IRBuilder<> &b = e->builder;
  noteFallback("print, lane by lane");
  static_assert(unsigned(PrintPiece::Kind::Bool) == cpu::PrintItem::Bool);
  auto *itemType = StructType::get(e->module.getContext(), {b.getInt64Ty(), b.getPtrTy(), b.getPtrTy()});
  AllocaInst *items = entryAlloca(ArrayType::get(itemType, pieces.size()), "print");
  for (unsigned i = 0; i < pieces.size(); ++i) {
    Value *item = b.CreateConstInBoundsGEP2_32(items->getAllocatedType(), items, 0, i);
    b.CreateStore(b.getInt64(uint64_t(pieces[i].kind)), b.CreateStructGEP(itemType, item, 0));
    b.CreateStore(printed(pieces[i]), b.CreateStructGEP(itemType, item, 1));
    b.CreateStore(directiveOf(b, pieces[i]), b.CreateStructGEP(itemType, item, 2));
  }
  Value *lanes = bitsOf(b, maskOrAll());
  Value *call = inMemory({lanes, b.getInt32(unsigned(pieces.size())), items, blockNumber()});
  b.CreateCall(e->module.getOrInsertFunction(cpu::printSymbol, FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false)),
               {call});
}

/// The memory from which the runtime reads the piece: a text, or a value per lane.
Value *WarpLanes::printed(const PrintPiece &piece) {
  IRBuilder<> &b = e->builder;
  if (piece.kind == PrintPiece::Kind::Text)
    return b.CreateGlobalString(piece.text, "text");
  Value *values = splat(piece.value);
  if (piece.kind == PrintPiece::Kind::Bool)
    values = b.CreateZExt(values, vectorOf(b.getInt64Ty()));
  AllocaInst *place = entryAlloca(values->getType(), "values");
  b.CreateStore(values, place);
  return place;
}

} // namespace treadle::codegen
