// AstSource: Python's ast as seen by a walk over it, without Python.
#pragma once

#include "support/source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The fields of ast nodes that are read, by Python's names.
#define TREADLE_AST_FIELDS(FIELD)                                                                                      \
  FIELD(Id, "id")                                                                                                      \
  FIELD(Value, "value")                                                                                                \
  FIELD(Op, "op")                                                                                                      \
  FIELD(Operand, "operand")                                                                                            \
  FIELD(Left, "left")                                                                                                  \
  FIELD(Right, "right")                                                                                                \
  FIELD(Values, "values")                                                                                              \
  FIELD(Ops, "ops")                                                                                                    \
  FIELD(Comparators, "comparators")                                                                                    \
  FIELD(Test, "test")                                                                                                  \
  FIELD(Body, "body")                                                                                                  \
  FIELD(Orelse, "orelse")                                                                                              \
  FIELD(Func, "func")                                                                                                  \
  FIELD(Args, "args")                                                                                                  \
  FIELD(Keywords, "keywords")                                                                                          \
  FIELD(Arg, "arg")                                                                                                    \
  FIELD(Attr, "attr")                                                                                                  \
  FIELD(Slice, "slice")                                                                                                \
  FIELD(Lower, "lower")                                                                                                \
  FIELD(Upper, "upper")                                                                                                \
  FIELD(Step, "step")                                                                                                  \
  FIELD(Elts, "elts")                                                                                                  \
  FIELD(Target, "target")                                                                                              \
  FIELD(Targets, "targets")                                                                                            \
  FIELD(Iter, "iter")                                                                                                  \
  FIELD(Exc, "exc")                                                                                                    \
  FIELD(Cause, "cause")                                                                                                \
  FIELD(Msg, "msg")                                                                                                    \
  FIELD(Name, "name")                                                                                                  \
  FIELD(Decorators, "decorator_list")                                                                                  \
  FIELD(PositionalOnly, "posonlyargs")                                                                                 \
  FIELD(Vararg, "vararg")                                                                                              \
  FIELD(KeywordOnly, "kwonlyargs")                                                                                     \
  FIELD(Kwarg, "kwarg")                                                                                                \
  FIELD(KeywordDefaults, "kw_defaults")                                                                                \
  FIELD(Defaults, "defaults")                                                                                          \
  FIELD(TypeParameters, "type_params")                                                                                 \
  FIELD(Conversion, "conversion")                                                                                      \
  FIELD(FormatSpec, "format_spec")                                                                                     \
  FIELD(Items, "items")                                                                                                \
  FIELD(ContextExpression, "context_expr")                                                                             \
  FIELD(OptionalVariables, "optional_vars")                                                                            \
  FIELD(Generators, "generators")                                                                                      \
  FIELD(Conditions, "ifs")                                                                                             \
  FIELD(Element, "elt")

enum class AstField : uint8_t {
#define TREADLE_FIELD(field, name) field,
  TREADLE_AST_FIELDS(TREADLE_FIELD)
#undef TREADLE_FIELD
};
inline constexpr size_t astFieldCount = size_t(AstField::Element) + 1;

/// A node, or the value of one of its fields; null: None. Lives as long as the tree that it is part of.
using AstNode = const void *;

/// The value of an ast.Constant.
struct AstConstant {
  enum class Kind : uint8_t { None, Bool, Int, Float, Complex, String, Bytes, Ellipsis, Other };
  Kind kind = Kind::Other;
  bool tooLarge = false;   ///< an integer beyond uint64
  bool isUnsigned = false; ///< an integer of 2^63 or more: `integer` holds its bits as uint64
  int64_t integer = 0;     ///< Bool, Int
  double real = 0;         ///< Float; Complex: the imaginary part
};

/// An expression or statements that Python is to run while compiling.
struct AstCode {
  std::shared_ptr<const void> object;
  std::vector<AstNode> reads; ///< names as texts, which live as long as `object`
  std::vector<AstNode> binds; ///< those that statements give values to
  std::string problem;        ///< why the code cannot be run on its own; empty: it can
  uint32_t line = 0;          ///< of the problem
};

/// Reads one tree, which must not change meanwhile.
class AstSource {
public:
  AstSource() = default;
  AstSource(const AstSource &) = delete;
  AstSource &operator=(const AstSource &) = delete;
  virtual ~AstSource() = default;

  /// The node's class without its module: "BinOp".
  virtual std::string_view className(AstNode node) const = 0;
  /// Every node of that class must have the field.
  virtual AstNode field(AstNode node, AstField field) const = 0;
  /// Empty also where nodes of that class lack the field, as in older versions of Python.
  virtual std::vector<AstNode> list(AstNode node, AstField field) const = 0;
  /// As the node says; lines are those of the text that was parsed.
  virtual SourceSpan span(AstNode node) const = 0;
  /// Of an ast.Constant.
  virtual AstConstant constant(AstNode node) const = 0;
  /// Of an ast.FormattedValue: the character after `!`; -1 for none.
  virtual int conversion(AstNode node) const = 0;
  /// UTF-8 of a str; nothing for a str with a lone surrogate. Of bytes, the bytes.
  virtual std::optional<std::string_view> text(AstNode text) const = 0;
  /// An ast.expr, or the statements of an ast.With. `className`: the class around the function; empty: none.
  virtual AstCode code(AstNode node, std::string_view className) const = 0;
};

} // namespace treadle
