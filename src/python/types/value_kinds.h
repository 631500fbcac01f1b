// Which kind of argument a Python value is: asked of its type in one order, remembered per type.
#pragma once

#include "launch/type_code.h"

#include <Python.h>

#include <cstdint>
#include <string>

namespace treadle::dlpack {
struct ExchangeTable;
}

namespace treadle::python {

enum class ValueTag : uint8_t {
  NumpyArray,
  VisibleArray, ///< a NumPy array over memory of a device
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
  Exchanged,   ///< of another library: by DLPack's C exchange API
  Interface,   ///< of another library: by the CUDA Array Interface
  Tensor,      ///< of another library: by DLPack
  Buffer,
  HostInterface, ///< in memory of the host: by NumPy's array interface
  Unsupported,
};

struct ValueKind {
  ValueTag tag = ValueTag::Unsupported;
  NumberCode number = NumberCode::None;            ///< NumpyScalar
  const NamedTupleClass *tupleClass = nullptr;     ///< NamedTuple; EnumMember that kernels have as such
  const char *reason = nullptr;                    ///< Unsupported: why, where there is more to say than that
  const dlpack::ExchangeTable *exchange = nullptr; ///< Exchanged
  bool isTorchs = false;                           ///< Exchanged: a tensor of PyTorch's
  ValueTag otherwise = ValueTag::Unsupported;      ///< Interface: what values are that show none at the moment
};

/// Values of that class and of those derived from it are arguments of that kind. For classes of Treadle's own, which
/// are kept for ever; before any value of them is seen.
void declareKind(PyTypeObject *type, ValueTag tag);

/// A look-up of a few ns for types seen before; needs the GIL. Unsupported with a Python error set if code of the
/// value's class raised it.
ValueKind valueKindOf(PyObject *value);

/// Whether it derives from a class that a module has, which the program has imported if so. False, too, with a Python
/// error set.
bool derivesFromClass(PyTypeObject *type, const char *module, const char *name);

/// The class's description, made at its first use and kept with the class for ever. Null for other tuples, maybe with a
/// Python error set.
const NamedTupleClass *namedTupleClass(PyTypeObject *type);

/// The enumeration that types of members call by that handle, where a member was an argument; else null. It is kept for
/// ever.
PyObject *enumerationWithHandle(uint64_t handle);

/// The description by which tokens call a type of kind Series::Time; for ever. Needs the GIL.
const NamedTupleClass &timeClassOf(const Type *time);
/// As timeClassOf(), of kind Series::Text.
const NamedTupleClass &textClassOf(const Type *text);

/// "float16", "[('x', '<f4')]", ...: what NumPy calls an array's dtype; "?" maybe with a Python error set.
std::string describeDtype(PyObject *array);

} // namespace treadle::python
