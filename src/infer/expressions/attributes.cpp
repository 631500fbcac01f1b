// Attributes: of arrays, numbers, tuples, modules and the objects of the cuda module.
#include "infer/expressions/attributes.h"

#include <algorithm>

namespace treadle {

/// For values of any kind. A builtin is shown by its name, as "cuda.threadIdx", others by their types.
void failAttribute(const Tree &tree, const typed::Expr &value, const syntax::Attribute &expression,
                   const std::vector<std::string_view> &candidates) {
  const std::string_view closest = closestName(expression.name, candidates);
  const bool isBuiltin = value.type->is(TypeKind::Builtin);
  const std::string what = isBuiltin ? std::string(value.type->text()) : value.type->name();
  tree.failTyping(expression.span,
                  what + " has no attribute " + quoted(expression.name) + " that can be used in a kernel",
                  closest.empty() ? "" : "did you mean " + quoted(closest) + "?");
}

/// By the kind of value: arrays and numbers have NumPy's attributes; tuples those of named tuples, members of
/// enumerations and array expressions; the rest is what Python knows of modules, classes and functions.
typed::Expr *Attributes::attributeOf(typed::Expr *value, const syntax::Attribute &expression) {
  value = tree.unwrap(value);
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
      return enumerations.memberAttribute(value, expression);
    return tupleAttribute(value, expression);
  case TypeKind::Builtin:
  case TypeKind::Module:
  case TypeKind::Object:
  case TypeKind::Function:
  case TypeKind::TypeObject:
    return outsideAttribute(value, expression);
  default:
    failAttribute(tree, *value, expression, {});
  }
}

/// In a record, fields take precedence; in an array of records, the attributes of arrays do.
std::optional<uint32_t> Attributes::fieldOf(const typed::Expr &value, const syntax::Attribute &expression) {
  if (!value.type->isArray() || !value.type->element()->isRecord())
    return std::nullopt;
  constexpr std::string_view ofArrays[] = {"shape", "strides", "size", "nbytes", "ndim", "itemsize", "dtype", "T"};
  if (!value.type->isRecordReference() && std::ranges::find(ofArrays, expression.name) != std::end(ofArrays))
    return std::nullopt;
  const int field = value.type->element()->fieldIndex(expression.name);
  return field < 0 ? std::nullopt : std::optional(uint32_t(field));
}

/// `a.ndim`, `a.itemsize` and `a.dtype` are known by the type, but an array that a call returns is evaluated all the
/// same. `shape` and `strides` are tuples that are read item by item (Tree::itemOf). `a.real` of real numbers is the
/// array itself, as in NumPy; `a.imag` of those is an array expression of zeros, since it has no memory to look at.
typed::Expr *Attributes::arrayAttribute(typed::Expr *array, const syntax::Attribute &expression) {
  using typed::ArrayAttribute;
  if (const std::optional<uint32_t> field = fieldOf(*array, expression))
    return access.fieldOf(array, *field, expression.span);
  const Type *type = array->type;
  const SourceSpan span = expression.span;
  const std::string_view name = expression.name;
  auto count = [&](int64_t value) { return tree.after({array}, tree.index(value, span)); };
  if (name == "shape")
    return tree.attribute(array, ArrayAttribute::Shape, -1, span);
  if (name == "strides")
    return tree.attribute(array, ArrayAttribute::Strides, -1, span);
  if (name == "size")
    return tree.attribute(array, ArrayAttribute::Size, 0, span);
  if (name == "nbytes")
    return tree.attribute(array, ArrayAttribute::NumBytes, 0, span);
  if (name == "ndim")
    return count(type->ndim());
  if (name == "itemsize")
    return count(type->element()->bytes());
  if (name == "dtype")
    return tree.after({array}, tree.unit(types::typeObject(type->element()), span));
  if (name == "flat")
    return arrays.flat(array, "flat", span);
  if (name == "T")
    return arrays.transposed(array, {});
  if (name == "ctypes") {
    typed::Expr *address = tree.attribute(array, ArrayAttribute::Address, 0, span);
    return tree.tuple(
        types::namedTuple(0, "ArrayCTypes", std::vector{address->type}, std::vector{std::string_view("data")}),
        {address}, span);
  }
  if (name == "real" || name == "imag") {
    if (!type->element()->isComplex()) {
      if (name == "real")
        return array;
      if (!type->element()->isReal())
        tree.failTyping(span, "an array of " + type->element()->name() + " has no imaginary part");
      return whole.applied("computed.imag", {array}, span);
    }
    const Type *view = types::array(type->element()->element(), {type->ndim(), Layout::Any, type->isReadOnly(),
                                                                 type->space(), type->isUnaligned()});
    return tree.view(view, name == "real" ? typed::ViewKind::Real : typed::ViewKind::Imag, array, {});
  }
  std::vector<std::string_view> candidates = {"shape", "strides", "size", "nbytes", "ndim", "itemsize",
                                              "dtype", "T",       "real", "imag",   "flat", "ctypes"};
  for (const RecordField &field : type->element()->fields())
    candidates.push_back(field.name);
  failAttribute(tree, *array, expression, candidates);
}

/// `(a + b).shape` is what broadcasting makes of the operands' shapes, without computing an element.
typed::Expr *Attributes::elementwiseAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const SourceSpan span = expression.span;
  const unsigned ndim = axesOf(*value->type);
  if (expression.name == "ndim")
    return tree.after({value}, tree.index(ndim, span));
  if (expression.name == "dtype")
    return tree.after({value}, tree.unit(types::typeObject(sequences.elementTypeOf(*value->type, span)), span));
  return tree.inBlock(span, [&]() -> typed::Expr * {
    value = sequences.settledSeries(value);
    Items extents;
    for (unsigned axis = 0; axis < ndim; ++axis)
      extents.push_back(sequences.broadcastExtent(*value, axis, ndim, span));
    if (expression.name == "shape")
      return tree.makeTuple(extents, span);
    if (expression.name != "size")
      failAttribute(tree, *value, expression, {"shape", "size", "ndim", "dtype"});
    typed::Expr *size = tree.index(1, span);
    for (typed::Expr *extent : extents)
      size = tree.operation(Operation::Mul, types::intp(), {size, extent}, span);
    return size;
  });
}

/// Numbers have `real` and `imag`, as in Python and NumPy; a real number has the imaginary part 0 of its own type.
typed::Expr *Attributes::numberAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const Type *type = value->type;
  const SourceSpan span = expression.span;
  // A member of an IntEnum is itself the integer.
  if (expression.name == "value")
    return value;
  if (expression.name != "real" && expression.name != "imag")
    failAttribute(tree, *value, expression, {"real", "imag", "conjugate"});
  const bool isReal = expression.name == "real";
  if (type->isComplex()) {
    if (value->kind == typed::ExprKind::Const)
      return tree.real(type->element(), isReal ? value->as<typed::Const>().real : value->as<typed::Const>().imag, span);
    return tree.operation(isReal ? Operation::Real : Operation::Imag, type->element(), {value}, span);
  }
  if (isReal)
    return value;
  return tree.inBlock(span, [&] {
    tree.emitValue(value, span);
    return tree.convert(tree.integer(types::int64(), 0, span), type);
  });
}

/// Items of named tuples, by their names.
typed::Expr *Attributes::tupleAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const auto names = value->type->itemNames();
  for (uint32_t i = 0; i < names.size(); ++i)
    if (names[i] == expression.name)
      return tree.itemOf(value, i, expression.span);
  failAttribute(tree, *value, expression, {names.begin(), names.end()});
}

namespace {

/// The kind letter of a dtype; nullptr if it is not a dtype.
/// NumPy's dtype.kind; a record is void, "V".
const char *kindOf(const Type &type) {
  if (type.isTimeElement() || type.is(Series::Time))
    return type.name().starts_with("date") ? "M" : "m";
  if (type.isTextElement() || type.is(Series::Text))
    return type.isUnicode() ? "U" : "S";
  if (type.isInt() && !type.isBool())
    return type.isSigned() ? "i" : "u";
  return type.isBool() ? "b" : type.isFloat() ? "f" : type.isComplex() ? "c" : type.isRecord() ? "V" : nullptr;
}

} // namespace

/// The attributes of NumPy's dtypes.
/// `x.dtype.kind == "f"` is decided while compiling, like every question about a type.
typed::Expr *Attributes::typeAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const Type &type = *value->type->element();
  const SourceSpan span = expression.span;
  const bool isData = type.isNumber() || type.isRecord();
  if (expression.name == "itemsize" && isData)
    return tree.index(type.bytes(), span);
  if (const char *kind = kindOf(type); kind && expression.name == "kind")
    return tree.unit(types::string(kind), span);
  if (expression.name == "name" && type.isNumber())
    return tree.unit(types::string(type.name()), span);
  if (expression.name == "type" || expression.name == "dtype")
    return value;
  failAttribute(tree, *value, expression, {"itemsize", "kind", "name", "type"});
}

/// Attributes of modules and other objects that exist only while compiling.
/// `cuda.threadIdx.x`, `math.pi`, `config.SIZE`: builtins by their row in the table, everything else by Python. A
/// nested function has no attributes: it is no object. Where there is nothing of the name, similar names are looked for
/// among the builtins of the module; if none is similar, the resolver is asked for advice.
typed::Expr *Attributes::outsideAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const Type *type = value->type;
  if (type->is(TypeKind::TypeObject))
    return typeAttribute(value, expression);
  if (type->is(TypeKind::Builtin)) {
    const std::string key = std::string(type->text()) + "." + std::string(expression.name);
    if (const Builtin *row = findBuiltin(key))
      return names.unit(types::builtin(row->key), expression.span);
    if (findBuiltin(std::string(type->text()) + ".x"))
      tree.fail(expression.span, {.kind = CompileErrorKind::Typing,
                                  .message = std::string(type->text()) + " has no attribute " + quoted(expression.name),
                                  .expected = "x, y or z"});
    failAttribute(tree, *value, expression, {});
  }
  if (type->is(TypeKind::Function) && compilation.nested(type->handle()))
    failAttribute(tree, *value, expression, {});
  const CapturedValue &found = compilation.attribute(type->handle(), expression.name);
  if (found.type)
    return names.captured(found, expression.span, std::string(type->text()) + "." + std::string(expression.name));
  std::vector<std::string_view> candidates;
  // The table identifies modules by their last name: "shared." and not "treadle.cuda.shared.".
  const size_t dot = type->text().rfind('.');
  const std::string prefix = std::string(type->text().substr(dot == std::string_view::npos ? 0 : dot + 1)) + ".";
  for (const Builtin &row : allBuiltins())
    if (const size_t place = row.key.find(prefix); place != std::string_view::npos)
      candidates.push_back(row.key.substr(place + prefix.size()));
  if (!closestName(expression.name, candidates).empty())
    failAttribute(tree, *value, expression, candidates);
  const NameResolver::Advice advice = compilation.names().adviceOn(type->handle(), expression.name);
  tree.failTyping(expression.span,
                  type->name() + " has no attribute " + quoted(expression.name) + " that can be used in a kernel",
                  advice.remedy);
}

} // namespace treadle
