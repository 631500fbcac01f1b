// HostArray: an array in memory of the host, by the buffer protocol, with the type of its elements.
#pragma once

#include "launch/type_code.h"
#include "python/types/host_buffer.h"

#include <string>

namespace treadle::python {

/// As HostBuffer: taken once, given back at the end, never moved.
class HostArray {
public:
  /// `flags`: PyBUF_WRITABLE, or none. False: a Python error is set, as the exporter's or BufferError.
  bool take(PyObject *object, int flags);

  char *data() const { return buffer.data(); }
  bool isReadOnly() const { return buffer.isReadOnly(); }
  StridedExtents extents() const { return buffer.extents(); }
  /// None: elements that kernels do not have.
  NumberCode number() const { return code; }
  /// The elements' type where they are records, else null.
  const Type *record() const { return recordType; }
  /// Null: elements that kernels do not have.
  const Type *element() const;
  /// What the elements are, for messages.
  std::string typeText() const;

private:
  HostBuffer buffer;
  NumberCode code = NumberCode::None;
  const Type *recordType = nullptr;
};

} // namespace treadle::python
