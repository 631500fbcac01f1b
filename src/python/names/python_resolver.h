// What names mean: answers inference's questions about Python objects.
#pragma once

#include "border/name_resolver.h"
#include "support/export.h"

#include <Python.h>

#include <memory>
#include <vector>

namespace treadle {
class Buffer;
}

namespace treadle::python {

/// Answers for one compilation of a Python function and those that it calls. Handles are addresses of objects, which
/// the resolver keeps alive: it must live as long as any code compiled with it (captured device arrays are pointers
/// into what it holds). All calls need the GIL. A Python error that is not the user's mistake passes as
/// nanobind::python_error.
///
/// What Python objects say of themselves, looked up on their type first, so that no `__getattr__` runs:
/// - `__treadle_key__`: str, the key in the builtins table ("cuda.grid"): Type::builtin;
/// - `__treadle_type__`: one of our type objects: Type::typeObject;
/// - `py_func`: a Python function: Type::function. Our dispatcher also has `__treadle_options__`, a dict with any of
///   "rules" ("numba" or "cuda-python"), "force_inline" (bool), "never_inline" (bool), "signatures" (list of tuples of
///   objects that have `__treadle_type__`), which CalledFunction repeats.
class PythonResolver : public NameResolver {
public:
  /// The handle of a dispatcher, or of a plain function; also what InferRequest::handle must be for a kernel. Recursion
  /// is found by it: a dispatcher and its own `py_func` are one and the same where one of them asks.
  virtual uint64_t handleOf(PyObject *function) = 0;
  /// Memory of device arrays that were captured since the last call.
  virtual std::vector<std::shared_ptr<Buffer>> takeCaptured() = 0;
  /// The object behind a handle, borrowed; nullptr: there is none.
  virtual PyObject *objectBehind(uint64_t handle) const = 0;
  /// For Python's garbage collector: the objects that are kept alive. 0, or what `visit` gave.
  virtual int traverse(visitproc visit, void *argument) const = 0;
  /// Lets go of them. Handles are of no use any more.
  virtual void dropReferences() = 0;
};

TREADLE_API std::shared_ptr<PythonResolver> makePythonResolver();

/// As the options of jit name it.
inline RuleSet ruleSetNamed(std::string_view name) {
  return name == "cuda-python" ? RuleSet::CudaPython : RuleSet::Numba;
}

} // namespace treadle::python
