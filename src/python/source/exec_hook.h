// Keeps the texts that Python compiles without a file.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Installs an audit hook for Python's `compile` event and adds two functions to `module`:
/// `exec_texts(file, needle, limit=0) -> list`: references to the texts that were compiled under that file name and
/// contain `needle`, latest first; `exec_text(reference) -> str`. Called once, when the extension is initialised, as
/// early as possible: texts compiled before are not seen. Throws nanobind::python_error.
void installExecHook(nanobind::module_ &module);

} // namespace treadle::python
