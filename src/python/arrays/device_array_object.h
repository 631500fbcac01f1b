// cuda.DeviceNDArray as a C type. Launches read its fields directly.
#pragma once

#include "memory/array_view.h"
#include "memory/buffer.h"
#include "types/names/type_code.h"

#include <nanobind/nanobind.h>

#include <new>

namespace treadle::python {

/// Python adds methods to the type: those that need NumPy.
struct DeviceArrayObject {
  PyObject_HEAD ArrayView view; ///< constructed in place by the object's maker, destroyed by tp_dealloc
  uint64_t serial;              ///< unique in the process; the memory that it identifies never changes
  NumberCode number;            ///< of an element
  Layout layout;
  bool isReadOnly;     ///< foreign read-only memory
  const Type *element; ///< if not a number: a record, or an opaque type
  PyObject *stream;    ///< the default for copies that name none; null: the default stream
  PyObject *owner;     ///< of memory that belongs to a Python object: its HostMemory; null: the device's memory
  PyObject *weakReferences;
  int64_t *lentStrides; ///< made when the array is first borrowed as a tensor
};

inline const Type *elementType(const DeviceArrayObject &array) {
  return array.element ? array.element : typeOf(array.number);
}

/// Created by `addDeviceArrayType`; never freed.
PyTypeObject *deviceArrayType();
/// For arrays over memory of a Python object: the same class, but the garbage collector sees what it keeps alive.
PyTypeObject *hostBackedArrayType();

inline bool isDeviceArray(PyObject *object) { return PyObject_TypeCheck(object, deviceArrayType()); }

/// A reference to a device array.
class DeviceArray : public nanobind::object {
  NB_OBJECT(DeviceArray, nanobind::object, "treadle.cuda.DeviceNDArray", isDeviceArray)

  DeviceArrayObject *operator->() const { return reinterpret_cast<DeviceArrayObject *>(ptr()); }
  DeviceArrayObject &operator*() const { return *operator->(); }
};

/// Precondition: the GIL is held.
uint64_t nextSerial();

/// A new object of that class; the other arguments construct its view. Throws nanobind::python_error.
template <typename... View> DeviceArray makeDeviceArray(PyTypeObject *type, View &&...view) {
  DeviceArray made = nanobind::steal<DeviceArray>(type->tp_alloc(type, 0));
  if (!made.is_valid()) [[unlikely]]
    throw nanobind::python_error();
  new (&made->view) ArrayView(std::forward<View>(view)...);
  made->serial = nextSerial();
  return made;
}

/// Strides in elements, which live as long as the array. Throws UsageError (Buffer) if they are not whole elements.
/// Needs the GIL.
int64_t *lentStrides(const DeviceArrayObject &array);
/// To be called before a write. Throws UsageError (Value) if it is read-only.
void checkWritable(const DeviceArrayObject &array);
/// Sets the fields that depend on the element type.
void setElementType(DeviceArrayObject &array, const Type *element);
/// Whether the memory of a NumPy array, in its current state, lies in the buffer of a device array. False, too, with a
/// Python error set.
bool holdsArray(const DeviceArrayObject &array, PyObject *numpyArray);

/// Reads a tuple of integers into `to`, which has room for `maxDimensions`, and returns their number. `what`: for
/// messages. Throws UsageError (Value), nanobind::python_error.
unsigned readExtents(PyObject *tuple, int64_t *to, const char *what);

/// A tuple of integers.
struct Integers {
  Integers(nanobind::handle tuple, const char *what) : count(readExtents(tuple.ptr(), values, what)) {}
  std::span<const int64_t> span() const { return {values, count}; }

private:
  int64_t values[maxDimensions];
  unsigned count;
};

/// Before the host accesses the memory itself: waits until all queued work that uses it has run. Throws DeviceError if
/// the array is lost.
void awaitUses(const DeviceArrayObject &array);

/// Adds a method to the class of device arrays. `arguments`: an nb::arg for each argument that may be None.
template <typename Function, typename... Arguments>
void addMethod(nanobind::handle type, const char *name, Function &&function, const Arguments &...arguments) {
  nanobind::cpp_function_def(std::forward<Function>(function), nanobind::scope(type), nanobind::name(name),
                             nanobind::is_method(), arguments...);
}

/// Adds the class DeviceNDArray and its constructors to the module. Throws nanobind::python_error.
void addDeviceArrays(nanobind::module_ &module);

} // namespace treadle::python
