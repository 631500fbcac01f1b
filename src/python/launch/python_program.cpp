// Asks the compiler to infer a Python function.
#include "python/launch/python_program.h"

#include "launch/runtime.h"
#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/source/syntax_from_ast.h"
#include "support/settings.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>

namespace nb = nanobind;

namespace treadle::python {

InferredProgram PythonProgram::infer(const Signature &signature) {
  InferRequest request;
  request.function = syntaxFromPython(function);
  const std::shared_ptr<PythonResolver> names = makePythonResolver();
  std::erase_if(resolvers, [](const auto &known) { return known.expired(); });
  resolvers.push_back(names);
  request.handle = names->handles.keep(identity);
  request.names = names.get();
  request.signature = signature;
  request.rules = options.rules;
  request.isKernel = options.isKernel;
  request.debug = options.debug;
  InferResult result = compiler().infer(request);
  for (const std::string &warning : result.warnings)
    warn("TreadleWarning", warning);
  return {std::move(result), names->handles.takeCaptured(), names};
}

std::string PythonProgram::parameterName(unsigned place) const {
  return utf8Of(memberOf("treadle.raising", "parameter")(nb::handle(function), place));
}

bool PythonProgram::wantsStages() const {
  constexpr Setting dumps[] = {Setting::DumpIr, Setting::DumpLlvm, Setting::DumpOptimized, Setting::DumpAssembly};
  return !options.shown.empty() ||
         std::ranges::any_of(dumps, [](Setting setting) { return settingInteger(setting) != 0; });
}

void PythonProgram::show(const Image &image) {
  if (!wantsStages())
    return;
  nb::dict stages;
  for (const auto &[stage, text] : image.stages)
    stages[decodedText(stage)] = decodedText(text);
  const bool isNumba = options.rules == RuleSet::Numba;
  memberOf("treadle.dumping", "show")(nb::handle(function), nb::cast(image.signature), stages,
                                      nb::make_tuple(options.shown, isNumba ? "numba" : "cuda-python"));
}

PyObject *PythonProgram::objectBehind(uint64_t handle) const {
  for (const std::weak_ptr<PythonResolver> &known : resolvers)
    if (const std::shared_ptr<PythonResolver> names = known.lock())
      if (PyObject *object = names->handles.find(handle).ptr())
        return object;
  return nullptr;
}

int PythonProgram::traverse(visitproc visit, void *argument) const {
  for (const std::weak_ptr<PythonResolver> &known : resolvers)
    if (const std::shared_ptr<PythonResolver> names = known.lock())
      if (const int result = names->handles.traverse(visit, argument))
        return result;
  return 0;
}

void PythonProgram::dropReferences() {
  for (const std::weak_ptr<PythonResolver> &known : resolvers)
    if (const std::shared_ptr<PythonResolver> names = known.lock())
      names->handles.drop();
}

} // namespace treadle::python
