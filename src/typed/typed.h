// TypedFunction: the one intermediate form. Structured; every conversion is a node, every call has one resolved callee.
#pragma once

#include "builtins/operation.h"
#include "support/arena.h"
#include "support/source.h"
#include "types/number_rules.h"
#include "types/signature.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {
class TypedFunction;
}

namespace treadle::typed {

struct Expr;
struct Stmt;
using Body = std::span<Stmt *const>;

/// A variable. A user's name whose type changes has several slots, all with its name.
struct Slot {
  uint32_t index;        ///< position in TypedFunction::slots
  const Type *type;      ///< a run-time type
  std::string_view name; ///< the user's, or "" for one that the compiler made
  SourceSpan span;       ///< of its first assignment
  bool isParameter;      ///< the first `parameterCount` slots are the parameters in order
};

/// Bounds of an integer expression's value wherever it is evaluated; passes/ranges/ranges.h has a table of them. For
/// uint64 they are the bounds of its bits read as int64.
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  bool isNonNegative() const { return low >= 0; }
};

/// Order of evaluation: Python's, and the same for every pass and generator. `typed/walk.h` visits the parts of a node
/// in this order; code that makes a node from operands in another source order must evaluate them into slots first. The
/// parts of an expression are evaluated once each, in the order of its fields: an array before its indices, the
/// operands of an operation, the arguments of a call and the items of a tuple from left to right, the bounds of a view
/// axis by axis (start, stop, step), the statements of a Block before its value. A Conditional evaluates its test, then
/// one side. An Atomic evaluates array, indices, `compare`, `value`. Among statements, a Store evaluates its value
/// before the array and the indices; a Range evaluates start, stop, step.
enum class ExprKind : uint8_t {
  Const,       ///< a number, a value of a type without run-time values (None, a function, a string), or an array
               ///< without elements or memory
  Slot,        ///< the value of a slot that every path to here has assigned
  Operation,   ///< Operation over values
  Conditional, ///< only the chosen side is evaluated
  Call,        ///< a device function
  Load,        ///< an element of an array
  View,        ///< an array under a partial index, or one of its parts
  Attribute,   ///< shape, strides, size of an array
  Tuple,       ///< a tuple of values
  Item,        ///< an item of a tuple by constant position
  ItemAt,      ///< an item of a uniform tuple by run-time position; any value if out of range, no trap
  Block,       ///< statements, then a value
  Allocation,  ///< a shared or local array; shape {0}: all dynamic shared memory of the launch
  HeapArray,   ///< memory private to the thread, for a number of elements known only at run time
  Captured,    ///< an array captured from Python: constant memory, or a device array by its pointer
  Atomic,      ///< a read-modify-write of one element
  WarpOp,      ///< WarpOperation
};

/// Base of all expressions. Every expression has one type.
struct Expr {
  ExprKind kind;
  const Type *type;
  SourceSpan span;
  template <typename T> T &as() { return static_cast<T &>(*this); }
  template <typename T> const T &as() const { return static_cast<const T &>(*this); }
};

struct Const : Expr {
  int64_t integer;        ///< Bool (0 or 1) and Int: the value, unsigned 64-bit ones by their bits
  double real;            ///< Float, and the real part of Complex (already rounded to the type)
  double imag;            ///< Complex
  bool isLiteral = false; ///< a number in the source, or captured from Python as one: cuda-python may change its type
  bool isNumpy = false;   ///< a NumPy scalar, or computed from one: not an int that Python accepts as a shape
};

struct SlotRead : Expr {
  Slot *slot;
};

struct OperationExpr : Expr {
  Operation op;
  std::span<Expr *const> operands;
};

/// `then if test else otherwise`; also represents `and` and `or`, whose untaken side never runs.
struct Conditional : Expr {
  Expr *test;
  Expr *then, *otherwise; ///< both of `type`
};

struct Call : Expr {
  const TypedFunction *callee;
  std::span<Expr *const> arguments; ///< one per parameter, of exactly its type
};

/// One index per axis of `array` (Load, Store, Atomic). Integers of any type; negative values of signed types count
/// from the end.
struct Indexed {
  Expr *array;
  std::span<Expr *const> indices;
};

struct Load : Expr {
  Indexed at;
};

/// How a View treats one axis of its operand, in order. A View without axes may change the layout to Any and the space
/// to Generic, and make the array read-only: this is how arrays are converted. It may also reinterpret the elements as
/// another type of the same size.
struct ViewAxis {
  enum class Kind : uint8_t {
    Index,   ///< a single index: removes the axis (wraps as in Indexed)
    Whole,   ///< `:`
    Slice,   ///< start, stop, step with NumPy's clamping; nullptr where absent
    NewAxis, ///< an axis of extent 1 that the operand lacks
  } kind;
  Expr *start, *stop, *step; ///< Index: `start` is the index
};
enum class ViewKind : uint8_t {
  Axes,
  Transpose, ///< permuted axes: the array's axis for each, an integer constant as `start` of an Index axis; reversed
             ///< without axes
  Real,
  Imag,
  Field,   ///< one field of every record; adds axes if the field is an array
  Retype,  ///< elements of another size; the array's last axis is contiguous, and its new extent is `start` of the
           ///< single axis
  Peer,    ///< the shared array's counterpart in another block of the cluster, of that rank: int32, `start` of the one
           ///< Index axis
  Reshape, ///< the same elements in C order, of an array in C order; the extents are the `start` of Index axes
};
struct View : Expr {
  ViewKind view;
  Expr *array;
  std::span<const ViewAxis> axes; ///< ViewKind::Axes; further axes are whole. For other kinds, see there
  uint32_t field = 0;             ///< ViewKind::Field: its position in the record
};

enum class ArrayAttribute : uint8_t { Shape, Strides, Size, NumBytes, Address };
/// Shape and Strides: `axis` >= 0 is that one intp, -1 the whole tuple. Strides count bytes. Address: that of the first
/// element, uint64.
struct Attribute : Expr {
  Expr *array;
  ArrayAttribute attribute;
  int32_t axis;
};

struct Tuple : Expr {
  std::span<Expr *const> items;
};

struct Item : Expr {
  Expr *tuple;
  uint32_t index;
};

struct ItemAt : Expr {
  Expr *tuple;
  Expr *index; ///< integer; negative counts from the end
};

struct Block : Expr {
  Body body; ///< no Return, Break or Continue may leave it
  Expr *value;
};

/// One array per kernel (shared) or per thread (local), however often the statement runs. In a function that returns
/// arrays, one per call site.
struct Allocation : Expr {
  uint32_t id; ///< distinct for every array of the kernel and its callees, the same in copies made by passes
  std::span<const int64_t> shape;
  uint32_t alignment; ///< bytes; 0: the element's natural one
  bool isNew = false; ///< filled, or uninitialised, at each evaluation: np.zeros() and the like
  uint32_t copy =
      0; ///< of a local array: distinguishes the copies of several calls in a function that they were inlined into
};

/// One array per place in the source, whose memory is the thread's until that place is reached again, or the kernel
/// ends: with one axis, uninitialised. Fails if memory runs out.
struct HeapArray : Expr {
  uint32_t id;       ///< as Allocation::id
  Expr *count;       ///< intp, not negative
  uint32_t copy = 0; ///< as Allocation::copy
};

/// Data captured from Python, by position in TypedFunction::captured.
struct Captured : Expr {
  uint32_t id;
};

struct Atomic : Expr {
  AtomicOperation op;
  Indexed at;
  Expr *value;
  Expr *compare = nullptr; ///< CompareAndSwap; evaluated before `value`
};

struct WarpOp : Expr {
  WarpOperation op;
  std::span<Expr *const> operands;
};

enum class StmtKind : uint8_t {
  Assign,
  Store,
  Effect,
  If,
  While,
  Range,
  Break,
  Continue,
  Return,
  Barrier,
  Raise,
  Assert,
  Print,
};

struct Stmt {
  StmtKind kind;
  SourceSpan span;
  template <typename T> T &as() { return static_cast<T &>(*this); }
  template <typename T> const T &as() const { return static_cast<const T &>(*this); }
};

struct Assign : Stmt {
  Slot *slot;
  Expr *value; ///< of the slot's type
};

struct Store : Stmt {
  Indexed at;
  Expr *value; ///< of the array's element type
};

/// An expression evaluated for its effect: a call, an atomic.
struct Effect : Stmt {
  Expr *value;
};

struct If : Stmt {
  Expr *test; ///< Bool
  Body then, otherwise;
  /// Both arms are equivalent if the test holds: a warp may take `then` only if it holds for all of its threads.
  bool isForAll = false;
};

struct While : Stmt {
  Expr *test; ///< Bool; evaluated before each iteration
  Body body;
  Body otherwise; ///< runs when the test fails, not after `break`
};

/// `for slot in range(start, stop, step)`. Bounds are evaluated once and have the counter's type. The counter is
/// hidden, so assignments to the slot do not change it; the slot keeps its last value after the loop, and is not
/// assigned if there was no iteration. With a step of 0 there is no iteration. The last value plus the step may
/// overflow, which must have no effect.
struct Range : Stmt {
  Slot *slot;
  const Type *counter;
  Expr *start, *stop, *step;
  Body body, otherwise;
};

struct Return : Stmt {
  Expr *value; ///< nullptr in functions that return None
};

/// Waits until all threads of the block (cluster, grid) that have not exited have arrived at a barrier.
struct Barrier : Stmt {
  BarrierKind barrier;
  Expr *predicate; ///< Bool; nullptr for kinds that have none
};

/// In kernels compiled with debug, stops the thread and records the error; other kernels ignore Raise and Assert, as
/// Numba does.
struct Raise : Stmt {
  std::string_view exceptionClass; ///< as written in the kernel: "ValueError", "errors.Overflow"
  uint64_t exceptionHandle;        ///< the class, as the resolver knows it; 0: Python's own class of that name
  std::string_view qualifiedClass; ///< NameResolver::qualifiedName of the class
  std::string_view arguments;      ///< Python literals, inf and nan, each followed by a comma
};

/// Raises if the test fails, which only kernels compiled with debug evaluate.
struct Assert : Stmt {
  Expr *test;
  std::string_view exceptionClass; ///< one of Python's own
  std::string_view arguments;      ///< as in Raise
};

/// Items are numbers or strings; a string's text is in its type, of kind String.
struct Print : Stmt {
  std::span<Expr *const> items;
};

} // namespace treadle::typed

namespace treadle {

/// An array captured from Python: copied into the image (host arrays), or a symbol in it (device arrays).
struct CapturedArray {
  const Type *type = nullptr;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< bytes
  /// Host arrays, C order: the same memory for all functions that capture the object.
  std::shared_ptr<const std::vector<std::byte>> data;
  /// Device arrays: the index among those captured by the whole compilation, as CapturedDeviceArray::symbol has it.
  std::optional<uint32_t> position;
  std::string_view name;
};

/// A shared or local array that a function declares.
struct BlockArray {
  int64_t bytes;   ///< 0 for a HeapArray
  SourceSpan span; ///< of its shape
  bool isShared;
};

/// What evaluating an expression, or running a function and its callees, may do besides computing a value, and what the
/// value may depend on. Conservative: true if unknown.
struct Effects {
  bool writes = false;  ///< memory (stores, atomic operations, fences), or text (print)
  bool assigns = false; ///< variables of the enclosing function; never set for a function
  bool fails = false;   ///< raise and assert, which end the thread in kernels compiled with debug
  bool meets = false;   ///< synchronises or communicates with other threads, or depends on which are active: barriers,
                        ///< warp functions
  bool reads = false;   ///< memory that other code may have written since, or the result of a barrier
  bool readsClock = false; ///< a different value each time
  bool isOfThread = false; ///< threads of a block may get different values: thread and lane indices, local arrays

  static constexpr Effects all() { return {true, true, true, true, true, true, true}; }
  Effects &operator|=(const Effects &other) {
    writes |= other.writes;
    assigns |= other.assigns;
    fails |= other.fails;
    meets |= other.meets;
    reads |= other.reads;
    readsClock |= other.readsClock;
    isOfThread |= other.isOfThread;
    return *this;
  }
};

/// A function that a pass has inlined.
struct ExpandedFunction {
  SourceRef source;
  SourceSpan site; ///< the call
  bool isLibrary = false;
};

/// A variable without a slot: its only value is a constant. For debuggers.
struct ConstantVariable {
  std::string name;
  typed::Const value; ///< a number
  SourceSpan span;    ///< of its assignment
};

/// The properties of a function besides its tree; passes preserve them in every copy they make.
struct FunctionHeader {
  std::string name; ///< the user's
  SourceRef source;
  SourceSpan span;
  Signature signature; ///< with its result
  RuleSet rules = RuleSet::Numba;
  bool isKernel = false;
  bool forceInline = false; ///< inline="always", forceinline=True
  bool neverInline = false; ///< inline="never" given by the user
  bool isLibrary = false;   ///< of Treadle's own library, whose source users do not know
  uint32_t parameterCount = 0;
  std::vector<ExpandedFunction> expanded; ///< as SourceSpan::origin counts them
  std::vector<ConstantVariable> constants;

  // Set when inference has finished the function; covers the function and its callees:
  bool hasBarrier = false; ///< contains a barrier of the block or of the grid
  bool hasGridBarrier = false;
  bool usesClusters = false;  ///< queries the block's cluster, waits for it, or uses the memory of its blocks
  bool hasWarpOps = false;    ///< contains a WarpOp
  bool hasHeapArrays = false; ///< contains a HeapArray
  bool givesArrays = false;   ///< its result may hold arrays that it makes
  bool isRecursive = false;   ///< calls itself; its `callees` do not include it
  bool recurses = false;      ///< is recursive, or a callee is
  bool hasSharedMemory = false;
  bool writesMemory = false;
  Effects effects = Effects::all(); ///< all of them until inference has finished the function
  uint32_t size = 0;                ///< nodes of this function, without its callees
  /// Including those of each call of a function that must be inlined (`forceInline`) and itself has such calls: doubles
  /// for each function that calls the one before it twice.
  uint64_t expandedSize = 0;
};

/// The type of an expression of the source, before any conversion by its user.
struct PlaceType {
  SourceSpan span;
  const Type *type;
};

/// Every expression has one type, every conversion is a node, every call has one callee. Immutable once finished;
/// passes that transform it make a copy.
class TypedFunction : public FunctionHeader {
public:
  std::vector<typed::Slot *> slots; ///< parameters first
  typed::Body body;
  std::vector<CapturedArray> captured;
  std::vector<BlockArray> arrays;
  /// For the expressions of the source that have run-time values, in evaluation order; passes drop them.
  std::vector<PlaceType> places;
  /// The device functions called directly, each once; shared with other callers.
  std::vector<std::shared_ptr<const TypedFunction>> callees;
  Arena nodes;

  /// The tree as indented text: the stage "typed".
  std::string print() const;
};

} // namespace treadle
