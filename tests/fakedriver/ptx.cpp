// From a module as the machine's parser reads it to what launches need.
#include "ptx.h"

#include "ptxmachine/fault.h"
#include "ptxmachine/program.h"

#include <algorithm>

namespace fakecuda {

namespace {

/// Only `ret` and the like: such an entry may have a native body by its name alone.
bool isEmpty(const ptxmachine::Function &function) {
  return !function.body ||
         std::all_of(function.body->statements.begin(), function.body->statements.end(),
                     [](const auto &statement) { return statement.opcode == "ret" || statement.opcode == "exit"; });
}

void readMarker(std::string_view marker, PtxEntry &entry) {
  for (size_t at = 0; at < marker.size();) {
    const size_t begin = std::min(marker.find_first_not_of(" \t\r", at), marker.size());
    at = std::min(marker.find_first_of(" \t\r", begin), marker.size());
    const std::string word(marker.substr(begin, at - begin));
    if (entry.native.empty())
      entry.native = word;
    else if (!word.empty())
      entry.places.push_back(word);
  }
}

PtxEntry entryOf(const ptxmachine::Module &module, const ptxmachine::Function &function) {
  PtxEntry entry;
  entry.name = function.name;
  for (const ptxmachine::Variable &parameter : function.parameters) {
    const size_t offset = (entry.parameterBytes + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    entry.parameters.push_back({offset, parameter.bytes, parameter.alignment});
    entry.parameterBytes = offset + parameter.bytes;
  }
  entry.sharedBytes = ptxmachine::staticSharedBytes(module, function);
  entry.maxThreads = function.maxThreads;
  entry.threads = function.threads;
  entry.isEmpty = isEmpty(function);
  readMarker(function.marker, entry);
  return entry;
}

} // namespace

const PtxEntry *PtxModule::entry(std::string_view name) const {
  for (const PtxEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::optional<PtxModule> readPtx(std::string_view text, std::string &problem) {
  try {
    auto parsed = std::make_shared<const ptxmachine::Module>(ptxmachine::parse(text));
    PtxModule module;
    module.version = parsed->version;
    module.target = parsed->target;
    for (const ptxmachine::Function &function : parsed->functions)
      if (function.isEntry)
        module.entries.push_back(entryOf(*parsed, function));
    for (const ptxmachine::Variable &variable : parsed->variables)
      if (variable.space == ptxmachine::Space::Global || variable.space == ptxmachine::Space::Const)
        module.variables.push_back({variable.name, variable.bytes});
    module.parsed = std::move(parsed);
    return module;
  } catch (const ptxmachine::LoadError &error) {
    problem = error.what();
    return std::nullopt;
  }
}

} // namespace fakecuda
