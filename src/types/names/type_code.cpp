// Translates between tokens and interned types.
#include "types/names/type_code.h"

#include "support/error.h"

namespace treadle {

namespace {

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

/// The type that begins at `position`, which is advanced past it.
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
  if (named->handle == uint64_t(Series::Text))
    return types::text(named->name.starts_with('U'), count);
  const std::vector<std::string_view> names(named->fields.begin(), named->fields.end());
  return types::namedTuple(named->handle, named->name, items, names);
}

} // namespace

std::vector<const Type *> typesOf(std::span<const TypeToken> list) {
  std::vector<const Type *> types;
  for (size_t position = 0; position < list.size();)
    types.push_back(decode(list, position));
  return types;
}

} // namespace treadle
