// Types and signatures as users read them.
#include "types/signature.h"
#include "types/type.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/core.h>

namespace treadle {

namespace {

/// Deeper tuples are shown as "...": the name of tuples that contain each other's types could be exponentially long.
constexpr unsigned maxDepth = 4;

std::string nameAt(const Type &type, unsigned depth);

std::string joined(std::span<const Type *const> types, unsigned depth) {
  std::string text;
  for (const Type *type : types)
    text += (text.empty() ? "" : ", ") + nameAt(*type, depth);
  return text;
}

std::string arrayName(const Type &type) {
  const char *layout = type.layout() == Layout::C ? "C" : type.layout() == Layout::F ? "F" : "A";
  std::string text = type.isReadOnly() ? "readonly array(" : type.isUnaligned() ? "unaligned array(" : "array(";
  return fmt::format("{}{}, {}d, {})", text, type.element()->name(), type.ndim(), layout);
}

/// As Numba calls texts: "[unichr x 7]", "[char x 5]".
std::string textName(const Type &type) {
  return (type.isUnicode() ? "[unichr x " : "[char x ") + std::string(type.text().substr(1)) + "]";
}

std::string recordName(const Type &type) {
  std::string text;
  for (const RecordField &field : type.fields()) {
    text += (text.empty() ? "" : ", ") + std::string(field.name) + ": " + field.type->name();
    std::string shape;
    for (const int64_t extent : field.shape)
      shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    text += shape.empty() ? "" : "(" + shape + ")";
  }
  return "Record(" + text + ")";
}

unsigned axesOf(const Type &type) {
  if (type.isArray())
    return type.ndim();
  if (!type.is(Series::Elementwise))
    return 0;
  if (type.text().starts_with("computed."))
    return unsigned(type.items()[0]->items().size());
  unsigned most = 0, sum = 0;
  for (const Type *operand : type.items()) {
    most = std::max(most, axesOf(*operand));
    sum += axesOf(*operand);
  }
  return type.text() == "operator.matmul" ? sum - 2 : most;
}

/// "array expression sum(...), 2d": its operands mean nothing to users.
std::string expressionName(const Type &type) {
  const std::string_view key = type.text();
  return fmt::format("array expression {}(...), {}d", key.substr(key.rfind('.') + 1), axesOf(type));
}

std::string tupleName(const Type &type, unsigned depth) {
  if (depth > maxDepth)
    return "...";
  if (type.is(Series::Time))
    return std::string(type.text());
  if (type.isMember())
    return "Enum<" + nameAt(*type.items().front(), depth + 1) + ">(" + std::string(type.text()) + ")";
  if (type.is(Series::Elementwise))
    return expressionName(type);
  if (type.is(Series::Format))
    return "f-string";
  if (type.is(Series::Text))
    return textName(type);
  bool isNamed = !type.itemNames().empty() || !type.isPlainTuple();
  std::string className(isNamed ? type.text() : type.isUniTuple() ? "UniTuple" : "Tuple");
  if (!type.isUniTuple())
    return className + "(" + joined(type.items(), depth + 1) + ")";
  return fmt::format("{}({} x {})", className, nameAt(*type.items().front(), depth + 1), type.items().size());
}

/// The shortest digits that identify the value.
std::string digitsOf(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// "Literal[int](3)", as Numba prints the type of a literal in the source.
std::string literalName(const Type &type) {
  const Type &number = *type.element();
  const std::string name =
      number.bits() == 64 && number.isSigned() ? number.isFloat() ? "float" : "int" : number.name();
  std::string value = number.isBool()     ? type.handle() ? "True" : "False"
                      : number.isFloat()  ? digitsOf(std::bit_cast<double>(type.handle()))
                      : number.isSigned() ? std::to_string(int64_t(type.handle()))
                                          : std::to_string(type.handle());
  return "Literal[" + name + "](" + value + ")";
}

std::string nameAt(const Type &type, unsigned depth) { return type.isTuple() ? tupleName(type, depth) : type.name(); }

} // namespace

std::string Type::name() const {
  switch (category) {
  case TypeKind::None:
    return "none";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::Int:
    return (hasSign ? "int" : "uint") + std::to_string(width);
  case TypeKind::Float:
    return "float" + std::to_string(width);
  case TypeKind::Complex:
    return "complex" + std::to_string(width);
  case TypeKind::Array:
    return isRecordReference() ? inner->name() : arrayName(*this);
  case TypeKind::Record:
    return recordName(*this);
  case TypeKind::Tuple:
    return tupleName(*this, 0);
  case TypeKind::Optional:
    return "Optional(" + inner->name() + ")";
  case TypeKind::Opaque:
    return isTextElement() ? textName(*this) : std::string(characters);
  case TypeKind::Literal:
    return literalName(*this);
  case TypeKind::String:
    return "str";
  case TypeKind::TypeObject:
    return "type " + inner->name();
  case TypeKind::Builtin:
  case TypeKind::Function:
    return "function " + std::string(characters);
  case TypeKind::Module:
    return "module " + std::string(characters);
  case TypeKind::Object:
    return "object " + std::string(characters);
  case TypeKind::Slice:
    return "slice";
  case TypeKind::Ellipsis:
    return "ellipsis";
  }
  return "?";
}

unsigned argumentLeaves(const Type *type) {
  if (!type->isTuple())
    return 1;
  unsigned count = 0;
  for (const Type *item : type->items())
    count += argumentLeaves(item);
  return count;
}

std::string Signature::name() const { return "(" + joined(arguments, 0) + ") -> " + (result ? result->name() : "?"); }

} // namespace treadle
