// Constructs of Python that kernels cannot use: their names, and what to write instead.
#include "syntax/ast_walker.h"

namespace treadle {

namespace {

constexpr std::string_view noExceptions =
    "kernels cannot catch exceptions: test for the condition with `if` and write an error code to an array";
constexpr std::string_view useLoop = "write a `for` loop over range() that stores into an array";
constexpr std::string_view useConsteval =
    "write a `for` loop over range() that stores into an array; for a tuple: ... for k in consteval(...)";
constexpr std::string_view useArray =
    "use a tuple, or an array: an argument, cuda.local.array(...) or cuda.shared.array(...)";
constexpr std::string_view captured = "import outside of the kernel: modules and their members are found as globals";

constexpr Construct constructs[] = {
    {"Try", "a try statement", noExceptions},
    {"TryStar", "a try statement", noExceptions},
    {"With", "a with statement", "open and close resources on the host, around the launch"},
    {"ListComp", "a list comprehension", useConsteval},
    {"ComprehensionWalrus", "`:=` in a comprehension", "write a `for` loop"},
    {"SetComp", "a set comprehension", useLoop},
    {"DictComp", "a dict comprehension", useLoop},
    {"GeneratorExp", "a generator expression", useConsteval},
    {"Yield", "yield", "kernels cannot be generators: store the values into an array"},
    {"YieldFrom", "yield from", "kernels cannot be generators: store the values into an array"},
    {"Await", "await", "kernels are not asynchronous inside: await the host's work around the launch"},
    {"AsyncFunctionDef", "an async function", "write a plain `def`; launches do not wait anyway"},
    {"AsyncFor", "an async for loop", "write a plain `for` loop"},
    {"AsyncWith", "an async with statement", "open and close resources on the host, around the launch"},
    {"TemplateStr", "a template string", "print an f-string: print(f'x = {x}')"},
    {"Dict", "a dict", useArray},
    {"Set", "a set", useArray},
    {"ClassDef", "a class definition", "define the class outside; kernels can read constants from its attributes"},
    {"Import", "an import", captured},
    {"ImportFrom", "an import", captured},
    {"Global", "a global statement", "kernels cannot assign globals: pass an array as an argument and store into it"},
    {"Nonlocal", "a nonlocal statement",
     "captured variables cannot be assigned: return the value, or store it into an array"},
    {"Match", "a match statement", "write it as if / elif / else"},
    {"TypeAlias", "a type statement", "define the alias outside of the kernel"},
    {"MatMult", "the operator @", "write the loops of the matrix product"},
    {"DelTarget", "del of anything but a name", "elements of arrays cannot be removed"},
    {"StarredTarget", "a starred target", "name every item: a, b, c = value"},
    {"Decorator", "a decorator on an inner function",
     "move the function out of the kernel and decorate it with @cuda.jit(device=True)"},
    {"TypeParameters", "type parameters", "leave them out: types are inferred at each call"},
    {"RaiseCause", "raise ... from", "leave out the `from`"},
};

struct OperatorRow {
  std::string_view className;
  BinaryOperator op;
};
constexpr OperatorRow operators[] = {
    {"Add", BinaryOperator::Add},     {"Sub", BinaryOperator::Sub},           {"Mult", BinaryOperator::Mul},
    {"Div", BinaryOperator::TrueDiv}, {"FloorDiv", BinaryOperator::FloorDiv}, {"Mod", BinaryOperator::Mod},
    {"Pow", BinaryOperator::Pow},     {"LShift", BinaryOperator::LShift},     {"RShift", BinaryOperator::RShift},
    {"BitAnd", BinaryOperator::And},  {"BitOr", BinaryOperator::Or},          {"BitXor", BinaryOperator::Xor},
};

} // namespace

Construct unsupportedConstruct(std::string_view className) {
  for (const Construct &construct : constructs)
    if (construct.className == className)
      return construct;
  return {className, "this syntax", "docs/language.md says what kernels can have"};
}

bool binaryOperatorOf(std::string_view className, BinaryOperator &op) {
  for (const OperatorRow &row : operators) {
    if (row.className != className)
      continue;
    op = row.op;
    return true;
  }
  return false;
}

} // namespace treadle
