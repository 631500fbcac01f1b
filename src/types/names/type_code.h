// Fingerprints: an argument's type as one number, so that a warm launch compares numbers and never builds types.
#pragma once

#include "memory/array_view.h"
#include "support/export.h"
#include "types/names/number_code.h"
#include "types/type.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace treadle {

/// A description of a namedtuple class. Made once per class by the language binding and never freed, so its address
/// identifies the class.
struct NamedTupleClass {
  uint64_t handle = 0; ///< the name resolver's handle of the class
  std::string name;
  std::vector<std::string> fields;
};

/// A token: a leaf (number or array), or the beginning of a tuple whose items follow. Equal types have equal tokens.
using TypeToken = uint64_t;

namespace tokens {
constexpr TypeToken arrayFlag = 1u << 15;
constexpr TypeToken recordFlag = uint64_t(1) << 61;
constexpr TypeToken tupleFlag = uint64_t(1) << 62;
constexpr TypeToken namedTupleFlag = uint64_t(1) << 63;

constexpr TypeToken scalar(NumberCode code) { return TypeToken(code); }
constexpr TypeToken array(NumberCode element, unsigned ndim, Layout layout, bool readOnly) {
  return arrayFlag | TypeToken(element) | ndim << 5 | TypeToken(layout) << 10 | TypeToken(readOnly) << 12;
}
/// `record` is interned and below 2^48, as all user-space addresses are.
inline TypeToken recordArray(const Type *record, unsigned ndim, Layout layout, bool readOnly) {
  return recordFlag | reinterpret_cast<uintptr_t>(record) | TypeToken(ndim) << 48 | TypeToken(layout) << 53 |
         TypeToken(readOnly) << 55;
}
constexpr TypeToken tuple(uint32_t items) { return tupleFlag | items; }
inline TypeToken namedTuple(const NamedTupleClass *tupleClass) {
  return namedTupleFlag | reinterpret_cast<uintptr_t>(tupleClass);
}

/// After the tokens of the arguments: the values for which the kernel is compiled follow.
constexpr TypeToken values = namedTupleFlag | tupleFlag;

constexpr bool isLeaf(TypeToken token) { return (token & (tupleFlag | namedTupleFlag)) == 0; }
constexpr bool isRecordArray(TypeToken token) { return isLeaf(token) && (token & recordFlag) != 0; }
constexpr bool isArray(TypeToken token) { return isLeaf(token) && (token & arrayFlag) != 0; }
constexpr NumberCode number(TypeToken token) { return NumberCode(token & 31); }
constexpr unsigned ndim(TypeToken token) { return unsigned(token >> 5 & 31); }
constexpr Layout layout(TypeToken token) { return Layout(token >> 10 & 3); }
constexpr bool isReadOnly(TypeToken token) { return (token >> 12 & 1) != 0; }
} // namespace tokens

/// The types of all arguments that the tokens describe.
TREADLE_API std::vector<const Type *> typesOf(std::span<const TypeToken> tokens);

} // namespace treadle
