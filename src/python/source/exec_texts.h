// Remembers texts that were compiled without a file, so that functions made by exec() can be compiled as kernels.
#pragma once

#include <Python.h>

namespace treadle::python {

/// Installs an audit hook for Python's `compile` event and adds two functions to `module`:
/// `exec_texts(file, needle, limit=0) -> list`: references to the texts that were compiled under that file name and
/// contain `needle`, latest first; `exec_text(reference) -> str`. The hook keeps the last 4 MB of texts; a reference
/// keeps its text beyond that. Called once, when the extension is initialised, as early as possible: texts compiled
/// before are not seen. Throws nanobind::python_error.
void installExecTexts(PyObject *module);

} // namespace treadle::python
