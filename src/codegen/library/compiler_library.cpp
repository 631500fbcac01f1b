// The entry point of the compiler library: implements border/compiler.h.
#include "border/compiler.h"
#include "border/generate_request.h"
#include "border/image.h"
#include "codegen/cpu/cpu_backend.h"
#include "codegen/cpu/machine/cpu_target.h"
#include "codegen/ptx/ptx_generator.h"
#include "infer/infer.h"
#include "passes/analyses/short_rows.h"
#include "passes/grid/lane_axis.h"
#include "passes/grid/worker_tables.h"
#include "support/big_stack.h"
#include "support/error.h"
#include "support/files/build_id.h"
#include "support/fork_gate.h"
#include "typed/expression_types.h"
#include "typed/typed.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_set>

namespace treadle {

namespace {

constexpr int64_t largestInt32 = std::numeric_limits<int32_t>::max();

/// Packed arrays may have as many elements as an int32 counts, others as many bytes.
bool fitsInt32(const CapturedArray &array) {
  const unsigned itemBytes = array.type->element()->bytes();
  double bytes = itemBytes; // a double, which no strides can overflow
  for (size_t axis = 0; axis < array.shape.size(); ++axis) {
    if (array.shape[axis] > largestInt32)
      return false;
    if (array.shape[axis] > 0)
      bytes += double(array.shape[axis] - 1) * std::abs(double(array.strides[axis]));
  }
  return bytes <= double(largestInt32) * (array.type->layout() == Layout::Any ? 1 : itemBytes);
}

/// Callees as well: an image has one form of index arithmetic.
bool capturesFitInt32(const TypedFunction &function, std::unordered_set<const TypedFunction *> &seen) {
  return !seen.insert(&function).second ||
         (std::ranges::all_of(function.captured, fitsInt32) &&
          std::ranges::all_of(function.callees, [&](const auto &callee) { return capturesFitInt32(*callee, seen); }));
}

/// Facts of launches describe their arguments; captured arrays are added here.
Facts withCaptures(const TypedFunction &function, Facts facts) {
  std::unordered_set<const TypedFunction *> seen;
  facts.offsetsFitInt32 = facts.offsetsFitInt32 && capturesFitInt32(function, seen);
  return facts;
}

/// Positions are those of the whole compilation, and a function that is called twice has its arrays once.
void addDeviceArrays(const TypedFunction &function, std::vector<CapturedDeviceArray> &arrays,
                     std::unordered_set<const TypedFunction *> &seen) {
  if (!seen.insert(&function).second)
    return;
  for (const CapturedArray &array : function.captured)
    if (array.position) {
      arrays.resize(std::max<size_t>(arrays.size(), *array.position + 1));
      arrays[*array.position] = {std::string(array.name), array.type, array.shape, array.strides};
    }
  for (const auto &callee : function.callees)
    addDeviceArrays(*callee, arrays, seen);
}

/// From the tree as inference made it: passes copy captured arrays and keep their positions.
std::vector<CapturedDeviceArray> capturedDeviceArrays(const TypedFunction &function) {
  std::vector<CapturedDeviceArray> arrays;
  std::unordered_set<const TypedFunction *> seen;
  addDeviceArrays(function, arrays, seen);
  return arrays;
}

/// Both generators are thread-safe, and keep what compilations share: machines, math functions.
class CompilerLibrary final : public Compiler {
public:
  /// Not on a separate thread, as it calls Python to resolve names.
  InferResult infer(const InferRequest &request) override {
    InferResult result;
    runWithEnoughStack([&] {
      result = treadle::infer(request);
      if (request.isKernel)
        result.wanted = {usefulRows(*result.function), preferredAxes(*result.function),
                         tableArguments(*result.function)};
    });
    return result;
  }

  std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &shouldContinue) override {
    auto image = std::make_shared<Image>();
    // The thread may outlive this call, so it owns everything that it uses.
    auto work = [this, image, request] {
      // No fork comes in between, after which a child would find LLVM's locks taken.
      const ForkGate gate;
      const Facts held = withCaptures(*request.function, request.facts);
      const TypedFunction &function = *request.function;
      const ReplacedStage *replaced = request.replaced ? &*request.replaced : nullptr;
      *image = request.target.kind == Target::Kind::Ptx
                   ? ptx.generate({function, request.target, held, request.options, replaced}, request.keepStages)
                   : codegen::generateCpu(hostMachines, {function, request.target, held, request.options, replaced},
                                          request.keepStages);
      image->captured = capturedDeviceArrays(function);
      image->maxThreads = request.options.maxThreadsPerBlock;
      image->maxClusterBlocks = request.options.maxClusterRank;
      if (request.keepStages) {
        image->stages["typed"] = function.print();
        image->stages["types"] = expressionTypes(function);
      }
    };
    if (!runOnBigStack(std::move(work), shouldContinue))
      return std::nullopt;
    // The thread has ended; after an early return it may still write into the image.
    return std::move(*image);
  }

  std::string printTyped(const TypedRef &function) override { return function->print(); }
  std::string chosenFeatures(const std::string &here) override { return codegen::chosenFeatures(here); }
  std::string processorFeatures(const std::string &processor, const std::string &what) override {
    return codegen::processorFeatures(processor, what);
  }

private:
  codegen::TargetMachines hostMachines;
  codegen::ptx::PtxGenerator ptx;
};

} // namespace

/// The only symbol that this library exports. Returns null if the runtime is of another build.
extern "C" __attribute__((visibility("default"))) Compiler *treadle_compiler_create(const char *buildIdOfRuntime) {
  if (std::strcmp(buildIdOfRuntime, ownBuildId) != 0)
    return nullptr;
  return new CompilerLibrary;
}

} // namespace treadle
