// From the typed tree to linked machine code.
#include "codegen/cpu/cpu_backend.h"

#include "border/compiler.h"
#include "border/generate_request.h"
#include "border/image.h"
#include "border/kernel_abi.h"
#include "codegen/cpu/lanes/strided_access.h"
#include "codegen/cpu/machine/cpu_optimizer.h"
#include "codegen/cpu/machine/cpu_target.h"
#include "codegen/cpu/machine/object_linker.h"
#include "codegen/cpu/machine/stack_use.h"
#include "codegen/cpu/warp/cpu_kernel.h"
#include "codegen/emit_file.h"
#include "codegen/parameters.h"
#include "passes/pipeline.h"
#include "support/error.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>

using namespace llvm;

namespace treadle::codegen {

namespace {

std::string printed(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// Verified here, as a user has written it: LLVM would abort on what it takes for granted.
std::unique_ptr<Module> parsed(const ReplacedStage &stage, LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(stage.text, problem, context);
  std::string message;
  raw_string_ostream stream(message);
  if (!module)
    problem.print(stage.file.c_str(), stream, /*ShowColors=*/false);
  if (!module || verifyModule(*module, &stream))
    throw UsageError(UsageError::Kind::Value, "TREADLE_OVERRIDE: " + stage.file + " is not valid LLVM IR: " + message);
  return module;
}

/// Emits until no assumption about shapes is contradicted. Terminates, as each round raises at least one shape, and
/// none is ever lowered.
std::unique_ptr<Module> emitModule(LLVMContext &context, TargetMachine &machine, WarpProgram &program,
                                   const CpuKernelRequest &request) {
  while (true) {
    auto module = std::make_unique<Module>(request.kernel.name, context);
    module->setTargetTriple(machine.getTargetTriple().str());
    module->setDataLayout(machine.createDataLayout());
    if (emitCpuKernel(*module, program, request))
      return module;
  }
}

/// The properties of the kernel that a launch needs.
/// From the last round of emission, whose numbers are those of the code that is kept.
void describe(Image &image, WarpProgram &program, const TypedFunction &kernel) {
  image.sharedBytes = program.emission.sharedBytes;
  image.localBytes = program.emission.localBytes;
  image.isCooperative = kernel.hasGridBarrier;
  image.usesClusters = kernel.usesClusters;
  image.allocates = kernel.hasHeapArrays;
  CpuCode &code = image.cpu();
  code.contextBytes = program.emission.contextBytes;
  code.spansBlocks = program.analysis.spansBlocks;
  code.hasSafepoints = program.emission.hasSafepoints;
  code.usesFibers = program.analysis.usesFibers;
  code.blocksWait = kernel.hasGridBarrier || kernel.usesClusters || program.analysis.waiting->any();
  code.fallbacks = std::move(program.emission.fallbacks);
  if (code.usesFibers)
    code.fallbacks["warps are fibers"] = 1;
  if (code.blocksWait)
    code.fallbacks["blocks are fibers"] = 1;
}

/// Warps that span blocks are parts of one row of the grid, so all of their lanes are one run. Such kernels have no
/// regions: a strided loop in one is the whole kernel, and its warps need no block.
WarpSettings settingsFor(const Target &target, const Analysis &analysis, unsigned lanes) {
  WarpSettings settings;
  settings.lanes = lanes;
  settings.isa = isaOf(target);
  settings.hasFastGathers = hasFastGathers(target);
  settings.runLength =
      analysis.spansBlocks ? settings.lanes : std::min<unsigned>(analysis.facts.blockClass, settings.lanes);
  settings.hasRegions =
      !analysis.usesFibers && !analysis.spansBlocks && (analysis.kernel->hasBarrier || !analysis.stridedLoops.empty());
  settings.streamedFrom = target.largeArrayBytes;
  return settings;
}

/// The number of vector registers that the instructions write: the time of machine code generation is roughly
/// proportional to it. A strided load counts as an insertion for each lane, which it becomes where nothing better can
/// be done, unless its elements are so close that it is shuffled out of whole registers.
unsigned vectorRegisters(Module &module, VectorIsa isa) {
  const uint64_t bits = math::vectorBytes(isa) * 8;
  uint64_t count = 0;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *type = dyn_cast<FixedVectorType>(instruction.getType());
      if (!type)
        continue;
      const uint64_t each = divideCeil(module.getDataLayout().getTypeSizeInBits(type).getFixedValue(), bits);
      const std::optional<StridedAccess> access = StridedAccess::of(instruction);
      const bool isClose = access && access->step() * 8 < bits;
      count += each * (!access ? 1 : isClose ? 2 * access->step() / access->size() : access->lanes());
    }
  return unsigned(count);
}

struct Emitted {
  WarpProgram program;
  std::unique_ptr<Module> module;
};

/// The inputs of one kernel.
struct Sources {
  LLVMContext &context;
  TargetMachine &machine;
  const CpuRequest &request;
  const Analysis &analysis;
};

Emitted emitWith(unsigned lanes, const Sources &sources, const CpuKernelRequest &kernel) {
  WarpProgram program{sources.analysis, settingsFor(sources.request.target, sources.analysis, lanes)};
  std::unique_ptr<Module> module = emitModule(sources.context, sources.machine, program, kernel);
  return {std::move(program), std::move(module)};
}

/// With 16 lanes, a large kernel compiles in two thirds of the time and runs as fast. Many small ones run faster with
/// 32, which provide twice as many independent computations.
Emitted emitForLanes(const Sources &sources, const CpuKernelRequest &kernel) {
  constexpr unsigned muchCode = 1000;
  const unsigned wanted = sources.analysis.canHalveWarps ? sources.request.target.lanes : 32;
  Emitted emitted = emitWith(wanted == 16 ? 16 : 32, sources, kernel);
  const bool isLarge = vectorRegisters(*emitted.module, emitted.program.settings.isa) >= muchCode;
  return wanted == 0 && isLarge ? emitWith(16, sources, kernel) : std::move(emitted);
}

/// The machine passes change the module, so the stage "asm" is made from a copy. The frames' sizes are noted while the
/// object file is written, as only the last machine passes know them.
Image generate(TargetMachines &machines, const CpuRequest &request, bool keepStages, bool usesFibers) {
  const std::unique_ptr<const Analysis> analysis =
      analyse({request.kernel, request.facts, request.options, usesFibers, keepStages}, Generator::Cpu);
  const TypedFunction &kernel = *analysis->kernel;
  const TargetMachines::Lent machine = machineFor(machines, request.target, request.options.optimization);
  LLVMContext context;
  EmitOptions options = optionsOf(*analysis);
  // Within blocks the coordinates are available anyway; only warps that span blocks gain.
  if (!analysis->spansBlocks)
    options.gridIds = nullptr;
  Image image;
  image.target = request.target;
  image.signature = kernel.signature;
  image.facts = request.facts;
  image.entry = "treadle_kernel";
  image.parameters = layOut(parameterLeaves(kernel.signature));
  image.writes = writtenLeaves(kernel, image.parameters.leaves);
  const CpuKernelRequest wanted{kernel, options, image.parameters, image.entry};
  auto [program, module] = emitForLanes({context, *machine, request, *analysis}, wanted);
  setAttributes(*module, request.target);
  if (keepStages)
    image.stages["llvm"] = printed(*module);
  // In every build: LLVM's passes take valid IR for granted, and would end the process.
  if (verifyModule(*module, &errs()))
    throw InternalError("the CPU generator made invalid code for " + kernel.name);
  optimize(*module, *machine,
           {request.options.optimization,
            {program.emission.readsGridSize, program.emission.loadsInLoops, program.emission.loadsElements},
            program.settings.isa == VectorIsa::Avx512 ? 32 : ~0u,
            program.emission.hasVectorLoops,
            {program.settings.isa, program.settings.hasFastGathers}});
  // In place of what the passes have made, so that a user edits what the stage "optimized" shows.
  if (request.replaced)
    module = parsed(*request.replaced, context);
  if (keepStages) {
    image.stages["passes"] = *analysis->report;
    image.stages["optimized"] = printed(*module);
    const std::unique_ptr<Module> copy = CloneModule(*module);
    image.stages["asm"] = emitFile(*copy, *machine, CodeGenFileType::AssemblyFile, {idleOfLarge(*module)});
  }
  StackUse stack;
  const PassChanges::Replaced noted[] = {{"stack-frame-layout", &StackUse::makePass, &stack}};
  linkObject(emitFile(*module, *machine, CodeGenFileType::ObjectFile, {idleOfLarge(*module), noted}), image);
  const StackUse::Need need = stack.deepestChain(*module);
  image.cpu().stackBytes = need.bytes;
  image.recurses = need.recurses;
  image.raises = std::move(program.emission.raises);
  image.sources = std::move(program.emission.sources);
  describe(image, program, kernel);
  image.cpu().prints = module->getNamedValue(cpu::printSymbol) != nullptr;
  return image;
}

} // namespace

Image generateCpu(TargetMachines &machines, const CpuRequest &request, bool keepStages) {
  // Warps that take turns between barriers share the memory that debuggers read; each fiber has its own.
  try {
    return generate(machines, request, keepStages, keepsVariables(request.options) && request.kernel.hasBarrier);
  } catch (const NeedsFibers &) {
    // Only emission finds some of the reasons, and the analysis for fibers is another: all begins again.
    return generate(machines, request, keepStages, true);
  }
}

} // namespace treadle::codegen
