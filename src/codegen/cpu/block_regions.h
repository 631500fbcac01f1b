// BlockRegions: kernels with barriers. The statements between two barriers are a region; warps take turns in each.
#pragma once

#include "codegen/cpu/warp_model.h"

namespace treadle::codegen {

/// Cuts a kernel at its barriers (cpu-device: regions). Control that contains a barrier is uniform in the block and
/// runs once, outside of the loops over warps; so do assignments of values that such control needs.
class BlockRegions {
public:
  /// Emits a loop over the block's warps around its argument, which gets the number of threads (i64) from the warp on.
  using ForEachWarp = llvm::function_ref<void(llvm::function_ref<void(llvm::Value *)>)>;

  BlockRegions(Emitter &emitter, WarpModel &model, WarpProgram &program, ForEachWarp forEachWarp)
      : e(emitter), model(model), program(program), forEachWarp(forEachWarp) {}

  /// The frame's slots are declared and its parameters written.
  void emitKernel(Frame &frame);

private:
  Emitter &e;
  WarpModel &model;
  WarpProgram &program;
  ForEachWarp forEachWarp;
};

} // namespace treadle::codegen
