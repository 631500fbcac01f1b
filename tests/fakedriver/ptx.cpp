// From a module as the machine's parser reads it to what launches need.
#include "ptx.h"

#include "device_limits.h"
#include "ptxmachine/fault.h"
#include "ptxmachine/linker.h"
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

size_t threadsOf(const std::vector<unsigned> &extents) {
  size_t threads = 1;
  for (const unsigned extent : extents)
    threads *= extent;
  return threads;
}

/// A compiler reuses most registers of a text; it never uses more than the largest block allows.
unsigned registersOf(const ptxmachine::Function &function) {
  size_t words = 0;
  if (function.body)
    for (const ptxmachine::RegisterName &name : function.body->registers)
      words += name.type == ".pred" ? 0 : (ptxmachine::typeBytes(name.type) + 3) / 4;
  const std::vector<unsigned> &extents = function.threads.empty() ? function.maxThreads : function.threads;
  const size_t threads = extents.empty() ? maxThreadsPerBlock : threadsOf(extents);
  size_t most = std::min<size_t>(maxRegisters, registersPerBlock / ((threads + 31) / 32 * 32) / 8 * 8);
  if (function.maxRegisters)
    most = std::min<size_t>(most, function.maxRegisters);
  return static_cast<unsigned>(std::min(16 + words / 4 / 8 * 8, most));
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
  entry.localBytes = ptxmachine::localBytes(module, function);
  entry.registers = registersOf(function);
  entry.cluster = function.cluster;
  if (entry.sharedBytes > defaultShared)
    throw ptxmachine::LoadError(0, "entry '" + entry.name +
                                       "' uses too much shared data: " + std::to_string(entry.sharedBytes) +
                                       " bytes, at most " + std::to_string(defaultShared));
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

std::optional<PtxModule> readPtx(const std::vector<std::string> &texts, std::string &problem) {
  try {
    std::vector<ptxmachine::Module> modules;
    for (const std::string &text : texts)
      modules.push_back(ptxmachine::parse(text));
    auto parsed = std::make_shared<const ptxmachine::Module>(ptxmachine::link(std::move(modules)));
    PtxModule module;
    module.version = parsed->version;
    module.target = parsed->target;
    for (const ptxmachine::Function &function : parsed->functions)
      if (function.isEntry)
        module.entries.push_back(entryOf(*parsed, function));
    for (const ptxmachine::Variable &variable : parsed->variables)
      if ((variable.space == ptxmachine::Space::Global || variable.space == ptxmachine::Space::Const) &&
          variable.linkage != ptxmachine::Linkage::Extern)
        module.variables.push_back({variable.name, variable.bytes});
    module.fixesLimits = parsed->function("vprintf") || parsed->function("malloc");
    module.parsed = std::move(parsed);
    return module;
  } catch (const ptxmachine::LoadError &error) {
    problem = error.what();
    return std::nullopt;
  }
}

} // namespace fakecuda
