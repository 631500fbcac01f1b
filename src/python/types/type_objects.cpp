// Types and signatures as Python objects.
#include "python/types/type_objects.h"

#include "launch/overload_resolution.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/types/dtype_names.h"
#include "support/error.h"
#include "types/names/signature_text.h"
#include "types/names/type_names.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

nb::object conversion(const char *function) { return memberOf("treadle.typing.conversion", function); }

std::vector<const Type *> typesFrom(nb::handle sequence) {
  std::vector<const Type *> list;
  for (nb::handle item : sequence)
    list.push_back(typeFromObject(item));
  return list;
}

nb::list fieldsOf(const Type *record) {
  nb::list fields;
  for (const RecordField &field : record->fields()) {
    nb::list shape;
    for (const int64_t extent : field.shape)
      shape.append(extent);
    const nb::str name(field.name.data(), field.name.size());
    fields.append(nb::make_tuple(name, typeObject(field.type), field.offset, nb::tuple(shape)));
  }
  return fields;
}

/// Of a date, a duration or a text: its element type; null for others.
const Type *elementOfValue(const Type *type) {
  return type->is(Series::Time)   ? types::elementOfTime(type)
         : type->is(Series::Text) ? types::elementOfText(type)
                                  : nullptr;
}

/// Throws AttributeError for Python's own names, such as `__wrapped__`, without importing anything.
nb::object rareAttribute(const Type *type, const nb::str &name) {
  if (std::string_view(name.c_str()).starts_with("__"))
    throw nb::attribute_error(name.c_str());
  return memberOf("treadle.typing.type_classes", "attribute")(typeObject(type), name);
}

const Type *partOf(const Type *type) {
  if (type->isMember() || type->isUniTuple())
    return type->items().front();
  return type->isArray() ? type->element() : type;
}

const char *kindOf(const Type *type) {
  switch (type->kind()) {
  case TypeKind::None:
    return "none";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::Int:
    return "int";
  case TypeKind::Float:
    return "float";
  case TypeKind::Complex:
    return "complex";
  case TypeKind::Array:
    return type->isRecordReference() ? "record" : "array";
  case TypeKind::Tuple:
    return type->isMember() ? "member" : "tuple";
  case TypeKind::Optional:
    return "optional";
  case TypeKind::Record:
    return "record";
  default:
    return "other";
  }
}

void addType(nb::module_ &module) {
  nb::class_<Type>(module, "Type", "A type of values in kernels. Types are equal exactly when they are the same type.")
      .def("__call__", [](const Type *type,
                          const nb::args &arguments) { return conversion("called")(typeObject(type), *arguments); })
      .def("__getitem__",
           [](const Type *type, nb::handle key) { return conversion("array_of")(typeObject(type), key); })
      .def("__eq__",
           [](const Type *type, nb::handle other) {
             return nb::isinstance<Type>(other) && nb::cast<const Type *>(other) == type;
           })
      .def("__hash__", [](const Type *type) { return reinterpret_cast<uintptr_t>(type) >> 4; })
      .def("__repr__", [](const Type *type) { return type->name(); })
      .def("__reduce__", [](const Type *type) { return conversion("reduced")(typeObject(type)); })
      .def("__getattr__", &rareAttribute)
      .def_prop_ro(
          "name", [](const Type *type) { return type->name(); }, "As users read it: float32, array(float32, 1d, C).")
      .def_prop_ro(
          "bitwidth", [](const Type *type) { return type->bits(); }, "Bits of a number.")
      .def_prop_ro(
          "signed", [](const Type *type) { return type->isSigned(); }, "True for signed integers.")
      .def_prop_ro(
          "dtype", [](const Type *type) { return typeObject(partOf(type)); },
          "Of an array: the type of its elements; of a tuple of one type: that.")
      .def_prop_ro(
          "ndim", [](const Type *type) { return type->ndim(); }, "Of an array: its number of dimensions.")
      .def_prop_ro(
          "layout", [](const Type *type) { return layoutLetter(type->layout()); }, "Of an array: C, F or A.")
      .def_prop_ro(
          "mutable", [](const Type *type) { return type->isArray() && !type->isReadOnly(); },
          "Of an array: kernels may write to it.")
      .def_prop_ro(
          "aligned", [](const Type *type) { return !type->isUnaligned(); },
          "Of an array: its elements lie where their type may.")
      .def_prop_ro(
          "types", [](const Type *type) { return typeTuple(type->items()); }, "Of a tuple: its items' types.")
      .def_prop_ro("_kind", &kindOf, "What `isinstance` asks for: int, float, array, ...")
      .def_prop_ro(
          "_value", [](const Type *type) { return typeObject(type->isOptional() ? type->element() : type); },
          "Of an Optional: the type of the value.")
      .def_prop_ro("_is_array", &Type::isArray)
      .def_prop_ro("_is_record", &Type::isRecord)
      .def_prop_ro("_is_number", &Type::isNumber)
      .def_prop_ro("_is_opaque", &Type::isOpaque, "Elements that are neither numbers nor records.")
      .def_prop_ro("_is_text", &Type::isTextElement)
      .def_prop_ro(
          "_dtype_name", [](const Type *type) { return type->text(); }, "Of such elements: NumPy's name for them.")
      .def_prop_ro("_is_time", &Type::isTimeElement)
      .def_prop_ro(
          "_element", [](const Type *type) { return typeObject(elementOfValue(type)); },
          "Of a date, a duration or a text: the type of such elements of arrays; None for others.")
      .def_prop_ro("_itemsize", &Type::bytes)
      .def_prop_ro("_alignment", &Type::alignment)
      .def_prop_ro("_fields", &fieldsOf, "Of a record: (name, type, offset, shape) of each field.")
      .def_prop_ro("__treadle_type__", [](const Type *type) { return typeObject(type); });
}

void addSignature(nb::module_ &module) {
  nb::class_<Signature>(module, "Signature", "Argument types and the type of the result, as void(float32[:]) makes it.")
      .def(
          "__init__",
          [](Signature *self, nb::handle arguments, nb::handle result) {
            new (self) Signature{typesFrom(arguments), result.is_none() ? nullptr : typeFromObject(result)};
          },
          nb::arg("args"), nb::arg("return_type").none() = nb::none())
      .def("__eq__",
           [](const Signature &left, nb::handle right) {
             return nb::isinstance<Signature>(right) && nb::cast<const Signature &>(right) == left;
           })
      .def("__hash__", [](const Signature &self) { return nb::hash(typeTuple(self.arguments)); })
      .def("__repr__", &Signature::name)
      .def("__reduce__",
           [](const Signature &self) {
             return nb::make_tuple(nb::type<Signature>(),
                                   nb::make_tuple(typeTuple(self.arguments), typeObject(self.result)));
           })
      .def_prop_ro(
          "args", [](const Signature &self) { return typeTuple(self.arguments); }, "Types of the arguments.")
      .def_prop_ro(
          "return_type", [](const Signature &self) { return typeObject(self.result); },
          "Type of the result; None: to be inferred.");
}

} // namespace

nb::tuple typeTuple(std::span<const Type *const> types) {
  nb::list list;
  for (const Type *type : types)
    list.append(typeObject(type));
  return nb::tuple(list);
}

nb::object typeObject(const Type *type) { return nb::cast(type, nb::rv_policy::reference); }

const Type *typeFromObject(nb::handle object) {
  if (nb::isinstance<Type>(object)) {
    const Type *type = nb::cast<const Type *>(object);
    // An argument is a value, not an element.
    return type->isTimeElement() ? types::time(type) : type->isTextElement() ? types::text(type) : type;
  }
  if (object.is_none())
    return types::none();
  if (PyUnicode_Check(object.ptr()))
    return parseType(nb::cast<std::string>(object));
  if (PyTuple_Check(object.ptr()))
    return types::tuple(typesFrom(object));
  if (const Type *named = typeNamedBy(object.ptr()))
    return named;
  throw UsageError(UsageError::Kind::Type, "a signature is made of types, found " +
                                               nb::cast<std::string>(nb::repr(object)) + " of type " +
                                               Py_TYPE(object.ptr())->tp_name);
}

void addTypeObjects(nb::module_ &module) {
  addType(module);
  addSignature(module);
  module.def("type_named", [](std::string_view name) { return typeObject(typeNamed(name)); });
  module.def("parse_type", [](std::string_view text) { return typeObject(parseType(text)); });
  module.def("parseable_text", &parseableText);
  module.def("parse_signature", [](std::string_view text) { return parseSignature(text); });
  module.def(
      "type_from", [](nb::handle object) { return typeObject(typeFromObject(object)); }, nb::arg("object").none());
  module.def(
      "array_type",
      [](nb::handle dtype, unsigned ndim, std::string_view layout, bool readOnly, bool aligned) {
        const Type *type = typeFromObject(dtype);
        const Type *element = elementOfValue(type);
        return typeObject(arrayType(element ? element : type, ndim, layout, {readOnly, aligned}));
      },
      nb::arg("dtype"), nb::arg("ndim"), nb::arg("layout"), nb::arg("readonly") = false, nb::arg("aligned") = true);
  module.def("tuple_type", [](nb::handle items) { return typeObject(types::tuple(typesFrom(items))); });
  module.def("uni_tuple_type",
             [](nb::handle item, unsigned count) { return typeObject(types::uniTuple(typeFromObject(item), count)); });
  module.def("optional_type", [](nb::handle value) { return typeObject(types::optional(typeFromObject(value))); });
}

} // namespace treadle::python
