// Links with LLVM's JITLink, as if for another process: at addresses that are not mapped.
#include "codegen/cpu/machine/object_linker.h"

#include "border/code_symbols.h"
#include "border/image.h"
#include "math/routine_address.h"
#include "support/error.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ExecutionEngine/JITLink/ELF_x86_64.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"
#include "llvm/Object/ELFObjectFile.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

using namespace llvm;
using namespace llvm::jitlink;

namespace treadle::codegen {

namespace {

/// The nominal address of the image; and that of external symbols, so far away that no code can be relaxed to reach
/// them without their addresses.
constexpr uint64_t base = uint64_t(1) << 32, outside = uint64_t(1) << 46;

/// The code does not depend on it: loading sets the fixups.
orc::ExecutorAddr addressAt(uint64_t offset) { return orc::ExecutorAddr(base + offset); }

/// By what a page may be used for: loading protects each part as a whole.
LinkedLayout::Part partOf(orc::MemProt rights) {
  if ((rights & orc::MemProt::Exec) != orc::MemProt::None)
    return LinkedLayout::Code;
  return (rights & orc::MemProt::Write) != orc::MemProt::None ? LinkedLayout::Data : LinkedLayout::Constants;
}

/// The bytes and the layout of one image while it is linked.
struct LinkedBytes {
  std::string code;
  LinkedLayout layout;

  /// All parts in one string: JITLink writes into it until the image is finished.
  /// One segment for each part: JITLink groups sections by their rights, and there are three combinations.
  llvm::Error place(LinkGraph &graph) {
    BasicLayout segments(graph);
    BasicLayout::Segment *found[3] = {};
    for (auto &[group, segment] : segments.segments()) {
      const LinkedLayout::Part part = partOf(group.getMemProt());
      TREADLE_CHECK(!found[part] && segment.Alignment.value() <= LinkedLayout::pageBytes);
      found[part] = &segment;
      layout.bytes[part] = segment.ContentSize + segment.ZeroFillSize;
    }
    code.resize(layout.bytes[0] + layout.bytes[1] + layout.bytes[2]);
    char *next = code.data();
    for (unsigned part = 0; part < 3; next += layout.bytes[part++])
      if (found[part]) {
        found[part]->WorkingMem = next;
        found[part]->Addr = addressAt(layout.begin(LinkedLayout::Part(part)));
      }
    return segments.apply();
  }

  uint64_t offsetOf(orc::ExecutorAddr address) const { return address.getValue() - base; }

  /// Absolute relocations: they become fixups. Everything else is a distance within the image.
  llvm::Error takeFixups(LinkGraph &graph) {
    for (Block *block : graph.blocks()) {
      if (block->getSection().getMemLifetime() == orc::MemLifetime::NoAlloc)
        continue;
      for (const Edge &edge : block->edges())
        if (edge.getKind() == x86_64::Pointer64)
          take(*block, edge);
        else if (edge.getKind() == x86_64::Pointer32 || edge.getKind() == x86_64::Pointer32Signed ||
                 edge.getTarget().isExternal())
          return make_error<JITLinkError>(StringRef("it has a relocation of the kind ") +
                                          graph.getEdgeKindName(edge.getKind()));
    }
    std::ranges::sort(layout.fixups, {}, &CodeFixup::offset);
    return llvm::Error::success();
  }

private:
  /// The word is cleared, so that images do not depend on the nominal address.
  void take(Block &block, const Edge &edge) {
    char *const word = block.getAlreadyMutableContent().data() + edge.getOffset();
    std::fill_n(word, 8, '\0');
    const Symbol &target = edge.getTarget();
    CodeFixup fixup{offsetOf(block.getAddress() + edge.getOffset()), "", edge.getAddend()};
    if (target.isExternal())
      fixup.symbol = target.getName();
    else
      fixup.addend += int64_t(offsetOf(target.getAddress()));
    layout.fixups.push_back(std::move(fixup));
  }
};

/// Nothing is allocated: the caller owns the bytes.
class LinkMemory final : public JITLinkMemoryManager {
public:
  explicit LinkMemory(LinkedBytes &linked) : linked(linked) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction done) override {
    if (llvm::Error error = linked.place(graph))
      return done(std::move(error));
    done(std::make_unique<Placed>());
  }
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    done(llvm::Error::success());
  }

private:
  class Placed final : public InFlightAlloc {
  public:
    void abandon(OnAbandonedFunction done) override { done(llvm::Error::success()); }
    void finalize(OnFinalizedFunction done) override { done(FinalizedAlloc(addressAt(0))); }
  };

  LinkedBytes &linked;
};

bool isDebugged(const object::ObjectFile &object) {
  return any_of(object.sections(), [](const object::SectionRef &section) {
    return expectedToOptional(section.getName()).value_or("") == ".debug_info";
  });
}

/// Maps blocks to sections of the object file. JITLink keeps no indices, but until the image is laid out its blocks are
/// views of the file.
class SectionIndices {
public:
  void note(LinkGraph &graph, const object::ObjectFile &object) {
    DenseMap<const char *, uint32_t> beginnings;
    for (const object::SectionRef &section : object.sections())
      if (const auto contents = expectedToOptional(section.getContents()); contents && !contents->empty())
        beginnings[contents->data()] = uint32_t(section.getIndex());
    for (Block *block : graph.blocks())
      if (!block->isZeroFill())
        if (const auto found = beginnings.find(block->getContent().data()); found != beginnings.end())
          indices[block] = found->second;
  }
  std::vector<DebugObject::Section> placed(LinkGraph &graph, const LinkedBytes &linked) const {
    std::vector<DebugObject::Section> sections;
    for (const Block *block : graph.blocks())
      if (block->getSection().getMemLifetime() != orc::MemLifetime::NoAlloc)
        if (const auto found = indices.find(block); found != indices.end())
          sections.push_back({found->second, linked.offsetOf(block->getAddress())});
    std::ranges::sort(sections, {}, &DebugObject::Section::index);
    return sections;
  }

private:
  DenseMap<const Block *, uint32_t> indices;
};

/// The sort key of a block in its section. JITLink's sets of blocks are ordered by their addresses in this process.
using BlockOrder = std::tuple<const char *, uint64_t, StringRef>;

/// By the offset in the object file; table entries by their targets.
BlockOrder orderOf(const Block &block) {
  const StringRef section = block.getSection().getName();
  if (section != x86_64::GOTTableManager::getSectionName() && section != x86_64::PLTTableManager::getSectionName())
    return {block.isZeroFill() ? nullptr : block.getContent().data(), block.getSize(), ""};
  const Symbol &target = block.edges().begin()->getTarget();
  if (target.isExternal())
    return {nullptr, 0, target.getName()};
  // A call uses the entry that contains its address.
  if (target.getBlock().getSection().getName() == x86_64::GOTTableManager::getSectionName())
    return orderOf(target.getBlock());
  return {target.getBlock().getContent().data(), target.getOffset(), ""};
}

/// Layouts sort the blocks of a section by their original addresses, which most of them lack.
void orderBlocks(LinkGraph &graph) {
  for (Section &section : graph.sections()) {
    std::vector<Block *> blocks(section.blocks().begin(), section.blocks().end());
    std::ranges::sort(blocks, {}, [](const Block *block) { return orderOf(*block); });
    uint64_t next = 0;
    for (Block *block : blocks)
      block->setAddress(orc::ExecutorAddr(next++));
  }
}

/// The inputs and outputs of one link. JITLink owns its context and destroys it with the link, hence the two classes.
struct LinkState {
  explicit LinkState(const std::string &entry) : entry(entry), memory(linked) {}

  const std::string &entry;
  const object::ObjectFile *debugged = nullptr; ///< null: there is no debug information
  LinkedBytes linked;
  LinkMemory memory;
  SectionIndices indices;
  std::vector<DebugObject::Section> sections;
  std::string failure;
};

class LinkContext final : public JITLinkContext {
public:
  explicit LinkContext(LinkState &state) : JITLinkContext(nullptr), state(state) {}

  JITLinkMemoryManager &getMemoryManager() override { return state.memory; }
  void notifyFailed(llvm::Error error) override { state.failure = toString(std::move(error)); }
  void lookup(const LookupMap &symbols, std::unique_ptr<JITLinkAsyncLookupContinuation> next) override {
    AsyncLookupResult found;
    for (const auto &[name, flags] : symbols) {
      if (!isKnown(name))
        return next->run(make_error<JITLinkError>("there is no symbol " + name));
      // All symbols may have one address, as their words become fixups by name.
      found[name] = {orc::ExecutorAddr(outside), JITSymbolFlags::Exported};
    }
    next->run(std::move(found));
  }
  llvm::Error notifyResolved(LinkGraph &graph) override {
    for (const Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getName() == state.entry)
        state.linked.layout.entry = state.linked.offsetOf(symbol->getAddress());
    return llvm::Error::success();
  }
  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }
  /// The default passes for exceptions and thread-local variables would have nothing to do.
  bool shouldAddDefaultTargetPasses(const Triple &) const override { return false; }
  llvm::Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override {
    // Tables are made after pruning, for what is left of the code, and bypassed where the target turns out to be near.
    // Fixups are taken last: until then the kinds of edges change.
    passes.PrePrunePasses.emplace_back([this](LinkGraph &graph) { return markLive(graph); });
    passes.PostPrunePasses.emplace_back([](LinkGraph &graph) {
      x86_64::GOTTableManager addresses;
      x86_64::PLTTableManager calls(addresses);
      visitExistingEdges(graph, addresses, calls);
      orderBlocks(graph);
      return llvm::Error::success();
    });
    passes.PreFixupPasses.emplace_back(x86_64::optimizeGOTAndStubAccesses);
    passes.PostFixupPasses.emplace_back([this](LinkGraph &graph) {
      if (state.debugged)
        state.sections = state.indices.placed(graph, state.linked);
      return state.linked.takeFixups(graph);
    });
    return llvm::Error::success();
  }

private:
  static bool isKnown(StringRef name) {
    return name.starts_with(CapturedDeviceArray::symbolPrefix) || cpu::isCodeSymbol(name) || math::isRoutine(name);
  }

  /// Keeps what the entry uses, and for debuggers everything that is loaded.
  llvm::Error markLive(LinkGraph &graph) {
    if (state.debugged)
      state.indices.note(graph, *state.debugged);
    for (Section &section : graph.sections()) {
      // Constants with addresses in them, which are write-protected after relocation.
      if (section.getName().starts_with(".data.rel.ro"))
        section.setMemProt(orc::MemProt::Read);
      const bool isKept = state.debugged && section.getMemLifetime() != orc::MemLifetime::NoAlloc;
      for (Symbol *symbol : section.symbols())
        if (isKept || (symbol->hasName() && symbol->getName() == state.entry))
          symbol->setLive(true);
    }
    return llvm::Error::success();
  }

  LinkState &state;
};

} // namespace

/// Synchronous, although JITLink is written for callbacks: all of them are called before `link_ELF_x86_64` returns.
void linkObject(const std::string &object, Image &image) {
  const MemoryBufferRef bytes(object, image.entry);
  Expected<std::unique_ptr<LinkGraph>> graph = createLinkGraphFromELFObject_x86_64(bytes);
  auto file = object::ObjectFile::createObjectFile(bytes);
  if (!graph || !file)
    throw InternalError("the object file of " + image.entry +
                        " cannot be read: " + toString(joinErrors(graph.takeError(), file.takeError())));
  LinkState state(image.entry);
  if (isDebugged(**file))
    state.debugged = file->get();
  link_ELF_x86_64(std::move(*graph), std::make_unique<LinkContext>(state));
  if (!state.failure.empty())
    throw InternalError("the object file of " + image.entry + " does not link: " + state.failure);
  image.code = std::move(state.linked.code);
  LinkedLayout &layout = image.cpu().layout;
  layout = std::move(state.linked.layout);
  layout.symbolsVersion = cpu::codeSymbolsVersion;
  if (state.debugged)
    image.cpu().debug = {object, std::move(state.sections)};
  TREADLE_CHECK(!layout.flaw(image.code.size()));
}

} // namespace treadle::codegen
