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

/// Infers one Python function. What its code captured lives as long as the code.
class PythonProgram final : public Program {
public:
  struct Options {
    RuleSet rules = RuleSet::Numba;
    bool isKernel = true;
    bool debug = false;
    bool isKept = true; ///< in the code cache
    std::string shown;  ///< the stages that options of the function ask for, comma-separated
  };

  /// `function`: a plain function, borrowed; the owner of the program holds it. `identity`: what the resolver knows it
  /// by, the dispatcher or the function itself.
  PythonProgram(PyObject *function, PyObject *identity, Options options)
      : function(function), identity(identity), options(std::move(options)) {}

  /// Needs the GIL, for the warnings too, which it emits.
  InferredProgram infer(const Signature &signature) override;
  InferredProgram recall(const Signature &signature) override;
  TypedRef inferRecalled(const Signature &signature, const std::shared_ptr<RecordedNames> &names) override;
  std::string parameterName(unsigned place) const override;
  bool wantsStages() const override;
  /// By treadle/dumping.py.
  void show(const Image &image) override;
  /// What code that is alive names by a handle, borrowed; nullptr: nothing.
  PyObject *objectBehind(uint64_t handle) const;

  /// For Python's garbage collector: what compiled code refers to. 0, or what `visit` gave.
  int traverse(visitproc visit, void *argument) const;
  /// Lets go of that. The code must never run again.
  void dropReferences();

private:
  std::shared_ptr<PythonResolver> makeResolver();
  InferResult inferWith(const Signature &signature, NameResolver &names) const;
  uint64_t handle() const { return reinterpret_cast<uint64_t>(identity); }

  PyObject *const function;
  PyObject *const identity;
  const Options options;
  std::vector<std::weak_ptr<PythonResolver>> resolvers; ///< of code that is alive; guarded by the GIL
};

} // namespace treadle::python
