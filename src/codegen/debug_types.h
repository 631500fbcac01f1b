// DebugTypes: how debuggers see values: descriptions of types, and where a variable in memory has each leaf.
#pragma once

#include "types/type.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace llvm {
class DIBuilder;
class DIType;
class Metadata;
} // namespace llvm

namespace treadle::codegen {

/// A value as it lies in the memory of one thread.
struct DebugShape {
  /// An array within the value: debuggers also read there what its leaves do not have.
  struct ArrayAt {
    const Type *type;
    unsigned firstLeaf;
    uint32_t offset; ///< bytes
  };
  llvm::DIType *type = nullptr; ///< nullptr: the value leaves nothing in the code
  uint32_t bytes = 0, alignment = 1;
  llvm::SmallVector<uint32_t, 4> leaves; ///< bytes from the value's first, of each leaf in the order of Lanes
  llvm::SmallVector<ArrayAt, 1> arrays;
};

/// The fields of an array in memory, as Numba lays it out: programs that read Numba's arrays read these.
struct DebugArray {
  static constexpr uint32_t itemCount = 16, itemBytes = 24, data = 32, shape = 40; ///< bytes from its first
  static constexpr uint32_t strides(unsigned ndim) { return shape + 8 * ndim; }
  static constexpr uint32_t bytes(unsigned ndim) { return shape + 16 * ndim; }
};

/// A member of a structure.
struct DebugField {
  std::string_view name;
  const DebugShape &shape;
};

/// Types are described once for each module.
class DebugTypes {
public:
  explicit DebugTypes(llvm::DIBuilder &builder) : builder(builder) {}

  /// The reference stays valid.
  const DebugShape &of(const Type *type);
  /// One behind the other, each aligned.
  DebugShape structure(const std::string &name, std::span<const DebugField> fields);
  /// An int32 whose values have names, from 0 on.
  DebugShape names(const std::string &name, std::span<const std::string> values);
  /// One value of that type for each lane.
  llvm::DIType *ofLanes(llvm::DIType *type, uint32_t bytes, unsigned lanes);

private:
  DebugShape make(const Type *type);
  DebugShape array(const Type *type);
  DebugShape tuple(const Type *type);
  DebugShape optional(const Type *type);
  DebugShape number(llvm::DIType *described, uint32_t bytes, unsigned leaves = 1);
  /// What elements of arrays and fields of records are.
  llvm::DIType *element(const Type *type);
  llvm::DIType *basic(const Type *number);
  llvm::DIType *record(const Type *type);
  llvm::DIType *series(llvm::DIType *item, std::span<const int64_t> shape, uint64_t itemBytes);
  llvm::DIType *member(std::string_view name, llvm::DIType *type, uint64_t bytes, uint64_t offset);

  llvm::DIBuilder &builder;
  std::map<const Type *, DebugShape> values;
  std::map<const Type *, llvm::DIType *> elements;
};

} // namespace treadle::codegen
