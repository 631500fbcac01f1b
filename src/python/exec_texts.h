// Remembers texts that were compiled without a file, so that functions made by exec() can be compiled as kernels.
#pragma once

#include <Python.h>

namespace treadle::python {

/// Installs an audit hook for Python's `compile` event and adds to `module` the function
/// `exec_texts(file: str) -> list[str | bytes]`: the texts that were compiled under that file name, latest first, and
/// `trim_exec_texts()` for tests. The texts are kept in a ring of 4 MB. Called once, when the extension is initialised, as
/// early as possible. Throws nanobind::python_error.
void installExecTexts(PyObject *module);

} // namespace treadle::python
