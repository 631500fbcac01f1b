// Calls of builtins: barriers, warps, bits, clocks.
// Results have the types that Numba gives them.
#include "infer/calls/thread_calls.h"

namespace treadle {

/// Noted in the function, and so in its callers (Inference::finish): recursion through it is refused.
typed::Expr *ThreadCalls::warpOp(WarpOperation op, const Type *type, const Items &operands, SourceSpan span) {
  tree.phase()->noted().hasWarpOps = true;
  return tree.memory().make<typed::WarpOp>(typed::Expr{typed::ExprKind::WarpOp, type, span}, op,
                                           tree.memory().list(operands));
}

/// A lane mask: any integer, of which the low 32 bits are used.
/// `0xFFFFFFFF` is an int64 to Python, and -1 means all lanes as well.
typed::Expr *ThreadCalls::memberMask(const Builtin &row, typed::Expr *mask) {
  mask = tree.unwrap(mask);
  if (!mask->type->isInt())
    failArgument(tree, row, *mask, "an integer with a bit for each lane");
  return tree.convert(mask, types::uint32());
}

/// `cuda.syncthreads_count(p)` is two nodes, a barrier and the reading of its result, which must follow at once: hence
/// the temporary.
typed::Expr *ThreadCalls::callBarrier(const Builtin &row, const Arguments &arguments) {
  const auto kind = std::get<BarrierKind>(row.code);
  tree.phase()->noted().hasBarrier = true;
  tree.phase()->noted().hasGridBarrier |= kind == BarrierKind::Grid;
  tree.phase()->noted().usesClusters |= isOfCluster(kind);
  typed::Expr *predicate = arguments.positional.empty() ? nullptr : operators.truth(arguments.positional[0]);
  tree.emit(tree.statement<typed::Barrier>(typed::StmtKind::Barrier, arguments.span, kind, predicate));
  if (!predicate)
    return tree.unit(types::none(), arguments.span);
  return tree.spill(warpOp(WarpOperation::BarrierResult, types::int32(), {}, arguments.span));
}

/// Numba's types: brev gives an unsigned integer of 32 or 64 bits; clz and ffs widen to 32 bits what is narrower.
typed::Expr *ThreadCalls::callBits(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = tree.unwrap(arguments.positional[0]);
  if (!value->type->isInteger())
    failArgument(tree, row, *value, "an integer");
  const bool isWide = value->type->bits() == 64;
  const Type *type = value->type;
  if (row.operation() == Operation::Brev)
    type = isWide ? types::uint64() : types::uint32();
  else if (row.operation() != Operation::Popc ? type->bits() < 32 : type->isBool())
    type = types::int32();
  typed::Expr *result = tree.operation(row.operation(), type, {tree.convert(value, type)}, arguments.span);
  return row.operation() == Operation::Ffs ? tree.convert(result, types::uint32()) : result;
}

/// In float64 as soon as one operand needs it.
typed::Expr *ThreadCalls::callFma(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  const Type *type = types::float32();
  for (typed::Expr *&value : given) {
    value = realArgument(tree, row, value);
    if (tree.rules.mathFloat(operandOf(*value))->bits() == 64)
      type = types::float64();
  }
  return tree.operation(row.operation(), type,
                        {tree.convert(given[0], type), tree.convert(given[1], type), tree.convert(given[2], type)},
                        arguments.span);
}

/// `cuda.selp(test, a, b)` evaluates both, which must be numbers of one kind.
typed::Expr *ThreadCalls::callSelect(const Builtin &row, const Arguments &arguments) {
  typed::Expr *test = operators.truth(arguments.positional[0]);
  typed::Expr *then = tree.unwrap(arguments.positional[1]), *otherwise = tree.unwrap(arguments.positional[2]);
  for (typed::Expr *value : {then, otherwise})
    if (!value->type->isNumber())
      failArgument(tree, row, *value, "a number");
  if (then->type->isFloat() != otherwise->type->isFloat() || then->type->isComplex() != otherwise->type->isComplex())
    failArgument(tree, row, *otherwise, "a number of the same kind as " + then->type->name());
  const Type *type = operators.unifyOperands(*then, *otherwise);
  return tree.operation(row.operation(), type, {test, tree.convert(then, type), tree.convert(otherwise, type)},
                        arguments.span);
}

/// Warp functions exchange 32 or 64 bits. Halves are exchanged as bits: float32 would not preserve those of NaN.
typed::Expr *ThreadCalls::exchanged(typed::Expr *value, SourceSpan span) {
  if (value->type == types::float16())
    value = tree.operation(Operation::Bitcast, types::int16(), {value}, span);
  return value->type->bits() < 32 ? tree.convert(value, types::int32()) : value;
}

/// `cuda.shfl_down_sync(mask, value, 1)`. A width known only at run time is not checked.
typed::Expr *ThreadCalls::callShuffle(const Builtin &row, const Arguments &arguments) {
  typed::Expr *mask = memberMask(row, arguments.positional[0]);
  typed::Expr *value = realArgument(tree, row, arguments.positional[1]);
  const bool isHalf = value->type == types::float16();
  value = exchanged(value, arguments.span);
  typed::Expr *lane = tree.unwrap(arguments.positional[2]);
  if (!lane->type->isInteger())
    failArgument(tree, row, *lane, "an integer");
  typed::Expr *width = tree.integer(types::int32(), 32, arguments.span);
  if (arguments.positional.size() == 4) {
    width = tree.unwrap(arguments.positional[3]);
    if (!width->type->isInt())
      failArgument(tree, row, *width, "an integer: 1, 2, 4, 8, 16 or 32");
    const std::optional<int64_t> lanes = constantInteger(*width);
    if (lanes && (*lanes < 1 || *lanes > 32 || (*lanes & (*lanes - 1)) != 0))
      failArgument(tree, row, *width, "1, 2, 4, 8, 16 or 32");
    width = tree.convert(width, types::int32());
  }
  const Items operands{mask, value, tree.convert(lane, types::int32()), width};
  typed::Expr *received = warpOp(std::get<WarpOperation>(row.code), value->type, operands, arguments.span);
  return isHalf ? tree.operation(Operation::Bitcast, types::float16(), {tree.convert(received, types::int16())},
                                 arguments.span)
                : received;
}

/// A vote asks for the truth of a value, a match compares its bits.
typed::Expr *ThreadCalls::callVote(const Builtin &row, const Arguments &arguments) {
  const auto op = std::get<WarpOperation>(row.code);
  typed::Expr *mask = memberMask(row, arguments.positional[0]);
  typed::Expr *value = arguments.positional[1];
  if (row.rule == BuiltinRule::Vote)
    return warpOp(op, op == WarpOperation::Ballot ? types::int32() : types::boolean(), {mask, operators.truth(value)},
                  arguments.span);
  value = realArgument(tree, row, value);
  value = exchanged(value, arguments.span);
  const Type *both[] = {types::int32(), types::boolean()};
  return warpOp(op, op == WarpOperation::MatchAll ? types::tuple(both) : both[0], {mask, value}, arguments.span);
}

/// Clocks and the active mask are among them, as two readings may differ: they must not be merged.
typed::Expr *ThreadCalls::callHardware(const Builtin &row, const Arguments &arguments) {
  const auto op = std::get<WarpOperation>(row.code);
  const SourceSpan span = arguments.span;
  switch (op) {
  case WarpOperation::SyncWarp:
    return warpOp(op, types::none(),
                  {arguments.positional.empty() ? tree.integer(types::uint32(), 0xffffffff, span)
                                                : memberMask(row, arguments.positional[0])},
                  span);
  case WarpOperation::NanoSleep: {
    typed::Expr *duration = tree.unwrap(arguments.positional[0]);
    if (!duration->type->isInt())
      failArgument(tree, row, *duration, "an integer, nanoseconds");
    return warpOp(op, types::none(), {tree.convert(duration, types::uint32())}, span);
  }
  case WarpOperation::Clock64:
  case WarpOperation::GlobalTimer:
    return warpOp(op, types::int64(), {}, span);
  case WarpOperation::ActiveMask:
  case WarpOperation::Clock:
    return warpOp(op, types::int32(), {}, span);
  case WarpOperation::ClusterArrive:
  case WarpOperation::ClusterArriveRelaxed:
    tree.phase()->noted().usesClusters = true;
    return warpOp(op, types::none(), {}, span);
  default:
    return warpOp(op, types::none(), {}, span);
  }
}

/// `cg.this_grid()` has no state: it is a name, whose method sync() is a barrier.
typed::Expr *ThreadCalls::callGridGroup(const Builtin &, const Arguments &arguments) {
  return tree.unit(types::builtin("cuda.cg.grid_group"), arguments.span);
}

/// Numbers that are called in CUDA Python where others are attributes: `cuda.cluster.block_rank()`.
typed::Expr *ThreadCalls::callThreadNumber(const Builtin &row, const Arguments &arguments) {
  tree.phase()->noted().usesClusters |= isOfCluster(row.operation());
  return tree.operation(row.operation(), types::int32(), {}, arguments.span);
}

/// The array of the same name in another block of the cluster.
/// Not shared memory of this block, so accesses to it are generic.
typed::Expr *ThreadCalls::callPeerArray(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = tree.unwrap(arguments.positional[0]), *rank = tree.unwrap(arguments.positional[1]);
  const Type *type = array->type;
  if (!type->isArray() || (type->space() != Space::Shared && type->space() != Space::Generic))
    failArgument(tree, row, *array, "a shared array");
  if (!rank->type->isInt())
    failArgument(tree, row, *rank, "an integer: the rank of a block in its cluster");
  tree.phase()->noted().usesClusters = true;
  return tree.view(types::array(type->element(), {type->ndim(), type->layout(), type->isReadOnly(), Space::Generic,
                                                  type->isUnaligned()}),
                   typed::ViewKind::Peer, array,
                   {{typed::ViewAxis::Kind::Index, tree.convert(rank, types::int32()), nullptr, nullptr}});
}

} // namespace treadle
