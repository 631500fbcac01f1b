// Arguments that a builtin does not take.
#include "infer/calls/arguments.h"

namespace treadle {

/// "math.sqrt()" also if it was imported by its own name: keys have the module.
std::string shownName(const Builtin &row) { return std::string(row.key) + "()"; }

/// The remedies are for mistakes that all builtins see: arrays in place of elements, complex numbers, f-strings, None.
void failArgument(const Tree &tree, const Builtin &row, const typed::Expr &argument, std::string_view expected) {
  std::string remedy;
  if (argument.type->isArray() && !expected.starts_with("an array"))
    remedy = "index the array";
  else if (argument.type->isComplex())
    remedy = "take a part of it: .real, .imag or abs()";
  else if (argument.type->is(Series::Format))
    remedy = "an f-string with values known only at run time can only be printed";
  else if (argument.type->isNone())
    remedy = "a function that returns nothing has no value to use: check that it returns one on every path";
  tree.fail(argument.span, {.kind = CompileErrorKind::Typing,
                            .message = "this cannot be an argument of " + shownName(row),
                            .found = argument.type->name(),
                            .expected = std::string(expected),
                            .remedy = remedy});
}

typed::Expr *realArgument(Tree &tree, const Builtin &row, typed::Expr *argument) {
  argument = tree.unwrap(argument);
  if (!argument->type->isReal())
    failArgument(tree, row, *argument, "a real number");
  return argument;
}

} // namespace treadle
