// Linker: names of several texts, and what they denote in the module made of all.
#include "linker.h"

#include "fault.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ptxmachine {

namespace {

using Names = std::unordered_map<std::string, std::string>; ///< as the text has them, to as the linked module does

/// Names that a module gives to things which no other module can mean.
class Renamer {
public:
  explicit Renamer(const Names &names) : names(names) {}

  void apply(Module &module) const {
    for (Variable &variable : module.variables)
      variableNames(variable);
    for (Function &function : module.functions) {
      rename(function.name);
      if (function.body)
        body(*function.body);
    }
  }

private:
  void rename(std::string &name) const {
    if (const auto found = names.find(name); found != names.end())
      name = found->second;
  }

  void variableNames(Variable &variable) const {
    rename(variable.name);
    for (SymbolAddress &address : variable.addresses)
      rename(address.symbol);
  }

  void operand(Operand &each, const std::unordered_set<std::string> &hidden) const {
    if (!hidden.contains(each.name))
      rename(each.name);
    for (Operand &item : each.items)
      operand(item, hidden);
  }

  /// Registers and variables of the body hide the module's names.
  void body(Body &each) const {
    std::unordered_set<std::string> hidden;
    for (const RegisterName &name : each.registers)
      hidden.insert(name.name);
    for (const Variable &variable : each.variables)
      hidden.insert(variable.name);
    for (Statement &statement : each.statements)
      for (Operand &item : statement.operands)
        operand(item, hidden);
  }

  const Names &names;
};

bool isInternal(const Function &function) { return !function.isEntry && function.linkage == Linkage::Internal; }
bool isInternal(const Variable &variable) { return variable.linkage == Linkage::Internal; }

class Linker {
public:
  explicit Linker(std::vector<Module> modules) : modules(std::move(modules)) {}

  Module link() {
    separateInternals();
    for (Module &module : modules)
      append(module);
    return std::move(result);
  }

private:
  void separateInternals() {
    std::map<std::string, std::set<size_t>> users;
    for (size_t at = 0; at < modules.size(); ++at) {
      for (const Variable &variable : modules[at].variables)
        users[variable.name].insert(at);
      for (const Function &function : modules[at].functions)
        users[function.name].insert(at);
    }
    for (size_t at = 0; at < modules.size(); ++at) {
      Names names;
      const auto separate = [&](const auto &each) {
        if (isInternal(each) && users[each.name].size() > 1)
          names[each.name] = each.name + "@" + std::to_string(at); // '@' is in no name of a text
      };
      for (const Variable &variable : modules[at].variables)
        separate(variable);
      for (const Function &function : modules[at].functions)
        separate(function);
      if (!names.empty())
        Renamer(names).apply(modules[at]);
    }
  }

  void append(Module &module) {
    const auto firstFile = static_cast<unsigned>(result.files.size());
    result.files.insert(result.files.end(), module.files.begin(), module.files.end());
    result.version = std::max(result.version, module.version);
    result.target = std::max(result.target, module.target);
    for (Variable &variable : module.variables)
      append(std::move(variable));
    for (Function &function : module.functions) {
      if (function.body)
        for (Statement &statement : function.body->statements)
          statement.source.file += firstFile;
      append(std::move(function));
    }
  }

  [[noreturn]] static void defineTwice(const std::string &name) {
    throw LoadError(0, "multiple definition of '" + name + "'");
  }

  /// A strong definition takes the place of a weak one, which takes that of a declaration.
  void append(Function function) {
    const auto [found, isNew] = functions.emplace(function.name, result.functions.size());
    if (isNew)
      return result.functions.push_back(std::move(function));
    Function &known = result.functions[found->second];
    if (function.parameters.size() != known.parameters.size() || function.results.size() != known.results.size())
      throw LoadError(0, "'" + function.name + "' has two signatures");
    if (!function.body)
      return;
    if (!known.body || (known.linkage == Linkage::Weak && function.linkage != Linkage::Weak))
      known = std::move(function);
    else if (function.linkage != Linkage::Weak)
      defineTwice(function.name);
  }

  void append(Variable variable) {
    const auto [found, isNew] = variables.emplace(variable.name, result.variables.size());
    if (isNew)
      return result.variables.push_back(std::move(variable));
    Variable &known = result.variables[found->second];
    if (variable.space != known.space)
      throw LoadError(0, "'" + variable.name + "' has two state spaces");
    if (variable.linkage == Linkage::Extern)
      return;
    if (known.linkage == Linkage::Extern || (isReplaceable(known) && !isReplaceable(variable)) ||
        (isReplaceable(variable) && known.linkage == variable.linkage && variable.bytes > known.bytes))
      known = std::move(variable);
    else if (!isReplaceable(variable))
      defineTwice(variable.name);
  }

  static bool isReplaceable(const Variable &variable) {
    return variable.linkage == Linkage::Weak || variable.linkage == Linkage::Common;
  }

  std::vector<Module> modules;
  Module result;
  std::unordered_map<std::string, size_t> functions, variables; ///< to indices in the result
};

} // namespace

Module link(std::vector<Module> modules) { return Linker(std::move(modules)).link(); }

} // namespace ptxmachine
