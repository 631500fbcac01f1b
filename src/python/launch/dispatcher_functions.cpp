// Queries of dispatchers for Python, and compilation without a launch.
#include "border/generate_request.h"
#include "python/host/gil_lock.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/launch/config_reader.h"
#include "python/launch/dispatcher_object.h"
#include "python/launch/python_program.h"
#include "python/source/syntax_from_ast.h"
#include "python/types/type_objects.h"
#include "runtime/runtime.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

namespace nb = nanobind;

namespace treadle::python {

namespace {

Signature compileOverload(nb::handle dispatcher, const Signature &signature) {
  GilLock gil;
  return dispatcherOf(dispatcher.ptr()).compile(signature, gil).inferredSignature();
}

std::vector<Signature> overloadsOf(nb::handle dispatcher) {
  std::vector<Signature> list;
  for (const Overload *overload : dispatcherOf(dispatcher.ptr()).overloads())
    list.push_back(overload->inferredSignature());
  return list;
}

/// `computeCapability` 0: of the code for this machine's device.
std::string inspectStage(nb::handle dispatcher, const Signature &signature, const std::string &stage,
                         unsigned computeCapability) {
  GilLock gil;
  return dispatcherOf(dispatcher.ptr()).stageOf(signature, stage, computeCapability, gil);
}

uint32_t contextBytes(const Variant *variant) {
  const CpuCode *const code = variant ? std::get_if<CpuCode>(&variant->image->details) : nullptr;
  return code ? code->contextBytes : 0;
}

/// The attributes of a signature's compiled code.
nb::dict codeAttributes(nb::handle dispatcher, const Signature &signature) {
  const Overload &overload = dispatcherOf(dispatcher.ptr()).overloadOf(signature);
  nb::dict attributes;
  const Variant *variant = overload.first();
  attributes["variants"] = overload.variantCount();
  const KernelAttributes known = variant ? variant->kernel->attributes() : KernelAttributes();
  attributes["registers"] = known.registers;
  attributes["shared"] = known.sharedBytes;
  attributes["context"] = contextBytes(variant);
  attributes["const"] = known.constBytes;
  attributes["local"] = known.localBytes;
  attributes["threads"] = known.maxThreads;
  return attributes;
}

/// [(grid, block, bytes of dynamic shared memory, count)]; None in place of grid and block: all other launches.
nb::list launchCounts(nb::handle dispatcher) {
  auto tupleOf = [](const uint32_t(&extents)[3]) { return nb::make_tuple(extents[0], extents[1], extents[2]); };
  const LaunchCounts &counts = launchCountsOf(dispatcher.ptr());
  nb::list list;
  for (const LaunchCounts::Entry &entry : counts.all())
    if (entry.count != 0)
      list.append(nb::make_tuple(tupleOf(entry.config.grid), tupleOf(entry.config.block), entry.config.sharedBytes,
                                 entry.count));
  if (counts.ofOthers() != 0)
    list.append(nb::make_tuple(nb::none(), nb::none(), 0, counts.ofOthers()));
  return list;
}

/// `config`: the key between the brackets of a launch.
uint64_t cooperativeBlocks(nb::handle dispatcher, const Signature &signature, nb::handle config) {
  RequestedConfig requested;
  NamedStream stream;
  if (!readConfig(config.ptr(), requested, stream))
    throw nb::python_error();
  GilLock gil;
  return dispatcherOf(dispatcher.ptr()).cooperativeBlocks(signature, requested, gil);
}

/// Maximum number of threads, bytes of dynamic shared memory, flags.
using QueryNumbers = std::tuple<uint32_t, uint32_t, unsigned>;
OccupancyQuery queryOf(const QueryNumbers &numbers) { return std::make_from_tuple<OccupancyQuery>(numbers); }

uint64_t activeBlocks(nb::handle dispatcher, const Signature &signature, const QueryNumbers &query) {
  GilLock gil;
  return dispatcherOf(dispatcher.ptr()).activeBlocks(signature, queryOf(query), gil);
}

std::pair<uint64_t, uint32_t> potentialBlock(nb::handle dispatcher, const Signature &signature,
                                             const QueryNumbers &query) {
  GilLock gil;
  const PotentialBlock found = dispatcherOf(dispatcher.ptr()).potentialBlock(signature, queryOf(query), gil);
  return {found.blocks, found.threads};
}

nb::list cacheCounts(nb::handle dispatcher) {
  nb::list list;
  for (const Dispatcher::CacheCount &count : dispatcherOf(dispatcher.ptr()).cacheCounts())
    list.append(nb::make_tuple(nb::cast(count.signature), count.hits, count.misses));
  return list;
}

/// The request of compile_function. `stage`: the stage whose text is returned instead of code; empty: none.
struct CompileRequest {
  std::string rules = "numba", stage;
  bool isDevice = false;
  CompileOptions options;
  unsigned computeCapability = 0; ///< times ten; 0: the CPU
  Facts facts;
};

struct CompiledFunction {
  const Type *result;
  Image image;
};

CompiledFunction compiled(nb::handle function, const Signature &signature, const CompileRequest &request,
                          bool keepsStages) {
  GilLock gil;
  PythonProgram program(function.ptr(), function.ptr(),
                        {ruleSetNamed(request.rules), !request.isDevice, request.options.debug});
  const InferredProgram known = program.infer(signature);
  const HostUnlocked unlocked(gil);
  return {known.result.result, generateFor(gil, {known.result.function, targetOf(request.computeCapability),
                                                 request.facts, request.options, keepsStages})};
}

/// compile_function(function, signature, request) -> (code, type of the result). For the CPU the code is bytes: linked
/// machine code with its constants (Image::code), which only the runtime can load.
nb::tuple compileFunction(nb::handle function, const Signature &signature, const CompileRequest &request) {
  const auto [type, image] = compiled(function, signature, request, !request.stage.empty());
  const nb::object result = typeObject(type);
  if (!request.stage.empty())
    return nb::make_tuple(image.stages.at(request.stage), result);
  nb::object code = image.target.kind == Target::Kind::Ptx
                        ? nb::cast(image.code)
                        : nb::object(nb::bytes(image.code.data(), image.code.size()));
  return nb::make_tuple(code, result);
}

/// compile_for_report(function, signature, request) -> dict: the code as text, and its attributes.
nb::dict compileForReport(nb::handle function, const Signature &signature, const CompileRequest &request) {
  const auto [type, image] = compiled(function, signature, request, true);
  const bool isPtx = image.target.kind == Target::Kind::Ptx;
  const CpuCode none, &cpu = isPtx ? none : std::get<CpuCode>(image.details);
  nb::dict result, fallbacks;
  for (const auto &[what, places] : cpu.fallbacks)
    fallbacks[nb::cast(what)] = places;
  result["kind"] = isPtx ? "ptx" : "cpu";
  result["cc"] = image.target.computeCapability;
  result["code"] = decodedText(isPtx ? image.code : image.stages.at("asm"));
  result["types"] = decodedText(image.stages.at("types"));
  result["signature"] = Signature{signature.arguments, type}.name();
  result["shared"] = image.sharedBytes;
  result["local"] = image.localBytes;
  result["context"] = cpu.contextBytes;
  result["stack"] = cpu.stackBytes;
  result["fallbacks"] = fallbacks;
  result["spans_blocks"] = cpu.spansBlocks;
  result["recurses"] = image.recurses;
  return result;
}

/// {name: value}, flags first.
nb::dict usualFacts() {
  nb::dict flags, values;
  visitFacts([&](const auto &row) { (row.isFlag ? flags : values)[row.pythonName] = row.usual; });
  flags.update(values);
  return flags;
}

/// Python sets the fields by name.
void addOptions(nb::module_ &module) {
  nb::class_<CompileOptions> options(module, "CompileOptions", "Options of one function that change its code.");
  options.def(nb::init<>());
#define OPTION(type, name, pythonName, unset) options.def_rw(#pythonName, &CompileOptions::name);
#include "border/compile_options.inc"
  nb::class_<Facts> facts(module, "Facts", "What holds for every launch of a function.");
  facts.def(nb::init<>());
  visitFacts([&facts](const auto &row) { facts.def_rw(row.pythonName, row.value); });
  nb::class_<CompileRequest>(module, "CompileRequest", "What compile_function compiles, and for whom.")
      .def(nb::init<>())
      .def_rw("rules", &CompileRequest::rules)
      .def_rw("device", &CompileRequest::isDevice)
      .def_rw("options", &CompileRequest::options)
      .def_rw("cc", &CompileRequest::computeCapability)
      .def_rw("facts", &CompileRequest::facts)
      .def_rw("stage", &CompileRequest::stage);
}

} // namespace

void addDispatcherFunctions(nb::module_ &module) {
  addOptions(module);
  module.def("usual_facts", &usualFacts, "The facts of most launches, for which a kernel is compiled first.");
  module.def("compile_overload", &compileOverload);
  module.def("overloads_of", &overloadsOf);
  module.def("inspect_stage", &inspectStage, nb::arg("dispatcher"), nb::arg("signature"), nb::arg("stage"),
             nb::arg("cc") = 0);
  module.def("code_attributes", &codeAttributes);
  module.def("launch_counts", &launchCounts);
  module.def("cooperative_blocks", &cooperativeBlocks);
  module.def("active_blocks", &activeBlocks,
             "How many blocks of (threads, shared bytes, flags) a multiprocessor runs.");
  module.def("potential_block", &potentialBlock,
             "(grid, block) of most threads at once, for (most threads or 0, shared bytes, flags).");
  module.def("compile_function", &compileFunction);
  module.def("compile_for_report", &compileForReport);
  module.def("syntax", [](nb::handle function) { return syntaxFromPython(function.ptr())->print(); });
  module.def(
      "syntax_text",
      [](nb::handle function) {
        const SourceText &source = *syntaxFromPython(function.ptr())->source();
        return nb::make_tuple(decodedText(source.text), source.firstLine);
      },
      "(text, line number of its first line) that a function was read from.");
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
  module.def(
      "cache_counts", &cacheCounts,
      "Of each signature: (signature, how often its code was found in the code cache, how often it was generated).");
}

} // namespace treadle::python
