// HostMemory as a type of which Python programs see nothing.
#include "python/arrays/host_memory.h"

#include "python/host/held_reference.h"

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Every device array over the buffer has a reference to it.
struct HostMemory {
  std::shared_ptr<Buffer> buffer; ///< holds the one reference to `host` that is told to the collector
  PyObject *host;                 ///< as long as the buffer lives

  HostMemory(const std::shared_ptr<Buffer> &buffer, nb::handle host) : buffer(buffer), host(host.ptr()) {}
  HostMemory(HostMemory &&) = default;
  ~HostMemory() {
    if (!buffer)
      return;
    buffer.reset();
    releaseHeldReferences();
  }
};

int visitHost(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  PyObject *const host = nb::inst_ready(self) ? nb::inst_ptr<HostMemory>(self)->host : nullptr;
  Py_VISIT(host);
  return 0;
}

// There is no tp_clear: nothing else breaks before the host object's own attributes are cleared, and what is queued may
// still need the memory then.
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(visitHost)}, {0, nullptr}};

} // namespace

nb::object hostMemory(const std::shared_ptr<Buffer> &buffer, nb::handle host) {
  return nb::cast(HostMemory(buffer, host));
}

void addHostMemoryType() { nb::class_<HostMemory>(nb::handle(), "HostMemory", nb::type_slots(slots)).release(); }

} // namespace treadle::python
