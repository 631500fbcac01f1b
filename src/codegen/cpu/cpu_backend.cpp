// From the typed tree to an object file for this machine.
#include "codegen/cpu/cpu_backend.h"

#include "border/kernel_abi.h"
#include "codegen/cpu/cpu_kernel.h"
#include "codegen/cpu/prefetch.h"
#include "codegen/parameters.h"
#include "passes/barrier_statements.h"
#include "passes/ranges.h"
#include "passes/spin_loops.h"
#include "passes/written_arrays.h"
#include "support/error.h"
#include "support/settings.h"
#include "typed/verify.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace treadle::codegen {

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
}

static std::string listed(ArrayRef<StringRef> features) {
  std::string text;
  for (const StringRef feature : features)
    text += (text.empty() ? "+" : ",+") + feature.str();
  return text;
}

static std::string detectedFeatures(const StringMap<bool> &here) {
  SmallVector<StringRef, 64> features;
  for (const auto &feature : here)
    if (feature.second)
      features.push_back(feature.first());
  return listed(features);
}

/// What a processor has: no more than this one, which must run the code.
static std::string featuresOf(const std::string &processor, const StringMap<bool> &here) {
  const std::string name = processor == "generic" ? "x86-64" : processor;
  if (X86::parseArchX86(name, /*Only64Bit=*/true) == X86::CK_None)
    throw UsageError(UsageError::Kind::Value, "TREADLE_CPU is '" + processor +
                                                  "'; it must be a 64-bit x86 processor as LLVM names it, such as "
                                                  "x86-64, x86-64-v3 or skylake");
  SmallVector<StringRef, 64> features, usable;
  X86::getFeaturesForCPU(name, features);
  for (const StringRef feature : features) {
    const auto found = here.find(feature);
    const bool isVector = feature.starts_with("avx") || feature.starts_with("sse") || feature == "fma";
    if (found != here.end() && !found->second && isVector)
      throw UsageError(UsageError::Kind::Value, "TREADLE_CPU is '" + processor + "', which has " + feature.str() +
                                                    "; this machine has not: name an older processor");
    if (found != here.end() && found->second)
      usable.push_back(feature);
  }
  return listed(usable);
}

/// LLVM itself only prints a line about names that it does not know, for each kernel.
static void checkFeatures(const std::string &wanted) {
  initializeTarget();
  std::string error;
  const std::string triple = sys::getProcessTriple();
  const llvm::Target *found = TargetRegistry::lookupTarget(triple, error);
  TREADLE_CHECK(found != nullptr);
  const std::unique_ptr<MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  SmallVector<StringRef, 32> features;
  StringRef(wanted).split(features, ',');
  for (const StringRef feature : features) {
    const bool isKnown = any_of(known->getAllProcessorFeatures(), [&](const SubtargetFeatureKV &row) {
      return feature.drop_front(std::min<size_t>(feature.size(), 1)) == row.Key;
    });
    if (!isKnown || (feature[0] != '+' && feature[0] != '-'))
      throw UsageError(UsageError::Kind::Value,
                       "TREADLE_CPU_FEATURES has '" + feature.str() +
                           "'; it must list features of x86 processors as LLVM names them, separated by commas, each "
                           "with + or - in front, such as +avx2,+fma,-avx512f");
  }
}

Target cpuHostTarget() {
  Target target;
  target.kind = Target::Kind::Cpu;
  const std::string wanted = settingText(Setting::CpuFeatures), processor = settingText(Setting::CpuName);
  const StringMap<bool> here = sys::getHostCPUFeatures();
  if (!wanted.empty())
    checkFeatures(wanted);
  target.features = !wanted.empty() ? wanted : processor.empty() ? detectedFeatures(here) : featuresOf(processor, here);
  return target;
}

static bool hasFeature(const std::string &features, const char *name) {
  return ("," + features + ",").find("," + std::string("+") + name + ",") != std::string::npos;
}

static cpu::VectorIsa isaOf(const Target &target) {
  if (hasFeature(target.features, "avx512f") && hasFeature(target.features, "avx512vl") &&
      hasFeature(target.features, "avx512dq") && hasFeature(target.features, "avx512bw"))
    return cpu::VectorIsa::Avx512;
  if (hasFeature(target.features, "avx2") && hasFeature(target.features, "fma"))
    return cpu::VectorIsa::Avx2;
  return cpu::VectorIsa::Sse;
}

static std::unique_ptr<TargetMachine> makeMachine(const Target &target, unsigned optimization) {
  initializeTarget();
  std::string error;
  const std::string triple = sys::getProcessTriple();
  const llvm::Target *found = TargetRegistry::lookupTarget(triple, error);
  TREADLE_CHECK(found != nullptr);
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  const CodeGenOptLevel level = optimization == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Default;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(triple, "x86-64", target.features, options,
                                                                   Reloc::PIC_, CodeModel::Small, level, true));
}

/// Whether a loop may run a constant number of times: it goes on while a counter, that it adds a constant to or halves,
/// is below (or above) a constant.
static bool mayHaveConstantLoop(const Module &module) {
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

namespace {

/// LLVM's analyses, and pipelines run over one module.
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

/// What the emitter leaves to LLVM: promotion of slots, common subexpressions, hoisting, unrolling of constant loops,
/// and moving what only masked code needs to there. Unrolling asks for the trip count of every loop, which is dear:
/// not where none can be constant.
static void optimize(Module &module, TargetMachine &machine, const WarpProgram &program, unsigned optimization) {
  Optimizer optimizer(machine);
  if (optimization == 0)
    return optimizer.run(module, "function(sroa)");
  optimizer.run(module, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
                        "loop-mssa(loop-rotate,licm))");
  if (mayHaveConstantLoop(module))
    optimizer.run(module, "function(loop-unroll<O3;no-peeling;no-runtime;no-partial>,sroa)");
  optimizer.run(module, "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,sink)");
  if (program.readsGridSize)
    for (Function &function : module)
      if (!function.isDeclaration())
        prefetchLongSteps(function, optimizer.functions.getResult<LoopAnalysis>(function),
                          optimizer.functions.getResult<ScalarEvolutionAnalysis>(function));
}

static void setAttributes(Module &module, const Target &target) {
  const char *width = isaOf(target) == cpu::VectorIsa::Avx512 ? "512" : "256";
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

static std::string printed(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

static std::string emitFile(Module &module, TargetMachine &machine, CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  const bool isRefused = machine.addPassesToEmitFile(passes, stream, nullptr, type);
  TREADLE_CHECK(!isRefused);
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

/// Emits until no assumption about shapes is contradicted; each round raises at least one, and shapes only rise.
static std::unique_ptr<Module> emitModule(LLVMContext &context, TargetMachine &machine, WarpProgram &program,
                                          const CpuKernelRequest &request) {
  while (true) {
    auto module = std::make_unique<Module>(request.kernel.name, context);
    module->setTargetTriple(machine.getTargetTriple().str());
    module->setDataLayout(machine.createDataLayout());
    if (emitCpuKernel(*module, program, request))
      return module;
  }
}

namespace {

struct Generation {
  bool keepStages, usesFibers;
};

/// From which size on an array will not be in the caches when somebody reads it: half of the last level.
uint64_t largeArrayBytes() {
  const long lastLevel = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max<uint64_t>(lastLevel > 0 ? uint64_t(lastLevel) / 2 : 0, uint64_t(16) << 20);
}

void findStrides(const CpuRequest &request, const GridIds &gridIds, WarpProgram &program) {
  if (program.usesFibers || request.options.optimization == 0)
    return;
  const LivenessTable &liveness =
      program.liveness.try_emplace(&request.kernel, findLiveness(request.kernel, true)).first->second;
  program.stridedLoops = findStridedLoops(request.kernel, liveness, &gridIds);
  const std::vector<StridedLoop> &loops = program.stridedLoops;
  if (program.spansBlocks && !(loops.size() == 1 && isAllOf(loops.front(), request.kernel)))
    program.stridedLoops.clear();
}

/// Not where threads wait for others while the kernel runs: what goes past the caches is in order only at its end.
void findStreams(const TypedFunction &kernel, WarpProgram &program) {
  if (program.usesFibers || program.waiting->any() || kernel.hasGridBarrier)
    return;
  program.streamed = onlyStoredParameters(kernel);
  program.streamedFrom = largeArrayBytes();
}

/// What launching it takes.
void describe(Image &image, WarpProgram &program, const TypedFunction &kernel) {
  image.sharedBytes = program.sharedBytes;
  image.localBytes = program.localBytes;
  image.cpu.contextBytes = program.contextBytes;
  image.cpu.spansBlocks = program.spansBlocks;
  image.cpu.hasSafepoints = program.hasSafepoints;
  image.cpu.usesFibers = program.usesFibers;
  image.isCooperative = kernel.hasGridBarrier;
  image.cpu.blocksWait = kernel.hasGridBarrier || program.waiting->any();
  image.cpu.fallbacks = std::move(program.fallbacks);
  if (image.cpu.usesFibers)
    image.cpu.fallbacks["warps are fibers"] = 1;
  if (image.cpu.blocksWait)
    image.cpu.fallbacks["blocks are fibers"] = 1;
}

Image generate(const CpuRequest &request, const Generation &how) {
  const bool noOverlap = request.facts.noOverlap && !capturesDeviceArray(request.kernel);
  const WaitingLoops waiting(request.kernel, noOverlap);
  if (!how.usesFibers && waiting.mayWaitIn(request.kernel))
    throw NeedsFibers{};
  const std::unique_ptr<TargetMachine> machine = makeMachine(request.target, request.options.optimization);
  LLVMContext context;
  WarpProgram program;
  program.isa = isaOf(request.target);
  program.fastMath = request.options.fastMath;
  program.waiting = &waiting;
  program.usesFibers = how.usesFibers;
  GridIds gridIds;
  findGridIds(request.kernel, gridIds);
  program.spansBlocks = !program.usesFibers && canSpanBlocks(request.kernel, gridIds);
  findStrides(request, gridIds, program);
  findStreams(request.kernel, program);
  program.hasRegions =
      !program.usesFibers && !program.spansBlocks && (request.kernel.hasBarrier || !program.stridedLoops.empty());
  program.runLength = program.spansBlocks ? warpLanes : request.facts.blockClass;
  const RangeTable ranges = findRanges(request.kernel, {request.facts, request.options.maxThreadsPerBlock});
  EmitOptions options;
  options.debug = request.options.debug;
  options.fastMath = request.options.fastMath;
  options.facts = request.facts;
  options.facts.noOverlap = noOverlap;
  options.ranges = &ranges;
  options.waiting = &waiting;
  std::vector<RaisedError> raises;
  options.raises = &raises;
  // In blocks the coordinates themselves are there already; only warps across blocks gain.
  options.gridIds = program.spansBlocks ? &gridIds : nullptr;
  Image image;
  image.target = request.target;
  image.signature = request.kernel.signature;
  image.facts = request.facts;
  image.entry = "treadle_kernel";
  image.parameters = layOut(parameterLeaves(request.kernel.signature));
  std::unique_ptr<Module> module =
      emitModule(context, *machine, program, {request.kernel, options, image.parameters, image.entry});
  setAttributes(*module, request.target);
  if (how.keepStages)
    image.stages["llvm"] = printed(*module);
  if (verifyModule(*module, &errs()))
    throw InternalError("the CPU generator made invalid code for " + request.kernel.name);
  optimize(*module, *machine, program, request.options.optimization);
  if (how.keepStages) {
    image.stages["optimized"] = printed(*module);
    const std::unique_ptr<Module> copy = CloneModule(*module);
    image.stages["asm"] = emitFile(*copy, *machine, CodeGenFileType::AssemblyFile);
  }
  image.code = emitFile(*module, *machine, CodeGenFileType::ObjectFile);
  image.raises = std::move(raises);
  describe(image, program, request.kernel);
  image.cpu.prints = module->getNamedValue(cpu::printSymbol) != nullptr;
  return image;
}

} // namespace

Image generateCpu(const CpuRequest &request, bool keepStages) {
  bool usesFibers = false;
  while (true) {
    const std::shared_ptr<TypedFunction> rewritten = makeBarriersStatements(request.kernel, usesFibers);
#ifndef NDEBUG
    verifyAll(rewritten ? *rewritten : request.kernel);
#endif
    try {
      return generate({rewritten ? *rewritten : request.kernel, request.target, request.facts, request.options},
                      {keepStages, usesFibers});
    } catch (const NeedsFibers &) {
      TREADLE_CHECK(!usesFibers);
      usesFibers = true;
    }
  }
}

} // namespace treadle::codegen
