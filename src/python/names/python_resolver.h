// PythonResolver: answers inference's questions about Python names and objects.
#pragma once

#include "border/name_resolver.h"
#include "python/names/captured_value.h"
#include "support/export.h"

#include <memory>

namespace treadle::python {

/// Serves one compilation of a Python function and those that it calls. Handles are addresses of objects, which the
/// resolver keeps alive: it must live as long as any code compiled with it (captured device arrays are pointers into
/// what it holds). All calls need the GIL. Python errors other than the user's mistakes pass as nanobind::python_error.
///
/// The protocol of Python objects, looked up on their type first, so that no `__getattr__` runs:
///
/// - `__treadle_key__`: str, the key in the builtins table ("cuda.grid"): Type::builtin;
/// - `__treadle_type__`: one of our type objects: Type::typeObject;
/// - `py_func`: a Python function: Type::function. Our dispatcher also has `__treadle_options__`, a dict with any of
///   "rules" ("numba" or "cuda-python"), "force_inline" (bool), "never_inline" (bool), "signatures" (list of tuples of
///   objects that have `__treadle_type__`), which CalledFunction repeats.
class PythonResolver : public NameResolver {
public:
  /// InferRequest::handle must be one of them. They identify recursion: a dispatcher and its own `py_func` are the same
  /// object when one of them is being inferred.
  HandleTable handles;
};

TREADLE_API std::shared_ptr<PythonResolver> makePythonResolver();

/// The rule set by its name in the options of jit.
inline RuleSet ruleSetNamed(std::string_view name) {
  return name == "cuda-python" ? RuleSet::CudaPython : RuleSet::Numba;
}

} // namespace treadle::python
