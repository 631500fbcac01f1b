// From the typed tree to an object file for this machine.
#include "codegen/cpu/cpu_backend.h"

#include "border/kernel_abi.h"
#include "codegen/cpu/cpu_kernel.h"
#include "codegen/cpu/cpu_optimizer.h"
#include "codegen/cpu/cpu_target.h"
#include "codegen/cpu/stack_use.h"
#include "codegen/emit_file.h"
#include "codegen/parameters.h"
#include "passes/pipeline.h"
#include "support/error.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
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

/// Emits until no assumption about shapes is contradicted. It ends, as each round raises at least one shape, and none
/// is ever lowered.
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

/// What a launch of the kernel needs to know.
void describe(Image &image, WarpProgram &program, const TypedFunction &kernel) {
  image.sharedBytes = program.emission.sharedBytes;
  image.localBytes = program.emission.localBytes;
  image.cpu.contextBytes = program.emission.contextBytes;
  image.cpu.spansBlocks = program.analysis.spansBlocks;
  image.cpu.hasSafepoints = program.emission.hasSafepoints;
  image.cpu.usesFibers = program.analysis.usesFibers;
  image.isCooperative = kernel.hasGridBarrier;
  image.allocates = kernel.hasHeapArrays;
  image.cpu.blocksWait = kernel.hasGridBarrier || program.analysis.waiting->any();
  image.cpu.fallbacks = std::move(program.emission.fallbacks);
  if (image.cpu.usesFibers)
    image.cpu.fallbacks["warps are fibers"] = 1;
  if (image.cpu.blocksWait)
    image.cpu.fallbacks["blocks are fibers"] = 1;
}

WarpSettings settingsFor(const Target &target, const Analysis &analysis) {
  WarpSettings settings;
  settings.isa = isaOf(target);
  settings.runLength = analysis.spansBlocks ? warpLanes : analysis.facts.blockClass;
  settings.hasRegions =
      !analysis.usesFibers && !analysis.spansBlocks && (analysis.kernel->hasBarrier || !analysis.stridedLoops.empty());
  settings.streamedFrom = target.largeArrayBytes;
  return settings;
}

Image generate(TargetMachines &machines, const CpuRequest &request, bool keepStages, bool usesFibers) {
  const std::unique_ptr<const Analysis> analysis =
      analyse({request.kernel, request.facts, request.options, usesFibers}, Generator::Cpu);
  const TypedFunction &kernel = *analysis->kernel;
  const TargetMachines::Lent machine = machineFor(machines, request.target, request.options.optimization);
  LLVMContext context;
  WarpProgram program{*analysis, settingsFor(request.target, *analysis)};
  EmitOptions options = optionsOf(*analysis);
  // Within blocks the coordinates are there anyway; only warps that span blocks gain.
  if (!analysis->spansBlocks)
    options.gridIds = nullptr;
  Image image;
  image.target = request.target;
  image.signature = kernel.signature;
  image.facts = request.facts;
  image.entry = "treadle_kernel";
  image.parameters = layOut(parameterLeaves(kernel.signature));
  std::unique_ptr<Module> module =
      emitModule(context, *machine, program, {kernel, options, image.parameters, image.entry});
  setAttributes(*module, request.target);
  if (keepStages)
    image.stages["llvm"] = printed(*module);
  if (verifyModule(*module, &errs()))
    throw InternalError("the CPU generator made invalid code for " + kernel.name);
  optimize(*module, *machine,
           {request.options.optimization,
            {program.emission.readsGridSize, program.emission.loadsElements},
            program.settings.isa == VectorIsa::Avx512 ? 32 : ~0u});
  if (keepStages) {
    image.stages["optimized"] = printed(*module);
    const std::unique_ptr<Module> copy = CloneModule(*module);
    image.stages["asm"] = emitFile(*copy, *machine, CodeGenFileType::AssemblyFile);
  }
  StackUse stack;
  const PassChanges::Replaced noted[] = {{"stack-frame-layout", &StackUse::makePass, &stack}};
  image.code = emitFile(*module, *machine, CodeGenFileType::ObjectFile, {.replaced = noted});
  const StackUse::Need need = stack.deepestChain(*module);
  image.cpu.stackBytes = need.bytes;
  image.recurses = need.recurses;
  image.raises = std::move(program.emission.raises);
  image.sources = std::move(program.emission.sources);
  describe(image, program, kernel);
  image.cpu.prints = module->getNamedValue(cpu::printSymbol) != nullptr;
  return image;
}

} // namespace

Image generateCpu(TargetMachines &machines, const CpuRequest &request, bool keepStages) {
  try {
    return generate(machines, request, keepStages, false);
  } catch (const NeedsFibers &) {
    return generate(machines, request, keepStages, true);
  }
}

} // namespace treadle::codegen
