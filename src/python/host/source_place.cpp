// Walks the calling thread's frames; and the report of live objects at exit.
#include "python/host/source_place.h"

#include "python/host/held_reference.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "support/settings.h"

#include <fmt/core.h>
#include <nanobind/nanobind.h>

#include <dlfcn.h>
#include <string_view>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The folder of this module, with a slash: it contains the package's own Python files.
std::string packageFolder() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void *>(&placeInProgram), &here);
  const std::string_view path = here.dli_fname ? here.dli_fname : "";
  return std::string(path.substr(0, path.rfind('/') + 1));
}

void reportLeaks() {
  if (settingInteger(Setting::LeakReport) != 0)
    nb::module_::import_("treadle.devices.leaks").attr("report")();
}

} // namespace

void reportLeaksAtExit() { nb::module_::import_("atexit").attr("register")(nb::cpp_function(&reportLeaks)); }

std::string placeInProgram() {
  if (!holdsGil())
    return {};
  const std::string package = packageFolder();
  nb::object frame = nb::borrow(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
  while (frame.is_valid()) {
    auto *const current = reinterpret_cast<PyFrameObject *>(frame.ptr());
    const nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(current)));
    const std::string file(utf8Of(nb::getattr(code, "co_filename")));
    if (package.empty() || !file.starts_with(package))
      return fmt::format("{}:{}", file, PyFrame_GetLineNumber(current));
    frame = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetBack(current)));
  }
  return {};
}

} // namespace treadle::python
