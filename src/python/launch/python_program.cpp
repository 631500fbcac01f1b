// Calls the compiler to infer a Python function.
#include "python/launch/python_program.h"

#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/source/syntax_from_ast.h"
#include "runtime/code_cache.h"
#include "runtime/runtime.h"
#include "support/files/library_id.h"
#include "support/settings.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>

namespace nb = nanobind;

namespace treadle::python {

namespace {

void emit(const std::vector<std::string> &warnings) {
  for (const std::string &warning : warnings)
    warn("TreadleWarning", warning);
}

/// Includes this extension module, which resolves names, and the code that finds functions in texts.
std::string codeMakers() {
  const std::string libraries = Runtime::instance().codeMakers();
  const std::string own = loadedLibraryId(reinterpret_cast<const void *>(&codeMakers));
  if (libraries.empty() || own.empty())
    return {};
  const auto finder = nb::cast<nb::bytes>(memberOf("treadle.source.keys", "finder")());
  FieldWriter makers;
  makers(libraries);
  makers(own);
  makers(digestOf({finder.c_str(), finder.size()}));
  return std::move(makers.bytes);
}

/// Closure variables are resolved first, so that each closure has its own entries in the code cache.
std::string keyOf(nb::handle function, const ProgramRequest &request, RecordedNames &names) {
  for (const nb::handle name : nb::cast<nb::tuple>(memberOf("treadle.source.keys", "closure_names")(function)))
    (void)names.resolve(names.root(), utf8Of(name));
  return CodeCache::keyOf(request, names);
}

} // namespace

std::shared_ptr<PythonResolver> PythonProgram::makeResolver() {
  std::shared_ptr<PythonResolver> names = makePythonResolver();
  std::erase_if(resolvers, [](const auto &known) { return known.expired(); });
  resolvers.push_back(names);
  names->handles.keep(identity);
  return names;
}

InferResult PythonProgram::inferWith(const Signature &signature, NameResolver &names) const {
  InferRequest request;
  request.function = syntaxFromPython(function);
  request.handle = handle();
  request.names = &names;
  request.signature = signature;
  request.rules = options.rules;
  request.isKernel = options.isKernel;
  request.debug = options.debug;
  return compiler().infer(request);
}

InferredProgram PythonProgram::infer(const Signature &signature) {
  const std::shared_ptr<PythonResolver> names = makeResolver();
  InferResult result = inferWith(signature, *names);
  emit(result.warnings);
  return {std::move(result), names->handles.takeCaptured(), names};
}

InferredProgram PythonProgram::recall(const Signature &signature) {
  CodeCache &cache = Runtime::instance().codeCache();
  if (!options.isKept || !cache.isUsed())
    return infer(signature);
  const std::shared_ptr<PythonResolver> live = makeResolver();
  const auto names = std::make_shared<RecordedNames>(live, handle(), signature);
  const ProgramRequest request{signature, options.rules, options.isKernel, options.debug, codeMakers()};
  const std::string key = keyOf(function, request, *names);
  InferredProgram program;
  if (std::optional<KnownProgram> known = cache.findProgram(key, *names)) {
    program.result = std::move(known->result);
    program.identity = std::move(known->identity);
  } else {
    program.result = inferWith(signature, *names);
    program.identity = cache.putProgram(key, *names, program.result);
    names->forgetAnswers();
  }
  emit(program.result.warnings);
  program.captured = live->handles.takeCaptured();
  program.references = live;
  program.names = names;
  return program;
}

TypedRef PythonProgram::inferRecalled(const Signature &signature, const std::shared_ptr<RecordedNames> &names) {
  return inferWith(signature, *names).function;
}

std::string PythonProgram::parameterName(unsigned place) const {
  return utf8Of(memberOf("treadle.source.raising", "parameter")(nb::handle(function), place));
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
  memberOf("treadle.kernels.dumping", "show")(nb::handle(function), nb::cast(image.signature), stages,
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
