// WarpLanes: the thread and block of each lane.
#include "codegen/cpu/lanes/warp_lanes.h"

#include "support/error.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Builds thread coordinates from the warp's scalars, in i32.
class Coordinates {
public:
  Coordinates(Emitter &e, WarpLanes &model, const WarpIdentity &warp, unsigned runLength)
      : b(e.builder), model(model), warp(warp), runLength(runLength) {}

  Value *blockDim(unsigned axis) { return model.geometry(cpu::blockDimWord, axis); }

  /// By the length of runs: one run is affine along x, and shared on the other axes; several are affine with two steps;
  /// in other blocks each lane's position is computed from its number.
  Leaf thread(unsigned axis) {
    if (runLength == model.laneCount())
      return axis == 0 ? Leaf(model.asMultipleOfWarp(coordinate(0, warp.linear)), b.getInt32(1), b.getInt32(0))
                       : Leaf(coordinate(axis, warp.linear));
    if (runLength > 1)
      return manyRuns(axis);
    return eachLane(axis);
  }

private:
  /// Coordinate of the warp's first thread, a scalar.
  /// Where a loop over the warps counts it along, without a division.
  Value *coordinate(unsigned axis, Value *linear) {
    if (warp.thread[axis])
      return warp.thread[axis];
    if (axis == 0)
      return b.CreateURem(linear, blockDim(0));
    Value *row = b.CreateUDiv(linear, blockDim(0));
    return axis == 1 ? b.CreateURem(row, blockDim(1)) : b.CreateUDiv(row, blockDim(1));
  }

  /// blockDim.x is the run length, and no warp spans two values of z.
  Leaf manyRuns(unsigned axis) {
    if (axis == 0)
      return {b.getInt32(0), b.getInt32(1), b.getInt32(0)};
    if (warp.thread[axis])
      return axis == 1 ? Leaf(warp.thread[1], b.getInt32(0), b.getInt32(1)) : Leaf(warp.thread[2]);
    Value *row = b.CreateUDiv(warp.linear, b.getInt32(runLength));
    if (axis == 1)
      return {b.CreateURem(row, blockDim(1)), b.getInt32(0), b.getInt32(1)};
    return b.CreateUDiv(row, blockDim(1));
  }

  /// x / divisor for each lane, for x below 1024: by a rounded-up reciprocal of 20 bits, which is exact there.
  Value *quotient(Value *x, Value *divisor) {
    Value *reciprocal = b.CreateUDiv(b.CreateAdd(b.getInt32((1u << 20) - 1), divisor), divisor);
    return b.CreateLShr(b.CreateMul(x, b.CreateVectorSplat(model.laneCount(), reciprocal)), 20);
  }

  Leaf eachLane(unsigned axis) {
    Value *linear = b.CreateAdd(b.CreateVectorSplat(model.laneCount(), warp.linear), model.laneNumbers(32));
    auto times = [&](Value *x, Value *extent) {
      return b.CreateMul(x, b.CreateVectorSplat(model.laneCount(), extent));
    };
    Value *row = quotient(linear, blockDim(0));
    if (axis == 0)
      return b.CreateSub(linear, times(row, blockDim(0)));
    Value *plane = quotient(row, blockDim(1));
    return axis == 2 ? plane : b.CreateSub(row, times(plane, blockDim(1)));
  }

  IRBuilder<> &b;
  WarpLanes &model;
  const WarpIdentity &warp;
  unsigned runLength;
};

/// Converts the width of an int32 coordinate, which is never negative or close to overflow.
Leaf resized(Emitter &e, const Leaf &leaf, const Type *type) {
  auto cast = [&](Value *value) {
    return e.builder.CreateIntCast(value, value->getType()->getWithNewType(e.llvmType(type)), true);
  };
  return leaf.isAffine() ? Leaf(cast(leaf.value), cast(leaf.s0), cast(leaf.s1)) : Leaf(cast(leaf.value));
}

} // namespace

/// The launch's geometry does not change while it runs.
Value *WarpLanes::geometry(unsigned first, unsigned axis) {
  IRBuilder<> &b = e->builder;
  Value *address = b.CreateConstGEP1_32(b.getInt32Ty(), warp.geometry, first + axis);
  LoadInst *load = b.CreateAlignedLoad(b.getInt32Ty(), address, Align(4));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

Value *WarpLanes::warpIndex() {
  IRBuilder<> &b = e->builder;
  return b.CreateZExt(b.CreateUDiv(warp.linear, b.getInt32(laneCount())), b.getInt64Ty());
}

Value *WarpLanes::clusterDim(unsigned axis) { return geometry(cpu::clusterDimWord, axis); }

Value *WarpLanes::blockOn(unsigned axis) { return resized(*e, Leaf(warp.block[axis]), types::int32()).value; }

Value *WarpLanes::clusterBlocks() {
  return e->builder.CreateMul(e->builder.CreateMul(clusterDim(0), clusterDim(1)), clusterDim(2));
}

/// The position in the cluster, x fastest.
Value *WarpLanes::clusterRank() {
  IRBuilder<> &b = e->builder;
  auto within = [&](unsigned axis) { return b.CreateURem(blockOn(axis), clusterDim(axis)); };
  Value *rows = b.CreateAdd(b.CreateMul(within(2), clusterDim(1)), within(1));
  return b.CreateAdd(b.CreateMul(rows, clusterDim(0)), within(0));
}

/// The shared memories of a cluster are adjacent. An out-of-range rank is clamped to another block's, so that accesses
/// stay in bounds.
Leaf WarpLanes::peerPointer(const Leaf &pointer, const Leaf &rank) {
  IRBuilder<> &b = e->builder;
  Value *own = clusterRank(), *last = b.CreateSub(clusterBlocks(), b.getInt32(1));
  Value *stride = b.CreateZExt(geometry(cpu::clusterStrideWord), b.getInt64Ty());
  auto like = [&](Value *scalar, Value *shape) {
    return shape->getType()->isVectorTy() ? b.CreateVectorSplat(laneCount(), scalar) : scalar;
  };
  auto distance = [&](ArrayRef<Value *> v) {
    Value *peer = b.CreateBinaryIntrinsic(Intrinsic::umin, v[0], like(last, v[0]));
    Value *apart = b.CreateSub(peer, like(own, v[0]));
    return b.CreateMul(b.CreateSExt(apart, v[0]->getType()->getWithNewBitWidth(64)), like(stride, v[0]));
  };
  return e->offsetPointer(pointer, e->apply(rank, distance));
}

/// Axes are those of the geometry, in which a launch may have exchanged two (`Facts::inGeometry`).
Leaf WarpLanes::identity(Operation op, const Type *type) {
  Coordinates at(*e, *this, warp, program.settings.runLength);
  TREADLE_CHECK(hasWarp() || isOneForBlock(op));
  if (op == Operation::LaneId)
    return resized(
        *e, {e->builder.getInt32(0), e->builder.getInt32(1), e->builder.getInt32(program.settings.runLength)}, type);
  if (op == Operation::LaneMaskLt) {
    Value *ones = Constant::getAllOnesValue(vectorOf(e->builder.getInt32Ty()));
    return resized(*e, Leaf(e->builder.CreateNot(e->builder.CreateShl(ones, laneNumbers(32)))), type);
  }
  if (op == Operation::ClusterRank)
    return resized(*e, Leaf(clusterRank()), type);
  if (op == Operation::ClusterBlocks)
    return resized(*e, Leaf(clusterBlocks()), type);
  const auto [position, named] = positionOf(op).value();
  const unsigned axis = program.analysis.facts.inGeometry(named);
  program.emission.readsGridSize |= position == Position::GridDim || position == Position::GridSize;
  // With whole warps only, one row of them included, rows of the block are multiples of a warp, unless it is cut from
  // rows of the grid.
  const bool areRowsWhole = axis == 0 && program.analysis.facts.fullWarps && !program.analysis.spansBlocks;
  const auto blockDim = [&] {
    Value *extent = at.blockDim(axis);
    return resized(*e, Leaf(areRowsWhole ? asMultipleOfWarp(extent) : extent), type);
  };
  switch (position) {
  case Position::ThreadIdx:
    return resized(*e, at.thread(axis), type);
  case Position::BlockIdx:
    return resized(*e, Leaf(warp.block[axis]), type);
  case Position::BlockDim:
    return blockDim();
  case Position::GridDim:
    return resized(*e, Leaf(geometry(cpu::gridDimWord, axis)), type);
  case Position::ClusterDim:
    return resized(*e, Leaf(clusterDim(axis)), type);
  case Position::BlockInCluster:
    return resized(*e, Leaf(e->builder.CreateURem(blockOn(axis), clusterDim(axis))), type);
  case Position::ClusterIdx:
    return resized(*e, Leaf(e->builder.CreateUDiv(blockOn(axis), clusterDim(axis))), type);
  case Position::GridClusters:
    return resized(*e, Leaf(e->builder.CreateUDiv(geometry(cpu::gridDimWord, axis), clusterDim(axis))), type);
  case Position::GridSize:
    return e->mulLeaves(resized(*e, Leaf(geometry(cpu::gridDimWord, axis)), type), blockDim());
  case Position::Grid:
    break;
  }
  if (!program.analysis.spansBlocks) {
    Leaf block = resized(*e, resized(*e, Leaf(warp.block[axis]), types::int32()), type);
    return e->addLeaves(e->mulLeaves(block, blockDim()), resized(*e, at.thread(axis), type));
  }
  Value *coordinate[] = {warp.gridX, warp.gridY, warp.gridZ};
  Value *base = e->builder.CreateTrunc(coordinate[axis], e->llvmType(type));
  // Spans begin at multiples of a warp, whatever the shape of the blocks.
  return axis == 0 ? Leaf(asMultipleOfWarp(base), e->constant(type, 1), e->constant(type, 0)) : Leaf(base);
}

} // namespace treadle::codegen
