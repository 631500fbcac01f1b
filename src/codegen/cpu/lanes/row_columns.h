// RowColumns: columns of a warp's rows, loaded and stored as parts of rows, which are transposed in registers.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

/// One row for each lane, `step` bytes after that of the lane before. A vector of all lanes for each column.
class RowColumns {
public:
  using Columns = llvm::SmallVector<llvm::Value *, 4>;

  /// Where the first lane's columns are.
  struct From {
    llvm::Value *first;
    uint64_t step;
    llvm::Align alignment; ///< of one element
  };

  /// Bytes of each row that are accessed at once.
  static constexpr unsigned partBytes = 16;

  /// `type`: of an element, of 4 or 8 bytes. `registerBytes`: the register size to use, at most that of all lanes.
  RowColumns(llvm::IRBuilder<> &b, llvm::Type *type, unsigned lanes, unsigned registerBytes)
      : b(b), type(type), size(type->getScalarSizeInBits() / 8), lanes(lanes),
        inRegister(std::min(lanes, registerBytes / size)) {}

  /// Columns in one part.
  unsigned inPart() const { return partBytes / size; }

  /// As many adjacent columns as a part has.
  Columns loadPart(const From &from);
  void storePart(const From &from, llvm::ArrayRef<llvm::Value *> columns);

  /// Rows without gaps: all columns, of which there are two or three, or of one or two bytes each and together as many
  /// as an integer has.
  Columns loadWhole(const From &from);
  void storeWhole(const From &from, llvm::ArrayRef<llvm::Value *> columns);

  /// Whether rows of `step` bytes are loaded and stored as integers.
  static bool areIntegers(uint64_t step, uint64_t size) { return size <= 2 && (step == 2 || step == 4 || step == 8); }

private:
  Columns loadIntegers(const From &from);
  void storeIntegers(const From &from, llvm::ArrayRef<llvm::Value *> columns);
  llvm::Value *at(const From &from, uint64_t bytes);
  llvm::Value *picked(llvm::ArrayRef<llvm::Value *> sources, llvm::ArrayRef<std::pair<unsigned, unsigned>> elements);
  Columns transposed(llvm::ArrayRef<llvm::Value *> rows);
  unsigned registers() const { return lanes / inRegister; }

  llvm::IRBuilder<> &b;
  llvm::Type *type;
  unsigned size, lanes, inRegister;
};

/// Whether the access is of loadPart(): one lane's.
bool isPartOfRow(const llvm::Instruction &access);

} // namespace treadle::codegen
