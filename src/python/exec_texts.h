// Remembers texts that were compiled without a file, so that functions made by exec() can be compiled as kernels.
#pragma once

#include <Python.h>

namespace treadle::python {

/// Installs an audit hook for Python's `compile` event and adds to `module` the function
/// `exec_texts(file, needle) -> list[str]`: the texts that were compiled under that file name and contain `needle`,
/// latest first. The texts, 4 MB of them at most, live as long as the process. Called once, when the extension is
/// initialised, as early as possible: texts compiled before are not seen. Throws nanobind::python_error.
void installExecTexts(PyObject *module);

} // namespace treadle::python
