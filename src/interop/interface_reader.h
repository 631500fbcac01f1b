// InterfaceReader: a CUDA Array Interface dictionary as a description.
#pragma once

#include "interop/described_array.h"

#include <optional>
#include <string_view>

namespace treadle {

/// The values of a dictionary; only their Python types have been checked.
struct InterfaceFields {
  std::string_view typestr;
  std::span<const int64_t> shape;
  std::optional<std::span<const int64_t>> strides = {}; ///< bytes; nothing: in C order without gaps
  uintptr_t data = 0;
  bool isReadOnly = false;
  int64_t version = 0;
  std::optional<int64_t> stream = {};
  const Type *known = nullptr;  ///< the type that the typestr denotes; null: not read yet, or not an element type
  const Type *record = nullptr; ///< the elements according to its `descr`, if that has fields
};

/// Refers to the fields, which outlive it.
class TREADLE_API InterfaceReader {
public:
  /// Throws UsageError: Value for what no version of the interface allows, Buffer for elements that arrays cannot have.
  explicit InterfaceReader(const InterfaceFields &fields);
  InterfaceReader(const InterfaceReader &) = delete;
  InterfaceReader &operator=(const InterfaceReader &) = delete;

  const ArrayDescription &description() const { return array; }
  /// The handle of the stream that consumers must synchronise with, in CUDA's numbering: 1 the legacy default stream, 2
  /// the per-thread one. Nothing: the array may be used at once.
  std::optional<uint64_t> stream() const { return orderedBy; }

private:
  ArrayDescription array;
  std::optional<uint64_t> orderedBy;
  int64_t packed[maxDimensions]; ///< strides, if the fields have none
};

} // namespace treadle
