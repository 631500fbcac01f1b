// Builds small syntax trees for tests of inference, and resolves the names in them.
#pragma once

#include "border/name_resolver.h"
#include "infer/infer.h"
#include "syntax/syntax.h"
#include "typed/typed.h"

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace treadle::testing {

using Body = std::vector<syntax::Stmt *>;

/// One function's tree. Every statement has its own line, counted from 2 (line 1 is the `def`).
class SyntaxBuilder {
public:
  struct E {
    SyntaxBuilder *builder;
    syntax::Expr *node;
    operator syntax::Expr *() const { return node; }
    E operator[](std::vector<E> indices) const { return builder->subscript(*this, indices); }
    E operator()(std::vector<E> arguments) const { return builder->call(*this, arguments); }
    E dot(std::string_view name) const { return builder->attribute(*this, name); }
    E operator-() const { return builder->unary(UnaryOperator::Negative, *this); }
    E operator!() const { return builder->unary(UnaryOperator::Not, *this); }
  };

  E name(std::string_view id);
  E number(int64_t value);
  E real(double value);
  E boolean(bool value);
  E none();
  E string(std::string_view text);
  E unary(UnaryOperator op, E operand);
  E binary(BinaryOperator op, E left, E right);
  E both(E left, E right);   ///< left and right
  E either(E left, E right); ///< left or right
  E compare(E left, const std::vector<std::pair<syntax::Comparison, E>> &rest);
  E conditional(E test, E then, E otherwise);
  E call(E callee, const std::vector<E> &arguments, const std::vector<std::pair<std::string_view, E>> &keywords = {});
  E attribute(E value, std::string_view name);
  E subscript(E value, std::vector<E> indices);
  E tuple(const std::vector<E> &items);
  E walrus(std::string_view name, E value);
  E starred(E value);
  E lambda(const syntax::Function *function);

  syntax::Stmt *assign(E target, E value);
  syntax::Stmt *assign(std::string_view target, E value) { return assign(name(target), value); }
  syntax::Stmt *augment(E target, BinaryOperator op, E value);
  syntax::Stmt *expression(E value);
  syntax::Stmt *ifThen(E test, const Body &then, const Body &otherwise = {});
  syntax::Stmt *whileLoop(E test, const Body &body, const Body &otherwise = {});
  syntax::Stmt *forLoop(E target, E iterable, const Body &body, const Body &otherwise = {});
  syntax::Stmt *leave();   ///< break
  syntax::Stmt *proceed(); ///< continue
  syntax::Stmt *result(E value);
  syntax::Stmt *result();
  syntax::Stmt *define(std::string_view name, const syntax::Function *function);

  const syntax::Function *nested(std::string_view name, const std::vector<std::string_view> &parameters,
                                 const Body &body, bool isLambda = false);
  /// Finishes the tree: nothing can be added after this. A parameter "*x" takes the rest, "x=" has a default.
  std::shared_ptr<const SyntaxFunction> function(std::string_view name, const std::vector<std::string_view> &parameters,
                                                 const Body &body);

private:
  template <typename T, typename... Fields> E make(syntax::ExprKind kind, Fields... fields) {
    return {this, arena->make<T>(syntax::Expr{kind, here()}, fields...)};
  }
  template <typename T, typename... Fields> syntax::Stmt *statement(syntax::StmtKind kind, Fields... fields) {
    const SourceSpan span = here();
    ++line;
    return arena->make<T>(syntax::Stmt{kind, span}, fields...);
  }
  std::span<syntax::Expr *const> list(const std::vector<E> &items);
  syntax::Body body(const Body &statements) { return arena->list(statements); }
  std::span<const syntax::Parameter> parameters(const std::vector<std::string_view> &names);
  SourceSpan here() const { return {line, 4, line, 5}; }

  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
  uint32_t line = 2;
};

SyntaxBuilder::E operator+(SyntaxBuilder::E left, SyntaxBuilder::E right);
SyntaxBuilder::E operator-(SyntaxBuilder::E left, SyntaxBuilder::E right);
SyntaxBuilder::E operator*(SyntaxBuilder::E left, SyntaxBuilder::E right);
SyntaxBuilder::E operator/(SyntaxBuilder::E left, SyntaxBuilder::E right);
SyntaxBuilder::E operator<(SyntaxBuilder::E left, SyntaxBuilder::E right);

/// Knows `cuda` and `math` as modules, Python's builtins, and names that a test adds.
class FakeNames : public NameResolver {
public:
  CapturedValue resolve(uint64_t function, std::string_view name) override;
  CapturedValue attribute(uint64_t handle, std::string_view name) override;
  CalledFunction function(uint64_t handle) override { return functions.at(handle); }
  CapturedValue parameterDefault(uint64_t function, std::string_view name) override;
  std::string qualifiedName(uint64_t) override { return {}; }
  std::string_view undecoratedFunction(uint64_t handle) override { return handle == plainHandle ? "plain" : ""; }
  CapturedValue dtypeNamed(std::string_view text) override;
  CapturedValue libraryFunction(std::string_view) override { return {}; }

  void add(std::string_view name, CapturedValue value) { globals[std::string(name)] = std::move(value); }
  void addType(std::string_view name, const Type *type);
  void addInteger(std::string_view name, int64_t value, bool isLiteral = true);
  void addFunction(std::string_view name, std::shared_ptr<const SyntaxFunction> function,
                   RuleSet rules = RuleSet::Numba, std::vector<std::vector<const Type *>> signatures = {});
  void addDefault(std::string_view parameter, int64_t value);

  static constexpr uint64_t plainHandle = 4242;

private:
  std::map<std::string, CapturedValue, std::less<>> globals, defaults;
  std::map<uint64_t, CalledFunction> functions;
};

struct Inferred {
  TypedRef function;
  std::vector<std::string> warnings;
  /// Types of the slots with that name, in order.
  std::vector<std::string> slots(std::string_view name) const;
  std::string print() const { return function->print(); }
};

Inferred inferKernel(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments,
                     FakeNames &names, RuleSet rules = RuleSet::Numba);
Inferred inferDevice(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments,
                     FakeNames &names, RuleSet rules = RuleSet::Numba);
/// What inference reports for a wrong kernel: "line 3: message | found | expected | remedy"; "" if it accepts it.
std::string errorOf(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments,
                    FakeNames &names, RuleSet rules = RuleSet::Numba);

inline const Type *floats(unsigned ndim = 1) { return types::array(types::float32(), {.ndim = ndim}); }
inline const Type *doubles(unsigned ndim = 1) { return types::array(types::float64(), {.ndim = ndim}); }
inline const Type *ints(unsigned ndim = 1) { return types::array(types::int64(), {.ndim = ndim}); }

} // namespace treadle::testing
