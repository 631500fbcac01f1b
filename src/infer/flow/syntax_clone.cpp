// Copying statements and expressions node by node.
// Flow and its users find a node's data by its address, so that a second typing of the same statements needs nodes of
// its own. Positions are copied, so errors point at the source. Nested functions and lambdas are not copied, only the
// expressions that make them: a Scope finds its children by their address, and a function is typed for each list of
// types anyway.
#include "infer/flow/syntax_clone.h"

#include "support/error.h"

#include <vector>

namespace treadle {

namespace {

using namespace syntax;

class Cloner {
public:
  explicit Cloner(Arena &arena) : arena(arena) {}

  // `break` and `continue` in a copy refer to the loop around the copy; see Loops::buildUnrolled.
  Body body(Body statements) {
    std::vector<Stmt *> copies;
    for (const Stmt *next : statements)
      copies.push_back(statement(*next));
    return arena.list(copies);
  }

  // Optional parts, such as the bounds of a slice, are null and stay so.
  Expr *expression(const Expr *original) {
    if (!original)
      return nullptr;
    switch (original->kind) {
    case ExprKind::Name:
      return copy<Name>(*original);
    case ExprKind::Literal:
      return copy<Literal>(*original);
    case ExprKind::String:
      return copy<String>(*original);
    case ExprKind::Ellipsis:
      return copy<Expr>(*original);
    case ExprKind::Lambda:
      return copy<Lambda>(*original);
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Joined: {
      auto *made = copy<Sequence>(*original);
      made->items = list(made->items);
      return made;
    }
    case ExprKind::Call:
      return call(*original);
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Boolean:
    case ExprKind::Compare:
    case ExprKind::Conditional:
    case ExprKind::Attribute:
    case ExprKind::Subscript:
    case ExprKind::Slice:
    case ExprKind::Format:
    case ExprKind::Walrus:
    case ExprKind::Starred:
    case ExprKind::Consteval:
    case ExprKind::Comprehension:
      return operation(*original);
    }
    return nullptr;
  }

private:
  // Shallow: the copy shares its children with the original until they are replaced.
  template <typename T, typename Base> T *copy(const Base &original) {
    return arena.make<T>(static_cast<const T &>(original));
  }

  // Always a new list, as the lists of nodes are immutable and belong to an arena.
  std::span<Expr *const> list(std::span<Expr *const> items) {
    std::vector<Expr *> copies;
    for (const Expr *item : items)
      copies.push_back(expression(item));
    return arena.list(copies);
  }

  Expr *call(const Expr &original) {
    auto *made = copy<Call>(original);
    made->callee = expression(made->callee);
    made->arguments = list(made->arguments);
    std::vector<Keyword> keywords(made->keywords.begin(), made->keywords.end());
    for (Keyword &keyword : keywords)
      keyword.value = expression(keyword.value);
    made->keywords = arena.list(keywords);
    return made;
  }

  /// Copies the node; its children are then replaced by their copies.
  template <typename T, typename... Children> Expr *with(const Expr &original, Children... children) {
    T *made = copy<T>(original);
    ((made->*children = expression(made->*children)), ...);
    return made;
  }

  // The default is Walrus, the only kind that is left. Its target is a node of its own, as Flow::writes is keyed by it.
  Expr *operation(const Expr &original) {
    switch (original.kind) {
    case ExprKind::Unary:
      return with<Unary>(original, &Unary::operand);
    case ExprKind::Binary:
      return with<Binary>(original, &Binary::left, &Binary::right);
    case ExprKind::Boolean: {
      auto *made = copy<Boolean>(original);
      made->values = list(made->values);
      return made;
    }
    case ExprKind::Compare: {
      auto *made = copy<Compare>(original);
      made->left = expression(made->left);
      made->rights = list(made->rights);
      return made;
    }
    case ExprKind::Conditional:
      return with<Conditional>(original, &Conditional::test, &Conditional::then, &Conditional::otherwise);
    case ExprKind::Format:
      return with<Format>(original, &Format::value, &Format::spec);
    case ExprKind::Attribute:
      return with<Attribute>(original, &Attribute::value);
    case ExprKind::Subscript:
      return with<Subscript>(original, &Subscript::value, &Subscript::index);
    case ExprKind::Slice:
      return with<Slice>(original, &Slice::start, &Slice::stop, &Slice::step);
    case ExprKind::Starred:
      return with<Starred>(original, &Starred::value);
    case ExprKind::Comprehension:
      return with<Comprehension>(original, &Comprehension::each);
    case ExprKind::Consteval: {
      auto *made = copy<Consteval>(original);
      made->callee = expression(made->callee);
      made->names = list(made->names);
      return made;
    }
    case ExprKind::Walrus: {
      auto *made = copy<Walrus>(original);
      made->target = copy<Name>(*made->target);
      made->value = expression(made->value);
      return made;
    }
    default:
      failCheck("an expression that consists of others", __FILE__, __LINE__);
    }
  }

  // As with(), for statements, whose parts are expressions, lists of them, or bodies.
  template <typename T, typename... Parts> Stmt *withParts(const Stmt &original, Parts... parts) {
    T *made = copy<T>(original);
    (replace(made->*parts), ...);
    return made;
  }
  void replace(Expr *&part) { part = expression(part); }
  void replace(Body &part) { part = body(part); }
  void replace(std::span<Expr *const> &part) { part = list(part); }

  // A FunctionDef is copied without its function, so that the copy defines the same function with other captures.
  Stmt *statement(const Stmt &original) {
    switch (original.kind) {
    case StmtKind::Assign:
      return withParts<Assign>(original, &Assign::targets, &Assign::value);
    case StmtKind::AugAssign:
      return withParts<AugAssign>(original, &AugAssign::target, &AugAssign::value);
    case StmtKind::Expression:
      return withParts<ExprStmt>(original, &ExprStmt::value);
    case StmtKind::If:
      return withParts<If>(original, &If::test, &If::then, &If::otherwise);
    case StmtKind::While:
      return withParts<While>(original, &While::test, &While::body, &While::otherwise);
    case StmtKind::For:
      return withParts<For>(original, &For::target, &For::iterable, &For::body, &For::otherwise);
    case StmtKind::Return:
      return withParts<Return>(original, &Return::value);
    case StmtKind::Raise:
      return withParts<Raise>(original, &Raise::exception);
    case StmtKind::Assert:
      return withParts<Assert>(original, &Assert::test, &Assert::message);
    case StmtKind::FunctionDef:
      return copy<FunctionDef>(original);
    case StmtKind::Break:
    case StmtKind::Continue:
      return copy<Stmt>(original);
    }
    return nullptr;
  }

  Arena &arena;
};

} // namespace

const syntax::For *cloneLoop(const syntax::For &loop, Arena &arena) {
  Cloner cloner(arena);
  auto *copy = arena.make<syntax::For>(loop);
  copy->target = cloner.expression(loop.target);
  copy->body = cloner.body(loop.body);
  return copy;
}

} // namespace treadle
