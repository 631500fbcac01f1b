// Host arrays: numbers by the buffer's format, records by NumPy's dtype.
#include "python/types/host_array.h"

#include "python/types/record_types.h"
#include "python/types/value_kinds.h"

namespace treadle::python {

namespace {

/// Records by their dtype: their formats of the buffer protocol differ where their dtypes do not, and not every dtype
/// of records has a format.
const Type *recordsOf(PyObject *object) {
  switch (valueKindOf(object).tag) {
  case ValueTag::NumpyArray:
  case ValueTag::VisibleArray:
    return recordTypeOf(*reinterpret_cast<NumpyArray *>(object)->description);
  case ValueTag::NumpyRecord:
    return recordTypeOf(*reinterpret_cast<NumpyRecord *>(object)->description);
  default:
    return nullptr;
  }
}

} // namespace

bool HostArray::take(PyObject *object, int flags) {
  recordType = recordsOf(object);
  if (!buffer.take(object, flags | (recordType ? 0 : PyBUF_FORMAT)))
    return false;
  code = recordType ? NumberCode::Record : numberOfFormat(buffer.format(), buffer.itemBytes());
  return true;
}

const Type *HostArray::element() const {
  if (recordType)
    return recordType;
  return code == NumberCode::None ? nullptr : typeOf(code);
}

std::string HostArray::typeText() const {
  return recordType ? recordType->name() : std::string("format '") + buffer.format() + "'";
}

} // namespace treadle::python
