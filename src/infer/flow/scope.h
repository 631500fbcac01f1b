// Scope: which names of a Python function are local, and which belong to enclosing functions.
#pragma once

#include "syntax/syntax.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace treadle {

/// The local names of one function in a tree of nested functions, by Python's static rules.
class Scope {
public:
  /// Finds the names of `function` and of all functions nested in it.
  explicit Scope(const syntax::Function &function, const Scope *enclosing = nullptr);

  static constexpr uint32_t notLocal = ~uint32_t(0);

  const syntax::Function &function() const { return root; }
  const Scope *enclosing() const { return parent; }
  /// Parameters first, then captured names, then the others.
  const std::vector<std::string_view> &names() const { return list; }
  uint32_t parameterCount() const { return uint32_t(root.parameters.size()); }
  /// Names of enclosing functions that this function, its nested functions or its callees read.
  const std::vector<std::string_view> &captured() const { return captures; }
  /// Whether a captured name belongs to `around`, and to no function in between.
  bool isCapturedFrom(const Scope &around, std::string_view name) const;
  /// The id of a local or captured name.
  uint32_t find(std::string_view name) const;
  /// The scope of a function nested directly in this one or in an enclosing one.
  const Scope &nested(const syntax::Function &function) const;
  /// Names that this function or its nested functions read from outside of the outermost function. May have duplicates.
  std::vector<std::string_view> outsideNames() const;
  /// Whether Python runs parts of this function, or of a nested one, at compile time.
  bool hasConsteval() const;
  /// Whether some expression binds a name with `:=`.
  bool hasWalrus() const { return walrus; }
  /// The nested functions to which a local name is ever bound: a call by that name may call any of them.
  const std::vector<const syntax::Function *> *functionsNamed(uint32_t name) const;

private:
  friend class ScopeCollector;
  /// Makes a name local; its id comes from numberNames().
  void add(std::string_view name);
  /// Whether some enclosing function binds the name.
  bool isBoundAround(std::string_view name) const;
  void findCaptures(const std::vector<std::string_view> &read);
  /// A nested function that calls another one also needs the callee's captures.
  void closeOverSiblings();
  bool capture(std::string_view name);
  /// Called once the captures of the whole tree are known.
  void numberNames();

  // Names are views of the syntax tree, which outlives the scope.
  const syntax::Function &root;
  const Scope *parent;
  /// `list` is all names by id: the parameters, `captures`, then `owned`.
  std::vector<std::string_view> list, captures, owned;
  std::unordered_map<std::string_view, uint32_t> ids;
  std::unordered_map<const syntax::Function *, std::unique_ptr<Scope>> children;
  /// In source order, as `children` has none: equal sources must give equal trees.
  std::vector<const syntax::Function *> childOrder;
  std::unordered_map<std::string_view, std::vector<const syntax::Function *>> functionNames;
  std::vector<std::string_view> reads;
  bool walrus = false;
  bool runsPython = false;
};

} // namespace treadle
