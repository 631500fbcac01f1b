// Scope: which names of a Python function are its own, and which belong to the functions around it.
#pragma once

#include "syntax/syntax.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace treadle {

/// The local names of one function in a tree of nested functions, as Python decides them: before anything runs.
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
  /// Names of the enclosing functions that this function reads, or one nested in it or called by it.
  const std::vector<std::string_view> &captured() const { return captures; }
  /// A captured name is that of `around`, and of no function between.
  bool isCapturedFrom(const Scope &around, std::string_view name) const;
  /// The id of one of its own names, or of a captured one.
  uint32_t find(std::string_view name) const;
  /// The scope of a function nested directly in this one or in an enclosing one.
  const Scope &nested(const syntax::Function &function) const;
  /// Names that this function, or one nested in it, reads from outside of the outermost function. May have duplicates.
  std::vector<std::string_view> outsideNames() const;
  /// Python runs parts of this function, or of one nested in it, while compiling.
  bool hasConsteval() const;
  /// Some expression binds a name with `:=`.
  bool hasWalrus() const { return walrus; }
  /// The nested functions that a local name is bound to anywhere: a call by that name may call any of them.
  const std::vector<const syntax::Function *> *functionsNamed(uint32_t name) const;

private:
  friend class ScopeCollector;
  void add(std::string_view name);
  bool isBoundAround(std::string_view name) const;
  void findCaptures(const std::vector<std::string_view> &read);
  /// A nested function that calls another one also needs what the callee captures.
  void closeOverSiblings();
  bool capture(std::string_view name);
  /// Called once the captures of the whole tree are known.
  void numberNames();

  const syntax::Function &root;
  const Scope *parent;
  std::vector<std::string_view> list, captures, owned;
  std::unordered_map<std::string_view, uint32_t> ids;
  std::unordered_map<const syntax::Function *, std::unique_ptr<Scope>> children;
  std::vector<const syntax::Function *> childOrder;
  std::unordered_map<std::string_view, std::vector<const syntax::Function *>> functionNames;
  std::vector<std::string_view> reads;
  bool walrus = false;
  bool runsPython = false;
};

} // namespace treadle
