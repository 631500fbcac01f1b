// The table of interned types, and the functions that make them.
#include "types/type.h"

#include "support/arena.h"
#include "support/error.h"
#include "support/fork_gate.h"
#include "types/texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace treadle {

/// Returns one Type per distinct content. Never destroyed: types live as long as the process.
class TypeTable {
public:
  static TypeTable &instance() {
    static TypeTable &table = *new TypeTable;
    return table;
  }

  static Type blank(TypeKind kind) {
    Type type;
    type.category = kind;
    return type;
  }

  static Type number(TypeKind kind, unsigned bits, bool isSigned) {
    Type type = blank(kind);
    type.width = uint16_t(bits);
    type.hasSign = isSigned;
    return type;
  }

  static Type wrapper(TypeKind kind, const Type *inner) {
    Type type = blank(kind);
    type.inner = inner;
    return type;
  }

  static Type array(const Type *element, types::ArrayShape shape) {
    Type type = wrapper(TypeKind::Array, element);
    type.dimensions = uint8_t(shape.ndim);
    // One contiguous dimension is both C and F; a 0-d array has only one layout.
    type.order = shape.ndim == 0 || (shape.ndim == 1 && shape.layout == Layout::F) ? Layout::C : shape.layout;
    type.immutable = shape.readOnly;
    type.memory = shape.space;
    type.packed = shape.isUnaligned;
    return type;
  }

  static Type record(std::span<const RecordField> fields, uint32_t bytes) {
    Type type = blank(TypeKind::Record);
    type.recordFields = fields;
    type.elementBytes = bytes;
    return type;
  }

  static Type opaque(std::string_view dtype, uint32_t bytes, unsigned alignment) {
    Type type = named(TypeKind::Opaque, dtype);
    type.elementBytes = bytes;
    type.width = uint16_t(alignment * 8);
    return type;
  }

  static Type tuple(std::span<const Type *const> items, std::span<const std::string_view> names) {
    Type type = blank(TypeKind::Tuple);
    type.parts = items;
    type.partNames = names;
    return type;
  }

  static Type named(TypeKind kind, std::string_view text, uint64_t handle = 0) {
    Type type = blank(kind);
    type.characters = text;
    type.identity = handle;
    return type;
  }

  static Type literal(const Type *number, uint64_t bits) {
    Type type = wrapper(TypeKind::Literal, number);
    type.identity = bits;
    return type;
  }

  static void setFields(Type &type, std::span<const RecordField> fields) { type.recordFields = fields; }
  /// A complex type holds the type of its parts as `inner`.
  static void setPart(Type &type, const Type *part) { type.inner = part; }
  static void setClass(Type &type, uint64_t handle, std::string_view name) {
    type.identity = handle;
    type.characters = name;
  }

  const Type *intern(const Type &candidate) {
    std::string key = keyOf(candidate);
    std::lock_guard lock(mutex);
    if (auto found = known.find(key); found != known.end())
      return found->second;
    Type copy = candidate;
    copy.parts = storage.list(candidate.parts);
    copy.characters = storage.text(candidate.characters);
    std::vector<std::string_view> names;
    for (std::string_view name : candidate.partNames)
      names.push_back(storage.text(name));
    copy.partNames = storage.list(names);
    copy.recordFields = kept(candidate.recordFields);
    const Type *made = storage.make<Type>(copy);
    known.emplace(std::move(key), made);
    return made;
  }

private:
  template <typename T> static void append(std::string &key, T value) {
    key.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  static void appendText(std::string &key, std::string_view text) {
    append(key, text.size());
    key += text;
  }

  std::span<const RecordField> kept(std::span<const RecordField> fields) {
    std::vector<RecordField> copies(fields.begin(), fields.end());
    for (RecordField &field : copies) {
      field.name = storage.text(field.name);
      field.shape = storage.list(field.shape);
    }
    return storage.list(copies);
  }

  /// Equal exactly when all fields are equal.
  static std::string keyOf(const Type &type) {
    std::string key;
    append(key, type.category);
    append(key, type.hasSign);
    append(key, type.immutable);
    append(key, type.packed);
    append(key, type.elementBytes);
    append(key, type.order);
    append(key, type.memory);
    append(key, type.dimensions);
    append(key, type.width);
    append(key, type.inner);
    append(key, type.identity);
    append(key, type.parts.size());
    for (const Type *part : type.parts)
      append(key, part);
    append(key, type.partNames.size());
    for (std::string_view name : type.partNames)
      appendText(key, name);
    append(key, type.recordFields.size());
    for (const RecordField &field : type.recordFields)
      appendField(key, field);
    key += type.characters;
    return key;
  }

  static void appendField(std::string &key, const RecordField &field) {
    appendText(key, field.name);
    append(key, field.type);
    append(key, field.offset);
    append(key, field.shape.size());
    for (const int64_t extent : field.shape)
      append(key, extent);
  }

  ForkMutex mutex;
  Arena storage;
  std::unordered_map<std::string, const Type *> known;
};

namespace types {

namespace {

const Type *intern(const Type &type) { return TypeTable::instance().intern(type); }

} // namespace

const Type *none() {
  static const Type *const made = intern(TypeTable::blank(TypeKind::None));
  return made;
}

const Type *boolean() {
  static const Type *const made = intern(TypeTable::number(TypeKind::Bool, 1, false));
  return made;
}

namespace {

/// Index of a width in a table with one entry for each of 8, 16, 32, 64 (and 128).
unsigned widthIndex(unsigned bits) { return unsigned(std::bit_width((bits - 1) / 8)); }

} // namespace

const Type *integer(unsigned bits, bool isSigned) {
  static const auto *const made = [] {
    auto *all = new std::array<std::array<const Type *, 4>, 2>;
    for (bool hasSign : {false, true})
      for (unsigned index = 0; index < 4; ++index)
        (*all)[hasSign][index] = intern(TypeTable::number(TypeKind::Int, 8u << index, hasSign));
    return all;
  }();
  TREADLE_CHECK(bits == 8 || bits == 16 || bits == 32 || bits == 64);
  return (*made)[isSigned][widthIndex(bits)];
}

const Type *floating(unsigned bits) {
  static const auto *const made = [] {
    auto *all = new std::array<const Type *, 3>;
    for (unsigned index = 0; index < 3; ++index)
      (*all)[index] = intern(TypeTable::number(TypeKind::Float, 16u << index, true));
    return all;
  }();
  TREADLE_CHECK(bits == 16 || bits == 32 || bits == 64);
  return (*made)[widthIndex(bits) - 1];
}

const Type *complex(unsigned bits) {
  TREADLE_CHECK(bits == 64 || bits == 128);
  static const auto *const made = [] {
    auto *all = new std::array<const Type *, 2>;
    for (unsigned index = 0; index < 2; ++index) {
      Type type = TypeTable::number(TypeKind::Complex, 64u << index, true);
      TypeTable::setPart(type, floating(32u << index));
      (*all)[index] = intern(type);
    }
    return all;
  }();
  return (*made)[bits == 128];
}

const Type *array(const Type *element, ArrayShape shape) { return intern(TypeTable::array(element, shape)); }

const Type *viewOf(const Type *array, unsigned ndim, Layout layout) {
  return types::array(array->element(), {ndim, layout, array->isReadOnly(), array->space(), array->isUnaligned()});
}

const Type *fieldView(const Type *array, const RecordField &field) {
  const unsigned ndim = array->ndim() + unsigned(field.shape.size());
  const unsigned alignment = field.type->alignment();
  const bool isUnaligned =
      array->isUnaligned() || field.offset % alignment != 0 || array->element()->alignment() % alignment != 0;
  return types::array(field.type, {ndim, Layout::Any, array->isReadOnly(), array->space(), isUnaligned});
}

const Type *record(std::span<const RecordField> fields, uint32_t bytes) {
  return intern(TypeTable::record(fields, bytes));
}

namespace {

/// The code of a character.
const Type *characterType(bool isUnicode) { return isUnicode ? uint32() : uint8(); }

} // namespace

const Type *opaque(std::string_view dtype, uint32_t bytes, unsigned alignment) {
  Type type = TypeTable::opaque(dtype, bytes, alignment);
  const bool isUnicode = dtype.starts_with('U');
  if (!isUnicode && !dtype.starts_with('S'))
    return intern(type);
  const Type *character = characterType(isUnicode);
  const int64_t count = bytes / character->bytes();
  const RecordField field{"characters", character, 0, {&count, 1}};
  if (count > 0 && count <= int64_t(mostCharacters))
    TypeTable::setFields(type, {&field, 1});
  return intern(type);
}

const Type *tuple(std::span<const Type *const> items) { return intern(TypeTable::tuple(items, {})); }

const Type *namedTuple(uint64_t handle, std::string_view className, std::span<const Type *const> items,
                       std::span<const std::string_view> names) {
  Type type = TypeTable::tuple(items, names);
  TypeTable::setClass(type, handle, className);
  return intern(type);
}

const Type *member(uint64_t handle, std::string_view className, const Type *value, bool isFlags) {
  const std::string_view names[] = {isFlags ? "_flags_" : "_value_"};
  return namedTuple(handle, className, {&value, 1}, names);
}

const Type *series(Series series, std::span<const Type *const> items) {
  static constexpr std::string_view ofRange[] = {"start", "stop", "step"};
  const bool isRange = series == Series::Range;
  const std::string_view name = isRange ? "range" : series == Series::Zip ? "zip" : "enumerate";
  return namedTuple(uint64_t(series), name, items,
                    isRange ? std::span<const std::string_view>(ofRange) : std::span<const std::string_view>());
}

const Type *time(const Type *element) {
  static constexpr std::string_view names[] = {"ticks"};
  const Type *const items[] = {int64()};
  return namedTuple(uint64_t(Series::Time), element->text(), items, names);
}

const Type *elementOfTime(const Type *time) { return opaque(time->text(), 8, 8); }

const Type *format(std::string_view text, std::span<const Type *const> values) {
  return namedTuple(uint64_t(Series::Format), text, values, {});
}

const Type *text(bool isUnicode, size_t characters) {
  const std::vector<const Type *> items(characters, characterType(isUnicode));
  return namedTuple(uint64_t(Series::Text), (isUnicode ? "U" : "S") + std::to_string(characters), items, {});
}

const Type *text(const Type *element) { return text(element->isUnicode(), size_t(element->fields()[0].shape[0])); }

const Type *elementOfText(const Type *text) {
  const unsigned bytes = characterType(text->isUnicode())->bytes();
  return opaque(text->text(), uint32_t(text->items().size()) * bytes, bytes);
}

const Type *elementwise(std::string_view key, std::span<const Type *const> operands) {
  return namedTuple(uint64_t(Series::Elementwise), key, operands, {});
}

const Type *uniTuple(const Type *item, unsigned count) { return tuple(std::vector<const Type *>(count, item)); }

const Type *optional(const Type *value) {
  return value->isOptional() || value->isNone() ? value : intern(TypeTable::wrapper(TypeKind::Optional, value));
}

const Type *literal(const Type *number, uint64_t bits) { return intern(TypeTable::literal(number, bits)); }
const Type *string(std::string_view text) { return intern(TypeTable::named(TypeKind::String, text)); }
const Type *typeObject(const Type *named) { return intern(TypeTable::wrapper(TypeKind::TypeObject, named)); }
const Type *builtin(std::string_view key) { return intern(TypeTable::named(TypeKind::Builtin, key)); }

const Type *function(uint64_t handle, std::string_view name) {
  return intern(TypeTable::named(TypeKind::Function, name, handle));
}
const Type *module(uint64_t handle, std::string_view name) {
  return intern(TypeTable::named(TypeKind::Module, name, handle));
}
const Type *object(uint64_t handle, std::string_view name) {
  return intern(TypeTable::named(TypeKind::Object, name, handle));
}

const Type *slice() { return intern(TypeTable::blank(TypeKind::Slice)); }
const Type *ellipsis() { return intern(TypeTable::blank(TypeKind::Ellipsis)); }

} // namespace types

bool Type::isTimeElement() const {
  return isOpaque() && (characters.starts_with("datetime64") || characters.starts_with("timedelta64")) &&
         characters.find_first_of("0123456789", std::string_view("timedelta64[").size() - 1) == std::string_view::npos;
}

bool Type::canBeLiteral() const {
  return isReal() || (isPlainTuple() && !parts.empty() && std::ranges::all_of(parts, &Type::canBeLiteral));
}

bool Type::isLiteral() const {
  return is(TypeKind::Literal) || (isPlainTuple() && !parts.empty() && std::ranges::all_of(parts, &Type::isLiteral));
}

bool Type::isUniTuple() const {
  if (!isPlainTuple() || parts.empty())
    return false;
  for (const Type *part : parts)
    if (part != parts.front())
      return false;
  return true;
}

/// A record is aligned like the most strictly aligned of those fields that are naturally aligned in every record of an
/// array: even without padding, `[("a", "f4"), ("b", "f4")]` is as good as an array of float32.
unsigned Type::alignment() const {
  if (isOpaque())
    return width / 8;
  if (!isRecord())
    return isComplex() ? element()->bytes() : bytes();
  unsigned most = 1;
  for (const RecordField &field : recordFields) {
    const unsigned wanted = field.type->isOpaque() ? 1 : field.type->alignment();
    if (field.offset % wanted == 0 && elementBytes % wanted == 0)
      most = std::max(most, wanted);
  }
  return most;
}

int Type::fieldIndex(std::string_view name) const {
  for (size_t i = 0; i < recordFields.size(); ++i)
    if (recordFields[i].name == name)
      return int(i);
  return -1;
}

} // namespace treadle
