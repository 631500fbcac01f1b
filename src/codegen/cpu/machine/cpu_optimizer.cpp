// The pipeline of LLVM passes over emitted code.
#include "codegen/cpu/machine/cpu_optimizer.h"

#include "border/target.h"
#include "codegen/cpu/lanes/prefetch.h"
#include "codegen/cpu/lanes/strided_elements.h"
#include "codegen/cpu/machine/cpu_target.h"
#include "codegen/cpu/machine/late_rewrites.h"
#include "codegen/cpu/machine/unrolled_loops.h"
#include "codegen/emit_file.h"
#include "codegen/roundings.h"
#include "support/error.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Whether a loop may have a constant trip count: it continues while a counter that is incremented by a constant, or
/// halved, is below (or above) a constant.
/// Asked first, as passes over loops take time in kernels that have none of these, too.
bool mayHaveConstantLoop(const Module &module) {
  for (const Function &function : module)
    for (const BasicBlock &block : function) {
      auto *branch = dyn_cast_or_null<BranchInst>(block.getTerminator());
      auto *test = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
      if (!test || !isa<ConstantInt>(test->getOperand(1)))
        continue;
      const Value *counter = test->getOperand(0);
      if (auto *next = dyn_cast<llvm::BinaryOperator>(counter); next && isa<Constant>(next->getOperand(1)))
        counter = next->getOperand(0);
      if (isa<PHINode>(counter))
        return true;
    }
  return false;
}

/// LLVM's analyses, and pipelines run over one module.
/// The managers refer to each other, and are destroyed in the reverse order. They are shared by the pipelines of one
/// module, so that analyses are kept between them.
struct Optimizer {
  explicit Optimizer(TargetMachine &machine) : builder(&machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }

  void run(Module &module, const char *pipeline) {
    ModulePassManager passes;
    cantFail(builder.parsePassPipeline(passes, pipeline));
    passes.run(module, modules);
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder;
};

} // namespace

namespace {

/// The vectorizer would print a remark about each marked loop that stays as it is.
struct ErrorsOnly : DiagnosticHandler {
  /// True: the message has been taken care of, and LLVM prints nothing.
  bool handleDiagnostics(const DiagnosticInfo &what) override { return what.getSeverity() != DS_Error; }
};

void vectorize(Module &module, Optimizer &optimizer) {
  module.getContext().setDiagnosticHandler(std::make_unique<ErrorsOnly>());
  // Marked loops only: the others' values are vectors of lanes already.
  optimizer.run(module, "function(loop-simplify,lcssa,loop-vectorize<vectorize-forced-only>)");
}

void lowerStrided(Module &module, Optimizer &optimizer, const StridedTarget &target) {
  if (!hasStridedAccesses(module))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      lowerStridedAccesses(function,
                           {optimizer.functions.getResult<AAManager>(function),
                            optimizer.functions.getResult<PostDominatorTreeAnalysis>(function)},
                           target);
}

/// Before each InstCombine, which would narrow the same operations to ones that may be fused.
void narrowAll(Module &module) {
  for (Function &function : module)
    narrowRounded(function, makeUnfused);
}

} // namespace

/// Loops are vectorized after they are rotated, and before constant ones are unrolled, which leaves nothing to
/// vectorize. What adds instructions that LLVM would move or merge again comes last: prefetching, moved loads, rewrites
/// for the back end.
void optimize(Module &module, TargetMachine &machine, const CpuOptimization &how) {
  Optimizer optimizer(machine);
  if (how.level == 0) {
    optimizer.run(module, "function(sroa)");
    return lowerStrided(module, optimizer, how.strided);
  }
  optimizer.run(module, "function(sroa,early-cse<memssa>,simplifycfg)");
  narrowAll(module);
  optimizer.run(module, "function(instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm))");
  if (how.vectorizes)
    vectorize(module, optimizer);
  if (mayHaveConstantLoop(module)) {
    for (Function &function : module)
      if (!function.isDeclaration())
        markUnrolledLoops(optimizer.functions.getResult<LoopAnalysis>(function),
                          optimizer.functions.getResult<ScalarEvolutionAnalysis>(function));
    optimizer.run(module, "function(loop-unroll<O3;no-peeling;no-runtime;no-partial>,sroa)");
  }
  narrowAll(module);
  optimizer.run(module, "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,sink)");
  lowerStrided(module, optimizer, how.strided);
  if (how.prefetched.longSteps || how.prefetched.columns || how.prefetched.elements)
    for (Function &function : module)
      if (!function.isDeclaration())
        prefetch(function, optimizer.functions.getResult<LoopAnalysis>(function),
                 optimizer.functions.getResult<ScalarEvolutionAnalysis>(function), how.prefetched);
  loadWindowsEarly(module);
  compareHalvesAsFloats(module);
  shareGathers(module, how.leastGathered);
  extractIndices(module, how.leastGathered);
}

std::vector<std::string_view> idleOfLarge(const Module &module) {
  constexpr size_t manyBlocks = 500, longBlock = 500;
  const CodeSize size = sizeOf(module);
  std::vector<std::string_view> idle;
  // Hoisted constants live through all blocks, which costs the register allocator quadratic time, as does finding masks
  // that can stay in mask registers.
  if (size.blocks > manyBlocks)
    idle = {"early-machinelicm", "x86-domain-reassignment"};
  // Orders each load against all stores.
  if (size.inBlock > longBlock)
    idle.push_back("machine-scheduler");
  return idle;
}

/// By features and not by a processor's name: the name would choose LLVM's model of its costs, and code would differ
/// between machines of the same features. Vectors of 512 bits are legal only if the attribute says so.
void setAttributes(Module &module, const Target &target) {
  const char *width = isaOf(target) == VectorIsa::Avx512 ? "512" : "256";
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr("no-trapping-math", "true");
  }
}

} // namespace treadle::codegen
