// Operation: everything a typed expression can compute from values, without touching memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace treadle {

/// What each operation means is written once, in codegen/; here is which there are.
///
/// Integers wrap. Operands of arithmetic and comparison have one type (Shl and Shr: the count too), except comparisons
/// between integers of different types, which are exact. A comparison gives Bool. On every operation every lane is
/// defined, whether it is active or not (integer division by 0 included: any value, no trap).
// X(name, text): `text` is how dumps print it.
// clang-format off
#define TREADLE_OPERATIONS(X)                                                                                          \
  /* one operand, any number */                                                                                        \
  X(Convert, "convert")   /* to the expression's type; float to int saturates, NaN gives 0; to Bool: != 0 */            \
  X(Bitcast, "bitcast")   /* same width, other type */                                                                 \
  X(Neg, "neg") X(Invert, "invert") X(Not, "not") X(Abs, "abs")                                                        \
  /* two operands */                                                                                                   \
  X(Add, "add") X(Sub, "sub") X(Mul, "mul")                                                                            \
  X(TrueDiv, "truediv")   /* floats and complex only */                                                                \
  X(FloorDiv, "floordiv") /* Python's: rounds down; on floats floor of the exact quotient, result a float */            \
  X(Mod, "mod")           /* Python's: the divisor's sign; exact on floats */                                          \
  X(Pow, "pow")           /* both ints (negative exponent: 0, or +-1 for bases +-1), both floats, both complex */       \
  X(PowInt, "powint")     /* float or complex base, int64 exponent: by repeated multiplication */                       \
  X(Shl, "shl") X(Shr, "shr")     /* the count is taken modulo the width; Shr is arithmetic when signed */              \
  X(BitAnd, "and") X(BitOr, "or") X(BitXor, "xor")     /* on Bool they do not short-circuit */                         \
  X(Min, "min") X(Max, "max")     /* floats: the operand that is no NaN, as fmin and fmax */                           \
  X(Eq, "eq") X(Ne, "ne") X(Lt, "lt") X(Le, "le") X(Gt, "gt") X(Ge, "ge")                                              \
  /* complex, optional */                                                                                              \
  X(MakeComplex, "complex") X(Real, "real") X(Imag, "imag") X(Conjugate, "conjugate")                                  \
  X(MakeSome, "some") X(MakeNone, "none") X(HasValue, "has_value") X(Unwrap, "unwrap")                                 \
  /* rounding: the result has the operand's float type, or the expression's integer type */                             \
  X(Floor, "floor") X(Ceil, "ceil") X(Trunc, "trunc")                                                                  \
  X(RoundEven, "round_even")   /* ties to even */                                                                      \
  X(RoundDigits, "round_digits") /* round(x, n): float, int64 */                                                       \
  /* classification: Bool */                                                                                           \
  X(IsNan, "isnan") X(IsInf, "isinf") X(IsFinite, "isfinite")                                                          \
  /* bits of an integer */                                                                                             \
  X(Popc, "popc")   /* how many are set */                                                                              \
  X(Brev, "brev")   /* in reverse order */                                                                              \
  X(Clz, "clz")     /* zeros above the highest one that is set; of 0 the width */                                       \
  X(Ffs, "ffs")     /* 1 + position of the lowest one that is set; of 0: 0 */                                           \
  /* three operands */                                                                                                 \
  X(Fma, "fma")         /* floats; rounded once */                                                                      \
  X(Select, "select")   /* Bool, then two values that are both evaluated */                                             \
  /* math: float32 or float64, one operand */                                                                          \
  X(Sqrt, "sqrt") X(Fabs, "fabs")                                                                                      \
  X(Acos, "acos") X(Asin, "asin") X(Atan, "atan") X(Acosh, "acosh") X(Asinh, "asinh") X(Atanh, "atanh")                \
  X(Cos, "cos") X(Sin, "sin") X(Tan, "tan") X(Cosh, "cosh") X(Sinh, "sinh") X(Tanh, "tanh")                            \
  X(Exp, "exp") X(Expm1, "expm1") X(Log, "log") X(Log2, "log2") X(Log10, "log10") X(Log1p, "log1p")                    \
  X(Erf, "erf") X(Erfc, "erfc") X(Cbrt, "cbrt")                                                                        \
  /* math: two operands of one float type */                                                                           \
  X(Atan2, "atan2") X(PowFloat, "powf") X(Copysign, "copysign") X(Fmod, "fmod") X(Hypot, "hypot")                      \
  /* threads: int32 */                                                                                                 \
  X(ThreadIdxX, "tid.x") X(ThreadIdxY, "tid.y") X(ThreadIdxZ, "tid.z")                                                 \
  X(BlockIdxX, "ctaid.x") X(BlockIdxY, "ctaid.y") X(BlockIdxZ, "ctaid.z")                                              \
  X(BlockDimX, "ntid.x") X(BlockDimY, "ntid.y") X(BlockDimZ, "ntid.z")                                                 \
  X(GridDimX, "nctaid.x") X(GridDimY, "nctaid.y") X(GridDimZ, "nctaid.z")                                              \
  X(LaneId, "laneid") X(LaneMaskLt, "lanemask_lt")                                                                     \
  /* threads: the expression's type, int64 or int32 */                                                                 \
  X(GridX, "grid.x") X(GridY, "grid.y") X(GridZ, "grid.z")     /* blockIdx * blockDim + threadIdx */                   \
  X(GridSizeX, "gridsize.x") X(GridSizeY, "gridsize.y") X(GridSizeZ, "gridsize.z")
// clang-format on

enum class Operation : uint8_t {
#define TREADLE_ENUMERATOR(name, text) name,
  TREADLE_OPERATIONS(TREADLE_ENUMERATOR)
#undef TREADLE_ENUMERATOR
};

/// How dumps print it.
constexpr std::string_view operationText(Operation op) {
  constexpr std::string_view texts[] = {
#define TREADLE_TEXT(name, text) text,
      TREADLE_OPERATIONS(TREADLE_TEXT)
#undef TREADLE_TEXT
  };
  return texts[static_cast<unsigned>(op)];
}

/// Read-modify-write operations on one element; each gives the old value.
enum class AtomicOperation : uint8_t {
  Add,
  Sub,
  And,
  Or,
  Xor,
  Exchange,
  Inc, ///< 0 where the old value is not below the operand, else one more
  Dec, ///< the operand where the old value is 0 or above the operand, else one less
  Max, ///< floats: an element that is NaN stays, an operand that is NaN does nothing
  Min,
  NanMax, ///< floats: NaN counts as missing
  NanMin,
  CompareAndSwap, ///< a second operand: what the element must be to be replaced
};

/// How dumps print it.
constexpr std::string_view atomicText(AtomicOperation op) {
  constexpr std::string_view texts[] = {"add", "sub", "and", "or",     "xor",    "exch", "inc",
                                        "dec", "max", "min", "nanmax", "nanmin", "cas"};
  return texts[static_cast<unsigned>(op)];
}

/// What a thread does together with the others of its warp, or with the hardware. It stays where it stands and runs as
/// often as it is written. Member masks are uint32; lanes that have exited may be named. Results of votes and matches
/// count lanes that are both named and there.
// X(name, text): operands, then the result's type.
// clang-format off
#define TREADLE_WARP_OPERATIONS(X)                                                                                     \
  X(ShuffleIndex, "shfl.idx")   /* mask, value, lane, width (int32): value's type; out of range: the lane's own */      \
  X(ShuffleUp, "shfl.up") X(ShuffleDown, "shfl.down") X(ShuffleXor, "shfl.bfly")     /* the same */                    \
  X(VoteAll, "vote.all") X(VoteAny, "vote.any") X(VoteEqual, "vote.eq")     /* mask, Bool: Bool */                     \
  X(Ballot, "ballot")           /* mask, Bool: int32 */                                                                \
  X(MatchAny, "match.any")      /* mask, value of 32 or 64 bits: int32, lanes with the same bits */                     \
  X(MatchAll, "match.all")      /* the same: (int32, Bool): the named lanes and true, or 0 and false */                 \
  X(ActiveMask, "activemask")   /* int32 */                                                                            \
  X(SyncWarp, "syncwarp")       /* mask: None */                                                                       \
  X(FenceBlock, "fence.cta") X(FenceDevice, "fence.gl") X(FenceSystem, "fence.sys")     /* None */                     \
  X(Clock, "clock")             /* int32, cycles */                                                                    \
  X(Clock64, "clock64")         /* int64, cycles */                                                                    \
  X(GlobalTimer, "globaltimer") /* int64, ns */                                                                        \
  X(NanoSleep, "nanosleep")     /* uint32: None */                                                                     \
  X(BarrierResult, "barrier_result") /* int32, of the Barrier statement right before */
// clang-format on

enum class WarpOperation : uint8_t {
#define TREADLE_ENUMERATOR(name, text) name,
  TREADLE_WARP_OPERATIONS(TREADLE_ENUMERATOR)
#undef TREADLE_ENUMERATOR
};

/// How dumps print it.
constexpr std::string_view warpText(WarpOperation op) {
  constexpr std::string_view texts[] = {
#define TREADLE_TEXT(name, text) text,
      TREADLE_WARP_OPERATIONS(TREADLE_TEXT)
#undef TREADLE_TEXT
  };
  return texts[static_cast<unsigned>(op)];
}

/// What a barrier does besides waiting.
enum class BarrierKind : uint8_t {
  Plain,
  Count, ///< how many threads of the block gave true
  And,   ///< 1 where all of them did, else 0
  Or,    ///< 1 where one of them did, else 0
  Grid,  ///< waits for the whole grid
};

constexpr std::string_view barrierText(BarrierKind kind) {
  constexpr std::string_view texts[] = {"barrier", "barrier count", "barrier and", "barrier or", "barrier grid"};
  return texts[static_cast<unsigned>(kind)];
}

} // namespace treadle
