// Classifies Python values as kinds of arguments: tests the type in a fixed order, and caches the result per type.
#pragma once

#include "types/names/type_code.h"

#include <Python.h>

#include <cstdint>
#include <string>

namespace treadle::dlpack {
struct ExchangeTable;
}

namespace treadle::python {

enum class ValueTag : uint8_t {
  NumpyArray,
  VisibleArray, ///< a NumPy array over a device's memory
  DeviceArray,
  Float,
  Int,
  NumpyScalar,
  NumpyRecord,
  NumpyTime, ///< a date or a duration
  Text,      ///< str, and NumPy's texts and bytes
  Bool,
  Complex,
  None,
  Tuple,
  NamedTuple,
  EnumMember,
  InArgument,  ///< cuda.In
  OutArgument, ///< cuda.Out, cuda.InOut
  Exchanged,   ///< foreign: through DLPack's C exchange API
  Interface,   ///< foreign: through the CUDA Array Interface
  Tensor,      ///< foreign: through DLPack
  Buffer,
  HostInterface, ///< in host memory: through NumPy's array interface
  Unsupported,
};

struct ValueKind {
  ValueTag tag = ValueTag::Unsupported;
  NumberCode number = NumberCode::None;            ///< NumpyScalar
  const NamedTupleClass *tupleClass = nullptr;     ///< NamedTuple; EnumMember that kernels receive as such
  const char *reason = nullptr;                    ///< Unsupported: a more specific reason, if any
  const dlpack::ExchangeTable *exchange = nullptr; ///< Exchanged
  bool isTorchs = false;                           ///< Exchanged: a PyTorch tensor
  ValueTag otherwise = ValueTag::Unsupported;      ///< Interface: the kind of values that currently export none
  bool isOfValue = false; ///< depends on the value's own attributes: another value of the class may be of another kind
};

/// Declares the kind of values of that class and of derived ones. For Treadle's own classes, which are kept alive
/// forever; to be called before any value of them is seen.
void declareKind(PyTypeObject *type, ValueTag tag);

/// Cached: a few ns for known types; needs the GIL. Unsupported with a Python error set if code of the value's class
/// raised it.
ValueKind valueKindOf(PyObject *value);

/// Whether it derives from a class of a module, which must have been imported in that case. False, too, with a Python
/// error set.
bool derivesFromClass(PyTypeObject *type, const char *module, const char *name);

/// The class's description, made at its first use and kept forever with the class. Null for other tuples, perhaps with
/// a Python error set.
const NamedTupleClass *namedTupleClass(PyTypeObject *type);

/// The enumeration that types of members refer to by that handle, if a member was an argument; else null. Kept alive
/// forever.
PyObject *enumerationWithHandle(uint64_t handle);

/// The description by which tokens identify a type of kind Series::Time; kept forever. Needs the GIL.
const NamedTupleClass &timeClassOf(const Type *time);
/// As timeClassOf(), for kind Series::Text.
const NamedTupleClass &textClassOf(const Type *text);

/// "float16", "[('x', '<f4')]", ...: NumPy's name of an array's dtype; "?" perhaps with a Python error set.
std::string describeDtype(PyObject *array);

} // namespace treadle::python
