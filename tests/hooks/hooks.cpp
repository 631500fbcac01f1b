// treadle._hooks: shows tests what the front end makes of Python functions and values.
#include "image_runs.h"
#include "image_store.h"
#include "kept_requests.h"

#include "python/names/python_resolver.h"
#include "support/short_mutex.h"
#include "syntax/syntax.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

nb::object numberOf(const CapturedValue &value) {
  if (value.type->isBool())
    return nb::bool_(value.integer != 0);
  if (value.type->isInt())
    return value.type->isSigned() ? nb::int_(value.integer) : nb::int_(uint64_t(value.integer));
  if (value.type->isFloat())
    return nb::float_(value.real);
  return nb::steal(PyComplex_FromDoubles(value.real, value.imag));
}

nb::object described(const CapturedValue &value) {
  if (value.type == nullptr)
    return nb::none();
  nb::dict result;
  result["type"] = value.type->name();
  if (value.type->isNumber()) {
    result["value"] = numberOf(value);
    result["literal"] = value.isLiteral;
  }
  if (value.type->is(TypeKind::Builtin) || value.type->is(TypeKind::String))
    result["text"] = value.type->text();
  if (value.type->is(TypeKind::TypeObject))
    result["names"] = value.type->element()->name();
  if (value.type->isTuple()) {
    nb::list items;
    for (const CapturedValue &item : value.items)
      items.append(described(item));
    result["items"] = items;
  }
  if (value.type->isArray()) {
    result["shape"] = value.shape;
    result["strides"] = value.strides;
    result["data"] = value.data ? nb::bytes(value.data->data(), value.data->size()) : nb::bytes("", 0);
    result["pointer"] = value.devicePointer.value_or(0);
    result["readonly"] = value.type->isReadOnly();
  }
  return result;
}

/// Keeps the resolver alive for the handles in `value`.
struct Resolved {
  std::shared_ptr<PythonResolver> resolver = makePythonResolver();
  CapturedValue value;

  Resolved(nb::handle function, std::string_view path) {
    const size_t dot = path.find('.');
    value = resolver->resolve(resolver->handles.keep(function), path.substr(0, dot));
    for (size_t at = dot; at != std::string_view::npos && value.type != nullptr;) {
      const size_t next = path.find('.', at + 1);
      value = resolver->attribute(value.type->handle(), path.substr(at + 1, next - at - 1));
      at = next;
    }
  }
};

nb::object calledFunction(nb::handle function, std::string_view path) {
  const Resolved found(function, path);
  nb::dict result;
  if (found.value.type->is(TypeKind::Object)) {
    result["undecorated"] = found.resolver->undecoratedFunction(found.value.type->handle());
    return result;
  }
  const CalledFunction called = found.resolver->function(found.value.type->handle());
  result["syntax"] = called.syntax->print();
  result["rules"] = called.rules == RuleSet::Numba ? "numba" : "cuda-python";
  result["force_inline"] = called.forceInline;
  result["never_inline"] = called.neverInline;
  result["signatures"] = called.signatures.size();
  result["itself"] = called.handle == found.resolver->handles.keep(function);
  return result;
}

nb::object parameterDefault(nb::handle function, std::string_view name) {
  const std::shared_ptr<PythonResolver> resolver = makePythonResolver();
  return described(resolver->parameterDefault(resolver->handles.keep(function), name));
}

/// None where assertions are off.
nb::object shortMutexes() {
#ifdef NDEBUG
  return nb::none();
#else
  return nb::int_(shortMutexesTaken);
#endif
}

} // namespace

/// - `resolve(function, "name.attribute...")`: a dict of what a captured name means (type, and where they are set:
///   value, items, shape, strides, data, pointer); None where there is no such name.
/// - `called_function(function, "name...")`: a dict of the function of that name and its options.
/// - `parameter_default(function, name)`: a dict as of `resolve`, or None.
/// - `short_mutexes_taken()`: by the calling thread so far.
NB_MODULE(_hooks, module) {
  addImageRuns(module);
  addImageStore(module);
  addKeptRequests(module);
  module.def("resolve",
             [](nb::handle function, std::string_view path) { return described(Resolved(function, path).value); });
  module.def("called_function", calledFunction);
  module.def("parameter_default", parameterDefault);
  module.def("short_mutexes_taken", shortMutexes);
}

} // namespace treadle::python
