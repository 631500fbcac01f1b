// Items of tuples, by a constant position and by a run-time one.
#include "codegen/emitter.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// The minimum number of items for which constants are put in memory: a load takes constant time, a chain of selects
/// linear time.
constexpr size_t leastTable = 17;

} // namespace

/// `t[1][0]` is a position among the leaves of `t`, and of a variable only those leaves are read.
Lanes Emitter::emitItem(const typed::Item &item) {
  LeafSpan leaves{0, leafCount(item.type)};
  const typed::Expr *whole = &item;
  while (whole->kind == typed::ExprKind::Item) {
    const auto &part = whole->as<typed::Item>();
    whole = part.tuple;
    // The parts before it may have any number of leaves each.
    for (const Type *before : whole->type->items().first(part.index))
      leaves.first += leafCount(before);
  }
  if (whole->kind == typed::ExprKind::Slot)
    return model.readSlot(*frame, *whole->as<typed::SlotRead>().slot, leaves);
  const Lanes tuple = emit(*whole);
  return Lanes(tuple.begin() + leaves.first, tuple.begin() + leaves.first + leaves.count);
}

namespace {

/// The position as int64, counted from the end if it is negative.
Leaf emitPosition(Emitter &e, const typed::ItemAt &item, int64_t count) {
  const typed::Interval range = e.range(*item.index);
  Leaf index = e.convertLeaf(e.emitLeaf(*item.index), item.index->type, types::int64(), range);
  if (!range.isNonNegative())
    index = e.apply(index, [&](ArrayRef<Value *> v) {
      Value *isNegative = e.builder.CreateICmpSLT(v[0], Constant::getNullValue(v[0]->getType()));
      return e.builder.CreateSelect(isNegative, e.builder.CreateAdd(v[0], ConstantInt::get(v[0]->getType(), count)),
                                    v[0]);
    });
  if (e.options.debug) {
    const Leaf outside = e.apply(index, [&](ArrayRef<Value *> v) {
      return e.builder.CreateICmpUGE(v[0], ConstantInt::get(v[0]->getType(), count));
    });
    e.model.emitCheck(outside, Fault::IndexOutOfBounds, e.placeOf(item.index->span));
  }
  return index;
}

/// The first item is what remains if no comparison holds, so that every position selects something.
Lanes choose(Emitter &e, const Lanes &tuple, const Leaf &position, unsigned width) {
  Lanes result(tuple.begin(), tuple.begin() + width);
  for (size_t i = 1; i * width < tuple.size(); ++i)
    for (unsigned leaf = 0; leaf < width; ++leaf)
      result[leaf] = e.apply({position, tuple[i * width + leaf], result[leaf]}, [&](ArrayRef<Value *> v) {
        return e.builder.CreateSelect(e.builder.CreateICmpEQ(v[0], ConstantInt::get(v[0]->getType(), i)), v[1], v[2]);
      });
  return result;
}

/// The leaves' memory representation, if they are constants of a number's type.
std::optional<std::vector<std::byte>> bytesOf(Emitter &e, const Type *element, const Lanes &leaves) {
  std::vector<std::byte> bytes;
  if (!element->isNumber())
    return std::nullopt;
  for (const Leaf &leaf : leaves) {
    if (leaf.isAffine() || !isa<ConstantInt, ConstantFP>(leaf.value))
      return std::nullopt;
    const Value *value = e.toMemory(element, leaf.value);
    const auto *number = dyn_cast<ConstantInt>(value);
    const APInt bits = number ? number->getValue() : cast<ConstantFP>(value)->getValueAPF().bitcastToAPInt();
    // The least byte first: x86 and GPUs store numbers as the words of an APInt are stored here.
    const auto *first = reinterpret_cast<const std::byte *>(bits.getRawData());
    bytes.insert(bytes.end(), first, first + bits.getBitWidth() / 8);
  }
  return bytes;
}

/// Any item if the position is out of range: reads never leave the table.
Lanes loadItem(Emitter &e, const typed::ItemAt &item, const std::vector<std::byte> &table, Leaf position) {
  const unsigned stride = item.type->bytes();
  const int64_t count = int64_t(table.size() / stride);
  const typed::Interval range = e.range(*item.index);
  if (!range.isNonNegative() || range.high >= count)
    position = e.apply(position, [&](ArrayRef<Value *> v) {
      llvm::Type *type = v[0]->getType();
      Value *isInside = e.builder.CreateICmpULT(v[0], ConstantInt::get(type, count));
      return e.builder.CreateSelect(isInside, v[0], Constant::getNullValue(type));
    });
  const Leaf pointer = e.model.constantPointer(table);
  // A vector index counts elements and has 32 bits: processors gather twice as many of them at once.
  const auto elementAt = [&](ArrayRef<Value *> v) {
    Value *narrow = e.builder.CreateTrunc(v[0], v[0]->getType()->getWithNewBitWidth(32));
    return e.builder.CreateGEP(ArrayType::get(e.builder.getInt8Ty(), stride), pointer.value, narrow);
  };
  const Leaf address = position.isAffine() ? e.offsetPointer(pointer, e.mulLeaves(position, e.int64(stride)))
                                           : e.apply(position, elementAt);
  Address at;
  at.place = Place(address);
  at.isReadOnly = true;
  at.alignment = item.type->alignment();
  return e.model.load(item.type, at);
}

} // namespace

// An out-of-range position may select any item if nothing is checked.
Lanes Emitter::emitItemAt(const typed::ItemAt &item) {
  const Lanes tuple = emit(*item.tuple);
  const unsigned width = leafCount(item.type);
  const size_t count = item.tuple->type->items().size();
  const Leaf position = emitPosition(*this, item, int64_t(count));
  if (count >= leastTable)
    if (const auto table = bytesOf(*this, item.type, tuple))
      return loadItem(*this, item, *table, position);
  return choose(*this, tuple, position, width);
}

} // namespace treadle::codegen
