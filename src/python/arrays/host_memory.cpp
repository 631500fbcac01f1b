// HostMemory as a type that Python programs cannot see.
#include "python/arrays/host_memory.h"

#include "python/host/held_reference.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Every device array over the buffer has a reference to it.
struct HostMemory {
  std::shared_ptr<Buffer> buffer; ///< holds the only reference to `host` that is reported to the garbage collector
  PyObject *host;                 ///< valid as long as the buffer lives

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

// There is no tp_clear: a cycle is broken only by clearing the host object's own attributes, as queued work may still
// need the memory.
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(visitHost)}, {0, nullptr}};

} // namespace

nb::object hostMemory(const std::shared_ptr<Buffer> &buffer, nb::handle host) {
  return nb::cast(HostMemory(buffer, host));
}

// In no module, although its name has one: from 3.12 on Python warns of types without a module name, and where warnings
// are errors nanobind would abort.
void addHostMemoryType() {
  nb::class_<HostMemory>(nb::handle(), "treadle._core.HostMemory", nb::type_slots(slots)).release();
}

} // namespace treadle::python
