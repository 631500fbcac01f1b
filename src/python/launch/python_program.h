// The Python half of a dispatcher: from the function to its typed tree.
#pragma once

#include "launch/dispatcher.h"
#include "python/names/python_resolver.h"

#include <Python.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace treadle::python {

/// Infers one Python function. Captured objects live as long as the code.
class PythonProgram final : public Program {
public:
  struct Options {
    RuleSet rules = RuleSet::Numba;
    bool isKernel = true;
    bool debug = false;
    bool isKept = true; ///< in the code cache
    std::string shown;  ///< the stages that the function's options request, comma-separated
  };

  /// `function`: a plain function, borrowed from the program's owner. `identity`: its identity to the resolver, the
  /// dispatcher or the function itself.
  PythonProgram(PyObject *function, PyObject *identity, Options options)
      : function(function), identity(identity), options(std::move(options)) {}

  /// Needs the GIL, also for the warnings that it emits.
  InferredProgram infer(const Signature &signature) override;
  InferredProgram recall(const Signature &signature) override;
  TypedRef inferRecalled(const Signature &signature, const std::shared_ptr<RecordedNames> &names) override;
  std::string parameterName(unsigned place) const override;
  bool wantsStages() const override;
  /// Through treadle/kernels/dumping.py.
  void show(const Image &image) override;
  /// The object of a handle in live code, borrowed; nullptr: none.
  PyObject *objectBehind(uint64_t handle) const;

  /// For Python's garbage collector: visits the objects that compiled code refers to. 0, or the result of `visit`.
  int traverse(visitproc visit, void *argument) const;
  /// Drops those references. The code must never run again.
  void dropReferences();

private:
  std::shared_ptr<PythonResolver> makeResolver();
  InferResult inferWith(const Signature &signature, NameResolver &names) const;
  uint64_t handle() const { return reinterpret_cast<uint64_t>(identity); }

  PyObject *const function;
  PyObject *const identity;
  const Options options;
  std::vector<std::weak_ptr<PythonResolver>> resolvers; ///< of live code; guarded by the GIL
};

} // namespace treadle::python
