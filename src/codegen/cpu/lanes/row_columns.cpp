// Moves parts of rows, and transposes them within the 16 bytes that shuffles of one instruction stay in.
#include "codegen/cpu/lanes/row_columns.h"

#include "codegen/cpu/lanes/vector_pieces.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace treadle::codegen {

constexpr const char *ofRow = "treadle.row";

bool isPartOfRow(const Instruction &access) { return access.hasMetadata(ofRow); }

Value *RowColumns::at(const From &from, uint64_t bytes) {
  return bytes == 0 ? from.first : b.CreateConstGEP1_64(b.getInt8Ty(), from.first, bytes);
}

/// From any number of vectors: elements by source and position.
Value *RowColumns::picked(ArrayRef<Value *> sources, ArrayRef<std::pair<unsigned, unsigned>> elements) {
  Value *all = sources[0];
  for (unsigned source = 1; source < sources.size(); ++source) {
    SmallVector<int, 16> mask;
    for (unsigned i = 0; i < elements.size(); ++i) {
      const auto [from, position] = elements[i];
      const bool isMerged = from < source;
      mask.push_back(from == source ? int(inRegister + position)
                     : !isMerged    ? PoisonMaskElem
                     : source == 1  ? int(position)
                                    : int(i));
    }
    all = b.CreateShuffleVector(all, sources[source], mask);
  }
  return all;
}

/// Transposes the squares that the 16 bytes at one place of all vectors form.
RowColumns::Columns RowColumns::transposed(ArrayRef<Value *> rows) {
  const unsigned side = inPart();
  // In units of `unit` elements: the first or second ones of two vectors in turn.
  const auto interleaved = [&](Value *left, Value *right, unsigned unit, unsigned half) {
    SmallVector<int, 16> mask;
    for (unsigned square = 0; square < inRegister; square += side)
      for (unsigned i = 0; i < side; ++i) {
        const unsigned pair = i / (2 * unit), isRight = i / unit % 2;
        mask.push_back(int(square + half * side / 2 + pair * unit + i % unit + isRight * inRegister));
      }
    return b.CreateShuffleVector(left, right, mask);
  };
  if (side == 2)
    return {interleaved(rows[0], rows[1], 1, 0), interleaved(rows[0], rows[1], 1, 1)};
  Columns columns;
  for (unsigned half = 0; half < 2; ++half) {
    Value *left = interleaved(rows[0], rows[1], 1, half), *right = interleaved(rows[2], rows[3], 1, half);
    columns.push_back(interleaved(left, right, 2, 0));
    columns.push_back(interleaved(left, right, 2, 1));
  }
  return columns;
}

RowColumns::Columns RowColumns::loadPart(const From &from) {
  const unsigned side = inPart();
  std::vector<SmallVector<Value *, 4>> pieces(side);
  for (unsigned first = 0; first < lanes; first += inRegister) {
    Columns rows;
    for (unsigned k = 0; k < side; ++k) {
      SmallVector<Value *, 4> parts;
      for (unsigned square = 0; square < inRegister; square += side) {
        Value *place = at(from, (first + square + k) * from.step);
        parts.push_back(b.CreateAlignedLoad(FixedVectorType::get(type, side), place, from.alignment));
        cast<Instruction>(parts.back())->setMetadata(ofRow, MDNode::get(b.getContext(), {}));
      }
      rows.push_back(concatenated(b, parts));
    }
    const Columns columns = transposed(rows);
    for (unsigned k = 0; k < side; ++k)
      pieces[k].push_back(columns[k]);
  }
  Columns columns;
  for (const auto &ofColumn : pieces)
    columns.push_back(concatenated(b, ofColumn));
  return columns;
}

void RowColumns::storePart(const From &from, ArrayRef<Value *> columns) {
  const unsigned side = inPart();
  for (unsigned first = 0; first < lanes; first += inRegister) {
    Columns pieces;
    for (Value *column : columns)
      pieces.push_back(pieceOf(b, column, first, inRegister));
    const Columns rows = transposed(pieces);
    for (unsigned square = 0; square < inRegister; square += side)
      for (unsigned k = 0; k < side; ++k)
        b.CreateAlignedStore(pieceOf(b, rows[k], square, side), at(from, (first + square + k) * from.step),
                             from.alignment);
  }
}

RowColumns::Columns RowColumns::loadIntegers(const From &from) {
  auto *rowType = FixedVectorType::get(b.getIntNTy(unsigned(from.step) * 8), lanes);
  auto *columnType = FixedVectorType::get(b.getIntNTy(size * 8), lanes);
  Value *rows = b.CreateAlignedLoad(rowType, from.first, from.alignment);
  Columns columns;
  for (unsigned offset = 0; offset < from.step; offset += size)
    columns.push_back(
        b.CreateBitCast(b.CreateTrunc(b.CreateLShr(rows, offset * 8), columnType), FixedVectorType::get(type, lanes)));
  return columns;
}

void RowColumns::storeIntegers(const From &from, ArrayRef<Value *> columns) {
  auto *rowType = FixedVectorType::get(b.getIntNTy(unsigned(from.step) * 8), lanes);
  auto *columnType = FixedVectorType::get(b.getIntNTy(size * 8), lanes);
  Value *rows = Constant::getNullValue(rowType);
  for (unsigned i = 0; i < columns.size(); ++i)
    rows = b.CreateOr(rows, b.CreateShl(b.CreateZExt(b.CreateBitCast(columns[i], columnType), rowType), i * size * 8));
  b.CreateAlignedStore(rows, from.first, from.alignment);
}

RowColumns::Columns RowColumns::loadWhole(const From &from) {
  if (areIntegers(from.step, size))
    return loadIntegers(from);
  const unsigned count = unsigned(from.step / size);
  std::vector<SmallVector<Value *, 4>> pieces(count);
  for (unsigned first = 0; first < lanes; first += inRegister) {
    Columns loaded;
    for (unsigned part = 0; part < count; ++part)
      loaded.push_back(b.CreateAlignedLoad(FixedVectorType::get(type, inRegister),
                                           at(from, first * from.step + part * inRegister * size), from.alignment));
    for (unsigned column = 0; column < count; ++column) {
      SmallVector<std::pair<unsigned, unsigned>, 16> elements;
      for (unsigned lane = 0; lane < inRegister; ++lane)
        elements.push_back({(lane * count + column) / inRegister, (lane * count + column) % inRegister});
      pieces[column].push_back(picked(loaded, elements));
    }
  }
  Columns columns;
  for (const auto &ofColumn : pieces)
    columns.push_back(concatenated(b, ofColumn));
  return columns;
}

void RowColumns::storeWhole(const From &from, ArrayRef<Value *> columns) {
  if (areIntegers(from.step, size))
    return storeIntegers(from, columns);
  const unsigned count = unsigned(columns.size());
  for (unsigned first = 0; first < lanes; first += inRegister) {
    Columns pieces;
    for (Value *column : columns)
      pieces.push_back(pieceOf(b, column, first, inRegister));
    for (unsigned part = 0; part < count; ++part) {
      SmallVector<std::pair<unsigned, unsigned>, 16> elements;
      for (unsigned i = 0; i < inRegister; ++i) {
        const unsigned element = part * inRegister + i;
        elements.push_back({element % count, element / count});
      }
      b.CreateAlignedStore(picked(pieces, elements), at(from, first * from.step + part * inRegister * size),
                           from.alignment);
    }
  }
}

} // namespace treadle::codegen
