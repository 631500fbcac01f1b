// From a Python function to its SyntaxFunction: finds the source text, lets Python parse it, walks the ast once.
#pragma once

#include "syntax/syntax.h"

#include <Python.h>

#include <memory>

namespace treadle::python {

/// The tree of a plain Python function (a def or a lambda). Cached as long as the function's code object lives, so the
/// second call is a look-up. Throws CompileError: Source if the text is unavailable, Unsupported for unsupported
/// constructs, Limit beyond `maxSyntaxDepth` nested expressions and statements. Needs the GIL.
std::shared_ptr<const SyntaxFunction> syntaxFromPython(PyObject *function);

} // namespace treadle::python
