// gdb's JIT interface: it has a breakpoint on __jit_debug_register_code, and reads the list there.
#include "device/cpu/code/debugger_code.h"

#include "support/error.h"
#include "support/fork_gate.h"

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <mutex>
#include <string>
#include <utility>

// The names, the layout and the numbers are gdb's. Not exported: gdb finds them in this library's symbol table.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag; ///< 0: none, 1: register `relevant_entry`, 2: unregister it
  jit_code_entry *relevant_entry, *first_entry;
};
extern jit_descriptor __jit_debug_descriptor;
jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
void __jit_debug_register_code();
/// Must not be inlined.
__attribute__((noinline, used)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace treadle::cpu {

namespace {

ForkMutex &debuggersLock() {
  static auto *const mutex = new ForkMutex;
  return *mutex;
}

/// The object file with its sections' addresses in memory filled in.
std::string withAddresses(const DebugObject &debug, const char *memory) {
  std::string object = debug.object;
  Elf64_Ehdr header;
  if (object.size() < sizeof header)
    throw Error("the image has debug information that is no object file");
  std::memcpy(&header, object.data(), sizeof header);
  for (const DebugObject::Section &section : debug.sections) {
    if (section.index >= header.e_shnum || header.e_shoff > object.size() ||
        (uint64_t(section.index) + 1) * sizeof(Elf64_Shdr) > object.size() - header.e_shoff)
      throw Error("the image has debug information of sections that it has not");
    const uint64_t address = reinterpret_cast<uintptr_t>(memory) + section.offset;
    const uint64_t at = header.e_shoff + section.index * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr);
    std::memcpy(object.data() + at, &address, sizeof address);
  }
  return object;
}

} // namespace

struct DebuggerCode::Entry {
  explicit Entry(std::string text) : object(std::move(text)) {
    code = {nullptr, nullptr, object.data(), object.size()};
  }

  const std::string object;
  jit_code_entry code;
};

DebuggerCode::DebuggerCode(const DebugObject &debug, const char *memory)
    : entry(std::make_unique<Entry>(withAddresses(debug, memory))) {
  const std::lock_guard lock(debuggersLock());
  jit_descriptor &known = __jit_debug_descriptor;
  entry->code.next_entry = known.first_entry;
  if (known.first_entry)
    known.first_entry->prev_entry = &entry->code;
  known.first_entry = known.relevant_entry = &entry->code;
  known.action_flag = 1;
  __jit_debug_register_code();
}

DebuggerCode::~DebuggerCode() {
  const std::lock_guard lock(debuggersLock());
  jit_descriptor &known = __jit_debug_descriptor;
  const jit_code_entry &code = entry->code;
  (code.prev_entry ? code.prev_entry->next_entry : known.first_entry) = code.next_entry;
  if (code.next_entry)
    code.next_entry->prev_entry = code.prev_entry;
  known.relevant_entry = &entry->code;
  known.action_flag = 2;
  __jit_debug_register_code();
}

} // namespace treadle::cpu
