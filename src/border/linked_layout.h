// LinkedLayout: how the bytes of a CPU image lie in memory, and which words are relocated when it is loaded.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <string>
#include <vector>

namespace treadle {

/// A 64-bit word of the loaded image that becomes the address of `symbol`, or of the image itself, plus `addend`.
struct CodeFixup {
  uint64_t offset = 0; ///< from the beginning of the memory
  std::string symbol;  ///< as border/code_symbols.h names it, or a captured array's; empty: the beginning of the memory
  int64_t addend = 0;
  bool operator==(const CodeFixup &) const = default;
};

/// The parts follow one another in Image::code without gaps. In memory each begins on a page boundary, so that it can
/// be protected separately; distances between them are part of the code. The words that fixups set are 0 in
/// Image::code.
struct LinkedLayout {
  static constexpr uint64_t pageBytes = 4096;
  enum Part : unsigned { Code, Constants, Data };

  uint64_t bytes[3] = {};        ///< of the parts, including zero-initialised data
  uint64_t entry = 0;            ///< offset of Image::entry in the code
  uint32_t symbolsVersion = 0;   ///< of border/code_symbols.h, by which the symbols are named
  std::vector<CodeFixup> fixups; ///< by offset; none is in the code
  bool operator==(const LinkedLayout &) const = default;

  static constexpr uint64_t wholePages(uint64_t bytes) { return (bytes + pageBytes - 1) / pageBytes * pageBytes; }
  /// The offset in memory at which a part begins.
  uint64_t begin(Part part) const {
    return part == Code ? 0 : wholePages(bytes[Code]) + (part == Data ? wholePages(bytes[Constants]) : 0);
  }
  uint64_t memoryBytes() const { return begin(Data) + wholePages(bytes[Data]); }

  /// What makes the layout invalid for an image with this much code; null: it can be loaded. The layout is untrusted.
  TREADLE_API const char *flaw(uint64_t codeBytes) const;
};

/// The debugger's view of an image with debug information.
struct DebugObject {
  struct Section {
    uint32_t index = 0;  ///< in the object file
    uint64_t offset = 0; ///< in the memory of the image
    bool operator==(const Section &) const = default;
  };
  std::string object;            ///< the object file that was linked; empty: there is no debug information
  std::vector<Section> sections; ///< those that are loaded
  bool operator==(const DebugObject &) const = default;
};

} // namespace treadle
