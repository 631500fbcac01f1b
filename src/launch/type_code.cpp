// Translates between tokens and interned types.
#include "launch/type_code.h"

#include "support/error.h"

#include <iterator>

namespace treadle {

namespace {

struct NumberRow {
  TypeKind kind;
  uint8_t bits;
  bool isSigned;
  uint8_t bytes;
};
constexpr NumberRow numbers[] = {
    {TypeKind::Bool, 1, false, 1},      {TypeKind::Int, 8, true, 1},    {TypeKind::Int, 8, false, 1},
    {TypeKind::Int, 16, true, 2},       {TypeKind::Int, 16, false, 2},  {TypeKind::Int, 32, true, 4},
    {TypeKind::Int, 32, false, 4},      {TypeKind::Int, 64, true, 8},   {TypeKind::Int, 64, false, 8},
    {TypeKind::Float, 32, true, 4},     {TypeKind::Float, 64, true, 8}, {TypeKind::Complex, 64, true, 8},
    {TypeKind::Complex, 128, true, 16}, {TypeKind::None, 0, false, 0},
};
static_assert(std::size(numbers) == size_t(NumberCode::None) + 1);

const Type *recordArrayType(TypeToken token) {
  const auto *record = reinterpret_cast<const Type *>(token & ((uint64_t(1) << 48) - 1));
  const TypeToken shape = token >> 48;
  return types::array(record, {unsigned(shape & 31), Layout(shape >> 5 & 3), (shape >> 7 & 1) != 0, Space::Global});
}

const Type *leafType(TypeToken token) {
  if (tokens::isRecordArray(token))
    return recordArrayType(token);
  const Type *number = typeOf(tokens::number(token));
  if (!tokens::isArray(token))
    return number;
  return types::array(number, {tokens::ndim(token), tokens::layout(token), tokens::isReadOnly(token), Space::Global});
}

/// The type that begins at `position`, which moves behind it.
const Type *decode(std::span<const TypeToken> list, size_t &position) {
  TREADLE_CHECK(position < list.size());
  const TypeToken token = list[position++];
  if (tokens::isLeaf(token))
    return leafType(token);
  const auto *named = (token & tokens::namedTupleFlag) != 0
                          ? reinterpret_cast<const NamedTupleClass *>(token & ~tokens::namedTupleFlag)
                          : nullptr;
  const size_t count = named ? named->fields.size() : size_t(token & 0xffffffff);
  std::vector<const Type *> items;
  for (size_t i = 0; i < count; ++i)
    items.push_back(decode(list, position));
  if (!named)
    return types::tuple(items);
  const std::vector<std::string_view> names(named->fields.begin(), named->fields.end());
  return types::namedTuple(named->handle, named->name, items, names);
}

} // namespace

unsigned elementBytes(NumberCode code) { return numbers[size_t(code)].bytes; }

const Type *typeOf(NumberCode code) {
  const NumberRow &row = numbers[size_t(code)];
  switch (row.kind) {
  case TypeKind::Bool:
    return types::boolean();
  case TypeKind::Int:
    return types::integer(row.bits, row.isSigned);
  case TypeKind::Float:
    return types::floating(row.bits);
  case TypeKind::Complex:
    return types::complex(row.bits);
  default:
    return types::none();
  }
}

NumberCode numberCode(const Type *type) {
  const unsigned width = type->bytes() == 1 ? 0 : type->bytes() == 2 ? 1 : type->bytes() == 4 ? 2 : 3;
  switch (type->kind()) {
  case TypeKind::Bool:
    return NumberCode::Bool;
  case TypeKind::Int:
    return NumberCode(unsigned(NumberCode::Int8) + 2 * width + (type->isSigned() ? 0 : 1));
  case TypeKind::Float:
    TREADLE_CHECK(type->bits() == 32 || type->bits() == 64);
    return type->bits() == 32 ? NumberCode::Float32 : NumberCode::Float64;
  case TypeKind::Complex:
    return type->bits() == 64 ? NumberCode::Complex64 : NumberCode::Complex128;
  default:
    return NumberCode::None;
  }
}

std::vector<const Type *> typesOf(std::span<const TypeToken> list) {
  std::vector<const Type *> types;
  for (size_t position = 0; position < list.size();)
    types.push_back(decode(list, position));
  return types;
}

} // namespace treadle
