// Literals, names and lambdas as values.
// A name is one of three things: a variable of this function (a node of the flow), a variable of a function around it,
// which is one too, or something outside, which Python finds when the kernel is compiled: `scale * x[i]` with a global
// scale. What Python finds is asked once and then holds for the whole compilation, as if it had been frozen.
#include "infer/expressions/names.h"

#include "builtins/builtin.h"
#include "infer/tree/advice.h"
#include "infer/tree/known_text.h"

#include <fmt/core.h>

namespace treadle {

using syntax::ExprKind;

/// A literal is marked as such: it may take the type of the operand beside it. An int is int64, or uint64 from 2**63
/// on; 2**64 has no type. `2j` has the real part 0.
typed::Expr *Names::literal(const syntax::Literal &literal) {
  using syntax::LiteralKind;
  if (literal.tooLarge) {
    tree.fail(literal.span, {.kind = CompileErrorKind::Value,
                             .message = "this integer does not fit 64 bits",
                             .expected = "-9223372036854775808 to 18446744073709551615"});
  }
  typed::Const *made = nullptr;
  switch (literal.literal) {
  case LiteralKind::None:
    return tree.unit(types::none(), literal.span);
  case LiteralKind::Bool:
    made = tree.boolean(literal.integer != 0, literal.span);
    break;
  case LiteralKind::Int:
    made = tree.integer(literal.isUnsigned ? types::uint64() : types::int64(), literal.integer, literal.span);
    break;
  case LiteralKind::Float:
    made = tree.real(types::float64(), literal.real, literal.span);
    break;
  case LiteralKind::Complex:
    made = tree.complex(types::complex128(), 0, literal.real, literal.span);
    break;
  }
  made->isLiteral = true;
  return made;
}

/// A text has no value at run time, only a type that contains it. Bytes are a tuple of codes, as those of arrays are,
/// so that both have the same operations.
typed::Expr *Names::string(const syntax::String &string) {
  if (!string.isBytes)
    return tree.unit(types::string(string.text), string.span);
  if (string.text.size() > types::mostCharacters)
    tree.failUnsupported(
        string.span,
        fmt::format("kernels have bytes of up to {} characters, not {}", types::mostCharacters, string.text.size()),
        "pass the bytes as an array argument");
  return constantBytes(tree, string.text, string.span);
}

/// `cuda.threadIdx.x` and `cuda.warpsize` are read, not called, so the name itself is the operation. That the function
/// asks for its cluster is noted in it.
typed::Expr *Names::unit(const Type *type, SourceSpan span) {
  if (type->is(TypeKind::Builtin)) {
    const Builtin *row = findBuiltin(type->text());
    if (row && row->rule == BuiltinRule::ThreadValue) {
      tree.phase()->noted().usesClusters |= isOfCluster(row->operation());
      return tree.operation(row->operation(), types::int32(), {}, span);
    }
    if (row && row->rule == BuiltinRule::WarpSize)
      return tree.integer(types::int32(), 32, span);
  }
  return tree.unit(type, span);
}

/// What a name outside of the kernel means, as a value: numbers become constants, tuples displays of them, arrays are
/// captured; functions, modules and classes exist by their types alone. `problem`: Python has found something of a kind
/// that kernels have, but not with this content; it is an error only where it is used, as here. A captured Python
/// number counts as a literal under the cuda-python rules, which the resolver says (isLiteral).
typed::Expr *Names::captured(const CapturedValue &value, SourceSpan span, std::string_view name) {
  const Type *type = value.type;
  if (type->isTuple()) {
    Items items;
    for (const CapturedValue &item : value.items)
      items.push_back(captured(item, span, fmt::format("{}[{}]", name, items.size())));
    return tree.tuple(type, items, span);
  }
  if (type->isArray())
    return capturedArray(value, span, name);
  if (!value.problem.empty())
    tree.fail(span, {.kind = CompileErrorKind::Typing, .message = value.problem, .found = type->name()});
  if (!type->isNumber())
    return unit(type, span);
  typed::Const *made = type->isInteger() ? tree.integer(type, value.integer, span)
                       : type->isFloat() ? tree.real(type, value.real, span)
                                         : tree.complex(type, value.real, value.imag, span);
  made->isLiteral = value.isLiteral;
  made->isNumpy = value.isNumpy;
  return made;
}

/// One entry for each object, however often and under whatever name it is read: two names of one array are the same
/// memory. A device array is used in place, by its position in the list of pointers that an image is loaded with; a
/// host array is copied, once for the whole compilation.
typed::Expr *Names::capturedArray(const CapturedValue &value, SourceSpan span, std::string_view name) {
  const auto [known, isNew] = capturedIds.try_emplace(value.object.get(), uint32_t(out.captured.size()));
  if (isNew) {
    std::optional<uint32_t> position;
    if (value.devicePointer)
      position = compilation.positionOf(value);
    out.captured.push_back(
        {value.type, value.shape, value.strides, compilation.contentsOf(value), position, out.nodes.text(name)});
  }
  return tree.memory().make<typed::Captured>(typed::Expr{typed::ExprKind::Captured, value.type, span}, known->second);
}

/// A name that the walk of the flow has not seen is not local.
typed::Expr *Names::read(const syntax::Name &name) {
  auto read = flow.reads.find(&name);
  return read == flow.reads.end() ? outsideName(name) : readNode(read->second, name.span, name.id);
}

/// Three ways not to have a type. No assignment can have run: an error, as Python's UnboundLocalError. Not yet, while
/// solving: awaitType() leaves by exception. Never, as in `x = x + 1` alone in a loop: found while building. A constant
/// is copied into the tree with the position of the reading, where errors about it belong.
typed::Expr *Names::readNode(NodeId id, SourceSpan span, std::string_view name) {
  const FlowNode &node = flow.nodes[id];
  if (!node.type && flow.isUnset(id)) {
    tree.fail(span, {.kind = CompileErrorKind::Name,
                     .message = quoted(name) + " is read, but no assignment to it can have run before",
                     .remedy = "assign it first"});
  }
  if (!node.type)
    tree.phase()->awaitType();
  if (!node.type)
    tree.failTyping(span, "the type of " + quoted(name) + " cannot be found: it depends on itself alone",
                    "give it a value before the loop");
  if (node.constant) {
    typed::Expr *value = tree.copyConstant(*node.constant);
    value->span = span;
    return value;
  }
  if (!typed::hasStorage(node.type))
    return tree.unit(node.type, span);
  return tree.phase()->read(node, span);
}

/// The closure, globals and builtins, as Python would look. Candidates for a misspelt name are the function's own names
/// and the builtins without a dot; those that belong to a module get the import that is missing.
typed::Expr *Names::outsideName(const syntax::Name &name) {
  const CapturedValue &value = compilation.resolve(request.known->called.handle, name.id);
  if (value.type)
    return captured(value, name.span, name.id);
  std::vector<std::string_view> candidates(scope.names().begin(), scope.names().end());
  for (const Builtin &row : allBuiltins())
    if (row.key.find('.') == std::string_view::npos)
      candidates.push_back(row.key);
  const std::string_view closest = closestName(name.id, candidates);
  std::string remedy = insteadOfBareName(name.id);
  if (remedy.empty())
    remedy = closest.empty() ? "define it before the kernel is first launched, or pass it as an argument"
                             : "did you mean " + quoted(closest) + "?";
  tree.fail(name.span, {.kind = CompileErrorKind::Name,
                        .message = "the name " + quoted(name.id) + " is not defined",
                        .remedy = std::move(remedy)});
}

/// A nested function by its type. What it captures is found where it is called or handed on.
typed::Expr *Names::lambda(const syntax::Lambda &expression) {
  const Type *type =
      compilation.nestedFunction(*expression.function, "<lambda>", scope.nested(*expression.function), *request.known);
  return tree.unit(type, expression.span);
}

/// For `raise errors.Overflow(...)`: a dotted name is followed without making expressions of it.
uint64_t Names::outsideObject(const syntax::Expr &expression) {
  const CapturedValue *found = nullptr;
  if (expression.kind == ExprKind::Name) {
    const auto &name = expression.as<syntax::Name>();
    if (!flow.reads.contains(&name))
      found = &compilation.resolve(request.known->called.handle, name.id);
  } else if (expression.kind == ExprKind::Attribute) {
    const auto &attribute = expression.as<syntax::Attribute>();
    if (const uint64_t owner = outsideObject(*attribute.value))
      found = &compilation.attribute(owner, attribute.name);
  }
  const bool isObject =
      found && found->type && (found->type->is(TypeKind::Object) || found->type->is(TypeKind::Module));
  return isObject ? found->type->handle() : 0;
}

} // namespace treadle
