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
  Tuple,    ///< a namedtuple also has names
  Optional, ///< a value and a flag that says whether there is one
  Record,   ///< a structured dtype. Only arrays hold them; a single record is a 0-d array, and so its address
  Opaque, ///< neither a number nor a record: dates, texts, and types that kernels lack, such as bfloat16. Has bytes and
          ///< a name
  Literal, ///< only in signatures: an argument whose value is a compile-time constant
  // The rest exist only while compiling: the type is the value, and the code contains nothing of them.
  String,     ///< a string constant
  TypeObject, ///< `float32`, `np.int8`, a dtype: a call converts, as an argument it names an element type
  Builtin,    ///< a function of the builtins table
  Function,   ///< a Python function that can be compiled as a device function
  Module,     ///< a Python module
  Object,     ///< any other captured Python object: only its attributes can be read
  Slice,      ///< a slice expression used as an index
  Ellipsis,
};

enum class Layout : uint8_t { C, F, Any };

/// Where an array's elements are. Numba's types do not record it; ours must, as addressing differs.
enum class Space : uint8_t {
  Global,  ///< device memory: arguments, captured arrays
  Shared,  ///< one per block
  Local,   ///< one per thread; on the CPU device lanes are the innermost axis
  Generic, ///< global or shared, determined at run time
};

class Type;

/// Types made of several values that are not tuples in Python: the handles that such a tuple has instead of a class.
enum class Series : uint64_t {
  Range = ~uint64_t(0),    ///< start, stop, step, of one integer type
  Enumerate = Range - 1,   ///< what is counted, and the first count
  Zip = Range - 2,         ///< what is iterated over together
  Elementwise = Range - 3, ///< the operands of an elementwise function, whose key in the builtins table is the text
  Time = Range - 4,        ///< NumPy's date or duration: int64, in the unit that the text names
  Text = Range - 5,        ///< NumPy's text or bytes: the codes of its characters, padded with zeros
  Format = Range - 6,      ///< an f-string's values; the text contains printf directives for them
};

/// A field of a record.
struct RecordField {
  std::string_view name;
  const Type *type = nullptr;     ///< a number, a Record or Opaque
  uint32_t offset = 0;            ///< bytes from the beginning of the record
  std::span<const int64_t> shape; ///< an array field: its extents, in C order; empty otherwise
};

/// Interned: equal exactly when the pointers are equal; independent of any device.
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
  bool isOpaque() const { return category == TypeKind::Opaque; }
  /// A 0-d array of records: the type of a[i], and of a record passed as an argument.
  bool isRecordReference() const { return isArray() && dimensions == 0 && inner->isRecord(); }
  /// Bool, Int, Float or Complex.
  bool isNumber() const { return category >= TypeKind::Bool && category <= TypeKind::Complex; }
  bool isReal() const { return category >= TypeKind::Bool && category <= TypeKind::Float; }
  bool isInteger() const { return category == TypeKind::Bool || category == TypeKind::Int; }
  /// Arguments of this type can be specialised on: a real number, or a tuple of them.
  TREADLE_API bool canBeLiteral() const;
  /// A literal, or a tuple of them.
  TREADLE_API bool isLiteral() const;

  /// Exists in compiled code (a number, an array, None, or a tuple or Optional of these).
  bool isRuntime() const { return category <= TypeKind::Optional; }

  /// Numbers: width of the value in bits (bool 1; complex counts both parts: 64 or 128).
  unsigned bits() const { return width; }
  bool isSigned() const { return hasSign; }
  /// Elements of arrays: bytes of one in memory (bool 1).
  unsigned bytes() const { return isRecord() || isOpaque() ? elementBytes : width < 8 ? 1 : width / 8; }
  /// Elements of arrays: the alignment in bytes of each, unless the array is unaligned.
  TREADLE_API unsigned alignment() const;

  /// Array: element type; Optional: the value's type; Literal: its type; TypeObject: the type it names; Complex: the
  /// type of its parts.
  const Type *element() const { return inner; }
  unsigned ndim() const { return dimensions; }
  Layout layout() const { return order; }
  Space space() const { return memory; }
  bool isReadOnly() const { return immutable; }
  /// Elements may lie at any address: a field of packed records.
  bool isUnaligned() const { return packed; }

  /// Record: its fields in order. A text's single field.
  std::span<const RecordField> fields() const { return recordFields; }
  /// Index of the field with that name; -1 if there is none.
  TREADLE_API int fieldIndex(std::string_view name) const;

  /// Tuple: types of the items; namedtuple: also their names (otherwise empty).
  std::span<const Type *const> items() const { return parts; }
  std::span<const std::string_view> itemNames() const { return partNames; }
  /// A tuple whose items all have the same type; not the empty tuple.
  TREADLE_API bool isUniTuple() const;

  bool is(Series series) const { return isTuple() && identity == uint64_t(series); }
  bool isSeries() const { return isTuple() && identity >= uint64_t(Series::Format); }
  /// Loops run over it.
  bool isIterableSeries() const {
    return isTuple() && (identity >= uint64_t(Series::Elementwise) || identity == uint64_t(Series::Text));
  }
  /// Elements that are dates or durations in one of NumPy's units, "datetime64[ns]"; in kernels Series::Time.
  TREADLE_API bool isTimeElement() const;
  /// Elements that are NumPy's texts or bytes, "U7" or "S5", of up to 256 characters; in kernels Series::Text. They
  /// have one field: the array of their characters.
  bool isTextElement() const { return isOpaque() && !recordFields.empty(); }
  /// Precondition: a text or bytes. True for a text, whose characters are code points.
  bool isUnicode() const { return characters.starts_with('U'); }
  /// Arrays of it can be used in kernels.
  bool isElement() const { return isNumber() || isRecord() || isTimeElement() || isTextElement(); }
  /// A tuple in Python, too; nor a closure, whose handle is that of a nested function.
  bool isPlainTuple() const { return isTuple() && identity >> 63 == 0 && !isMember(); }
  /// A member of an enumeration: its class, as a namedtuple has it, and its value, under a name that no field of a
  /// namedtuple can have.
  bool isMember() const {
    return isTuple() && partNames.size() == 1 && (partNames[0] == "_value_" || partNames[0] == "_flags_");
  }
  /// A member of an enum.Flag: those of one class combine by operators.
  bool isFlags() const { return isMember() && partNames[0] == "_flags_"; }

  /// String: the text. Builtin: its key in the table, such as "math.sqrt". Opaque: NumPy's name, such as
  /// "datetime64[ns]"; a typestr, such as ">i4", for what only fields of records can be.
  std::string_view text() const { return characters; }
  /// Function, Module, Object: the name resolver's handle. A namedtuple or a member of an enumeration: its class, or 0.
  /// Literal: an integer's value, the bits of a float's as a float64.
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
  uint32_t elementBytes = 0;
  const Type *inner = nullptr;
  std::span<const Type *const> parts;
  std::span<const std::string_view> partNames;
  std::span<const RecordField> recordFields;
  std::string_view characters;
  uint64_t identity = 0;
};

/// Constructors. Thread-safe; the types they return live as long as the process.
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
/// A view of the same elements: element type, space, alignment and writability stay.
TREADLE_API const Type *viewOf(const Type *array, unsigned ndim, Layout layout);
/// One field of every record of an array; an array field adds axes.
TREADLE_API const Type *fieldView(const Type *array, const RecordField &field);
/// `bytes`: the size of a record, its distance to the next in an array.
TREADLE_API const Type *record(std::span<const RecordField> fields, uint32_t bytes);
/// `dtype`: NumPy's name for it.
TREADLE_API const Type *opaque(std::string_view dtype, uint32_t bytes, unsigned alignment);
TREADLE_API const Type *tuple(std::span<const Type *const> items);
TREADLE_API const Type *namedTuple(uint64_t handle, std::string_view className, std::span<const Type *const> items,
                                   std::span<const std::string_view> names);
TREADLE_API const Type *member(uint64_t handle, std::string_view className, const Type *value, bool isFlags);
TREADLE_API const Type *series(Series series, std::span<const Type *const> items);
/// The value type of such an element.
TREADLE_API const Type *time(const Type *element);
/// The element type of such a value.
TREADLE_API const Type *elementOfTime(const Type *time);
/// An f-string with values known only at run time: int64, uint64, float64 or bool, each with a directive.
TREADLE_API const Type *format(std::string_view text, std::span<const Type *const> values);
/// A text, or bytes, of so many characters; more than elements may have only at compile time.
TREADLE_API const Type *text(bool isUnicode, size_t characters);
/// The value type of such an element, and the element type of such a value.
TREADLE_API const Type *text(const Type *element);
TREADLE_API const Type *elementOfText(const Type *text);
/// `key`: of the function in the builtins table.
TREADLE_API const Type *elementwise(std::string_view key, std::span<const Type *const> operands);
TREADLE_API const Type *uniTuple(const Type *item, unsigned count);
TREADLE_API const Type *optional(const Type *value);
/// `bits`: Type::handle.
TREADLE_API const Type *literal(const Type *number, uint64_t bits);
TREADLE_API const Type *string(std::string_view text);
TREADLE_API const Type *typeObject(const Type *named);
TREADLE_API const Type *builtin(std::string_view key);
/// `name` is used in error messages.
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
