// What the driver asks of a module before it runs: sizes of shared memory, initial values.
#include "program.h"

#include "fault.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace ptxmachine {

namespace {

/// The names that a function uses, and those that the functions it names use.
void collect(const Module &module, const Function &function, std::set<std::string> &seen) {
  const auto visit = [&](const auto &self, const Operand &operand) -> void {
    if (!operand.name.empty() && seen.insert(operand.name).second)
      if (const Function *other = module.function(operand.name))
        collect(module, *other, seen);
    for (const Operand &item : operand.items)
      self(self, item);
  };
  if (function.body)
    for (const Statement &statement : function.body->statements)
      for (const Operand &operand : statement.operands)
        visit(visit, operand);
}

} // namespace

size_t staticSharedBytes(const Module &module, const Function &entry) {
  std::set<std::string> used;
  collect(module, entry, used);
  size_t total = 0;
  const auto add = [&](const std::vector<Variable> &variables, bool areUsed) {
    for (const Variable &variable : variables)
      if (variable.space == Space::Shared && variable.linkage != Linkage::Extern &&
          (areUsed || used.contains(variable.name)))
        total = (total + variable.alignment - 1) / variable.alignment * variable.alignment + variable.bytes;
  };
  add(module.variables, false);
  for (const Function &function : module.functions)
    if (function.body && (&function == &entry || used.contains(function.name)))
      add(function.body->variables, true);
  return total;
}

size_t localBytes(const Module &module, const Function &entry) {
  std::set<std::string> used;
  collect(module, entry, used);
  size_t total = 0;
  for (const Function &function : module.functions)
    if (function.body && (&function == &entry || used.contains(function.name)))
      for (const Variable &variable : function.body->variables)
        if (variable.space == Space::Local)
          total = (total + variable.alignment - 1) / variable.alignment * variable.alignment + variable.bytes;
  return (total + 7) / 8 * 8;
}

namespace {

uint64_t addressOf(const Module &module, const std::string &symbol, const std::map<std::string, uint64_t> &addresses) {
  if (const auto found = addresses.find(symbol); found != addresses.end())
    return found->second;
  for (size_t at = 0; at < module.functions.size(); ++at)
    if (module.functions[at].name == symbol)
      return functionAddress(at);
  throw LoadError(0, "there is no '" + symbol + "', whose address a variable has");
}

} // namespace

std::vector<std::byte> initialBytes(const Module &module, const Variable &variable,
                                    const std::map<std::string, uint64_t> &addresses) {
  std::vector<std::byte> bytes = variable.initial;
  bytes.resize(variable.bytes);
  for (const SymbolAddress &symbol : variable.addresses) {
    const uint64_t value = addressOf(module, symbol.symbol, addresses) + static_cast<uint64_t>(symbol.addend);
    std::memcpy(bytes.data() + symbol.offset, &value, std::min<size_t>(sizeof value, variable.elementBytes));
  }
  return bytes;
}

} // namespace ptxmachine
