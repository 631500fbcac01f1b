// Maps an image into memory and applies its fixups.
#include "device/cpu/code/code_loader.h"

#include "border/code_symbols.h"
#include "border/image.h"
#include "device/cpu/code/code_functions.h"
#include "device/cpu/code/cpu_features.h"
#include "device/cpu/code/debugger_code.h"
#include "support/error.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/core.h>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <vector>

namespace treadle::cpu {

namespace {

/// Owns everything that the loaded code uses.
class LoadedCode {
public:
  LoadedCode(const LinkedLayout &layout, std::span<const uint64_t> captured)
      : captured(captured.begin(), captured.end()), bytes(layout.memoryBytes()) {
    void *const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      throw std::bad_alloc();
    begin = static_cast<char *>(mapped);
  }
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;
  /// Unregisters the code from debuggers first.
  ~LoadedCode() {
    announced.reset();
    munmap(begin, bytes);
  }

  char *at(uint64_t offset) const { return begin + offset; }

  void fill(const Image &image) const {
    const LinkedLayout &layout = image.cpu().layout;
    const char *from = image.code.data();
    for (const auto part : {LinkedLayout::Code, LinkedLayout::Constants, LinkedLayout::Data}) {
      std::memcpy(at(layout.begin(part)), from, layout.bytes[part]);
      from += layout.bytes[part];
    }
    for (const CodeFixup &fixup : layout.fixups) {
      const uint64_t address = addressOf(fixup.symbol) + uint64_t(fixup.addend);
      std::memcpy(at(fixup.offset), &address, sizeof address);
    }
  }

  void protect(const LinkedLayout &layout) const {
    protect(at(layout.begin(LinkedLayout::Code)), layout.bytes[LinkedLayout::Code], PROT_READ | PROT_EXEC);
    protect(at(layout.begin(LinkedLayout::Constants)), layout.bytes[LinkedLayout::Constants], PROT_READ);
  }

  std::optional<DebuggerCode> announced;

private:
  /// The word of a captured array.
  const void *capturedWord(std::string_view symbol) const {
    if (!symbol.starts_with(CapturedDeviceArray::symbolPrefix))
      return nullptr;
    symbol.remove_prefix(CapturedDeviceArray::symbolPrefix.size());
    size_t position = 0;
    const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), position);
    const bool isNumber = error == std::errc() && end == symbol.data() + symbol.size();
    return isNumber && position < captured.size() ? &captured[position] : nullptr;
  }

  uint64_t addressOf(const std::string &symbol) const {
    const void *found = symbol.empty() ? begin : capturedWord(symbol);
    if (!found)
      found = codeAddress(symbol);
    if (!found)
      throw Error("the image names the symbol '" + symbol +
                  "', which this build of Treadle does not have: compile the kernel anew");
    return reinterpret_cast<uintptr_t>(found);
  }

  static void protect(char *part, uint64_t partBytes, int rights) {
    if (partBytes != 0 && mprotect(part, LinkedLayout::wholePages(partBytes), rights) != 0)
      throw Error("this system does not let the process run machine code that it has made (" +
                  std::generic_category().message(errno) +
                  "), which the CPU device needs: systemd's MemoryDenyWriteExecute or a rule of SELinux forbids it");
  }

  const std::vector<uint64_t> captured; ///< read by the code
  const uint64_t bytes;
  char *begin;
};

/// Against what the processor has, whatever the settings say.
void checkFeatures(const Image &image) {
  const std::vector<std::string> missing = missingFeatures(image.target.features, hostFeatures());
  if (missing.empty())
    return;
  std::string names = missing.front();
  for (size_t i = 1; i < missing.size(); ++i)
    names += (i + 1 < missing.size() ? ", " : " and ") + missing[i];
  throw Error("the image of " + image.entry + " needs " + names +
              ", which this processor has not: compile the kernel for this machine");
}

} // namespace

NativeCode loadCode(const Image &image, std::span<const uint64_t> captured) {
  TREADLE_CHECK(captured.size() >= image.captured.size());
  const LinkedLayout &layout = image.cpu().layout;
  if (const char *flaw = layout.flaw(image.code.size()))
    throw Error("the image of " + image.entry + " cannot be loaded: " + flaw);
  if (layout.symbolsVersion != codeSymbolsVersion)
    throw Error(fmt::format("the image of {} was made for version {} of the functions that kernels call, and this "
                            "build of Treadle has version {}: compile the kernel anew",
                            image.entry, layout.symbolsVersion, codeSymbolsVersion));
  checkFeatures(image);
  const auto loaded = std::make_shared<LoadedCode>(layout, captured);
  loaded->fill(image);
  loaded->protect(layout);
  if (const DebugObject &debug = image.cpu().debug; !debug.object.empty())
    loaded->announced.emplace(debug, loaded->at(0));
  return {loaded->at(layout.entry), loaded};
}

} // namespace treadle::cpu
