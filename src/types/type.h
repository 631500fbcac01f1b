// Types: interned, so that two are equal exactly when their pointers are.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace treadle {

enum class TypeKind : uint8_t {
  None,
  Bool,
  Int,
  Float,
  Complex,
  Array,
  Tuple,    ///< with names: a namedtuple
  Optional, ///< a value and a flag that says whether there is one
  Record,   ///< a structured dtype. Only arrays hold them; a single record is a 0-d array, and so its address
  // The rest exist only while compiling: their value is their type, and nothing is left of them in code.
  String,     ///< a string constant
  TypeObject, ///< `float32`, `np.int8`, a dtype: called it converts, passed it names an element type
  Builtin,    ///< a function of the builtins table
  Function,   ///< a Python function that can be compiled as a device function
  Module,     ///< a Python module
  Object,     ///< any other captured Python object: only its attributes can be looked up
  Slice,      ///< a slice expression used as an index
  Ellipsis,
};

enum class Layout : uint8_t { C, F, Any };

/// Where an array's elements live. Numba's types do not tell; ours must, as addressing differs.
enum class Space : uint8_t {
  Global,  ///< device memory: arguments, captured arrays
  Shared,  ///< one per block
  Local,   ///< one per thread; on the CPU device lanes are the innermost axis
  Generic, ///< global or shared, decided at run time
};

class Type;

/// A field of a record.
struct RecordField {
  std::string_view name;
  const Type *type = nullptr;     ///< a number or a Record; None: a dtype that kernels do not have
  uint32_t offset = 0;            ///< bytes from the record's first
  std::span<const int64_t> shape; ///< of a field that is an array: its extents, in C order; empty otherwise
  std::string_view dtype;         ///< NumPy's text of a dtype that kernels do not have
};

/// Interned: equal exactly when pointers are equal; depends on no device.
class Type {
public:
  TypeKind kind() const { return category; }
  bool is(TypeKind wanted) const { return category == wanted; }

  bool isBool() const { return category == TypeKind::Bool; }
  bool isInt() const { return category == TypeKind::Int; }
  bool isFloat() const { return category == TypeKind::Float; }
  bool isComplex() const { return category == TypeKind::Complex; }
  bool isArray() const { return category == TypeKind::Array; }
  bool isTuple() const { return category == TypeKind::Tuple; }
  bool isOptional() const { return category == TypeKind::Optional; }
  bool isNone() const { return category == TypeKind::None; }
  bool isRecord() const { return category == TypeKind::Record; }
  /// A 0-d array of records: what a[i] is, and a record among the arguments.
  bool isRecordReference() const { return isArray() && dimensions == 0 && inner->isRecord(); }
  /// Bool, Int, Float or Complex.
  bool isNumber() const { return category >= TypeKind::Bool && category <= TypeKind::Complex; }
  bool isReal() const { return category >= TypeKind::Bool && category <= TypeKind::Float; }
  bool isInteger() const { return category == TypeKind::Bool || category == TypeKind::Int; }
  /// Exists in compiled code (a number, array, tuple or Optional of such, None).
  bool isRuntime() const { return category <= TypeKind::Optional; }

  /// Numbers: width of the value in bits (bool 1; complex counts both parts: 64 or 128).
  unsigned bits() const { return width; }
  bool isSigned() const { return hasSign; }
  /// Numbers and records: bytes of one element in memory (bool 1).
  unsigned bytes() const { return isRecord() ? recordBytes : width < 8 ? 1 : width / 8; }
  /// Numbers and records: every element of an array lies at a multiple of so many bytes, unless it is unaligned.
  TREADLE_API unsigned alignment() const;

  /// Array: element type; Optional: the value's type; TypeObject: the type it names; Complex: the type of a part.
  const Type *element() const { return inner; }
  unsigned ndim() const { return dimensions; }
  Layout layout() const { return order; }
  Space space() const { return memory; }
  bool isReadOnly() const { return immutable; }
  /// Elements may lie at any address: a field of packed records.
  bool isUnaligned() const { return packed; }

  /// Record: its fields in order.
  std::span<const RecordField> fields() const { return recordFields; }
  /// Position of the field of that name; -1: there is none.
  TREADLE_API int fieldIndex(std::string_view name) const;

  /// Tuple: types of the items, and of a namedtuple their names (otherwise empty).
  std::span<const Type *const> items() const { return parts; }
  std::span<const std::string_view> itemNames() const { return partNames; }
  /// Tuple whose items all have one type; the empty tuple is not one.
  TREADLE_API bool isUniTuple() const;

  /// String: the text. Builtin: its key in the table, such as "math.sqrt".
  std::string_view text() const { return characters; }
  /// Function, Module, Object: which one, as the name resolver knows it. A namedtuple: its class, or 0.
  uint64_t handle() const { return identity; }

  /// As users read it: "int32", "array(float32, 2d, C)", "UniTuple(int64 x 2)", as Numba prints types.
  TREADLE_API std::string name() const;

private:
  friend class TypeTable;
  Type() = default;

  TypeKind category = TypeKind::None;
  bool hasSign = false;
  bool immutable = false;
  bool packed = false;
  Layout order = Layout::C;
  Space memory = Space::Global;
  uint8_t dimensions = 0;
  uint16_t width = 0;
  uint32_t recordBytes = 0;
  const Type *inner = nullptr;
  std::span<const Type *const> parts;
  std::span<const std::string_view> partNames;
  std::span<const RecordField> recordFields;
  std::string_view characters;
  uint64_t identity = 0;
};

/// The makers. Thread-safe; what they return lives as long as the process.
namespace types {
TREADLE_API const Type *none();
TREADLE_API const Type *boolean();
TREADLE_API const Type *integer(unsigned bits, bool isSigned);
TREADLE_API const Type *floating(unsigned bits);
/// `bits` of both parts together: 64 or 128.
TREADLE_API const Type *complex(unsigned bits);

struct ArrayShape {
  unsigned ndim = 1;
  Layout layout = Layout::C;
  bool readOnly = false;
  Space space = Space::Global;
  bool isUnaligned = false;
};
TREADLE_API const Type *array(const Type *element, ArrayShape shape);
/// Of another view of the same elements: their type, space, alignment and the right to write stay.
TREADLE_API const Type *viewOf(const Type *array, unsigned ndim, Layout layout);
/// Of one field of all records of an array: further axes where the field is an array.
TREADLE_API const Type *fieldView(const Type *array, const RecordField &field);
/// `bytes`: from one record of an array to the next.
TREADLE_API const Type *record(std::span<const RecordField> fields, uint32_t bytes);
TREADLE_API const Type *tuple(std::span<const Type *const> items);
TREADLE_API const Type *namedTuple(uint64_t handle, std::string_view className, std::span<const Type *const> items,
                                   std::span<const std::string_view> names);
TREADLE_API const Type *uniTuple(const Type *item, unsigned count);
TREADLE_API const Type *optional(const Type *value);
TREADLE_API const Type *string(std::string_view text);
TREADLE_API const Type *typeObject(const Type *named);
TREADLE_API const Type *builtin(std::string_view key);
/// `name` is what error messages call it.
TREADLE_API const Type *function(uint64_t handle, std::string_view name);
TREADLE_API const Type *module(uint64_t handle, std::string_view name);
TREADLE_API const Type *object(uint64_t handle, std::string_view name);
TREADLE_API const Type *slice();
TREADLE_API const Type *ellipsis();

inline const Type *int8() { return integer(8, true); }
inline const Type *int16() { return integer(16, true); }
inline const Type *int32() { return integer(32, true); }
inline const Type *int64() { return integer(64, true); }
inline const Type *uint8() { return integer(8, false); }
inline const Type *uint16() { return integer(16, false); }
inline const Type *uint32() { return integer(32, false); }
inline const Type *uint64() { return integer(64, false); }
inline const Type *float16() { return floating(16); }
inline const Type *float32() { return floating(32); }
inline const Type *float64() { return floating(64); }
inline const Type *complex64() { return complex(64); }
inline const Type *complex128() { return complex(128); }
/// The integer as wide as an address.
inline const Type *intp() { return integer(64, true); }
} // namespace types

} // namespace treadle
