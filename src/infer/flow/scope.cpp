// Which names a function binds, reads and captures.
// Python's static rules: a name that a function binds anywhere is local to it throughout; any other name belongs to the
// nearest enclosing function that binds it, or is global. Code is not executed here, so dead branches bind names, too.
#include "infer/flow/scope.h"

#include "infer/flow/syntax_walk.h"

#include <algorithm>

namespace treadle {

/// Walks one function without entering the functions nested in it. Expressions are walked by a worklist, so that their
/// depth does not matter; statements nest no deeper than Python's indentation allows.
class ScopeCollector {
public:
  explicit ScopeCollector(Scope &scope) : scope(scope) {}

  // Statements by a worklist of bodies: names are local wherever they are bound, so that the order does not matter.
  void walk(syntax::Body body) {
    std::vector<syntax::Body> pending{body};
    while (!pending.empty()) {
      syntax::Body next = pending.back();
      pending.pop_back();
      for (const syntax::Stmt *statement : next)
        walk(*statement, pending);
    }
  }

  void read(const syntax::Expr *expression) {
    if (!expression)
      return;
    std::vector<const syntax::Expr *> work{expression};
    while (!work.empty()) {
      const syntax::Expr &next = *work.back();
      work.pop_back();
      note(next);
      forEachChild(next, [&](const syntax::Expr &child) { work.push_back(&child); });
    }
  }

private:
  // Python binds the target of `:=` in the function itself, also from inside of a test or an argument.
  void note(const syntax::Expr &expression) {
    if (expression.kind == syntax::ExprKind::Name)
      scope.reads.push_back(expression.as<syntax::Name>().id);
    else if (expression.kind == syntax::ExprKind::Walrus)
      scope.walrus = true, scope.add(expression.as<syntax::Walrus>().target->id);
    else if (expression.kind == syntax::ExprKind::Consteval)
      scope.runsPython = true;
    else if (expression.kind == syntax::ExprKind::Lambda)
      nest(*expression.as<syntax::Lambda>().function);
  }

  // Defaults are evaluated by the function around: `def f(n=m)` reads m here.
  void nest(const syntax::Function &function) {
    if (std::find(scope.childOrder.begin(), scope.childOrder.end(), &function) == scope.childOrder.end())
      scope.childOrder.push_back(&function);
    for (const syntax::Parameter &parameter : function.parameters)
      read(parameter.defaultValue);
  }

  // `x[i] = 1` binds nothing, and reads x and i.
  void bind(const syntax::Expr &target) {
    forEachBoundName(target, [&](const syntax::Name &name) { scope.add(name.id); });
    if (target.kind == syntax::ExprKind::Tuple || target.kind == syntax::ExprKind::List) {
      for (const syntax::Expr *item : target.as<syntax::Sequence>().items)
        bind(*item);
    } else if (target.kind != syntax::ExprKind::Name) {
      read(&target);
    }
  }

  // A name given to a lambda counts as the name of a nested function: `square = lambda x: x * x`.
  void assign(const syntax::Assign &statement) {
    read(statement.value);
    for (const syntax::Expr *target : statement.targets) {
      bind(*target);
      if (target->kind == syntax::ExprKind::Name && statement.value->kind == syntax::ExprKind::Lambda)
        scope.functionNames[target->as<syntax::Name>().id].push_back(statement.value->as<syntax::Lambda>().function);
    }
  }

  void walk(const syntax::Stmt &statement, std::vector<syntax::Body> &pending) {
    using syntax::StmtKind;
    switch (statement.kind) {
    case StmtKind::Assign:
      return assign(statement.as<syntax::Assign>());
    case StmtKind::AugAssign:
      read(statement.as<syntax::AugAssign>().value);
      read(statement.as<syntax::AugAssign>().target);
      return bind(*statement.as<syntax::AugAssign>().target);
    case StmtKind::Expression:
      return read(statement.as<syntax::ExprStmt>().value);
    case StmtKind::If:
      read(statement.as<syntax::If>().test);
      pending.insert(pending.end(), {statement.as<syntax::If>().otherwise, statement.as<syntax::If>().then});
      return;
    case StmtKind::While:
      read(statement.as<syntax::While>().test);
      pending.insert(pending.end(), {statement.as<syntax::While>().otherwise, statement.as<syntax::While>().body});
      return;
    case StmtKind::For:
      bind(*statement.as<syntax::For>().target);
      read(statement.as<syntax::For>().iterable);
      pending.insert(pending.end(), {statement.as<syntax::For>().otherwise, statement.as<syntax::For>().body});
      return;
    case StmtKind::Return:
      return read(statement.as<syntax::Return>().value);
    case StmtKind::Raise:
      return read(statement.as<syntax::Raise>().exception);
    case StmtKind::Assert:
      read(statement.as<syntax::Assert>().test);
      return read(statement.as<syntax::Assert>().message);
    case StmtKind::FunctionDef: {
      const auto &definition = statement.as<syntax::FunctionDef>();
      scope.add(definition.name);
      scope.functionNames[definition.name].push_back(definition.function);
      return nest(*definition.function);
    }
    case StmtKind::Break:
    case StmtKind::Continue:
      return;
    }
  }

  Scope &scope;
};

/// Children are made once all names of this function are known: one may read a name that is bound further down. Their
/// captures are found from the inside out, as this function must capture what they read from further outside. Numbers
/// come last, once for the whole tree: a sibling's captures may still grow while the function around is made.
Scope::Scope(const syntax::Function &function, const Scope *enclosing) : root(function), parent(enclosing) {
  for (const syntax::Parameter &parameter : function.parameters)
    list.push_back(parameter.name);
  for (uint32_t id = 0; id < list.size(); ++id)
    ids.emplace(list[id], id);
  ScopeCollector(*this).walk(function.body);
  for (const syntax::Function *child : childOrder)
    children.emplace(child, std::make_unique<Scope>(*child, this));
  closeOverSiblings();
  findCaptures(reads);
  if (!parent)
    numberNames();
}

/// Ids are the numbers of FlowBuilder's first nodes, and captured names the bindings of InstanceRequest that follow the
/// parameters'.
void Scope::numberNames() {
  list.insert(list.end(), captures.begin(), captures.end());
  list.insert(list.end(), owned.begin(), owned.end());
  for (uint32_t id = parameterCount(); id < list.size(); ++id)
    ids[list[id]] = id;
  for (auto &[function, child] : children)
    child->numberNames();
}

void Scope::add(std::string_view name) {
  // The id is assigned once the captured names are known.
  if (ids.emplace(name, notLocal).second)
    owned.push_back(name);
}

const Scope &Scope::nested(const syntax::Function &function) const {
  auto found = children.find(&function);
  return found != children.end() ? *found->second : parent->nested(function);
}

/// Functions in between must hand the name on: they have captured it, too.
bool Scope::isCapturedFrom(const Scope &around, std::string_view name) const {
  const Scope *next = parent;
  while (next && next != &around &&
         std::find(next->captures.begin(), next->captures.end(), name) != next->captures.end())
    next = next->parent;
  return next == &around;
}

uint32_t Scope::find(std::string_view name) const {
  auto found = ids.find(name);
  return found == ids.end() ? notLocal : found->second;
}

std::vector<std::string_view> Scope::outsideNames() const {
  std::vector<std::string_view> names;
  for (std::string_view name : reads)
    if (!ids.contains(name))
      names.push_back(name);
  for (const syntax::Function *child : childOrder)
    for (std::string_view name : children.at(child)->outsideNames())
      names.push_back(name);
  return names;
}

bool Scope::hasConsteval() const {
  return runsPython || std::ranges::any_of(children, [](const auto &child) { return child.second->hasConsteval(); });
}

/// A captured name may be a function of the function around: `def outer(): def f(): ...; def g(): f()`.
const std::vector<const syntax::Function *> *Scope::functionsNamed(uint32_t name) const {
  auto found = functionNames.find(list[name]);
  if (found != functionNames.end())
    return &found->second;
  bool isCaptured = name >= parameterCount() && name < parameterCount() + captures.size();
  return isCaptured && parent ? parent->functionsNamed(parent->find(list[name])) : nullptr;
}

bool Scope::isBoundAround(std::string_view name) const {
  for (const Scope *scope = parent; scope; scope = scope->parent)
    if (scope->ids.contains(name))
      return true;
  return false;
}

/// False if there is nothing new, on which the fixed point of closeOverSiblings() depends.
bool Scope::capture(std::string_view name) {
  if (ids.contains(name) || !isBoundAround(name) || std::find(captures.begin(), captures.end(), name) != captures.end())
    return false;
  captures.push_back(name);
  return true;
}

/// The outermost function captures nothing: names that it does not bind are resolved by Python.
void Scope::findCaptures(const std::vector<std::string_view> &read) {
  if (!parent)
    return;
  for (std::string_view name : read)
    capture(name);
  for (const syntax::Function *child : childOrder)
    for (std::string_view name : children.at(child)->captures)
      capture(name);
}

/// If f calls its sibling g, f must be given what g captures, as nested functions are not values with an environment at
/// run time: the callee gets the captured variables as arguments. Siblings may call each other, hence the repetition.
void Scope::closeOverSiblings() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const syntax::Function *child : childOrder) {
      Scope &scope = *children.at(child);
      const std::vector<std::string_view> before = scope.captures;
      for (std::string_view name : before) {
        auto named = functionNames.find(name);
        if (named == functionNames.end())
          continue;
        for (const syntax::Function *called : named->second)
          for (std::string_view needed : std::vector(children.at(called)->captures))
            changed |= scope.capture(needed);
      }
    }
  }
}

} // namespace treadle
