// The steps from a typed function to PTX.
#include "codegen/ptx/ptx_generator.h"

#include "border/compile_options.h"
#include "border/generate_request.h"
#include "border/image.h"
#include "codegen/ptx/device_math.h"
#include "codegen/ptx/legality.h"
#include "codegen/ptx/ptx_backend.h"
#include "codegen/ptx/ptx_kernel.h"
#include "codegen/ptx/ptx_lane_model.h"
#include "passes/pipeline.h"
#include "support/error.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

#include <algorithm>
#include <fmt/core.h>
#include <mutex>
#include <optional>

namespace treadle::codegen::ptx {

/// Located when a kernel first uses a math function: most do not, and looking for libdevice reads folders.
struct PtxGenerator::SharedMath {
  std::once_flag once;
  std::optional<DeviceMath> found;

  const DeviceMath &get() {
    std::call_once(once, [&] { found.emplace(); });
    return *found;
  }
};

PtxGenerator::PtxGenerator() : math(std::make_unique<SharedMath>()), machines(std::make_unique<TargetMachines>()) {}
PtxGenerator::~PtxGenerator() = default;

namespace {

std::string text(const llvm::Module &module) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  module.print(stream, nullptr);
  return result;
}

/// In every build: LLVM's passes take valid IR for granted, and would end the process.
void checkModule(const llvm::Module &module) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module, &stream))
    throw InternalError("the emitter made invalid LLVM IR: " + message);
}

/// Before DeviceMath is asked for, as that looks for libdevice.
bool usesMath(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && !function.use_empty() && function.getName().starts_with("__nv_");
  });
}

/// Subnormal float32 numbers are flushed to zero; division and square root are approximate.
/// By attributes, after math functions have been linked, so that these are as fast as the code that calls them.
void makeFast(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    function.addFnAttr("unsafe-fp-math", "true");
  }
}

/// Here and not at a launch, since older GPUs have no such instructions: there is no code to make.
[[noreturn]] void refuseClusters(const TypedFunction &function, unsigned capability) {
  Diagnostic diagnostic;
  diagnostic.kind = CompileErrorKind::Unsupported;
  diagnostic.message = "clusters need compute capability 9.0 or later";
  diagnostic.span = function.span;
  diagnostic.source = function.source;
  diagnostic.found = fmt::format("{}.{}", capability / 10, capability % 10);
  diagnostic.remedy = "launch it on another GPU, or let blocks exchange through global memory";
  throw CompileError(diagnostic);
}

/// The properties of the function that a launch needs.
void describe(Image &image, const TypedFunction &function) {
  image.signature = function.signature;
  image.isCooperative = function.isKernel && function.hasGridBarrier;
  image.usesClusters = function.isKernel && function.usesClusters;
  image.allocates = function.hasHeapArrays;
  image.recurses = function.recurses;
}

} // namespace

/// Math functions are linked, and get the attributes of fast math, before the passes, which inline them. Parameters are
/// dropped after the passes, when it is known which are read. The contents of captured arrays are withheld last, as the
/// stage "optimized" shows them.
Image PtxGenerator::generate(const PtxRequest &request, bool keepStages) const {
  CompileOptions options = request.options;
  if (request.function.usesClusters) // barrier.cluster.arrive.relaxed needs PTX 8.0 (CUDA 12.0)
    options.ptxVersion = std::max(options.ptxVersion, 80u);
  llvm::LLVMContext context;
  llvm::Module module(request.function.name, context);
  PtxBackend backend(*machines, request.target, options);
  backend.prepare(module);
  const std::unique_ptr<const Analysis> analysis =
      analyse({request.function, request.facts, options, false, keepStages}, Generator::Ptx);
  const TypedFunction &function = *analysis->kernel;
  if (function.usesClusters && request.target.computeCapability < 90)
    refuseClusters(function, request.target.computeCapability);
  EmitOptions emitOptions = optionsOf(*analysis);
  // With debuggers, variables that only alias an index must be assigned, too.
  if (keepsVariables(options))
    emitOptions.gridIds = nullptr;

  PtxLaneModel model(module, emitOptions, options);
  // For the types of leaves only: each function gets an emitter of its own.
  Emitter types(module, model, emitOptions);
  PtxEntry entry(types, function, options);
  model.divergentBarriers = analysis->divergentBarriers;
  model.gridBarrierWord = entry.gridBarrierWord();
  model.emitFunction(function, entry.code(), [&](Emitter &emitter) { return entry.arguments(emitter); });
  model.emitPending();
  model.finish();
  checkModule(module);

  Image image;
  if (keepStages)
    image.stages = {{"passes", *analysis->report}, {"llvm", text(module)}};
  image.target = request.target;
  if (usesMath(module)) {
    math->get().link(module, options.fastMath);
    image.target.libdevice = math->get().libdeviceHash();
  }
  if (options.fastMath)
    makeFast(module);
  backend.optimize(module);
  entry.finish();
  checkLegality(module);
  entry.describe(image);
  if (keepStages)
    image.stages["optimized"] = text(module);
  model.capturedData.withhold();
  image.code = model.capturedData.insertInto(backend.assemble(module));
  if (request.replaced)
    image.code = request.replaced->text;
  if (keepStages)
    image.stages["ptx"] = image.code;
  image.facts = request.facts;
  image.details = PtxCode{options.sharedCarveout};
  describe(image, function);
  image.raises = std::move(model.raised());
  image.sources = std::move(model.sources());
  image.sharedBytes = model.sharedBytes;
  image.localBytes = model.localBytes;
  return image;
}

} // namespace treadle::codegen::ptx
