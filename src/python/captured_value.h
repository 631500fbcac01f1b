// What a Python object means to a kernel that captures it.
#pragma once

#include "border/name_resolver.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace treadle {
class Buffer;
}

namespace treadle::python {

/// Objects by address, kept alive: handles of types point at them.
class HandleTable {
public:
  uint64_t keep(nanobind::handle object);
  /// Invalid where the handle is not of this table.
  nanobind::handle find(uint64_t handle) const;
  /// As PythonResolver's.
  int traverse(visitproc visit, void *arg) const;
  void drop();
  std::vector<std::shared_ptr<Buffer>> captured; ///< memory of device arrays

private:
  std::unordered_map<uint64_t, nanobind::object> objects;
};

/// The meaning of `object`. `name`: how the program calls it, for messages. What kernels cannot use becomes a type of
/// kind Object.
CapturedValue capture(nanobind::handle object, std::string_view name, HandleTable &handles);

/// captured_array.cpp: arrays in host memory (their contents are copied) and device arrays (by pointer). False: the
/// object is neither, or its elements are of no type that kernels know. Throws UsageError (NotImplemented) for device
/// memory of other libraries.
bool captureArray(nanobind::handle object, CapturedValue &value);

/// dtype_names.cpp: the type that a dtype string names ("float32", "<f4", "int", "i8"), or nullptr. Asks NumPy, where it
/// is imported, for what is no name of a number.
const Type *typeOfDtypeName(std::string_view text);
/// One of numpy.dtype, or nullptr where kernels have no such type.
const Type *typeOfDtype(nanobind::handle dtype);
/// `numpy.<name>`; invalid while nobody has imported numpy.
nanobind::object numpyMember(const char *name);

/// The Python function in a dispatcher (`py_func`), in a staticmethod, or the function itself; invalid: there is none.
nanobind::object functionIn(nanobind::handle object);

/// An attribute that the object's type declares (no `__getattr__` runs to find out); invalid where it does not.
nanobind::object declaredAttribute(nanobind::handle object, const char *name);

std::string utf8Of(nanobind::handle text);

} // namespace treadle::python
