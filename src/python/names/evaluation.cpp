// Converts the compiler's knowledge of variables to Python objects, and calls treadle/source/compile_time.py.
#include "python/names/evaluation.h"

#include "python/host/object_access.h"
#include "python/types/type_objects.h"
#include "python/types/value_kinds.h"

#include <nanobind/stl/string.h>

#include <complex>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The Python object that a value was captured from, or an equal one; invalid: there is none.
class Restored {
public:
  explicit Restored(const HandleTable &handles) : handles(handles) {}

  nb::object object(const CapturedValue &value) const {
    const Type &type = *value.type;
    if (value.object)
      return nb::borrow(static_cast<PyObject *>(const_cast<void *>(value.object.get())));
    if (type.isNone())
      return nb::none();
    if (type.is(TypeKind::String))
      return decodedText(type.text());
    if (type.is(TypeKind::TypeObject))
      return typeObject(type.element());
    if (type.is(TypeKind::Module) || type.is(TypeKind::Function) || type.is(TypeKind::Object))
      return nb::borrow(handles.find(type.handle()));
    if (type.isNumber())
      return number(value);
    return type.isTuple() ? tuple(value) : nb::object();
  }

private:
  static nb::object number(const CapturedValue &value) {
    const Type *type = value.type;
    if (type->isBool() && !value.isNumpy)
      return nb::bool_(value.integer != 0);
    const bool isUnsigned = type->isInteger() && !type->isSigned();
    nb::object plain = isUnsigned          ? nb::int_(uint64_t(value.integer))
                       : type->isInteger() ? nb::int_(value.integer)
                       : type->isFloat()   ? nb::object(nb::float_(value.real))
                                           : checked(PyComplex_FromDoubles(value.real, value.imag));
    const bool isPythons =
        type == types::int64() || type == types::uint64() || type == types::float64() || type == types::complex128();
    if (isPythons && !value.isNumpy)
      return plain;
    return memberOf("treadle.source.compile_time", "number")(type->name(), plain);
  }

  /// Also ranges and members of enumerations, which the compiler represents as tuples.
  nb::object tuple(const CapturedValue &value) const {
    const Type &type = *value.type;
    nb::list items;
    for (const CapturedValue &item : value.items) {
      const nb::object restored = object(item);
      if (!restored.is_valid())
        return {};
      items.append(restored);
    }
    if (items.size() != type.items().size())
      return {};
    nb::tuple all(items);
    if (type.is(Series::Range))
      return nb::handle(reinterpret_cast<PyObject *>(&PyRange_Type))(*all);
    if (type.isPlainTuple() && type.itemNames().empty())
      return all;
    nb::handle made = handles.find(type.handle());
    if (!made.is_valid() && type.isMember())
      made = enumerationWithHandle(type.handle());
    const bool isMade = made.is_valid() && (type.isMember() || type.isPlainTuple());
    return isMade ? made(*all) : nb::object();
  }

  const HandleTable &handles;
};

nb::tuple described(const ConstevalName &name, const HandleTable &handles) {
  using Kind = ConstevalName::Kind;
  nb::object value = name.kind == Kind::Known ? Restored(handles).object(name.value) : nb::object();
  const bool isKnown = value.is_valid();
  if (!isKnown)
    value = name.kind == Kind::Unset ? nb::none() : typeObject(name.value.type);
  const char *kind = isKnown ? "known" : name.kind == Kind::Unset ? "unset" : "run time";
  return nb::make_tuple(decodedText(name.name), kind, value);
}

} // namespace

ConstevalResult evaluated(nb::handle function, const ConstevalRequest &request, HandleTable &handles) {
  nb::list names;
  for (const ConstevalName &name : request.names)
    names.append(described(name, handles));
  const nb::handle code(static_cast<PyObject *>(const_cast<void *>(request.code)));
  const auto answer = nb::cast<nb::tuple>(
      memberOf("treadle.source.compile_time", "evaluate")(code, function, names, request.wantsItems));
  ConstevalResult result;
  if (nb::cast<bool>(answer[0])) {
    result.value = capture(answer[1], "consteval(...)", handles);
    return result;
  }
  result.kind = utf8Of(answer[1]);
  result.problem = utf8Of(answer[2]);
  result.remedy = utf8Of(answer[3]);
  result.line = nb::cast<uint32_t>(answer[4]);
  return result;
}

} // namespace treadle::python
