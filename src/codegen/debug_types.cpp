// Descriptions of types as LLVM metadata, and the variable layout that they describe.
// LLVM's descriptions count bits, ours bytes. A type without a description (nullptr) is of a value that the code does
// not have, such as None: it is left out of structures, and a structure of such types alone has none either.
#include "codegen/debug_types.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <vector>

namespace treadle::codegen {

using namespace llvm;
using treadle::Type;

namespace {

constexpr uint32_t wordBytes = 8;

StringRef text(std::string_view view) { return {view.data(), view.size()}; }

/// A complex number is one basic type to debuggers, although it has two leaves.
unsigned encoding(const Type *number) {
  if (number->isBool())
    return dwarf::DW_ATE_boolean;
  if (number->isInt())
    return number->isSigned() ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned;
  return number->isFloat() ? dwarf::DW_ATE_float : dwarf::DW_ATE_complex_float;
}

} // namespace

DIType *DebugTypes::basic(const Type *number) {
  return builder.createBasicType(number->name(), number->bytes() * 8, encoding(number));
}

DIType *DebugTypes::member(std::string_view name, DIType *type, uint64_t bytes, uint64_t offset) {
  return builder.createMemberType(nullptr, text(name), nullptr, 0, bytes * 8, 0, offset * 8, DINode::FlagZero, type);
}

/// All axes in one array, in C order, which is how debuggers show `a[i][j]`.
DIType *DebugTypes::series(DIType *item, std::span<const int64_t> shape, uint64_t itemBytes) {
  SmallVector<Metadata *, 4> axes;
  uint64_t bytes = itemBytes;
  for (const int64_t extent : shape) {
    axes.push_back(builder.getOrCreateSubrange(0, extent));
    bytes *= uint64_t(extent);
  }
  return builder.createArrayType(bytes * 8, 0, item, builder.getOrCreateArray(axes));
}

/// Offsets and size are the type's own: records may be packed, or have gaps that no field is in.
DIType *DebugTypes::record(const Type *type) {
  SmallVector<Metadata *, 8> members;
  for (const RecordField &field : type->fields()) {
    DIType *described = element(field.type);
    uint64_t bytes = field.type->bytes();
    if (!field.shape.empty())
      described = series(described, field.shape, bytes);
    for (const int64_t extent : field.shape)
      bytes *= uint64_t(extent);
    members.push_back(member(field.name, described, bytes, field.offset));
  }
  return builder.createStructType(nullptr, type->name(), nullptr, 0, type->bytes() * 8, 0, DINode::FlagZero, nullptr,
                                  builder.getOrCreateArray(members));
}

/// Each type once, as each description is metadata of its own. Debuggers have no dates: those are shown as the integer
/// that they are stored as. Text is an array of characters, of 4 bytes each or of bytes.
DIType *DebugTypes::element(const Type *type) {
  if (DIType *known = elements[type])
    return known;
  DIType *made = nullptr;
  if (type->isNumber()) {
    made = basic(type);
  } else if (type->isRecord()) {
    made = record(type);
  } else if (type->isTimeElement()) {
    made = builder.createBasicType(text(type->text()), 64, dwarf::DW_ATE_signed);
  } else if (type->isTextElement() && type->isUnicode()) {
    const int64_t characters = type->bytes() / 4;
    made = series(builder.createBasicType("char32_t", 32, dwarf::DW_ATE_UTF), {&characters, 1}, 4);
  } else {
    const int64_t bytes = type->bytes();
    made = series(builder.createBasicType("unsigned char", 8, dwarf::DW_ATE_unsigned_char), {&bytes, 1}, 1);
  }
  return elements[type] = made;
}

/// With one lane, as in PTX, a variable is the value itself; with several, debuggers see an array over the warp's
/// lanes.
DIType *DebugTypes::ofLanes(DIType *type, uint32_t bytes, unsigned lanes) {
  const int64_t count = lanes;
  return lanes == 1 ? type : series(type, {&count, 1}, bytes);
}

/// Each part is aligned to its own size: a complex128 to 8 bytes.
DebugShape DebugTypes::number(DIType *described, uint32_t bytes, unsigned leaves) {
  DebugShape shape{described, bytes, std::max(bytes / leaves, 1u), {}, {}};
  for (unsigned leaf = 0; leaf < leaves; ++leaf)
    shape.leaves.push_back(leaf * bytes / leaves);
  return shape;
}

/// Leaves follow each other in the order of the fields, as those of a tuple's items do in Lanes.
DebugShape DebugTypes::structure(const std::string &name, std::span<const DebugField> fields) {
  DebugShape all;
  SmallVector<Metadata *, 8> members;
  for (const auto &[fieldName, field] : fields) {
    if (!field.type)
      continue;
    const auto offset = uint32_t(alignTo(all.bytes, field.alignment));
    members.push_back(member(fieldName, field.type, field.bytes, offset));
    for (const auto &[type, firstLeaf, within] : field.arrays)
      all.arrays.push_back({type, unsigned(all.leaves.size()) + firstLeaf, offset + within});
    for (const uint32_t leaf : field.leaves)
      all.leaves.push_back(offset + leaf);
    all.bytes = offset + field.bytes;
    all.alignment = std::max(all.alignment, field.alignment);
  }
  if (members.empty())
    return all;
  all.bytes = uint32_t(alignTo(all.bytes, all.alignment));
  all.type = builder.createStructType(nullptr, name, nullptr, 0, uint64_t(all.bytes) * 8, 0, DINode::FlagZero, nullptr,
                                      builder.getOrCreateArray(members));
  return all;
}

DebugShape DebugTypes::names(const std::string &name, std::span<const std::string> values) {
  SmallVector<Metadata *, 4> members;
  for (const std::string &value : values)
    members.push_back(builder.createEnumerator(value, members.size()));
  return number(
      builder.createEnumerationType(nullptr, name, nullptr, 0, 32, 32, builder.getOrCreateArray(members), nullptr), 4);
}

/// Fields that Numba has and we lack are described all the same: generators fill them for debuggers. Of a packed array,
/// the strides are such fields; its leaves end with the extents. A reference to a record is its pointer alone.
DebugShape DebugTypes::array(const Type *type) {
  DIType *data = builder.createPointerType(element(type->element()), 64);
  if (type->isRecordReference())
    return number(data, wordBytes);
  DIType *word = element(types::intp()), *pointer = builder.createPointerType(nullptr, 64);
  const unsigned ndim = type->ndim();
  SmallVector<Metadata *, 8> members{
      member("meminfo", pointer, wordBytes, 0), member("parent", pointer, wordBytes, wordBytes),
      member("nitems", word, wordBytes, DebugArray::itemCount),
      member("itemsize", word, wordBytes, DebugArray::itemBytes), member("data", data, wordBytes, DebugArray::data)};
  if (ndim > 0) {
    const int64_t axes = ndim;
    DIType *words = series(word, {&axes, 1}, wordBytes);
    members.push_back(member("shape", words, uint64_t(ndim) * wordBytes, DebugArray::shape));
    members.push_back(member("strides", words, uint64_t(ndim) * wordBytes, DebugArray::strides(ndim)));
  }
  DebugShape shape{nullptr, DebugArray::bytes(ndim), wordBytes, {DebugArray::data}, {{type, 0, 0}}};
  for (unsigned word = 0, words = type->layout() == Layout::Any ? 2 * ndim : ndim; word < words; ++word)
    shape.leaves.push_back(DebugArray::shape + word * wordBytes);
  shape.type = builder.createStructType(nullptr, type->name(), nullptr, 0, uint64_t(shape.bytes) * 8, 0,
                                        DINode::FlagZero, nullptr, builder.getOrCreateArray(members));
  return shape;
}

/// Items of one type are described as an array, which debuggers index; the memory is the same as that of a structure.
DebugShape DebugTypes::tuple(const Type *type) {
  if (type->is(Series::Time))
    return number(builder.createBasicType(type->name(), 64, dwarf::DW_ATE_signed), wordBytes);
  std::vector<std::string> names;
  std::vector<DebugField> fields;
  const bool isNamed = type->itemNames().size() == type->items().size();
  for (size_t i = 0; i < type->items().size(); ++i)
    names.push_back(isNamed ? std::string(type->itemNames()[i]) : "f" + std::to_string(i));
  for (size_t i = 0; i < names.size(); ++i)
    fields.push_back({names[i], of(type->items()[i])});
  DebugShape shape = structure(type->name(), fields);
  if (!shape.type || isNamed || type->isSeries() || !type->isUniTuple())
    return shape;
  const auto count = int64_t(names.size());
  // By the first type: all items have it.
  shape.type = series(fields.front().shape.type, {&count, 1}, shape.bytes / names.size());
  return shape;
}

DebugShape DebugTypes::optional(const Type *type) {
  const DebugField fields[] = {{"valid", of(types::boolean())}, {"data", of(type->element())}};
  return structure(type->name(), fields);
}

DebugShape DebugTypes::make(const Type *type) {
  if (type->isReal())
    return number(element(type), type->bytes());
  if (type->isComplex())
    return number(element(type), type->bytes(), 2);
  if (type->isArray())
    return array(type);
  if (type->isTuple())
    return tuple(type);
  if (type->isOptional())
    return optional(type);
  return {};
}

/// `make` may come back here for parts of the type, so the entry is made after it. Entries of the map do not move.
const DebugShape &DebugTypes::of(const Type *type) {
  const auto known = values.find(type);
  if (known != values.end())
    return known->second;
  DebugShape made = make(type);
  return values.emplace(type, std::move(made)).first->second;
}

} // namespace treadle::codegen
