// Calls of builtins: barriers, warps, bits, clocks.
#include "infer/builtin_rules.h"

namespace treadle {

typed::Expr *BuiltinRules::warpOp(WarpOperation op, const Type *type, const Items &operands, SourceSpan span) {
  phase->noted().hasWarpOps = true;
  return nodes.memory().make<typed::WarpOp>(typed::Expr{typed::ExprKind::WarpOp, type, span}, op,
                                            nodes.memory().list(operands));
}

/// A set of lanes: any integer, of which the low 32 bits are used.
typed::Expr *BuiltinRules::memberMask(const Builtin &row, typed::Expr *mask) {
  mask = unwrap(mask);
  if (!mask->type->isInt())
    failArgument(row, *mask, "an integer with a bit for each lane");
  return convert(mask, types::uint32());
}

typed::Expr *BuiltinRules::callBarrier(const Builtin &row, const Arguments &arguments) {
  const auto kind = std::get<BarrierKind>(row.code);
  phase->noted().hasBarrier = true;
  phase->noted().hasGridBarrier |= kind == BarrierKind::Grid;
  phase->noted().usesClusters |= isOfCluster(kind);
  typed::Expr *predicate = arguments.positional.empty() ? nullptr : truth(arguments.positional[0]);
  emit(nodes.statement<typed::Barrier>(typed::StmtKind::Barrier, arguments.span, kind, predicate));
  if (!predicate)
    return nodes.unit(types::none(), arguments.span);
  return spill(warpOp(WarpOperation::BarrierResult, types::int32(), {}, arguments.span));
}

typed::Expr *BuiltinRules::callBits(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = unwrap(arguments.positional[0]);
  if (!value->type->isInteger())
    failArgument(row, *value, "an integer");
  const bool isWide = value->type->bits() == 64;
  const Type *type = value->type;
  if (row.operation() == Operation::Brev)
    type = isWide ? types::uint64() : types::uint32();
  else if (row.operation() != Operation::Popc ? type->bits() < 32 : type->isBool())
    type = types::int32();
  typed::Expr *result = nodes.operation(row.operation(), type, {convert(value, type)}, arguments.span);
  return row.operation() == Operation::Ffs ? convert(result, types::uint32()) : result;
}

typed::Expr *BuiltinRules::callFma(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  const Type *type = types::float32();
  for (typed::Expr *&value : given) {
    value = unwrap(value);
    if (!value->type->isReal())
      failArgument(row, *value, "a real number");
    if (rules.mathFloat(operandOf(*value))->bits() == 64)
      type = types::float64();
  }
  return nodes.operation(row.operation(), type,
                         {convert(given[0], type), convert(given[1], type), convert(given[2], type)}, arguments.span);
}

typed::Expr *BuiltinRules::callSelect(const Builtin &row, const Arguments &arguments) {
  typed::Expr *test = truth(arguments.positional[0]);
  typed::Expr *then = unwrap(arguments.positional[1]), *otherwise = unwrap(arguments.positional[2]);
  for (typed::Expr *value : {then, otherwise})
    if (!value->type->isNumber())
      failArgument(row, *value, "a number");
  if (then->type->isFloat() != otherwise->type->isFloat() || then->type->isComplex() != otherwise->type->isComplex())
    failArgument(row, *otherwise, "a number of the same kind as " + then->type->name());
  const Type *type = unifyOperands(*then, *otherwise);
  return nodes.operation(row.operation(), type, {test, convert(then, type), convert(otherwise, type)}, arguments.span);
}

/// What warp functions exchange has 32 or 64 bits. Halves are their bits: float32 would not keep those of NaN.
typed::Expr *BuiltinRules::exchanged(typed::Expr *value, SourceSpan span) {
  if (value->type == types::float16())
    value = nodes.operation(Operation::Bitcast, types::int16(), {value}, span);
  return value->type->bits() < 32 ? convert(value, types::int32()) : value;
}

typed::Expr *BuiltinRules::callShuffle(const Builtin &row, const Arguments &arguments) {
  typed::Expr *mask = memberMask(row, arguments.positional[0]);
  typed::Expr *value = unwrap(arguments.positional[1]);
  if (!value->type->isReal())
    failArgument(row, *value, "a real number");
  const bool isHalf = value->type == types::float16();
  value = exchanged(value, arguments.span);
  typed::Expr *lane = unwrap(arguments.positional[2]);
  if (!lane->type->isInteger())
    failArgument(row, *lane, "an integer");
  typed::Expr *width = nodes.integer(types::int32(), 32, arguments.span);
  if (arguments.positional.size() == 4) {
    width = unwrap(arguments.positional[3]);
    if (!width->type->isInt())
      failArgument(row, *width, "an integer: 1, 2, 4, 8, 16 or 32");
    const std::optional<int64_t> lanes = constantInteger(*width);
    if (lanes && (*lanes < 1 || *lanes > 32 || (*lanes & (*lanes - 1)) != 0))
      failArgument(row, *width, "1, 2, 4, 8, 16 or 32");
    width = convert(width, types::int32());
  }
  const Items operands{mask, value, convert(lane, types::int32()), width};
  typed::Expr *received = warpOp(std::get<WarpOperation>(row.code), value->type, operands, arguments.span);
  return isHalf ? nodes.operation(Operation::Bitcast, types::float16(), {convert(received, types::int16())},
                                  arguments.span)
                : received;
}

typed::Expr *BuiltinRules::callVote(const Builtin &row, const Arguments &arguments) {
  const auto op = std::get<WarpOperation>(row.code);
  typed::Expr *mask = memberMask(row, arguments.positional[0]);
  typed::Expr *value = arguments.positional[1];
  if (row.rule == BuiltinRule::Vote)
    return warpOp(op, op == WarpOperation::Ballot ? types::int32() : types::boolean(), {mask, truth(value)},
                  arguments.span);
  value = unwrap(value);
  if (!value->type->isReal())
    failArgument(row, *value, "a real number");
  value = exchanged(value, arguments.span);
  const Type *both[] = {types::int32(), types::boolean()};
  return warpOp(op, op == WarpOperation::MatchAll ? types::tuple(both) : both[0], {mask, value}, arguments.span);
}

typed::Expr *BuiltinRules::callHardware(const Builtin &row, const Arguments &arguments) {
  const auto op = std::get<WarpOperation>(row.code);
  const SourceSpan span = arguments.span;
  switch (op) {
  case WarpOperation::SyncWarp:
    return warpOp(op, types::none(),
                  {arguments.positional.empty() ? nodes.integer(types::uint32(), 0xffffffff, span)
                                                : memberMask(row, arguments.positional[0])},
                  span);
  case WarpOperation::NanoSleep: {
    typed::Expr *duration = unwrap(arguments.positional[0]);
    if (!duration->type->isInt())
      failArgument(row, *duration, "an integer, nanoseconds");
    return warpOp(op, types::none(), {convert(duration, types::uint32())}, span);
  }
  case WarpOperation::Clock64:
  case WarpOperation::GlobalTimer:
    return warpOp(op, types::int64(), {}, span);
  case WarpOperation::ActiveMask:
  case WarpOperation::Clock:
    return warpOp(op, types::int32(), {}, span);
  case WarpOperation::ClusterArrive:
  case WarpOperation::ClusterArriveRelaxed:
    phase->noted().usesClusters = true;
    return warpOp(op, types::none(), {}, span);
  default:
    return warpOp(op, types::none(), {}, span);
  }
}

typed::Expr *BuiltinRules::callGridGroup(const Builtin &, const Arguments &arguments) {
  return nodes.unit(types::builtin("cuda.cg.grid_group"), arguments.span);
}

typed::Expr *BuiltinRules::callThreadNumber(const Builtin &row, const Arguments &arguments) {
  phase->noted().usesClusters |= isOfCluster(row.operation());
  return nodes.operation(row.operation(), types::int32(), {}, arguments.span);
}

/// The array under the same name in another block of the cluster.
typed::Expr *BuiltinRules::callPeerArray(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = unwrap(arguments.positional[0]), *rank = unwrap(arguments.positional[1]);
  const Type *type = array->type;
  if (!type->isArray() || (type->space() != Space::Shared && type->space() != Space::Generic))
    failArgument(row, *array, "a shared array");
  if (!rank->type->isInt())
    failArgument(row, *rank, "an integer: the rank of a block in its cluster");
  phase->noted().usesClusters = true;
  return nodes.view(types::array(type->element(), {type->ndim(), type->layout(), type->isReadOnly(), Space::Generic,
                                                   type->isUnaligned()}),
                    typed::ViewKind::Peer, array,
                    {{typed::ViewAxis::Kind::Index, convert(rank, types::int32()), nullptr, nullptr}});
}

} // namespace treadle
