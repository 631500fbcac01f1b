// Serialised types, and what a reader rejects.
#include "border/field_bytes.h"

#include "support/error.h"

#include <fmt/core.h>

namespace treadle {

void FieldReader::refuse(const std::string &why) const {
  throw UsageError(UsageError::Kind::Value, "not " + std::string(what) + ": " + why);
}

void FieldWriter::operator()(const Type *type) {
  (*this)(type != nullptr);
  if (!type)
    return;
  (*this)(type->kind());
  switch (type->kind()) {
  case TypeKind::None:
  case TypeKind::Bool:
    return;
  case TypeKind::Int:
    (*this)(type->isSigned());
    return (*this)(type->bits());
  case TypeKind::Float:
  case TypeKind::Complex:
    return (*this)(type->bits());
  case TypeKind::Array:
    (*this)(type->element());
    (*this)(type->ndim());
    (*this)(type->layout());
    (*this)(type->isReadOnly());
    (*this)(type->space());
    return (*this)(type->isUnaligned());
  case TypeKind::Optional:
    return (*this)(type->element());
  case TypeKind::Tuple:
    (*this)(std::vector<const Type *>(type->items().begin(), type->items().end()));
    (*this)(std::vector<std::string>(type->itemNames().begin(), type->itemNames().end()));
    (*this)(std::string(type->text()));
    return handleOf(*type);
  case TypeKind::Record:
    (*this)(type->bytes());
    (*this)(uint64_t(type->fields().size()));
    for (const RecordField &one : type->fields())
      field(one);
    return;
  case TypeKind::Opaque:
    (*this)(std::string(type->text()));
    (*this)(type->bytes());
    return (*this)(type->alignment());
  default: // exists only while compiling
    TREADLE_CHECK(handles);
    (*this)(std::string(type->text()));
    (*this)(type->element());
    (*this)(std::vector<const Type *>(type->items().begin(), type->items().end()));
    handleOf(*type);
  }
}

void FieldWriter::handleOf(const Type &type) {
  if (!handles)
    return;
  const bool isObject = type.is(TypeKind::Function) || type.is(TypeKind::Module) || type.is(TypeKind::Object) ||
                        (type.isTuple() && !type.isSeries() && type.handle() != 0);
  (*this)(isObject);
  (*this)(isObject ? uint64_t(handles->numberOf(type.handle())) : type.handle());
}

const Type *FieldReader::readType() {
  if (!read<bool>())
    return nullptr;
  if (++depth > 64)
    refuse("its types are nested too deeply");
  const auto kind = read<TypeKind>();
  const Type *type = nullptr;
  switch (kind) {
  case TypeKind::None:
    type = types::none();
    break;
  case TypeKind::Bool:
    type = types::boolean();
    break;
  case TypeKind::Int: {
    const bool isSigned = read<bool>();
    const auto bits = read<unsigned>();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      refuse(fmt::format("it has integers of {} bits", bits));
    type = types::integer(bits, isSigned);
    break;
  }
  case TypeKind::Float:
  case TypeKind::Complex: {
    const auto bits = read<unsigned>();
    const unsigned part = kind == TypeKind::Complex ? bits / 2 : bits;
    if (part != 16 && part != 32 && part != 64)
      refuse(fmt::format("it has floats of {} bits", bits));
    type = kind == TypeKind::Complex ? types::complex(bits) : types::floating(bits);
    break;
  }
  case TypeKind::Array:
    type = readArray();
    break;
  case TypeKind::Optional:
    if (const Type *value = readType())
      type = types::optional(value);
    break;
  case TypeKind::Tuple:
    type = readTuple();
    break;
  case TypeKind::Record:
    type = readRecord();
    break;
  case TypeKind::Opaque:
    type = readOpaque();
    break;
  default:
    break;
  }
  if (!type)
    refuse("it has a type of no known kind");
  --depth;
  return type;
}

const Type *FieldReader::readArray() {
  const Type *element = readType();
  types::ArrayShape shape;
  shape.ndim = read<unsigned>();
  shape.layout = read<Layout>();
  shape.readOnly = read<bool>();
  shape.space = read<Space>();
  shape.isUnaligned = read<bool>();
  if (!element || shape.ndim > 64 || shape.layout > Layout::Any || shape.space > Space::Generic)
    return nullptr;
  return types::array(element, shape);
}

const Type *FieldReader::readTuple() {
  const auto items = read<std::vector<const Type *>>();
  const auto names = read<std::vector<std::string>>();
  const auto className = read<std::string>();
  if (names.empty())
    return types::tuple(items);
  if (names.size() != items.size())
    return nullptr;
  // The class handle is local to the process that wrote the image.
  return types::namedTuple(0, className, items, std::vector<std::string_view>(names.begin(), names.end()));
}

const Type *FieldReader::readOpaque() {
  const auto dtype = read<std::string>();
  const auto bytes = read<unsigned>();
  const auto alignment = read<unsigned>();
  const bool isPowerOf2 = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return isPowerOf2 && alignment <= 16 ? types::opaque(dtype, bytes, alignment) : nullptr;
}

const Type *FieldReader::readRecord() {
  const auto bytes = read<unsigned>();
  struct Owned {
    std::string name;
    std::vector<int64_t> shape;
  };
  std::vector<Owned> owned(length(1));
  std::vector<RecordField> fields;
  for (Owned &own : owned) {
    RecordField field;
    own.name = read<std::string>();
    field.type = readType();
    field.offset = read<uint32_t>();
    own.shape = read<std::vector<int64_t>>();
    field.name = own.name;
    field.shape = own.shape;
    if (!field.type)
      return nullptr;
    fields.push_back(field);
  }
  return types::record(fields, bytes);
}

} // namespace treadle
