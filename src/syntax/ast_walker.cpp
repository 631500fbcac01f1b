// The walk's basics: positions, identifiers, depth, errors; functions and their parameters.
#include "syntax/ast_walker.h"

#include <fmt/core.h>

namespace treadle {

using namespace syntax;

SourceSpan AstWalker::span(AstNode node) const {
  SourceSpan at = tree.span(node);
  at.line += uint32_t(origin.lineOffset);
  at.endLine += uint32_t(origin.lineOffset);
  return at;
}

SourceSpan AstWalker::headerSpan(AstNode node, AstNode lastOfHeader) const {
  SourceSpan header = span(node);
  const SourceSpan last = span(lastOfHeader);
  header.endLine = last.endLine;
  header.endColumn = last.endColumn;
  return header;
}

/// From `def` up to the colon; for a header of several lines, to the end of its first.
SourceSpan AstWalker::definitionSpan(AstNode node) const {
  SourceSpan header = span(node);
  std::string_view line = origin.source->line(header.line);
  const std::vector<AstNode> body = tree.list(node, AstField::Body);
  const SourceSpan first = body.empty() ? SourceSpan() : span(body.front());
  if (first.line == header.line)
    line = line.substr(0, first.column);
  const size_t colon = line.rfind(':');
  header.endLine = header.line;
  header.endColumn = uint32_t(colon == std::string_view::npos ? line.size() : colon);
  return header;
}

/// Inside a class Python mangles `__x` to `_Class__x`, in attributes and keywords too.
std::string_view AstWalker::identifier(AstNode text) {
  const std::string_view id = tree.text(text).value_or("");
  if (origin.className.empty() || !id.starts_with("__") || id.ends_with("__") || id.find('.') != std::string_view::npos)
    return nodes.text(id);
  return nodes.text("_" + origin.className + std::string(id));
}

void AstWalker::fail(CompileErrorKind kind, const SourceSpan &at, std::string_view message,
                     std::string_view remedy) const {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = message;
  diagnostic.span = at;
  diagnostic.source = origin.source;
  diagnostic.remedy = remedy;
  throw CompileError(std::move(diagnostic));
}

void AstWalker::unsupported(AstNode node, std::string_view className) const {
  const Construct construct = unsupportedConstruct(className);
  fail(CompileErrorKind::Unsupported, span(node), std::string(construct.name) + " cannot be used in a kernel",
       construct.remedy);
}

void AstWalker::enter(AstNode node) {
  if (++depth <= maxSyntaxDepth)
    return;
  fail(CompileErrorKind::Limit, span(node),
       fmt::format("expressions and statements are nested more than {} deep", maxSyntaxDepth),
       "assign parts of the expression to variables, or move parts into device functions");
}

const Function *AstWalker::function(AstNode node, Defaults defaults) {
  const std::string_view className = tree.className(node);
  if (className != "FunctionDef" && className != "Lambda")
    unsupported(node, className);
  const bool isLambda = className == "Lambda";
  const std::vector<Parameter> declared = parameters(tree.field(node, AstField::Args), defaults);
  if (isLambda) {
    Expr *value = expression(tree.field(node, AstField::Body));
    Stmt *body = nodes.make<Return>(Stmt{StmtKind::Return, value->span}, value);
    return nodes.make<Function>("<lambda>", span(node), nodes.list(declared),
                                Body(nodes.list(std::vector<Stmt *>{body})), true);
  }
  if (const std::vector<AstNode> declaredTypes = tree.list(node, AstField::TypeParameters); !declaredTypes.empty())
    unsupported(declaredTypes.front(), "TypeParameters");
  // Users know a method by its unmangled name; a nested function's name is a local variable.
  const AstNode given = tree.field(node, AstField::Name);
  const std::string_view name =
      defaults == Defaults::Marked ? nodes.text(tree.text(given).value_or("")) : identifier(given);
  const SourceSpan at = definitionSpan(node);
  return nodes.make<Function>(name, at, nodes.list(declared), statements(node, AstField::Body), false);
}

std::vector<Parameter> AstWalker::parameters(AstNode arguments, Defaults defaults) {
  std::vector<Parameter> result;
  auto setDefault = [&](Parameter &parameter, AstNode value) {
    parameter.hasDefault = true;
    if (defaults == Defaults::Walked)
      parameter.defaultValue = expression(value);
  };
  for (const AstField name : {AstField::PositionalOnly, AstField::Args})
    for (const AstNode node : tree.list(arguments, name))
      result.push_back(parameter(node, ParameterKind::Plain));
  // Defaults belong to the last positional parameters.
  const std::vector<AstNode> values = tree.list(arguments, AstField::Defaults);
  const size_t first = result.size() - values.size();
  for (size_t i = 0; i < values.size(); ++i)
    setDefault(result[first + i], values[i]);
  if (const AstNode star = tree.field(arguments, AstField::Vararg); star)
    result.push_back(parameter(star, ParameterKind::Star));
  const std::vector<AstNode> keywordDefaults = tree.list(arguments, AstField::KeywordDefaults);
  size_t position = 0;
  for (const AstNode node : tree.list(arguments, AstField::KeywordOnly)) {
    result.push_back(parameter(node, ParameterKind::KeywordOnly));
    if (const AstNode value = keywordDefaults[position++]; value)
      setDefault(result.back(), value);
  }
  if (const AstNode star = tree.field(arguments, AstField::Kwarg); star)
    result.push_back(parameter(star, ParameterKind::DoubleStar));
  return result;
}

/// The annotation is ignored: it may name what does not exist on the device.
Parameter AstWalker::parameter(AstNode node, ParameterKind kind) {
  SourceSpan at = span(node);
  const AstNode name = tree.field(node, AstField::Arg);
  at.endLine = at.line;
  at.endColumn = at.column + uint32_t(tree.text(name).value_or("").size());
  return {identifier(name), at, kind, nullptr, false};
}

std::shared_ptr<const SyntaxFunction> syntaxFromAst(const AstSource &tree, AstNode function, AstOrigin origin) {
  const SourceRef source = origin.source;
  auto nodes = std::make_unique<Arena>();
  AstWalker walker(*nodes, tree, std::move(origin));
  const Function *root = walker.function(function, AstWalker::Defaults::Marked);
  return std::make_shared<const SyntaxFunction>(source, std::move(nodes), root, walker.takeCodes());
}

} // namespace treadle
