// Attributes: of arrays, numbers, tuples, modules and the objects of the cuda module.
#include "infer/expression_rules.h"

namespace treadle {

typed::Expr *ExpressionRules::attribute(const syntax::Attribute &expression) {
  return attributeOf(expr(*expression.value), expression);
}

void ExpressionRules::failAttribute(const typed::Expr &value, const syntax::Attribute &expression,
                                    const std::vector<std::string_view> &candidates) {
  const std::string_view closest = closestName(expression.name, candidates);
  const bool isBuiltin = value.type->is(TypeKind::Builtin);
  const std::string what = isBuiltin ? std::string(value.type->text()) : value.type->name();
  fail(expression.span,
       {.kind = CompileErrorKind::Typing,
        .message = what + " has no attribute " + quoted(expression.name) + " that can be used in a kernel",
        .found = {},
        .expected = {},
        .remedy = closest.empty() ? "" : "did you mean " + quoted(closest) + "?"});
}

typed::Expr *ExpressionRules::attributeOf(typed::Expr *value, const syntax::Attribute &expression) {
  value = unwrap(value);
  switch (value->type->kind()) {
  case TypeKind::Array:
    return arrayAttribute(value, expression);
  case TypeKind::Bool:
  case TypeKind::Int:
  case TypeKind::Float:
  case TypeKind::Complex:
    return numberAttribute(value, expression);
  case TypeKind::Tuple:
    if (value->type->is(Series::Elementwise))
      return elementwiseAttribute(value, expression);
    if (value->type->isMember())
      return memberAttribute(value, expression);
    return tupleAttribute(value, expression);
  case TypeKind::Builtin:
  case TypeKind::Module:
  case TypeKind::Object:
  case TypeKind::Function:
  case TypeKind::TypeObject:
    return outsideAttribute(value, expression);
  default:
    failAttribute(*value, expression, {});
  }
}

typed::Expr *ExpressionRules::arrayAttribute(typed::Expr *array, const syntax::Attribute &expression) {
  using typed::ArrayAttribute;
  if (const std::optional<uint32_t> field = attributeField(*array, expression))
    return fieldOf(array, *field, expression.span);
  const Type *type = array->type;
  const SourceSpan span = expression.span;
  const std::string_view name = expression.name;
  auto count = [&](int64_t value) { return after({array}, nodes.integer(types::intp(), value, span)); };
  if (name == "shape")
    return nodes.attribute(array, ArrayAttribute::Shape, -1, span);
  if (name == "strides")
    return nodes.attribute(array, ArrayAttribute::Strides, -1, span);
  if (name == "size")
    return nodes.attribute(array, ArrayAttribute::Size, 0, span);
  if (name == "nbytes")
    return nodes.attribute(array, ArrayAttribute::NumBytes, 0, span);
  if (name == "ndim")
    return count(type->ndim());
  if (name == "itemsize")
    return count(type->element()->bytes());
  if (name == "dtype")
    return after({array}, nodes.unit(types::typeObject(type->element()), span));
  if (name == "flat")
    return flat(array, "flat", span);
  if (name == "T")
    return transposed(array, {});
  if (name == "ctypes") {
    typed::Expr *address = nodes.attribute(array, ArrayAttribute::Address, 0, span);
    return nodes.tuple(
        types::namedTuple(0, "ArrayCTypes", std::vector{address->type}, std::vector{std::string_view("data")}),
        {address}, span);
  }
  if (name == "real" || name == "imag") {
    if (!type->element()->isComplex()) {
      if (name == "real")
        return array;
      if (!type->element()->isReal())
        failTyping(span, "an array of " + type->element()->name() + " has no imaginary part");
      return applied("computed.imag", {array}, span);
    }
    const Type *view = types::array(type->element()->element(), {type->ndim(), Layout::Any, type->isReadOnly(),
                                                                 type->space(), type->isUnaligned()});
    return nodes.view(view, name == "real" ? typed::ViewKind::Real : typed::ViewKind::Imag, array, {});
  }
  std::vector<std::string_view> candidates = {"shape", "strides", "size", "nbytes", "ndim", "itemsize",
                                              "dtype", "T",       "real", "imag",   "flat", "ctypes"};
  for (const RecordField &field : type->element()->fields())
    candidates.push_back(field.name);
  failAttribute(*array, expression, candidates);
}

typed::Expr *ExpressionRules::numberAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const Type *type = value->type;
  const SourceSpan span = expression.span;
  // A member of an IntEnum is the integer that it is.
  if (expression.name == "value")
    return value;
  if (expression.name != "real" && expression.name != "imag")
    failAttribute(*value, expression, {"real", "imag", "conjugate"});
  const bool isReal = expression.name == "real";
  if (type->isComplex()) {
    if (value->kind == typed::ExprKind::Const)
      return nodes.real(type->element(), isReal ? value->as<typed::Const>().real : value->as<typed::Const>().imag,
                        span);
    return nodes.operation(isReal ? Operation::Real : Operation::Imag, type->element(), {value}, span);
  }
  if (isReal)
    return value;
  return inBlock(span, [&] {
    emitValue(value, span);
    return convert(nodes.integer(types::int64(), 0, span), type);
  });
}

typed::Expr *ExpressionRules::tupleAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const auto names = value->type->itemNames();
  for (uint32_t i = 0; i < names.size(); ++i)
    if (names[i] == expression.name)
      return itemOf(value, i, expression.span);
  failAttribute(*value, expression, {names.begin(), names.end()});
}

/// The letter of a dtype's kind; nullptr for what is no dtype.
static const char *kindOf(const Type &type) {
  if (type.isTimeElement() || type.is(Series::Time))
    return type.name().starts_with("date") ? "M" : "m";
  if (type.isTextElement() || type.is(Series::Text))
    return type.isUnicode() ? "U" : "S";
  if (type.isInt() && !type.isBool())
    return type.isSigned() ? "i" : "u";
  return type.isBool() ? "b" : type.isFloat() ? "f" : type.isComplex() ? "c" : type.isRecord() ? "V" : nullptr;
}

/// The attributes of NumPy's dtypes.
typed::Expr *ExpressionRules::typeAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const Type &type = *value->type->element();
  const SourceSpan span = expression.span;
  const bool isData = type.isNumber() || type.isRecord();
  if (expression.name == "itemsize" && isData)
    return nodes.integer(types::intp(), type.bytes(), span);
  if (const char *kind = kindOf(type); kind && expression.name == "kind")
    return nodes.unit(types::string(kind), span);
  if (expression.name == "name" && type.isNumber())
    return nodes.unit(types::string(type.name()), span);
  if (expression.name == "type" || expression.name == "dtype")
    return value;
  failAttribute(*value, expression, {"itemsize", "kind", "name", "type"});
}

/// Attributes of modules and other things that exist only while compiling.
typed::Expr *ExpressionRules::outsideAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const Type *type = value->type;
  if (type->is(TypeKind::TypeObject))
    return typeAttribute(value, expression);
  if (type->is(TypeKind::Builtin)) {
    const std::string key = std::string(type->text()) + "." + std::string(expression.name);
    if (const Builtin *row = findBuiltin(key))
      return unit(types::builtin(row->key), expression.span);
    if (findBuiltin(std::string(type->text()) + ".x"))
      fail(expression.span, {.kind = CompileErrorKind::Typing,
                             .message = std::string(type->text()) + " has no attribute " + quoted(expression.name),
                             .found = {},
                             .expected = "x, y or z",
                             .remedy = {}});
    failAttribute(*value, expression, {});
  }
  if (type->is(TypeKind::Function) && compilation.nested(type->handle()))
    failAttribute(*value, expression, {});
  const CapturedValue &found = compilation.attribute(type->handle(), expression.name);
  if (found.type)
    return captured(found, expression.span, std::string(type->text()) + "." + std::string(expression.name));
  std::vector<std::string_view> candidates;
  // The table calls modules by their last name: "shared." and not "treadle.cuda.shared.".
  const size_t dot = type->text().rfind('.');
  const std::string prefix = std::string(type->text().substr(dot == std::string_view::npos ? 0 : dot + 1)) + ".";
  for (const Builtin &row : allBuiltins())
    if (const size_t place = row.key.find(prefix); place != std::string_view::npos)
      candidates.push_back(row.key.substr(place + prefix.size()));
  failAttribute(*value, expression, candidates);
}

} // namespace treadle
