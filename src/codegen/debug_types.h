// DebugTypes: the debugger's view of values: descriptions of types, and the offset of each leaf of a variable.
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

/// A value's layout in the memory of one thread.
struct DebugShape {
  /// An array within the value: debuggers also read fields there that its leaves lack.
  struct ArrayAt {
    const Type *type;
    unsigned firstLeaf;
    uint32_t offset; ///< bytes
  };
  llvm::DIType *type = nullptr; ///< nullptr: the value does not exist in the code
  uint32_t bytes = 0, alignment = 1;
  llvm::SmallVector<uint32_t, 4> leaves; ///< byte offset of each leaf, in the order of Lanes
  llvm::SmallVector<ArrayAt, 1> arrays;
};

/// The fields of an array in memory, in Numba's layout: programs that read Numba's arrays read these.
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

/// Types are described once per module.
class DebugTypes {
public:
  explicit DebugTypes(llvm::DIBuilder &builder) : builder(builder) {}

  /// The reference stays valid.
  const DebugShape &of(const Type *type);
  /// Consecutive, each aligned.
  DebugShape structure(const std::string &name, std::span<const DebugField> fields);
  /// An int32 enumeration, from 0 on.
  DebugShape names(const std::string &name, std::span<const std::string> values);
  /// One value of that type for each lane.
  llvm::DIType *ofLanes(llvm::DIType *type, uint32_t bytes, unsigned lanes);

private:
  DebugShape make(const Type *type);
  DebugShape array(const Type *type);
  DebugShape tuple(const Type *type);
  DebugShape optional(const Type *type);
  DebugShape number(llvm::DIType *described, uint32_t bytes, unsigned leaves = 1);
  /// The description of array elements and record fields.
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
