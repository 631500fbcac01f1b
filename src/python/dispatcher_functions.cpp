// Compiling, listing and inspecting overloads.
#include "python/dispatcher_functions.h"

#include "launch/runtime.h"
#include "python/config_reader.h"
#include "python/dispatcher_object.h"
#include "python/gil_lock.h"
#include "python/python_program.h"
#include "python/type_objects.h"
#include "support/error.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void fail(UsageError::Kind kind, const std::string &message) { throw UsageError(kind, message); }

const Overload &find(const Dispatcher &dispatcher, const Signature &signature) {
  for (const Overload *overload : dispatcher.overloads())
    if (overload->signature.arguments == signature.arguments)
      return *overload;
  fail(UsageError::Kind::Value, dispatcher.options().name + " is not compiled for " + signature.name());
}

/// The signature with the result that inference found.
Signature fullSignature(const Overload &overload) {
  return {overload.signature.arguments, overload.result ? overload.result : overload.signature.result};
}

Target targetOf(unsigned computeCapability) {
  if (computeCapability == 0)
    return compiler().hostTarget();
  Target target;
  target.kind = Target::Kind::Ptx;
  target.computeCapability = computeCapability;
  return target;
}

Signature compileOverload(nb::handle dispatcher, const Signature &signature) {
  GilLock gil;
  return fullSignature(dispatcherOf(dispatcher.ptr()).compile(signature, gil));
}

std::vector<Signature> overloadsOf(nb::handle dispatcher) {
  std::vector<Signature> list;
  for (const Overload *overload : dispatcherOf(dispatcher.ptr()).overloads())
    list.push_back(fullSignature(*overload));
  return list;
}

/// One stage as text. `computeCapability` 0: of the code that runs here.
std::string inspectStage(nb::handle object, const Signature &signature, const std::string &stage,
                         unsigned computeCapability) {
  Dispatcher &dispatcher = dispatcherOf(object.ptr());
  const Overload &overload = find(dispatcher, signature);
  if (stage == "typed")
    return compiler().printTyped(overload.typed);
  GilLock gil;
  const Image image = dispatcher.inspect(overload, targetOf(computeCapability), gil);
  if (stage == "ptx" && image.target.kind == Target::Kind::Ptx)
    return image.code;
  if (const auto found = image.stages.find(stage); found != image.stages.end())
    return found->second;
  if (stage == "asm" && image.target.kind == Target::Kind::Cpu)
    return compiler().disassemble(image);
  std::string known = "typed, asm, ptx";
  for (const auto &[name, text] : image.stages)
    known += ", " + name;
  fail(UsageError::Kind::Value, "there is no stage '" + stage + "'; there are " + known);
}

/// What is known of the compiled code of a signature.
nb::dict codeAttributes(nb::handle object, const Signature &signature) {
  const Overload &overload = find(dispatcherOf(object.ptr()), signature);
  nb::dict attributes;
  const Variant *variant = overload.first();
  attributes["variants"] = overload.variantCount();
  attributes["registers"] = variant ? variant->image->registers : 0;
  attributes["shared"] = variant ? variant->image->sharedBytes : 0;
  attributes["context"] = variant ? variant->image->warpContextBytes : 0;
  attributes["local"] = variant ? variant->image->localBytes : 0;
  return attributes;
}

/// `config`: what stands between the brackets of a launch.
uint64_t cooperativeBlocks(nb::handle object, const Signature &signature, nb::handle config) {
  RequestedConfig requested;
  StreamObject stream;
  if (!readConfig(config.ptr(), requested, stream))
    throw nb::python_error();
  const LaunchConfig checked = checkLaunchConfig(requested);
  const Dispatcher &dispatcher = dispatcherOf(object.ptr());
  const Variant *variant = find(dispatcher, signature).first();
  if (!variant)
    fail(UsageError::Kind::Value, dispatcher.options().name + " is no kernel: it is never launched");
  return Runtime::instance().device().cooperativeBlocks(*variant->kernel, checked);
}

struct CompileRequest {
  std::string rules, abiName;
  bool isDevice = false, debug = false, lineInfo = false, fastMath = false;
  unsigned optimization = 3, maxRegisters = 0, maxThreads = 0, minBlocks = 0, clusterRank = 0;
  unsigned computeCapability = 0;
  Facts facts;
  std::string stage; ///< text of this stage instead of code
};

Facts factsFrom(nb::handle given) {
  Facts facts;
  for (auto [key, value] : nb::cast<nb::dict>(given)) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "offsets_fit_int32")
      facts.offsetsFitInt32 = nb::cast<bool>(value);
    else if (name == "grid_fits_int32")
      facts.gridFitsInt32 = nb::cast<bool>(value);
    else if (name == "no_overlap")
      facts.noOverlap = nb::cast<bool>(value);
    else if (name == "aligned16")
      facts.aligned16 = nb::cast<bool>(value);
    else if (name == "full_warps")
      facts.fullWarps = nb::cast<bool>(value);
    else if (name == "block_class")
      facts.blockClass = uint8_t(nb::cast<unsigned>(value));
    else
      fail(UsageError::Kind::Value, "there is no fact '" + name +
                                        "'; there are offsets_fit_int32, grid_fits_int32, "
                                        "no_overlap, aligned16, full_warps, block_class");
  }
  return facts;
}

CompileRequest requestFrom(const nb::dict &options) {
  CompileRequest request;
  request.rules = nb::cast<std::string>(options["rules"]);
  request.abiName = nb::cast<std::string>(options["abi_name"]);
  request.isDevice = nb::cast<bool>(options["device"]);
  request.debug = nb::cast<bool>(options["debug"]);
  request.lineInfo = nb::cast<bool>(options["lineinfo"]);
  request.fastMath = nb::cast<bool>(options["fastmath"]);
  request.optimization = nb::cast<unsigned>(options["opt"]);
  request.maxRegisters = nb::cast<unsigned>(options["max_registers"]);
  request.maxThreads = nb::cast<unsigned>(options["max_threads"]);
  request.minBlocks = nb::cast<unsigned>(options["min_blocks"]);
  request.clusterRank = nb::cast<unsigned>(options["cluster_rank"]);
  request.computeCapability = nb::cast<unsigned>(options["cc"]);
  request.facts = factsFrom(options["facts"]);
  if (options.contains("stage"))
    request.stage = nb::cast<std::string>(options["stage"]);
  return request;
}

/// compile_function(function, signature, options) -> (code, type of the result)
nb::tuple compileFunction(nb::handle function, const Signature &signature, const nb::dict &options) {
  const CompileRequest request = requestFrom(options);
  if (!PyFunction_Check(function.ptr()))
    fail(UsageError::Kind::Type, "expected a Python function to compile");
  GilLock gil;
  PythonProgram program(
      function.ptr(), function.ptr(),
      {request.rules == "cuda-python" ? RuleSet::CudaPython : RuleSet::Numba, !request.isDevice, request.debug});
  const InferResult inferred = program.infer(signature);
  CompileOptions compile;
  compile.debug = request.debug;
  compile.lineInfo = request.lineInfo;
  compile.fastMath = request.fastMath;
  compile.optimization = request.optimization;
  compile.maxRegisters = request.maxRegisters;
  compile.maxThreadsPerBlock = request.maxThreads;
  compile.minBlocksPerSm = request.minBlocks;
  compile.maxClusterRank = request.clusterRank;
  compile.abiName = request.abiName;
  const auto image = [&] {
    const HostUnlocked unlocked(gil);
    const ForkGate gate;
    return compiler().generate(inferred.function, targetOf(request.computeCapability), request.facts, compile,
                               !request.stage.empty());
  }();
  const nb::object result = inferred.result ? typeObject(inferred.result) : nb::none();
  if (!request.stage.empty())
    return nb::make_tuple(image.stages.at(request.stage), result);
  nb::object code = image.target.kind == Target::Kind::Ptx
                        ? nb::cast(image.code)
                        : nb::object(nb::bytes(image.code.data(), image.code.size()));
  return nb::make_tuple(code, result);
}

} // namespace

void addDispatcherFunctions(nb::module_ &module) {
  module.def("compile_overload", &compileOverload);
  module.def("overloads_of", &overloadsOf);
  module.def("inspect_stage", &inspectStage, nb::arg("dispatcher"), nb::arg("signature"), nb::arg("stage"),
             nb::arg("cc") = 0);
  module.def("code_attributes", &codeAttributes);
  module.def("cooperative_blocks", &cooperativeBlocks);
  module.def("compile_function", &compileFunction);
  module.def("forbid_new_signatures", [](nb::handle dispatcher, bool forbidden) {
    dispatcherOf(dispatcher.ptr()).forbidNewSignatures(forbidden);
  });
  module.def("clear_overloads", [](nb::handle dispatcher) { dispatcherOf(dispatcher.ptr()).clear(); });
  module.def(
      "compilation_counts",
      [](nb::handle dispatcher) {
        const Dispatcher::Counts counts = dispatcherOf(dispatcher.ptr()).counts();
        return nb::make_tuple(counts.inferred, counts.generated);
      },
      "How often a dispatcher has inferred a signature and generated code: (inferred, generated).");
}

} // namespace treadle::python
