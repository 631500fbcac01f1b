// The rows of the builtins table.
#include "builtins/builtin.h"

#include <algorithm>
#include <array>

namespace treadle {

namespace {

using enum BuiltinRule;

constexpr Builtin math(std::string_view key, Operation op) { return {key, MathUnary, op, 1, 1, {}}; }
constexpr Builtin math2(std::string_view key, Operation op) { return {key, MathBinary, op, 2, 2, {}}; }
constexpr Builtin rounding(std::string_view key, Operation op) { return {key, MathRounding, op, 1, 1, {}}; }
constexpr Builtin classify(std::string_view key, Operation op) { return {key, MathClassify, op, 1, 1, {}}; }
constexpr Builtin plain(std::string_view key, BuiltinRule rule, uint8_t minimum, uint8_t maximum) {
  return {key, rule, {}, minimum, maximum, {}};
}
constexpr Builtin binary(std::string_view key, BinaryOperator op) { return {key, Binary, op, 2, 2, {}}; }
constexpr Builtin unary(std::string_view key, UnaryOperator op) { return {key, Unary, op, 1, 1, {}}; }
constexpr Builtin compare(std::string_view key, CompareOperator op) { return {key, Compare, op, 2, 2, {}}; }
constexpr Builtin atomic(std::string_view key, AtomicOperation op) { return {key, Atomic, op, 3, 3, "ary idx val"}; }
constexpr Builtin barrier(std::string_view key, BarrierKind kind) {
  const bool hasPredicate = kind != BarrierKind::Plain && kind != BarrierKind::Grid;
  return {key, Barrier, kind, hasPredicate, hasPredicate, hasPredicate ? "predicate" : ""};
}
constexpr Builtin warp(std::string_view key, BuiltinRule rule, WarpOperation op, std::string_view parameters) {
  return {key, rule, op, 2, 2, parameters};
}
constexpr Builtin shuffle(std::string_view key, WarpOperation op, std::string_view parameters) {
  return {key, Shuffle, op, 3, 4, parameters};
}
constexpr Builtin hardware(std::string_view key, WarpOperation op) { return {key, Hardware, op, 0, 0, {}}; }
constexpr Builtin bits(std::string_view key, Operation op) { return {key, Bits, op, 1, 1, "x"}; }
constexpr Builtin thread(std::string_view key, Operation op) { return {key, ThreadValue, op, 0, 0, {}}; }

constexpr auto rows = [] {
  std::array table = {
      plain("abs", Abs, 1, 1),
      plain("bool", Bool, 0, 1),
      plain("breakpoint", Breakpoint, 0, 0),
      plain("complex", Complex, 0, 2),
      plain("float", Float, 0, 1),
      plain("int", Int, 0, 1),
      plain("len", Length, 1, 1),
      Builtin{"max", MinMax, Operation::Max, 1, anyNumber, {}},
      Builtin{"min", MinMax, Operation::Min, 1, anyNumber, {}},
      plain("pow", Power, 2, 2),
      plain("print", Print, 0, anyNumber),
      plain("prange", Range, 1, 3),
      plain("range", Range, 1, 3),
      plain("xrange", Range, 1, 3),
      Builtin{"enumerate", Enumerate, {}, 1, 2, "iterable start"},
      plain("zip", Zip, 1, anyNumber),
      Builtin{"round", Round, {}, 1, 2, "number ndigits"},

      math("math.acos", Operation::Acos),
      math("math.acosh", Operation::Acosh),
      math("math.arctan", Operation::Atan),
      math("math.asin", Operation::Asin),
      math("math.asinh", Operation::Asinh),
      math("math.atan", Operation::Atan),
      math("math.atanh", Operation::Atanh),
      math("math.cbrt", Operation::Cbrt),
      math("math.cos", Operation::Cos),
      math("math.cosh", Operation::Cosh),
      math("math.erf", Operation::Erf),
      math("math.erfc", Operation::Erfc),
      math("math.exp", Operation::Exp),
      math("math.exp2", Operation::Exp2),
      math("math.expm1", Operation::Expm1),
      math("math.fabs", Operation::Fabs),
      math("math.gamma", Operation::Tgamma),
      math("math.lgamma", Operation::Lgamma),
      math("math.log", Operation::Log),
      math("math.log10", Operation::Log10),
      math("math.log1p", Operation::Log1p),
      math("math.log2", Operation::Log2),
      math("math.sin", Operation::Sin),
      math("math.sinh", Operation::Sinh),
      math("math.sqrt", Operation::Sqrt),
      math("math.tan", Operation::Tan),
      math("math.tanh", Operation::Tanh),
      math2("math.atan2", Operation::Atan2),
      math2("math.copysign", Operation::Copysign),
      Builtin{"math.fma", Fma, Operation::Fma, 3, 3, {}},
      math2("math.fmod", Operation::Fmod),
      math2("math.hypot", Operation::Hypot),
      math2("math.pow", Operation::PowFloat),
      rounding("math.ceil", Operation::Ceil),
      rounding("math.floor", Operation::Floor),
      rounding("math.trunc", Operation::Trunc),
      classify("math.isfinite", Operation::IsFinite),
      classify("math.isinf", Operation::IsInf),
      classify("math.isnan", Operation::IsNan),

      // Of real numbers; of others the library's functions with these keys.
      math("numpy.arccos", Operation::Acos),
      math("numpy.arccosh", Operation::Acosh),
      math("numpy.arcsin", Operation::Asin),
      math("numpy.arcsinh", Operation::Asinh),
      math("numpy.arctan", Operation::Atan),
      math("numpy.arctanh", Operation::Atanh),
      math("numpy.cbrt", Operation::Cbrt),
      math("numpy.ceil", Operation::Ceil),
      math("numpy.cos", Operation::Cos),
      math("numpy.cosh", Operation::Cosh),
      math("numpy.exp", Operation::Exp),
      math("numpy.exp2", Operation::Exp2),
      math("numpy.expm1", Operation::Expm1),
      math("numpy.fabs", Operation::Fabs),
      math("numpy.floor", Operation::Floor),
      math("numpy.log", Operation::Log),
      math("numpy.log10", Operation::Log10),
      math("numpy.log1p", Operation::Log1p),
      math("numpy.log2", Operation::Log2),
      math("numpy.rint", Operation::RoundEven),
      math("numpy.sin", Operation::Sin),
      math("numpy.sinh", Operation::Sinh),
      math("numpy.sqrt", Operation::Sqrt),
      math("numpy.tan", Operation::Tan),
      math("numpy.tanh", Operation::Tanh),
      math("numpy.trunc", Operation::Trunc),
      math2("numpy.arctan2", Operation::Atan2),
      math2("numpy.copysign", Operation::Copysign),
      math2("numpy.hypot", Operation::Hypot),
      classify("numpy.isfinite", Operation::IsFinite),
      classify("numpy.isinf", Operation::IsInf),
      classify("numpy.isnan", Operation::IsNan),

      binary("operator.add", BinaryOperator::Add),
      binary("operator.and_", BinaryOperator::And),
      binary("operator.floordiv", BinaryOperator::FloorDiv),
      binary("operator.iadd", BinaryOperator::Add),
      binary("operator.iand", BinaryOperator::And),
      binary("operator.ifloordiv", BinaryOperator::FloorDiv),
      binary("operator.ilshift", BinaryOperator::LShift),
      binary("operator.imod", BinaryOperator::Mod),
      binary("operator.imul", BinaryOperator::Mul),
      binary("operator.ior", BinaryOperator::Or),
      binary("operator.ipow", BinaryOperator::Pow),
      binary("operator.irshift", BinaryOperator::RShift),
      binary("operator.isub", BinaryOperator::Sub),
      binary("operator.itruediv", BinaryOperator::TrueDiv),
      binary("operator.ixor", BinaryOperator::Xor),
      binary("operator.lshift", BinaryOperator::LShift),
      binary("operator.mod", BinaryOperator::Mod),
      binary("operator.mul", BinaryOperator::Mul),
      binary("operator.or_", BinaryOperator::Or),
      binary("operator.pow", BinaryOperator::Pow),
      binary("operator.rshift", BinaryOperator::RShift),
      binary("operator.sub", BinaryOperator::Sub),
      binary("operator.truediv", BinaryOperator::TrueDiv),
      binary("operator.xor", BinaryOperator::Xor),
      unary("operator.inv", UnaryOperator::Invert),
      unary("operator.invert", UnaryOperator::Invert),
      unary("operator.neg", UnaryOperator::Negative),
      unary("operator.not_", UnaryOperator::Not),
      unary("operator.pos", UnaryOperator::Positive),
      plain("operator.abs", Abs, 1, 1),
      compare("operator.eq", CompareOperator::Equal),
      compare("operator.ge", CompareOperator::GreaterEqual),
      compare("operator.gt", CompareOperator::Greater),
      compare("operator.le", CompareOperator::LessEqual),
      compare("operator.lt", CompareOperator::Less),
      compare("operator.ne", CompareOperator::NotEqual),

      plain("cuda.threadIdx", ThreadAxes, 0, 0),
      plain("cuda.blockIdx", ThreadAxes, 0, 0),
      plain("cuda.blockDim", ThreadAxes, 0, 0),
      plain("cuda.gridDim", ThreadAxes, 0, 0),
      thread("cuda.threadIdx.x", Operation::ThreadIdxX),
      thread("cuda.threadIdx.y", Operation::ThreadIdxY),
      thread("cuda.threadIdx.z", Operation::ThreadIdxZ),
      thread("cuda.blockIdx.x", Operation::BlockIdxX),
      thread("cuda.blockIdx.y", Operation::BlockIdxY),
      thread("cuda.blockIdx.z", Operation::BlockIdxZ),
      thread("cuda.blockDim.x", Operation::BlockDimX),
      thread("cuda.blockDim.y", Operation::BlockDimY),
      thread("cuda.blockDim.z", Operation::BlockDimZ),
      thread("cuda.gridDim.x", Operation::GridDimX),
      thread("cuda.gridDim.y", Operation::GridDimY),
      thread("cuda.gridDim.z", Operation::GridDimZ),
      thread("cuda.laneid", Operation::LaneId),
      plain("cuda.warpsize", WarpSize, 0, 0),
      Builtin{"cuda.grid", Grid, Position::Grid, 1, 1, "ndim"},
      Builtin{"cuda.gridsize", Grid, Position::GridSize, 1, 1, "ndim"},
      Builtin{"cuda.shared.array", SharedArray, {}, 2, 3, "shape dtype alignment"},
      Builtin{"cuda.local.array", LocalArray, {}, 2, 3, "shape dtype alignment"},
      Builtin{"cuda.const.array_like", ConstArray, {}, 1, 1, "ndarray"},
      barrier("cuda.syncthreads", BarrierKind::Plain),
      barrier("cuda.syncthreads_and", BarrierKind::And),
      barrier("cuda.syncthreads_count", BarrierKind::Count),
      barrier("cuda.syncthreads_or", BarrierKind::Or),
      shuffle("cuda.shfl_sync", WarpOperation::ShuffleIndex, "mask value src_lane width"),
      shuffle("cuda.shfl_up_sync", WarpOperation::ShuffleUp, "mask value delta width"),
      shuffle("cuda.shfl_down_sync", WarpOperation::ShuffleDown, "mask value delta width"),
      shuffle("cuda.shfl_xor_sync", WarpOperation::ShuffleXor, "mask value lane_mask width"),
      warp("cuda.all_sync", Vote, WarpOperation::VoteAll, "mask predicate"),
      warp("cuda.any_sync", Vote, WarpOperation::VoteAny, "mask predicate"),
      warp("cuda.eq_sync", Vote, WarpOperation::VoteEqual, "mask predicate"),
      warp("cuda.ballot_sync", Vote, WarpOperation::Ballot, "mask predicate"),
      warp("cuda.match_any_sync", Match, WarpOperation::MatchAny, "mask value"),
      warp("cuda.match_all_sync", Match, WarpOperation::MatchAll, "mask value"),
      hardware("cuda.activemask", WarpOperation::ActiveMask),
      Builtin{"cuda.syncwarp", Hardware, WarpOperation::SyncWarp, 0, 1, "mask"},
      hardware("cuda.threadfence", WarpOperation::FenceDevice),
      hardware("cuda.threadfence_block", WarpOperation::FenceBlock),
      hardware("cuda.threadfence_system", WarpOperation::FenceSystem),
      hardware("cuda.clock", WarpOperation::Clock),
      hardware("cuda.clock64", WarpOperation::Clock64),
      hardware("cuda.globaltimer", WarpOperation::GlobalTimer),
      Builtin{"cuda.nanosleep", Hardware, WarpOperation::NanoSleep, 1, 1, "ns"},
      plain("cuda.lanemask_lt", LaneMask, 0, 0),
      bits("cuda.popc", Operation::Popc),
      bits("cuda.brev", Operation::Brev),
      bits("cuda.clz", Operation::Clz),
      bits("cuda.ffs", Operation::Ffs),
      Builtin{"cuda.fma", Fma, Operation::Fma, 3, 3, "a b c"},
      math("cuda.cbrt", Operation::Cbrt),
      Builtin{"cuda.selp", Select, Operation::Select, 3, 3, "a b c"},
      plain("cuda.cg.this_grid", GridGroup, 0, 0),
      plain("cuda.cg.grid_group", ThreadAxes, 0, 0),
      barrier("cuda.cg.grid_group.sync", BarrierKind::Grid),
      atomic("cuda.atomic.add", AtomicOperation::Add),
      atomic("cuda.atomic.and_", AtomicOperation::And),
      Builtin{"cuda.atomic.cas", Atomic, AtomicOperation::CompareAndSwap, 4, 4, "ary idx old val"},
      Builtin{"cuda.atomic.compare_and_swap", AtomicFirst, AtomicOperation::CompareAndSwap, 3, 3, "ary old val"},
      atomic("cuda.atomic.dec", AtomicOperation::Dec),
      atomic("cuda.atomic.exch", AtomicOperation::Exchange),
      atomic("cuda.atomic.inc", AtomicOperation::Inc),
      atomic("cuda.atomic.max", AtomicOperation::Max),
      atomic("cuda.atomic.min", AtomicOperation::Min),
      atomic("cuda.atomic.nanmax", AtomicOperation::NanMax),
      atomic("cuda.atomic.nanmin", AtomicOperation::NanMin),
      atomic("cuda.atomic.or_", AtomicOperation::Or),
      atomic("cuda.atomic.sub", AtomicOperation::Sub),
      atomic("cuda.atomic.xor", AtomicOperation::Xor),
      plain("isinstance", IsInstance, 2, 2),
      plain("literally", Literally, 1, 1),
      plain("literal_unroll", LiteralUnroll, 1, 1),
      plain("consteval", BuiltinRule::Consteval, 1, 1),
      plain("library.bitcast", BuiltinRule::Bitcast, 2, 2),
      plain("library.axis", Axis, 2, 2),
      plain("library.computed", Computed, 2, anyNumber),
      plain("library.math_float", MathFloat, 1, 2),
      plain("library.refuse", Refuse, 1, 3),
      plain("library.ticks", Ticks, 1, 1),
      plain("library.time_of", TimeOf, 3, 3),
      plain("library.typeof", TypeOf, 1, 1),
      plain("library.unit", Unit, 1, 1),
      plain("library.unit_factor", UnitFactor, 2, 2),
      plain("library.unit_named", UnitNamed, 1, 1),
      plain("tuple", TupleOf, 1, 1),
      plain("type", TypeOf, 1, 1),
      plain("numpy.dtype", DType, 1, 1),
      plain("array.reshape", BuiltinRule::Reshape, 2, anyNumber),
      Builtin{"numpy.reshape", BuiltinRule::Reshape, {}, 2, 2, "a shape"},
      plain("array.ravel", Ravel, 1, 1),
      plain("array.flatten", Ravel, 1, 1),
      plain("numpy.ravel", Ravel, 1, 1),
      plain("numpy.nditer", Ravel, 1, 1),
      plain("array.transpose", Transpose, 1, anyNumber),
      Builtin{"numpy.transpose", Transpose, {}, 1, 2, "a axes"},
      Builtin{"array.view", Retype, {}, 2, 2, "self dtype"},
      Builtin{"numpy.empty", NewArray, {}, 1, 2, "shape dtype"},
      Builtin{"numpy.zeros", NewArray, {}, 1, 2, "shape dtype"},
      Builtin{"numpy.ones", NewArray, {}, 1, 2, "shape dtype"},
      Builtin{"numpy.full", NewArray, {}, 2, 3, "shape fill_value dtype"},
      Builtin{"numpy.empty_like", NewArrayLike, {}, 1, 2, "prototype dtype"},
      Builtin{"numpy.zeros_like", NewArrayLike, {}, 1, 2, "a dtype"},
      Builtin{"numpy.ones_like", NewArrayLike, {}, 1, 2, "a dtype"},
      Builtin{"numpy.full_like", NewArrayLike, {}, 2, 3, "a fill_value dtype"},
      plain("numpy.arange", Range, 1, 3),
  };
  std::sort(table.begin(), table.end(), [](const Builtin &a, const Builtin &b) { return a.key < b.key; });
  return table;
}();

static_assert(std::ranges::all_of(rows, [](const Builtin &row) { return size_t(row.rule) < builtinRules; }));

} // namespace

const Builtin *findBuiltin(std::string_view key) {
  const auto *found = std::lower_bound(rows.begin(), rows.end(), key,
                                       [](const Builtin &row, std::string_view k) { return row.key < k; });
  return found != rows.end() && found->key == key ? found : nullptr;
}

std::span<const Builtin> allBuiltins() { return rows; }

} // namespace treadle
