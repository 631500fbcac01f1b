// The kinds of objects a kernel may capture: numbers, texts and tuples of them, arrays, and those that
// treadle/source/names.py knows.
#include "python/names/captured_value.h"

#include "device/strided_copy.h"
#include "python/arrays/device_array_object.h"
#include "python/host/object_access.h"
#include "python/types/host_array.h"
#include "python/types/value_kinds.h"
#include "support/error.h"
#include "types/texts.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

nb::handle HandleTable::find(uint64_t handle) const {
  const auto found = objects.find(handle);
  return found == objects.end() ? nb::handle() : nb::handle(found->second);
}

int HandleTable::traverse(visitproc visit, void *arg) const {
  for (const auto &[handle, object] : objects)
    Py_VISIT(object.ptr());
  return 0;
}

/// An object's destructor may reenter this function.
void HandleTable::drop() {
  memberTypes.clear();
  const auto dropped = std::exchange(objects, {});
}

const Type *HandleTable::memberType(nb::handle enumeration) {
  const uint64_t handle = keep(enumeration);
  if (const auto found = memberTypes.find(handle); found != memberTypes.end())
    return found->second;
  const nb::object values = inNames("member_type")(enumeration);
  const Type *type = values.is_none() ? nullptr
                                      : types::member(handle, utf8Of(enumeration.attr("__name__")),
                                                      nb::cast<const Type *>(values[0]), nb::cast<bool>(values[1]));
  return memberTypes.emplace(handle, type).first->second;
}

nb::object inNames(const char *function) { return memberOf("treadle.source.names", function); }

CapturedValue typed(const Type *type) {
  CapturedValue value;
  value.type = type;
  return value;
}

nb::object functionIn(nb::handle object) {
  nb::object inner = inNames("function_in")(object);
  return inner.is_none() ? nb::object() : inner;
}

namespace {

/// False: out of memory.
bool allocate(std::vector<std::byte> &data, size_t bytes) {
  try {
    data.resize(bytes);
    return true;
  } catch (const std::exception &) { // bad_alloc, or length_error
    return false;
  }
}

/// The copy is in C order whatever the array's layout was, and is read-only.
bool captureHost(nb::handle object, CapturedValue &value) {
  HostArray host;
  if (!host.take(object.ptr(), 0)) {
    if (!HostArray::forgetRefusal())
      throw nb::python_error();
    return false;
  }
  const Type *element = host.element();
  if (!element || !element->isElement())
    return false;
  const StridedExtents extents = host.extents();
  value.shape.assign(extents.shape.begin(), extents.shape.end());
  value.strides.resize(value.shape.size());
  const auto bytes = size_t(packStrides(value.shape, element->bytes(), false, value.strides));
  auto data = std::make_shared<std::vector<std::byte>>();
  if (!allocate(*data, bytes)) {
    value.problem = fmt::format(
        "captured arrays are copied, and the {} bytes of this one do not fit in memory: pass it as an argument", bytes);
    return false;
  }
  copyStrided({reinterpret_cast<char *>(data->data()), host.data(), extents.shape, value.strides, extents.strides,
               element->bytes()});
  value.data = std::move(data);
  value.type = types::array(element, {unsigned(value.shape.size()), Layout::C, true, Space::Global});
  return true;
}

/// Treadle's own arrays, by their fields: later writes to the memory are seen.
bool captureOwn(nb::handle object, CapturedValue &value) {
  if (!PyObject_TypeCheck(object.ptr(), deviceArrayType()))
    return false;
  const auto &array = *reinterpret_cast<const DeviceArrayObject *>(object.ptr());
  if (!elementType(array)->isElement())
    return false;
  const StridedExtents extents = array.view.strided();
  value.shape.assign(extents.shape.begin(), extents.shape.end());
  value.strides.assign(extents.strides.begin(), extents.strides.end());
  value.devicePointer = reinterpret_cast<uint64_t>(array.view.data);
  value.type = types::array(elementType(array), {array.view.ndim, array.layout, array.isReadOnly, Space::Global});
  return true;
}

/// Arrays in host memory (their contents are copied) and device arrays (by pointer). False: the object is neither, its
/// elements are of no type that kernels know, or there is a problem.
bool captureArray(nb::handle object, CapturedValue &value) {
  return captureOwn(object, value) || (PyObject_CheckBuffer(object.ptr()) && captureHost(object, value));
}

class Capture {
public:
  Capture(nb::handle object, std::string_view name, HandleTable &handles)
      : object(object), name(name), handles(handles) {}

  CapturedValue value() {
    CapturedValue result;
    if (constant(result, true))
      return result;
    const auto found = nb::cast<nb::tuple>(inNames("meaning")(object, decodedText(name)));
    const std::string kind = utf8Of(found[0]);
    const nb::object what = found[1];
    if (kind == "constant" && constant(result, false))
      return result;
    if (kind == "instead")
      return Capture(what, name, handles).value();
    if (kind == "numpy number")
      return numpyNumber(nb::cast<const Type *>(what));
    if (kind == "time")
      return time(nb::cast<const Type *>(what));
    if (kind == "member")
      return member(utf8Of(what));
    if (kind == "other")
      return arrayOrObject();
    if (kind == "object")
      return noValue(utf8Of(what));
    return typed(kind == "type" ? types::typeObject(nb::cast<const Type *>(what)) : namedType(kind, utf8Of(what)));
  }

private:
  const Type *namedType(std::string_view kind, const std::string &text) {
    if (kind == "builtin")
      return types::builtin(text);
    const uint64_t handle = handles.keep(object);
    return kind == "module"     ? types::module(handle, text)
           : kind == "function" ? types::function(handle, text)
                                : types::object(handle, text);
  }

  /// `isExact`: of Python's own classes only; else derived classes, too.
  bool constant(CapturedValue &result, bool isExact) {
    PyObject *o = object.ptr();
    const auto is = [&](PyTypeObject &type) {
      return isExact ? Py_IS_TYPE(o, &type) : PyObject_TypeCheck(o, &type) != 0;
    };
    if (o == Py_None)
      result.type = types::none();
    else if (o == Py_Ellipsis)
      result.type = types::ellipsis();
    else if (PyBool_Check(o))
      setInteger(result, types::boolean(), o == Py_True);
    else if (is(PyLong_Type))
      pythonInteger(result);
    else if (is(PyFloat_Type))
      setReal(result, types::float64(), PyFloat_AS_DOUBLE(o), 0);
    else if (is(PyComplex_Type))
      setReal(result, types::complex128(), PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    else if (is(PyUnicode_Type))
      result.type = types::string(utf8Of(object));
    else if (is(PyBytes_Type))
      bytes(result);
    else if (is(PyTuple_Type))
      tuple(result);
    else if (Py_IS_TYPE(o, &PyRange_Type))
      range(result);
    return result.type != nullptr;
  }

  static void setInteger(CapturedValue &result, const Type *type, int64_t integer) {
    result.type = type;
    result.isLiteral = true;
    result.integer = integer;
  }

  static void setReal(CapturedValue &result, const Type *type, double real, double imag) {
    result.type = type;
    result.isLiteral = true;
    result.real = real;
    result.imag = imag;
  }

  void pythonInteger(CapturedValue &result) {
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0)
      return setInteger(result, types::int64(), value);
    const uint64_t bits = PyLong_AsUnsignedLongLong(object.ptr());
    if (!PyErr_Occurred())
      return setInteger(result, types::uint64(), int64_t(bits));
    PyErr_Clear();
    // Inference reports its use, and that it is too large for a number type.
    result.type = types::object(handles.keep(object), "int beyond 64 bits");
  }

  void bytes(CapturedValue &result) {
    const std::string_view all(PyBytes_AS_STRING(object.ptr()), size_t(PyBytes_GET_SIZE(object.ptr())));
    if (all.size() > types::mostCharacters) {
      result = noValue("bytes");
      result.problem =
          fmt::format("kernels have bytes of up to {} characters, not {}: pass the bytes as an array argument",
                      types::mostCharacters, all.size());
      return;
    }
    result.type = types::text(false, all.size());
    for (const char byte : all)
      setInteger(result.items.emplace_back(), types::uint8(), uint8_t(byte));
  }

  void range(CapturedValue &result) {
    const Type *counter = types::int64(), *items[] = {counter, counter, counter};
    for (const char *part : {"start", "stop", "step"})
      result.items.push_back(Capture(object.attr(part), name, handles).value());
    const bool fits = std::ranges::all_of(result.items, [&](const CapturedValue &one) { return one.type == counter; });
    result.type =
        fits ? types::series(Series::Range, items) : types::object(handles.keep(object), "range beyond 64 bits");
  }

  void tuple(CapturedValue &result) {
    std::vector<const Type *> items;
    for (nb::handle item : nb::borrow<nb::tuple>(object)) {
      result.items.push_back(Capture(item, name, handles).value());
      items.push_back(result.items.back().type);
    }
    const NamedTupleClass *named = namedTupleClass(Py_TYPE(object.ptr()));
    if (!named && PyErr_Occurred())
      throw nb::python_error();
    if (!named || named->fields.size() != items.size()) {
      result.type = types::tuple(items);
      return;
    }
    const std::vector<std::string_view> fields(named->fields.begin(), named->fields.end());
    result.type = types::namedTuple(handles.keep(object.type()), named->name, items, fields);
  }

  /// Its type is its dtype's: it is not a literal.
  CapturedValue numpyNumber(const Type *type) {
    CapturedValue result = Capture(object.attr("item")(), name, handles).value();
    result.type = type;
    result.isLiteral = false;
    result.isNumpy = true;
    return result;
  }

  /// A NumPy date or duration: its count, in the unit of its dtype.
  CapturedValue time(const Type *element) {
    CapturedValue result = typed(types::time(element));
    result.items.push_back(Capture(object.attr("astype")("i8").attr("item")(), name, handles).value());
    result.items.back().isLiteral = false;
    return result;
  }

  /// A member of an enumeration, called `description`.
  CapturedValue member(const std::string &description) {
    const Type *type = handles.memberType(object.type());
    if (!type)
      return noValue(description);
    CapturedValue result = typed(type);
    result.items.push_back(Capture(object.attr("_value_"), name, handles).value());
    return result;
  }

  CapturedValue noValue(const std::string &description) {
    return typed(types::object(handles.keep(object), description));
  }

  CapturedValue arrayOrObject() {
    CapturedValue result;
    if (!captureArray(object, result)) {
      const nb::object described = inNames("described")(object, Py_TYPE(object.ptr())->tp_name);
      CapturedValue other = noValue(utf8Of(described));
      if (!result.problem.empty())
        other.problem = result.problem;
      return other;
    }
    result.object = {Py_NewRef(object.ptr()), [](PyObject *held) { Py_DECREF(held); }};
    // The code uses its memory, even after the name that captured it is rebound.
    if (result.devicePointer) {
      handles.keep(object);
      handles.capture(reinterpret_cast<const DeviceArrayObject *>(object.ptr())->view.owner);
    }
    return result;
  }

  nb::handle object;
  std::string_view name;
  HandleTable &handles;
};

} // namespace

CapturedValue capture(nb::handle object, std::string_view name, HandleTable &handles) {
  return Capture(object, name, handles).value();
}

} // namespace treadle::python
