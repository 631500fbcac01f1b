// SyntaxFunction: the Python subset as an immutable tree with source positions; nodes are untyped.
#pragma once

#include "support/arena.h"
#include "support/export.h"
#include "support/source.h"
#include "types/number_rules.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::syntax {

struct Expr;
struct Stmt;
struct Function;
using Body = std::span<Stmt *const>;

enum class ExprKind : uint8_t {
  Name,
  Literal,
  String,
  Ellipsis,
  Unary,
  Binary,
  Boolean,
  Compare,
  Conditional,
  Call,
  Attribute,
  Subscript,
  Slice,
  Tuple,
  List,
  Joined,
  Format,
  Walrus,
  Starred,
  Lambda,
  Consteval,
  Comprehension,
};

/// Base of all expressions. Check `kind` before calling `as<T>()`.
struct Expr {
  ExprKind kind;
  SourceSpan span;
  template <typename T> const T &as() const { return static_cast<const T &>(*this); }
};

struct Name : Expr {
  static constexpr ExprKind kindOf = ExprKind::Name;
  std::string_view id;
};

enum class LiteralKind : uint8_t { None, Bool, Int, Float, Complex };
struct Literal : Expr {
  static constexpr ExprKind kindOf = ExprKind::Literal;
  LiteralKind literal;
  bool tooLarge;   ///< an integer beyond uint64
  bool isUnsigned; ///< an integer of 2^63 or more: `integer` holds its bits as uint64
  int64_t integer; ///< Bool, Int
  double real;     ///< Float; Complex: its imaginary part (a Python complex literal has no real part)
};

struct String : Expr {
  static constexpr ExprKind kindOf = ExprKind::String;
  std::string_view text; ///< UTF-8
  bool isBytes = false;  ///< b"...", as they are
};

/// `{value!r:spec}` in an f-string, which is a Sequence of kind Joined: of these and of texts.
struct Format : Expr {
  static constexpr ExprKind kindOf = ExprKind::Format;
  char conversion; ///< 'r', 's', 'a', or 0
  Expr *value;
  Expr *spec; ///< nullptr: none; else Joined
};

struct Unary : Expr {
  static constexpr ExprKind kindOf = ExprKind::Unary;
  UnaryOperator op;
  Expr *operand;
};

struct Binary : Expr {
  static constexpr ExprKind kindOf = ExprKind::Binary;
  BinaryOperator op;
  bool isMatMul; ///< `@`, which numbers do not support
  Expr *left, *right;
};

/// `a and b and c`, `a or b or c`.
struct Boolean : Expr {
  static constexpr ExprKind kindOf = ExprKind::Boolean;
  bool isAnd;
  std::span<Expr *const> values;
};

enum class Comparison : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Is, IsNot, In, NotIn };
/// `left ops[0] rights[0] ops[1] rights[1] ...`, each operand evaluated at most once.
struct Compare : Expr {
  static constexpr ExprKind kindOf = ExprKind::Compare;
  Expr *left;
  std::span<const Comparison> ops;
  std::span<Expr *const> rights;
};

struct Conditional : Expr {
  static constexpr ExprKind kindOf = ExprKind::Conditional;
  Expr *test, *then, *otherwise;
};

struct Keyword {
  std::string_view name; ///< empty: `**value`
  Expr *value;
  SourceSpan span;
};
struct Call : Expr {
  static constexpr ExprKind kindOf = ExprKind::Call;
  Expr *callee;
  std::span<Expr *const> arguments; ///< may hold Starred
  std::span<const Keyword> keywords;
};

struct Attribute : Expr {
  static constexpr ExprKind kindOf = ExprKind::Attribute;
  Expr *value;
  std::string_view name;
};

struct Subscript : Expr {
  static constexpr ExprKind kindOf = ExprKind::Subscript;
  Expr *value;
  Expr *index; ///< a Tuple for `a[i, j]`
};

struct Slice : Expr {
  static constexpr ExprKind kindOf = ExprKind::Slice;
  Expr *start, *stop, *step; ///< nullptr where absent
};

/// Tuple and List displays.
struct Sequence : Expr {
  std::span<Expr *const> items;
};

struct Walrus : Expr {
  static constexpr ExprKind kindOf = ExprKind::Walrus;
  Name *target;
  Expr *value;
};

struct Starred : Expr {
  static constexpr ExprKind kindOf = ExprKind::Starred;
  Expr *value;
};

/// A lambda or, as a statement, a nested `def`; its body sees the names of the enclosing functions.
struct Lambda : Expr {
  static constexpr ExprKind kindOf = ExprKind::Lambda;
  const Function *function;
};

/// `consteval(...)`, or the statements under `with consteval():`, which Python runs while compiling.
struct Consteval : Expr {
  static constexpr ExprKind kindOf = ExprKind::Consteval;
  enum class Yields : uint8_t {
    Value,
    Items, ///< what a loop runs over: a tuple of its items
    Block, ///< a tuple of the values of the names that the statements bind
  } yields;
  Expr *callee;
  std::span<Expr *const> names; ///< of type Name: those that the code may read
  const void *code;             ///< AstCode::object, kept by the SyntaxFunction
  int lineOffset;               ///< added to a line of `code`: the line in the file
};

/// `[value for x in consteval(items)]`: a tuple of the results of calls of `lambda x: value`.
struct Comprehension : Expr {
  static constexpr ExprKind kindOf = ExprKind::Comprehension;
  Expr *each; ///< a Call of the Lambda; its only argument, a Consteval, provides all the items
};

enum class StmtKind : uint8_t {
  Assign,
  AugAssign,
  Expression,
  If,
  While,
  For,
  Break,
  Continue,
  Return,
  Raise,
  Assert,
  FunctionDef,
};

struct Stmt {
  StmtKind kind;
  SourceSpan span;
  template <typename T> const T &as() const { return static_cast<const T &>(*this); }
};

/// `a = b = value`: targets from left to right. Annotated assignments are represented without their annotation.
struct Assign : Stmt {
  std::span<Expr *const> targets; ///< Name, Subscript, Attribute, Tuple, List
  Expr *value;
};

struct AugAssign : Stmt {
  Expr *target; ///< Name, Subscript or Attribute
  BinaryOperator op;
  Expr *value;
};

struct ExprStmt : Stmt {
  Expr *value;
};

struct If : Stmt {
  Expr *test;
  Body then, otherwise;
};

struct While : Stmt {
  Expr *test;
  Body body, otherwise;
};

struct For : Stmt {
  Expr *target;
  Expr *iterable;
  Body body, otherwise;
};

struct Return : Stmt {
  Expr *value; ///< nullptr: a bare return
};

struct Raise : Stmt {
  Expr *exception; ///< nullptr: a bare raise
};

struct Assert : Stmt {
  Expr *test;
  Expr *message; ///< may be nullptr
};

struct FunctionDef : Stmt {
  std::string_view name;
  const Function *function;
};

enum class ParameterKind : uint8_t { Plain, Star, KeywordOnly, DoubleStar };
struct Parameter {
  std::string_view name;
  SourceSpan span;
  ParameterKind kind;
  /// Nested functions and lambdas: the default as an expression. The defaults of the outermost function are values from
  /// the name resolver (NameResolver::parameterDefault); `hasDefault` says whether there is one.
  Expr *defaultValue;
  bool hasDefault;
};

/// The tree of one function. Immutable; every node has a source position, none a type.
struct Function {
  std::string_view name;
  SourceSpan span; ///< of the `def` line up to the colon, or of the lambda
  std::span<const Parameter> parameters;
  Body body; ///< a lambda's body is one Return; one of a Comprehension may unpack its argument first
  bool isLambda;
};

} // namespace treadle::syntax

namespace treadle {

/// Owns a tree and the text it was parsed from.
class SyntaxFunction {
public:
  /// `codes`: what syntax::Consteval::code points to.
  SyntaxFunction(SourceRef source, std::unique_ptr<Arena> arena, const syntax::Function *root,
                 std::vector<std::shared_ptr<const void>> codes = {})
      : text(std::move(source)), nodes(std::move(arena)), top(root), kept(std::move(codes)) {}
  const syntax::Function &root() const { return *top; }
  const SourceRef &source() const { return text; }
  /// The tree as indented text: the stage "syntax".
  TREADLE_API std::string print() const;

private:
  SourceRef text;
  std::unique_ptr<Arena> nodes;
  const syntax::Function *top;
  std::vector<std::shared_ptr<const void>> kept;
};

} // namespace treadle
