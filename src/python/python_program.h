// The Python half of a dispatcher: from the function to its typed tree.
#pragma once

#include "launch/dispatcher.h"
#include "python/python_resolver.h"

#include <Python.h>

#include <memory>

namespace treadle::python {

/// Infers one Python function. Keeps what its code captured for as long as the code may run.
class PythonProgram final : public Program {
public:
  struct Options {
    RuleSet rules = RuleSet::Numba;
    bool isKernel = true;
    bool debug = false;
  };

  /// `function`: a plain function, borrowed; the owner of the program holds it. `identity`: what the resolver knows it
  /// by, the dispatcher or the function itself.
  PythonProgram(PyObject *function, PyObject *identity, Options options)
      : function(function), identity(identity), options(options), names(makePythonResolver()) {}

  /// Needs the GIL, for the warnings too, which it emits.
  InferResult infer(const Signature &signature) override;
  /// What the code names by a handle, borrowed; nullptr: nothing.
  PyObject *objectBehind(uint64_t handle) const { return names->objectBehind(handle); }

private:
  PyObject *const function;
  PyObject *const identity;
  const Options options;
  const std::unique_ptr<PythonResolver> names;
};

} // namespace treadle::python
